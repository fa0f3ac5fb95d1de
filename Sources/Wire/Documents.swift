public import Cryptography

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One published version of an app's configuration; the document behind the release pointer.
public struct Release: Sendable, Hashable, Codable {
    /// A segment as the release lists it.
    public struct Segment: Sendable, Hashable, Codable {
        public var name: String
        /// Rises with every change of the segment's items.
        public var version: Int
        /// The digest of the manifest document's bytes, and its name on the server.
        public var manifest: SHA256Digest
        public var itemCount: Int
        public var byteCount: Int64

        /// Creates a value.
        public init(name: String, version: Int, manifest: SHA256Digest, itemCount: Int, byteCount: Int64) {
            self.name = name
            self.version = version
            self.manifest = manifest
            self.itemCount = itemCount
            self.byteCount = byteCount
        }

        /// How the store names what this segment version holds: "news@42".
        public var holder: String { "\(name)@\(version)" }
    }

    /// The app's id.
    public var app: String
    /// Rises with every publication; a device refuses a lower one than it has seen.
    public var version: Int
    public var publishedAt: Date
    public var segments: [Segment]
    public var policy: DownloadPolicy
    public var quality: QualityThresholds
    public var pins: [PinRule]

    /// Creates a value.
    public init(
        app: String, version: Int, publishedAt: Date, segments: [Segment], policy: DownloadPolicy,
        quality: QualityThresholds = QualityThresholds(), pins: [PinRule] = []
    ) {
        self.app = app
        self.version = version
        self.publishedAt = publishedAt
        self.segments = segments
        self.policy = policy
        self.quality = quality
        self.pins = pins
    }

    /// Decodes a release; what one of an older server lacks has its default.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        app = try values.decode(String.self, forKey: .app)
        version = try values.decode(Int.self, forKey: .version)
        publishedAt = try values.decode(Date.self, forKey: .publishedAt)
        segments = try values.decode([Segment].self, forKey: .segments)
        policy = try values.decode(DownloadPolicy.self, forKey: .policy)
        quality = try values.decodeIfPresent(QualityThresholds.self, forKey: .quality) ?? QualityThresholds()
        pins = try values.decodeIfPresent([PinRule].self, forKey: .pins) ?? []
    }
}

/// The signed, immutable list of items of one segment version.
public struct Manifest: Sendable, Hashable, Codable {
    public var app: String
    public var segment: String
    public var version: Int
    public var createdAt: Date
    public var items: [Item]

    /// One URL of a segment version.
    public struct Item: Sendable, Hashable, Codable {
        public var url: String
        /// The length of the decoded body.
        public var byteCount: Int64
        /// The digest of the decoded body.
        public var sha256: SHA256Digest
        public var eTag: String?
        public var lastModified: String?
        public var contentType: String?
        /// The coding in which the origin sends it, such as "br"; `nil` when it comes as it is and can be resumed.
        public var contentEncoding: String?
        /// 0 downloads first.
        public var priority: Int
        /// The segment version becomes active only once every essential item is on the device.
        public var isEssential: Bool

        /// Creates a value.
        public init(
            url: String, byteCount: Int64, sha256: SHA256Digest, eTag: String? = nil, lastModified: String? = nil,
            contentType: String? = nil, contentEncoding: String? = nil, priority: Int = 0, isEssential: Bool = true
        ) {
            self.url = url
            self.byteCount = byteCount
            self.sha256 = sha256
            self.eTag = eTag
            self.lastModified = lastModified
            self.contentType = contentType
            self.contentEncoding = contentEncoding
            self.priority = priority
            self.isEssential = isEssential
        }
    }

    /// Creates a value.
    public init(app: String, segment: String, version: Int, createdAt: Date, items: [Item]) {
        self.app = app
        self.segment = segment
        self.version = version
        self.createdAt = createdAt
        self.items = items
    }
}

/// Bytes with signatures over them: the form in which releases and manifests travel.
///
/// The signature covers `label`, a line feed and the payload's bytes exactly as they are, so that no canonical JSON is needed
/// and a signature over one kind of document is no signature over another.
public struct SignedDocument: Sendable, Hashable, Codable {
    /// One signature.
    public struct Signature: Sendable, Hashable, Codable {
        public var keyID: String
        /// Always "ed25519".
        public var algorithm: String
        public var value: Data
    }

    /// What the payload is: "larder.release.v1" or "larder.manifest.v1".
    public var label: String
    public var payload: Data
    public var signatures: [Signature]

    public static let releaseLabel = "larder.release.v1"
    public static let manifestLabel = "larder.manifest.v1"

    /// Signs a payload; `nil` only when the cryptography library fails.
    public static func signing(_ payload: Data, label: String, keyID: String, key: Ed25519PrivateKey) -> SignedDocument?
    {
        guard let value = key.signature(for: Data("\(label)\n".utf8) + payload) else { return nil }
        let signature = Signature(keyID: keyID, algorithm: "ed25519", value: value)
        return SignedDocument(label: label, payload: payload, signatures: [signature])
    }

    /// The payload, once a trusted key has signed it under this label.
    /// - Throws: ``SignedDocumentError``.
    public func verifiedPayload(label expected: String, keys: [SigningKey]) throws(SignedDocumentError) -> Data {
        guard label == expected else { throw .wrongKind(expected: expected, found: label) }
        let message = Data("\(label)\n".utf8) + payload
        let isTrusted = signatures.contains { signature in
            signature.algorithm == "ed25519"
                && keys.contains { key in
                    key.id == signature.keyID
                        && Ed25519PublicKey(rawBytes: key.publicKey)?.isValid(signature: signature.value, for: message)
                            == true
                }
        }
        guard isTrusted else { throw .untrusted(keyIDs: signatures.map(\.keyID)) }
        return payload
    }
}

/// Why a signed document was refused.
public enum SignedDocumentError: Error, Sendable, Hashable, CustomStringConvertible {
    case wrongKind(expected: String, found: String)
    case untrusted(keyIDs: [String])

    public var description: String {
        switch self {
        case .wrongKind(let expected, let found): "a \(expected) document was expected and \(found) came"
        case .untrusted(let keyIDs):
            "no trusted key has signed the document (signed by \(keyIDs.joined(separator: ", ")))"
        }
    }
}

/// A public key that signs an app's documents.
public struct SigningKey: Sendable, Hashable, Codable {
    public var id: String
    /// 32 bytes of Ed25519.
    public var publicKey: Data

    /// Creates a value.
    public init(id: String, publicKey: Data) {
        self.id = id
        self.publicKey = publicKey
    }
}

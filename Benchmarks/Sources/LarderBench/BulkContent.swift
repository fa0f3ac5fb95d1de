import Cryptography
import Foundation
import Wire

/// A segment's items as files of a web server, with the signed documents of a control plane beside them.
struct BulkContent {
    let name: String
    let itemCount: Int
    let itemByteCount: Int

    static let all = [
        BulkContent(name: "1,000 x 8 KiB", itemCount: 1_000, itemByteCount: 8 << 10),
        BulkContent(name: "20 x 1 MiB", itemCount: 20, itemByteCount: 1 << 20),
    ]

    static let app = "bench"
    private static let key = Ed25519PrivateKey(seed: Data(repeating: 7, count: 32))!

    /// The segment's name on the server.
    var segment: String { "items-\(itemCount)" }
    var byteCount: Int { itemCount * itemByteCount }

    /// The URL of every item.
    func urls(at origin: String) -> [String] {
        (0..<itemCount).map { "\(origin)/items/\(segment)/\($0).bin" }
    }

    /// Writes items that do not compress, and the manifest over them.
    /// - Returns: the segment as the release lists it.
    func write(to root: String, origin: String) throws -> Release.Segment {
        try FileManager.default.createDirectory(
            atPath: "\(root)/items/\(segment)", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: "\(root)/v1/manifests", withIntermediateDirectories: true)
        var items: [Manifest.Item] = []
        for (number, url) in urls(at: origin).enumerated() {
            let body = Self.noise(byteCount: itemByteCount, seed: UInt64(number + 1))
            try body.write(to: URL(fileURLWithPath: "\(root)/items/\(segment)/\(number).bin"))
            items.append(Manifest.Item(url: url, byteCount: Int64(itemByteCount), sha256: .of(body)))
        }
        let manifest = Manifest(app: Self.app, segment: segment, version: 1, createdAt: Date(), items: items)
        let document = try Self.sign(manifest, SignedDocument.manifestLabel)
        let digest = SHA256Digest.of(document)
        try document.write(to: URL(fileURLWithPath: "\(root)/v1/manifests/\(digest)"))
        return Release.Segment(
            name: segment, version: 1, manifest: digest, itemCount: itemCount, byteCount: Int64(byteCount))
    }

    /// Writes the release of these segments and the answer to a registration.
    static func publish(_ segments: [Release.Segment], to root: String) throws {
        let release = Release(
            app: app, version: 1, publishedAt: Date(), segments: segments, policy: DownloadPolicy())
        try FileManager.default.createDirectory(atPath: "\(root)/v1/apps/\(app)", withIntermediateDirectories: true)
        try sign(release, SignedDocument.releaseLabel)
            .write(to: URL(fileURLWithPath: "\(root)/v1/apps/\(app)/release"))
        let keys = [SigningKey(id: "bench", publicKey: key.publicKey.rawBytes)]
        let registration = RegistrationResponse(
            deviceID: "bench", deviceToken: "bench", appID: app, signingKeys: keys)
        try WireCoding.encode(registration).write(to: URL(fileURLWithPath: "\(root)/v1/registration"))
    }

    private static func sign(_ value: some Encodable, _ label: String) throws -> Data {
        try WireCoding.encode(
            SignedDocument.signing(try WireCoding.encode(value), label: label, keyID: "bench", key: key)!)
    }

    private static func noise(byteCount: Int, seed: UInt64) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        var body = Data(capacity: byteCount)
        while body.count < byteCount {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            withUnsafeBytes(of: state) { body.append(contentsOf: $0) }
        }
        return body
    }
}

import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A SHA-256 digest: how bodies and manifests are named. Written as 64 lower-case hexadecimal digits.
public struct SHA256Digest: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    public let hex: String

    /// Reads 64 hexadecimal digits; `nil` for anything else.
    public init?(hex: String) {
        guard hex.utf8.count == 64 else { return nil }
        var hasCapitals = false
        for byte in hex.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x66: break
            case 0x41...0x46: hasCapitals = true
            default: return nil
            }
        }
        self.hex = hasCapitals ? hex.lowercased() : hex
    }

    fileprivate init(bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        hex = String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The digest of bytes in memory.
    public static func of(_ data: Data) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(data)
        return hasher.finalize()
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let digest = SHA256Digest(hex: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a SHA-256 digest is 64 hexadecimal digits, not \(text.prefix(80))")
        }
        self = digest
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }

    public static func < (left: Self, right: Self) -> Bool { left.hex < right.hex }
    public var description: String { hex }
}

/// Computes a SHA-256 digest piece by piece.
public struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    /// Starts a digest.
    public init() {
        // Fails only when memory is exhausted, which Swift treats as the end as well.
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes.
    public mutating func update(_ data: Data) {
        data.withUnsafeBytes { update(bytes: $0) }
    }

    /// Adds bytes.
    public mutating func update(bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress { EVP_DigestUpdate(context, base, bytes.count) }
    }

    /// Ends the digest.
    public consuming func finalize() -> SHA256Digest {
        var bytes = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &bytes, nil)
        return SHA256Digest(bytes: bytes)
    }
}

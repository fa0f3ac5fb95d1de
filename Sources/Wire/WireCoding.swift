import CZstd

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How documents become bytes: JSON with sorted keys and ISO 8601 dates, and zstd for batches.
public enum WireCoding {
    /// Encodes a document.
    public static func encode(_ value: some Encodable, pretty: Bool = false) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting =
            pretty ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(value)
    }

    /// Decodes a document.
    public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: data)
    }

    /// Compresses with zstd.
    public static func compress(_ data: Data) -> Data? {
        var output = Data(count: ZSTD_compressBound(data.count))
        let count = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { ZSTD_compress(output.baseAddress, output.count, $0.baseAddress, $0.count, 3) }
        }
        guard ZSTD_isError(count) == 0 else { return nil }
        return output.prefix(count)
    }

    /// Decompresses zstd; `nil` when it is malformed or longer than allowed.
    public static func decompress(_ data: Data, byteCountMax: Int) -> Data? {
        let declared = data.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        guard declared <= UInt64(byteCountMax) else { return nil }
        var output = Data(count: Int(declared))
        let count = output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { ZSTD_decompress(output.baseAddress, output.count, $0.baseAddress, $0.count) }
        }
        return count == Int(declared) ? output : nil
    }
}

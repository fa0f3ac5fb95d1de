import Cryptography
import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a request and a response as one compact run of bytes.
///
/// A list is its number of lines, then for each line name and value; a text is its number of bytes, then the bytes.
/// Numbers are LEB128: seven bits a byte, the lowest first, the high bit set on all but the last byte.
enum FieldCoding {
    /// Both lists, the request's first.
    static func encode(request: HTTPFields, response: HTTPFields) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        for fields in [request, response] { append(fields, to: &bytes) }
        return Data(bytes)
    }

    /// Reads what ``encode(request:response:)`` wrote; `nil` for anything else.
    static func decode(_ data: Data) -> (request: HTTPFields, response: HTTPFields)? {
        data.withUnsafeBytes { bytes in
            var reader = Reader(bytes: bytes)
            guard let request = reader.fields(), let response = reader.fields(), reader.isAtEnd else { return nil }
            return (request, response)
        }
    }

    /// What tells the variants of one URL apart: a digest of the selecting fields without regard to the case of names
    /// and the order of different names; empty without fields.
    static func variantKey(_ fields: HTTPFields) -> String {
        guard !fields.isEmpty else { return "" }
        var bytes: [UInt8] = []
        let lines = fields.enumerated().sorted {
            ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset)
        }
        for (_, line) in lines {
            append(line.name.canonicalName, to: &bytes)
            append(line.value, to: &bytes)
        }
        return SHA256Digest.of(Data(bytes)).hex
    }

    private static func append(_ fields: HTTPFields, to bytes: inout [UInt8]) {
        append(fields.count, to: &bytes)
        for field in fields {
            append(field.name.rawName, to: &bytes)
            append(field.value, to: &bytes)
        }
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        append(text.utf8.count, to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt(number)
        while rest > 0x7F {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var offset = 0

        var isAtEnd: Bool { offset == bytes.count }

        mutating func fields() -> HTTPFields? {
            // A line takes two bytes at least, which bounds what a damaged count can ask for.
            guard let count = number(), count <= (bytes.count - offset) / 2 else { return nil }
            var lines: [HTTPFields.Field] = []
            lines.reserveCapacity(count)
            for _ in 0..<count {
                guard let name = text().flatMap({ HTTPFieldName($0) }), let value = text() else { return nil }
                lines.append(HTTPFields.Field(name, value))
            }
            return HTTPFields(lines)
        }

        mutating func text() -> String? {
            guard let count = number(), count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return String(decoding: bytes[offset..<(offset + count)], as: UTF8.self)
        }

        mutating func number() -> Int? {
            var result = 0
            for shift in stride(from: 0, to: 35, by: 7) {
                guard offset < bytes.count else { return nil }
                let byte = bytes[offset]
                offset += 1
                result |= Int(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return result }
            }
            return nil
        }
    }
}

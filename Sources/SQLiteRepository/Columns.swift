import ControlModel
import Cryptography
import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    /// Milliseconds since 1970; dates beyond 300,000 years, which a device can make up, become the nearest bound.
    var milliseconds: Int64 {
        Int64(min(max((timeIntervalSince1970 * 1_000).rounded(), -1e16), 1e16))
    }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

extension Int64 {
    /// A count as a device told it, without values that make no sense and would spoil the sums.
    var plausible: Int64 { Swift.min(Swift.max(self, 0), 1 << 42) }
}

extension Encodable {
    /// The value as a JSON column.
    func json() throws -> String { String(decoding: try WireCoding.encode(self), as: UTF8.self) }
}

extension SQLiteRow {
    func date(_ column: Int) -> Date { Date(milliseconds: int64(column)) }
    func optionalDate(_ column: Int) -> Date? { optionalInt64(column).map { Date(milliseconds: $0) } }

    /// A column of `TOTAL` as a whole number.
    func sum(_ column: Int) -> Int64 { ExchangeSums.whole(double(column)) }

    /// Texts that were stored one a line.
    func lines(_ column: Int) -> [String] { string(column).split(separator: "\n").map(String.init) }

    func json<Value: Decodable>(_ type: Value.Type, _ column: Int) throws -> Value {
        do {
            return try WireCoding.decode(type, from: Data(string(column).utf8))
        } catch {
            throw RepositoryError.unusable("a stored \(type) cannot be read: \(error)")
        }
    }

    func digest(_ column: Int) throws -> SHA256Digest {
        guard let digest = SHA256Digest(hex: string(column)) else {
            throw RepositoryError.unusable("a stored digest is no SHA-256")
        }
        return digest
    }

    func optionalDigest(_ column: Int) throws -> SHA256Digest? { isNull(column) ? nil : try digest(column) }

    func choice<Value: RawRepresentable<String>>(_ type: Value.Type, _ column: Int) throws -> Value {
        guard let value = Value(rawValue: string(column)) else {
            throw RepositoryError.unusable("\"\(string(column).prefix(40))\" is stored as a \(type) and is none")
        }
        return value
    }
}

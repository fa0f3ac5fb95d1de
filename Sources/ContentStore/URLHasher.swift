import SQLiteDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a URL is found by in the index and in memory: 64 bits of SipHash-1-3 (Aumasson and Bernstein) under a key of the
/// store's own, so that nobody outside can choose URLs that fall together.
///
/// URLs that fall together all the same are told apart by their text.
struct URLHasher: Sendable {
    private let key: (UInt64, UInt64)

    init(key: (UInt64, UInt64)) { self.key = key }

    /// Reads the key of a store; `nil` when it has none.
    init?(_ connection: SQLiteConnection) throws {
        let bytes = try connection.first("SELECT hash_key FROM store WHERE id = 1") { $0.data(0) }
        guard let bytes, bytes.count == 16 else { return nil }
        key = bytes.withUnsafeBytes {
            (
                UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The hash as the index keeps it.
    func key(of url: String) -> Int64 { Int64(bitPattern: hash(url)) }

    func hash(_ url: String) -> UInt64 {
        if let hash = url.utf8.withContiguousStorageIfAvailable({ hash(UnsafeRawBufferPointer($0)) }) { return hash }
        var url = url
        return url.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }

    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = State(key)
        let end = bytes.count & ~7
        var offset = 0
        while offset < end {
            state.add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        while offset < bytes.count {
            last |= UInt64(bytes[offset]) << UInt64(8 * (offset & 7))
            offset += 1
        }
        state.add(last)
        return state.end()
    }

    private struct State {
        private var v0, v1, v2, v3: UInt64

        init(_ key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736F_6D65_7073_6575
            v1 = key.1 ^ 0x646F_7261_6E64_6F6D
            v2 = key.0 ^ 0x6C79_6765_6E65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func add(_ word: UInt64) {
            v3 ^= word
            round()
            v0 ^= word
        }

        mutating func end() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<3 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = Self.rotated(v1, 13) ^ v0
            v0 = Self.rotated(v0, 32)
            v2 &+= v3
            v3 = Self.rotated(v3, 16) ^ v2
            v0 &+= v3
            v3 = Self.rotated(v3, 21) ^ v0
            v2 &+= v1
            v1 = Self.rotated(v1, 17) ^ v2
            v2 = Self.rotated(v2, 32)
        }

        private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
    }
}

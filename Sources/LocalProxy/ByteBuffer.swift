import Glibc
import HTTPModel

/// Bytes in memory of the loop's own: added at the end, taken from the front, the room reused.
struct ByteBuffer: ~Copyable {
    private var storage: UnsafeMutableRawPointer
    private var capacity: Int
    private var start = 0
    private var end = 0

    /// Creates an empty buffer with room for so many bytes.
    init(capacity: Int) {
        self.capacity = max(64, capacity)
        storage = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { storage.deallocate() }

    var count: Int { end - start }
    var isEmpty: Bool { end == start }

    /// The bytes that are there; valid until the buffer changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage + start, count: end - start) }

    /// Room for at least so many bytes behind the last one; ``commit(_:)`` makes what was written there part of the buffer.
    mutating func room(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
        if capacity - end < byteCount { makeRoom(byteCount) }
        return UnsafeMutableRawBufferPointer(start: storage + end, count: capacity - end)
    }

    mutating func commit(_ byteCount: Int) { end += byteCount }

    /// Takes bytes from the front.
    mutating func drop(_ byteCount: Int) {
        start += byteCount
        if start == end { (start, end) = (0, 0) }
    }

    mutating func removeAll() { (start, end) = (0, 0) }

    /// Gives room back that a large body has needed, once nothing is in it.
    mutating func shrink(to byteCount: Int) {
        guard isEmpty, capacity > byteCount else { return }
        storage.deallocate()
        (storage, capacity) = (.allocate(byteCount: byteCount, alignment: 16), byteCount)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        room(bytes.count).copyMemory(from: bytes)
        end += bytes.count
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the bytes that the value of a field stands for.
    mutating func append(fieldValue text: String) {
        guard let bytes = FieldText.bytes(of: text) else { return append(text) }
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends a number in decimal digits.
    mutating func append(decimal number: Int64) {
        if number < 0 { return append(String(number)) }
        let target = room(20)
        var rest = number
        var digitCount = 1
        while rest > 9 {
            rest /= 10
            digitCount += 1
        }
        rest = number
        for index in (0..<digitCount).reversed() {
            target[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        end += digitCount
    }

    private mutating func makeRoom(_ byteCount: Int) {
        let held = end - start
        if capacity - held >= byteCount, start >= capacity / 2 {
            memmove(storage, storage + start, held)
        } else {
            let grown = max(capacity * 2, held + byteCount)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
            memcpy(larger, storage + start, held)
            storage.deallocate()
            (storage, capacity) = (larger, grown)
        }
        (start, end) = (0, held)
    }
}

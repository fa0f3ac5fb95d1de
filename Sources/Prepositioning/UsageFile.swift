#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sums of the day on the disk: 32 bytes, which every process of the app adds to under a lock on the file.
///
/// What was added is there when the process is killed in the next instant, and after a power loss once ``synchronize()`` has
/// returned. A file that cannot be used costs nothing but this.
final class UsageFile: @unchecked Sendable {  // used on the one queue of its meter
    /// Tells a record from other bytes: the words of a record and this one cancel each other out.
    private static let mark: UInt64 = 0x4C41_5244_4552_0001
    private static let byteCount = 32

    private let descriptor: Int32

    init(path: String) { descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The sums as they were written last; `nil` when there are none, or none that can be read.
    func read() -> DailyUsage? {
        guard descriptor >= 0 else { return nil }
        var words = [UInt64](repeating: 0, count: 4)
        let count = words.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == Self.byteCount, words[0] ^ words[1] ^ words[2] ^ words[3] == Self.mark else { return nil }
        var found = DailyUsage(day: Int(Int64(bitPattern: UInt64(littleEndian: words[0]))))
        found.usage.wifiByteCount = max(0, Int64(bitPattern: UInt64(littleEndian: words[1])))
        found.usage.cellularByteCount = max(0, Int64(bitPattern: UInt64(littleEndian: words[2])))
        return found
    }

    /// Adds to the sums of a day.
    /// - Returns: the new sums, those of other processes included; `nil` when the disk fails.
    func add(_ more: DataUsage, day: Int) -> DailyUsage? {
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else { return nil }
        defer { flock(descriptor, LOCK_UN) }
        let sums = (read() ?? DailyUsage(day: day)).rolled(to: day).adding(more)
        var words = [
            UInt64(bitPattern: Int64(sums.day)).littleEndian,
            UInt64(bitPattern: sums.usage.wifiByteCount).littleEndian,
            UInt64(bitPattern: sums.usage.cellularByteCount).littleEndian,
        ]
        words.append(words[0] ^ words[1] ^ words[2] ^ Self.mark)
        let count = words.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        return count == Self.byteCount ? sums : nil
    }

    /// Returns once what was added survives a power loss.
    func synchronize() { if descriptor >= 0 { fdatasync(descriptor) } }
}

import ContentStore
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bookkeeping of a flight: who reads, how far, what is still in memory, and who must be woken.
///
/// Pure: it performs no I/O and resumes nobody; what it returns is for its owner to act on outside the lock.
struct FlightState {
    /// The readers ahead may get this many bytes in memory ahead of the pump's leave to go on.
    static let windowByteCount: Int64 = 1 << 20
    /// Most bytes of one read from the disk.
    static let diskReadByteCount: Int64 = 128 << 10

    struct Member {
        var offset: Int64 = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// What a reader shall do next.
    enum Step {
        case take(Data)
        case readDisk(BodyWriter, offset: Int64, byteCount: Int)
        case end
        case fail(any Error)
        case wait
    }

    private(set) var members: [Int: Member] = [:]
    private var memberCount = 0
    /// What the head brought; `nil` before it is there.
    var outcome: FlightOutcome?
    /// Whether somebody has had the answer, and with it the metrics.
    var isClaimed = false
    private(set) var bodyEnd: Result<Void, any Error>?
    /// The whole body is there and being committed: nobody's leaving stops that.
    private(set) var isWhole = false
    private(set) var isAbandoned = false
    /// Where the bytes before the tail can be read.
    var writer: BodyWriter?
    /// Whether the disk still takes bytes; otherwise what it lacks stays in memory until everyone has it.
    private(set) var isOnDisk = true
    private var tail: [Data] = []
    private var tailOffset: Int64 = 0
    private(set) var frontier: Int64 = 0
    var pumpWaiter: CheckedContinuation<Void, Never>?

    // MARK: - Members

    /// Whether one more may read along from the first byte.
    var isOpen: Bool {
        guard !isAbandoned, bodyEnd == nil, isOnDisk else { return false }
        return switch outcome {
        case nil, .spooled: true
        default: false
        }
    }

    mutating func add() -> Int {
        memberCount += 1
        members[memberCount] = Member()
        return memberCount
    }

    mutating func setWaiter(_ waiter: CheckedContinuation<Void, Never>?, of id: Int) {
        members[id]?.waiter = waiter
    }

    mutating func takeWaiter(of id: Int) -> CheckedContinuation<Void, Never>? { members[id]?.waiter.take() }

    /// Takes a reader out.
    /// - Returns: who must be woken, and whether the fetch has lost its last reader.
    mutating func remove(_ id: Int) -> (wake: [CheckedContinuation<Void, Never>], isAbandoned: Bool) {
        guard let member = members.removeValue(forKey: id) else { return ([], false) }
        var wake = member.waiter.map { [$0] } ?? []
        if members.isEmpty, bodyEnd == nil, !isWhole { isAbandoned = true }
        trim()
        if let pump = pumpToWake() { wake.append(pump) }
        return (wake, isAbandoned)
    }

    /// Everyone who waits.
    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        var waiters: [CheckedContinuation<Void, Never>] = []
        for id in members.keys {
            if let waiter = members[id]?.waiter.take() { waiters.append(waiter) }
        }
        return waiters
    }

    // MARK: - Bytes

    /// Adds bytes that came from the network.
    /// - Parameter isOnDisk: whether the disk has them too; once it has not, it never has again.
    mutating func append(_ chunk: Data, isOnDisk written: Bool) -> [CheckedContinuation<Void, Never>] {
        if !written { isOnDisk = false }
        tail.append(chunk)
        frontier += Int64(chunk.count)
        trim()
        return takeWaiters()
    }

    mutating func becomeWhole() { isWhole = true }

    mutating func end(_ result: Result<Void, any Error>) -> [CheckedContinuation<Void, Never>] {
        bodyEnd = result
        return takeWaiters()
    }

    func step(of id: Int) -> Step {
        guard let member = members[id] else { return .fail(CancellationError()) }
        if member.offset < frontier {
            if member.offset >= tailOffset { return .take(chunk(at: member.offset)) }
            guard let writer else { return .fail(CancellationError()) }
            let byteCount = min(Self.diskReadByteCount, tailOffset - member.offset)
            return .readDisk(writer, offset: member.offset, byteCount: Int(byteCount))
        }
        switch bodyEnd {
        case nil: return .wait
        case .success: return .end
        case .failure(let error): return .fail(error)
        }
    }

    /// Notes what a reader has taken.
    /// - Returns: the pump, when it waits and may go on.
    mutating func advance(_ id: Int, by byteCount: Int) -> CheckedContinuation<Void, Never>? {
        members[id]?.offset += Int64(byteCount)
        trim()
        return pumpToWake()
    }

    /// Whether the network may be read further: the fastest reader sets the pace while slower ones can read from the disk, the
    /// slowest does when they cannot.
    var hasRoom: Bool { isAbandoned || frontier - pace < Self.windowByteCount }

    private var pace: Int64 {
        let offsets = members.values.lazy.map(\.offset)
        return (isOnDisk ? offsets.max() : offsets.min()) ?? frontier
    }

    private mutating func pumpToWake() -> CheckedContinuation<Void, Never>? { hasRoom ? pumpWaiter.take() : nil }

    /// Lets go of bytes in memory that the pace-setter has had, as far as they exceed the window.
    private mutating func trim() {
        let keep = pace
        var excess = frontier - tailOffset - Self.windowByteCount
        var count = 0
        while count < tail.count, excess > 0, tailOffset + Int64(tail[count].count) <= keep {
            tailOffset += Int64(tail[count].count)
            excess -= Int64(tail[count].count)
            count += 1
        }
        if count > 0 { tail.removeFirst(count) }
    }

    private func chunk(at offset: Int64) -> Data {
        var start = tailOffset
        for chunk in tail {
            let end = start + Int64(chunk.count)
            if offset < end { return offset == start ? chunk : Data(chunk.dropFirst(Int(offset - start))) }
            start = end
        }
        return Data()
    }
}

import Primitives
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When one entry was used last, as long as that is not written down.
final class UseNote: Sendable {
    let entryID: Int64
    /// Seconds since 1970 as the bits of a `Double`; 0 when there is nothing to write down.
    private let bits = Atomic<UInt64>(0)

    init(entryID: Int64) { self.entryID = entryID }

    var date: Date? {
        let bits = bits.load(ordering: .relaxed)
        return bits == 0 ? nil : Date(timeIntervalSince1970: Double(bitPattern: bits))
    }

    /// Notes a use.
    /// - Returns: whether nothing was noted before.
    func note(_ date: Date) -> Bool {
        bits.exchange(date.timeIntervalSince1970.bitPattern, ordering: .relaxed) == 0
    }

    func take() -> Date? {
        let bits = bits.exchange(0, ordering: .relaxed)
        return bits == 0 ? nil : Date(timeIntervalSince1970: Double(bitPattern: bits))
    }
}

/// Uses that are not written down yet: 4,096 at most, beyond which new ones are left out.
///
/// A lost use makes eviction a little less just, nothing more.
final class UseNotes: Sendable {
    /// So many are written down without waiting for the next change of the store, if the last such writing is past.
    static let writtenCount = 256
    /// Seconds between two writings that no change of the store asked for.
    private static let pause = 5.0
    private static let countMax = 4_096

    private struct State {
        var notes: [Int64: UseNote] = [:]
        var lastWriting = -Double.infinity
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.notes.isEmpty } }

    /// Takes a note in that has begun to say something.
    /// - Returns: whether it is time to write.
    func add(_ note: UseNote, _ date: Date) -> Bool {
        state.withLock { state in
            if let other = state.notes[note.entryID] {
                if other !== note {
                    _ = note.take()
                    _ = other.note(date)
                }
                return false
            }
            guard state.notes.count < Self.countMax else {
                _ = note.take()
                return false
            }
            state.notes[note.entryID] = note
            let time = date.timeIntervalSince1970
            guard state.notes.count >= Self.writtenCount, abs(time - state.lastWriting) >= Self.pause else {
                return false
            }
            state.lastWriting = time
            return true
        }
    }

    func date(of id: Int64) -> Date? { state.withLock { $0.notes[id]?.date } }

    /// Everything noted, which is then for the caller to write down.
    func take() -> [(id: Int64, date: Date)] {
        let taken = state.withLock { state in
            defer { state.notes = [:] }
            return state.notes
        }
        return taken.compactMap { id, note in note.take().map { (id, $0) } }
    }
}

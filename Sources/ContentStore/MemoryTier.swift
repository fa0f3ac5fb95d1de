import HTTPModel
import Primitives

/// Entries in memory, decoded: those used last, up to a number of bytes.
///
/// Eight parts with a lock each, so that threads seldom meet. Within a part a hand goes round and takes away what has not
/// been used since it came by last.
final class MemoryTier: Sendable {
    private static let partCount = 8

    private struct Place {
        var ready: ReadyEntries
        var generation: UInt64
        var byteCount: Int
        var wasUsed = false
    }

    private struct Part {
        var places: [UInt64: Place] = [:]
        var round: [UInt64] = []
        var hand = 0
        var byteCount = 0

        mutating func remove(_ hash: UInt64) {
            guard let place = places.removeValue(forKey: hash) else { return }
            byteCount -= place.byteCount
        }

        mutating func makeRoom(upTo byteCountMax: Int) {
            while byteCount > byteCountMax, !round.isEmpty {
                if hand >= round.count { hand = 0 }
                let hash = round[hand]
                if places[hash]?.wasUsed == true {
                    places[hash]?.wasUsed = false
                    hand += 1
                } else {
                    remove(hash)
                    round.swapAt(hand, round.count - 1)
                    round.removeLast()
                }
            }
        }
    }

    private let parts: [Locked<Part>]
    private let partByteCountMax: Int
    private let generations: Generations

    init(byteCountMax: Int, generations: Generations) {
        parts = (0..<Self.partCount).map { _ in Locked(Part()) }
        partByteCountMax = byteCountMax / Self.partCount
        self.generations = generations
    }

    private func part(of hash: UInt64) -> Locked<Part> { parts[Int(hash >> 61)] }

    /// What is known of a URL and still true.
    func find(_ url: HTTPURL, _ hash: UInt64) -> ReadyEntries? {
        part(of: hash).withLock { part in
            guard let index = part.places.index(forKey: hash) else { return nil }
            let place = part.places.values[index]
            guard generations.isCurrent(place.generation, hash), place.ready.url == url else { return nil }
            if !place.wasUsed { part.places.values[index].wasUsed = true }
            return place.ready
        }
    }

    /// Keeps what has been read while a generation was current.
    func keep(_ ready: ReadyEntries, generation: UInt64) {
        let byteCount = ready.byteCount
        // A quarter of a part is more than enough for one URL.
        guard byteCount <= partByteCountMax / 4 else { return }
        part(of: ready.hash).withLock { part in
            let isNew = part.places[ready.hash] == nil
            part.remove(ready.hash)
            part.places[ready.hash] = Place(ready: ready, generation: generation, byteCount: byteCount)
            part.byteCount += byteCount
            if isNew { part.round.append(ready.hash) }
            part.makeRoom(upTo: partByteCountMax)
        }
    }

    /// Forgets everything.
    func removeAll() {
        for part in parts { part.withLock { $0 = Part() } }
    }
}

import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One reader's view of a flight's body: from memory near the network's end, from the disk behind it.
final class SpoolReader: ByteSource {
    private let flight: Flight
    private let member: Int

    init(flight: Flight, member: Int) {
        self.flight = flight
        self.member = member
    }

    func next() async throws -> Data? { try await flight.nextChunk(for: member) }

    func cancel() { flight.leave(member) }
}

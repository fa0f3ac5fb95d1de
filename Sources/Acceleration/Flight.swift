import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One fetch, which identical requests share: the network's bytes go to the store and to every reader at the same time.
///
/// A task of the flight's own reads the network, so that no reader's cancellation harms the others. The fetch goes on while
/// somebody reads; the fastest reader sets its pace, slower ones read from the spool on the disk. At most two windows of
/// bytes (2 MiB) and one chunk are in memory. When the disk fails, the bytes it lacks stay in memory and the slowest reader
/// sets the pace.
final class Flight: Sendable {
    /// What is fetched, and what for.
    struct Plan: Sendable {
        var transportRequest: TransportRequest
        /// The request without the fields that this cache added to validate an entry.
        var request: HTTPRequest
        /// What the cache asks on top of it.
        var inquiry = Inquiry.none
        /// Every entry of the URL.
        var entries: [StoreEntry] = []
        /// The same, for deciding whether one stands in for a failing origin.
        var stored: [StoredResponse] = []
    }

    private let state = Locked(FlightState())
    private let task = Locked<Task<Void, Never>?>(nil)

    // MARK: - Members

    /// A flight with one member, to be started.
    static func withFirstMember() -> (flight: Flight, member: Int) {
        let flight = Flight()
        return (flight, flight.state.withLock { $0.add() })
    }

    /// Joins, as long as nothing has come that a newcomer cannot have.
    func join() -> Int? {
        state.withLock { $0.isOpen ? $0.add() : nil }
    }

    /// The head, when it has come and its body is being shared.
    var sharedHead: FlightHead? {
        state.withLock { if case .spooled(let head) = $0.outcome { head } else { nil } }
    }

    /// Starts the fetch.
    /// - Parameters:
    ///   - answer: what has come already; nothing is sent then.
    ///   - onEnd: called once, when the flight can take no more members and its entry is in the store.
    func start(
        _ plan: Plan, in context: EngineContext, from answer: (TransportResponse, FlightHead)? = nil,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        // At once, because the one who starts it waits for it: the request goes out without a change of thread before.
        let task = Task.immediate {
            await FlightPump(flight: self, plan: plan, context: context).run(from: answer)
            onEnd()
            self.finish()
        }
        self.task.withLock { $0 = task }
        // The last member may have left before the task was there to be cancelled.
        if state.withLock({ $0.isAbandoned }) { task.cancel() }
    }

    /// Waits for the head.
    /// - Returns: the answer for this member, and whether it is the first to have one: the exchange on the wire is then its own.
    /// - Throws: what ended the fetch before the head; `CancellationError`.
    func answer(for member: Int) async throws -> (answer: FlightAnswer, isFirst: Bool) {
        while true {
            if Task.isCancelled {
                leave(member)
                throw CancellationError()
            }
            if let claim = claim() {
                let isReader = if case .success((.response(_, _, isStored: true), _)) = claim { true } else { false }
                if !isReader { leave(member) }
                guard case .success((.response(let head, _, isStored: true), let isFirst)) = claim else {
                    return try claim.get()
                }
                let body = ByteStream(SpoolReader(flight: self, member: member))
                return (.response(head, body, isStored: true), isFirst)
            }
            await wait(member) { $0.outcome != nil }
        }
    }

    private func claim() -> Result<(answer: FlightAnswer, isFirst: Bool), any Error>? {
        state.withLock { state in
            guard let outcome = state.outcome else { return nil }
            let isFirst = !state.isClaimed
            state.isClaimed = true
            switch outcome {
            case .spooled(let head): return .success((.response(head, .empty, isStored: true), isFirst))
            case .live(let head, let body):
                state.outcome = .taken
                return .success((.response(head, body, isStored: false), isFirst))
            case .taken: return .success((.alone, false))
            case .confirmed(let head, let entry): return .success((.confirmed(head, entry), isFirst))
            case .originFailed(let head): return .success((.originFailed(head), isFirst))
            case .unusable: return .success((.unusable, isFirst))
            case .failed(let error): return .failure(error)
            }
        }
    }

    /// Leaves; the last to leave ends a fetch that is not done.
    func leave(_ member: Int) {
        let (wake, isAbandoned) = state.withLock { $0.remove(member) }
        if isAbandoned { task.withLock { $0 }?.cancel() }
        for waiter in wake { waiter.resume() }
    }

    /// The next bytes for a reader; `nil` at the end.
    func nextChunk(for member: Int) async throws -> Data? {
        while true {
            switch state.withLock({ $0.step(of: member) }) {
            case .take(let data): return advance(member, data)
            case .readDisk(let writer, let offset, let byteCount):
                return advance(member, try await Self.read(writer, at: offset, byteCount: byteCount))
            case .end: return nil
            case .fail(let error): throw error
            case .wait:
                await wait(member) { if case .wait = $0.step(of: member) { false } else { true } }
                try Task.checkCancellation()
            }
        }
    }

    /// Reads the disk away from the caller's executor, which may be the main actor's.
    @concurrent private static func read(_ writer: BodyWriter, at offset: Int64, byteCount: Int) async throws -> Data {
        do throws(StoreError) {
            let data = try writer.read(at: offset, byteCount: byteCount)
            if !data.isEmpty { return data }
        } catch {
            throw TransportError(.other, "the disk lost a body while it was read: \(error)")
        }
        throw TransportError(.other, "the disk lost a body while it was read")
    }

    private func advance(_ member: Int, _ data: Data) -> Data {
        state.withLock { $0.advance(member, by: data.count) }?.resume()
        return data
    }

    /// Suspends a member until it is woken, unless what it waits for is there or its task is cancelled.
    private func wait(_ member: Int, until isReady: (FlightState) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if Task.isCancelled || state.members[member] == nil || isReady(state) { return true }
                    state.setWaiter(continuation, of: member)
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter(of: member) }?.resume()
        }
    }

    // MARK: - The pump's side

    /// Tells everyone what the head brought.
    func settle(_ outcome: FlightOutcome, writer: BodyWriter? = nil) {
        let wake = state.withLock { state in
            state.outcome = outcome
            state.writer = writer
            return state.takeWaiters()
        }
        for waiter in wake { waiter.resume() }
    }

    /// Hands on bytes from the network and waits until more may come.
    /// - Throws: `CancellationError` when nobody reads any more.
    func publish(_ chunk: Data, isOnDisk: Bool) async throws {
        let wake = state.withLock { $0.append(chunk, isOnDisk: isOnDisk) }
        for waiter in wake { waiter.resume() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if Task.isCancelled || state.hasRoom { return true }
                    state.pumpWaiter = continuation
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.pumpWaiter.take() }?.resume()
        }
        try Task.checkCancellation()
    }

    /// The whole body is there: from here on nobody's leaving keeps it from being stored.
    /// - Returns: whether anybody still wanted it.
    func becomeWhole() -> Bool {
        state.withLock { state in
            guard !state.isAbandoned else { return false }
            state.becomeWhole()
            return true
        }
    }

    /// How the body ended; told to the readers by ``finish()``.
    func noteFailure(_ error: any Error) {
        let wake = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if state.outcome == nil { state.outcome = .failed(error) }
            return state.end(.failure(error))
        }
        for waiter in wake { waiter.resume() }
    }

    private func finish() {
        let wake = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.bodyEnd == nil ? state.end(.success(())) : []
        }
        for waiter in wake { waiter.resume() }
    }
}

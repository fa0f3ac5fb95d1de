import ContentStore
import HTTPModel
import Primitives
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One exchange from its start to the end of its body: the body's last hand before the caller, and the record of it all.
///
/// It counts what it hands over, tells the activity gate of its start and its end exactly once, and completes the record once
/// the body has ended, has failed, or has been let go of.
final class Exchange: ByteSource {
    private enum Body {
        case none
        case stream(ByteStream)
        /// Opened as a stream only when somebody reads it as one.
        case stored(StoredBody)
    }

    private struct State {
        var record: ExchangeRecord
        var gate: ActivityGate?
        var tag: ExchangeTag?
        var body = Body.none
        var metrics: (@Sendable () async -> TransferMetrics)?
        var isEnded = false
        var isComplete = false
        var waiters: [CheckedContinuation<ExchangeRecord, Never>] = []
    }

    /// When it started.
    let date: Date
    private let state: Locked<State>
    private let started: Duration
    private let timekeeper: any Timekeeping
    private let onExchange: @Sendable (ExchangeRecord) -> Void

    /// Starts the exchange's clock.
    init(
        _ request: HTTPRequest, timekeeper: any Timekeeping,
        onExchange: @escaping @Sendable (ExchangeRecord) -> Void
    ) {
        self.timekeeper = timekeeper
        self.onExchange = onExchange
        started = timekeeper.uptime
        date = timekeeper.now
        state = Locked(
            State(
                record: ExchangeRecord(
                    date: date, method: request.method.rawValue, url: Self.withoutQuery(request.url),
                    status: 0, outcome: .failed, cacheStatus: "", firstByteMicroseconds: 0, totalMicroseconds: 0,
                    bodyByteCount: 0, wireByteCount: 0)))
    }

    /// Keeps the gate busy until the exchange ends, and carries the tag to its record.
    func enter(_ gate: ActivityGate, _ tag: ExchangeTag?) {
        state.withLock { state in
            state.gate = gate
            guard let tag else { return }
            state.tag = tag
            state.record.events = tag.events
        }
        gate.begin()
    }

    /// The head is about to be handed to the caller.
    func begin(_ hop: Hop) {
        let elapsed = elapsedMicroseconds
        state.withLock { state in
            state.record.status = hop.response.status
            state.record.outcome = hop.outcome
            state.record.cacheStatus = hop.cacheStatus
            state.record.segments = hop.segments
            state.record.firstByteMicroseconds = elapsed
            state.metrics = hop.metrics
            switch hop.body {
            case .none: state.body = .none
            case .stream(let stream): state.body = .stream(stream)
            case .stored(let stored): state.body = .stored(stored)
            }
        }
    }

    /// No response came.
    func fail(_ error: any Error) {
        guard end(errorCode: Self.errorCode(for: error), isFailure: true) else { return }
        complete(nil)
    }

    /// The record, once it is complete.
    func completedRecord() async -> ExchangeRecord {
        await withCheckedContinuation { continuation in
            let record = state.withLock { state -> ExchangeRecord? in
                if state.isComplete { return state.record }
                state.waiters.append(continuation)
                return nil
            }
            if let record { continuation.resume(returning: record) }
        }
    }

    // MARK: - The body

    func next() async throws -> Data? {
        guard let stream = openStream() else {
            await finish(errorCode: nil, isFailure: false)
            return nil
        }
        do {
            var iterator = stream.makeAsyncIterator()
            if let chunk = try await iterator.next() {
                state.withLock { $0.record.bodyByteCount += Int64(chunk.count) }
                return chunk
            }
        } catch {
            await finish(errorCode: Self.errorCode(for: error), isFailure: !(error is CancellationError))
            throw error
        }
        await finish(errorCode: nil, isFailure: false)
        return nil
    }

    func cancel() {
        let (metrics, unread, isOver) = state.withLock { state in
            var unread: Int64?
            if case .stored(let body) = state.body { unread = body.byteCount }
            if case .none = state.body { unread = 0 }
            return (state.metrics, unread, state.isEnded)
        }
        if isOver { return }
        // A stored body that was never streamed has been taken whole; a response without a body has nothing to cut short.
        if let unread { state.withLock { $0.record.bodyByteCount += unread } }
        guard end(errorCode: unread == nil ? "cancelled" : nil, isFailure: false) else { return }
        guard let metrics else { return complete(nil) }
        // Only an aborted transfer gets here: its metrics come a moment after its end.
        Task { self.complete(await metrics()) }
    }

    private func openStream() -> ByteStream? {
        state.withLock { state in
            switch state.body {
            case .none: return nil
            case .stream(let stream): return stream
            case .stored(let body):
                let stream = body.stream()
                state.body = .stream(stream)
                return stream
            }
        }
    }

    // MARK: - The end

    private func finish(errorCode: String?, isFailure: Bool) async {
        guard end(errorCode: errorCode, isFailure: isFailure) else { return }
        let metrics = state.withLock { $0.metrics }
        complete(await metrics?())
    }

    /// Ends the exchange once.
    /// - Returns: whether this was the end.
    private func end(errorCode: String?, isFailure: Bool) -> Bool {
        let elapsed = elapsedMicroseconds
        let (isEnd, released, gate) = state.withLock { state -> (Bool, Body, ActivityGate?) in
            guard !state.isEnded else { return (false, .none, nil) }
            state.isEnded = true
            state.record.totalMicroseconds = elapsed
            state.record.errorCode = errorCode
            if isFailure { state.record.outcome = .failed }
            defer { (state.body, state.gate) = (.none, nil) }
            return (true, state.body, state.gate)
        }
        // The body is let go of outside of the lock.
        _ = released
        gate?.end()
        return isEnd
    }

    private func complete(_ metrics: TransferMetrics?) {
        let (record, tag, waiters) = state.withLock { state in
            if let metrics {
                state.record.wireByteCount = metrics.sentByteCount + metrics.receivedByteCount
                state.record.httpVersion = metrics.httpVersion
            }
            state.isComplete = true
            state.metrics = nil
            defer { (state.tag, state.waiters) = (nil, []) }
            return (state.record, state.tag, state.waiters)
        }
        tag?.onEnd(record)
        for waiter in waiters { waiter.resume(returning: record) }
        onExchange(record)
    }

    private var elapsedMicroseconds: Int64 {
        let (seconds, attoseconds) = (timekeeper.uptime - started).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }

    private static func withoutQuery(_ url: HTTPURL) -> String {
        let text = url.string
        let offset =
            text.utf8.withContiguousStorageIfAvailable { $0.firstIndex(of: UInt8(ascii: "?")) }
            ?? text.utf8.firstIndex(of: UInt8(ascii: "?")).map { text.utf8.distance(from: text.startIndex, to: $0) }
        guard let offset else { return text }
        return String(text[..<text.utf8.index(text.startIndex, offsetBy: offset)])
    }

    private static func errorCode(for error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case let error as TransportError: error.code.rawValue
        case let error as StoreError: error.code.rawValue
        default: "other"
        }
    }
}

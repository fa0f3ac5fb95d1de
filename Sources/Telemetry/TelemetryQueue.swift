import Dispatch
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    public import Foundation
#endif

/// A durable, bounded queue of what the device has to tell the server.
///
/// Recording never blocks on the disk: items gather in memory for a quarter of a second and are written behind. At the bound
/// the oldest items that no batch holds go and are counted. Batches keep their id until the server has acknowledged them, so
/// that sending twice counts once. Call ``flush()`` before letting go: what is in memory then is written by `deinit`.
public final class TelemetryQueue: Sendable {
    private struct State {
        var buffer: [TelemetryItem] = []
        /// Items on their way from the buffer to the storage.
        var writingCount = 0
        var storedCount = 0
        var losses: [String: Int] = [:]
        var book = EventBook()
        /// What is to be written of timed events.
        var events: [String: StoredEvent?] = [:]
        var isWriteDue = false
        var upload: Task<UploadReport, Never>?

        /// Adds an item.
        /// - Returns: whether a write is to be scheduled.
        mutating func append(_ item: TelemetryItem) -> Bool {
            if buffer.count >= TelemetryQueue.bufferCountMax { dropOldest() }
            buffer.append(item)
            return scheduleWrite()
        }

        /// Takes what a step of the book asks for.
        /// - Returns: whether a write is to be scheduled.
        mutating func take(_ changes: EventChanges) -> Bool {
            events.merge(changes.kept) { _, later in later }
            let isFirst = !changes.kept.isEmpty && scheduleWrite()
            return changes.told.reduce(isFirst) { append(.event($1)) || $0 }
        }

        private mutating func scheduleWrite() -> Bool {
            defer { isWriteDue = true }
            return !isWriteDue
        }

        /// Makes room for a sixteenth: exchanges go, what is rarer stays unless there is nothing else.
        mutating func dropOldest() {
            let count = TelemetryQueue.bufferCountMax / 16
            var kept = buffer[..<count].filter { !$0.isExchange }
            if kept.count == count { kept = [] }
            buffer.replaceSubrange(..<count, with: kept)
            losses[LossReason.queueFull, default: 0] += count - kept.count
        }
    }

    /// Most items in memory; beyond, exchanges among the oldest sixteenth go and are counted. Reached when the disk cannot be written, and by
    /// more than 16,000 items a second.
    static let bufferCountMax = 4_096
    private static let gatheringTime = Duration.milliseconds(250)

    private let storage: any TelemetryStorage
    private let limits: TelemetryLimits
    private let timekeeper: any Timekeeping
    let makeID: @Sendable () -> String
    /// Owns the storage: everything that touches the disk runs here, one after the other.
    private let writer = DispatchQueue(label: "larder.telemetry")
    private let state = Locked(State())
    /// Why the queue is in memory only; `nil` when it is durable.
    public let storageFailure: String?

    /// Opens the queue; an unusable directory gives a queue in memory that counts its losses. Performs disk I/O.
    /// - Parameter makeID: makes unique ids, of characters that need no escape in a URL's path.
    public init(configuration: Configuration, timekeeper: any Timekeeping, makeID: @escaping @Sendable () -> String) {
        limits = TelemetryLimits(configuration)
        self.timekeeper = timekeeper
        self.makeID = makeID
        do {
            let durable = try SQLiteTelemetryStorage(directory: configuration.directory, limits: limits)
            let count = try durable.count(), events = try durable.events(), now = timekeeper.now
            storage = durable
            storageFailure = nil
            let isFirst = state.withLock { state in
                state.storedCount = count
                let changes = state.book.restore(events, now: now)
                return state.take(changes)
            }
            if isFirst { scheduleWrite() }
        } catch {
            storage = MemoryTelemetryStorage(limits: limits)
            storageFailure = "the telemetry queue is in memory only: \(error)"
        }
    }

    deinit { write() }

    /// Adds an item; never blocks and never fails.
    public func record(_ item: TelemetryItem) {
        if state.withLock({ $0.append(item) }) { scheduleWrite() }
    }

    /// Runs a step of the book of timed events, and does what it asks for together with what it tells.
    func step<Result>(_ body: (inout EventBook) -> (Result, EventChanges)) -> Result {
        let (result, isFirst) = state.withLock { state in
            let (result, changes) = body(&state.book)
            return (result, state.take(changes))
        }
        if isFirst { scheduleWrite() }
        return result
    }

    private func scheduleWrite() {
        Task { [weak self, timekeeper] in
            // Nobody cancels this task; a clock that refuses to wait only makes the write come sooner.
            try? await timekeeper.sleep(for: Self.gatheringTime)
            guard let self else { return }
            writer.async { self.write() }
        }
    }

    /// Items waiting.
    public var count: Int { state.withLock { $0.buffer.count + $0.writingCount + $0.storedCount } }

    /// Writes what is in memory to the disk and returns when it is durable.
    public func flush() async {
        await onWriter { self.write() }
    }

    /// Tells the events that have been stopped, writes what is in memory, and leaves the running events to the next queue on the
    /// directory. What is recorded afterwards is still written.
    public func close() async {
        step { ((), $0.settleAll()) }
        await onWriter {
            self.write()
            self.storage.leaveEvents()
        }
    }

    /// Moves the buffer into the storage. Runs on the writer.
    private func write() {
        let (items, losses, events) = state.withLock { state in
            state.isWriteDue = false
            defer {
                state.writingCount = state.buffer.count
                state.buffer = []
                state.losses = [:]
                state.events = [:]
            }
            return (state.buffer, state.losses, state.events)
        }
        guard !items.isEmpty || !losses.isEmpty || !events.isEmpty else { return }
        var newLosses = losses
        var encoder = ExchangeEncoder()
        let encoded = items.compactMap { encode($0, with: &encoder, losses: &newLosses) }
        do {
            try storage.append(encoded, losses: newLosses, events: events)
            let count = try storage.count()
            state.withLock { state in
                state.writingCount = 0
                state.storedCount = count
            }
        } catch {
            // Kept in memory, within its bound, and written with the next ones.
            state.withLock { state in
                state.writingCount = 0
                state.losses.merge(losses, uniquingKeysWith: +)
                state.events.merge(events) { later, _ in later }
                let room = max(Self.bufferCountMax - state.buffer.count, 0)
                let dropped = max(items.count - room, 0)
                state.buffer = items.dropFirst(dropped) + state.buffer
                if dropped > 0 { state.losses[LossReason.queueFull, default: 0] += dropped }
            }
        }
    }

    private func encode(
        _ item: TelemetryItem, with encoder: inout ExchangeEncoder, losses: inout [String: Int]
    ) -> EncodedItem? {
        do {
            let payload: Data
            if case .exchange(let record) = item {
                payload = encoder.encode(record)
            } else {
                payload = try WireCoding.encode(item)
            }
            if payload.count <= limits.itemByteCountMax { return EncodedItem(payload: payload) }
            losses[LossReason.itemTooLarge, default: 0] += 1
        } catch {
            losses[LossReason.notEncodable, default: 0] += 1
        }
        return nil
    }

    /// Sends every waiting item, batch by batch, with zstd. Runs one upload at a time: a second call while one runs waits for
    /// that one, and sends what it left; when there is nothing, or it failed, the second call gets the report of the first.
    /// Cancelling the first caller ends it.
    ///
    /// Network errors and 5xx (408, 429) stop it and keep the batch; a batch that the server will never take (400, 413, 415,
    /// 422) is dropped and counted; 401 and 403 stop it as refused.
    @discardableResult
    public func upload(to destination: Destination, over transport: any HTTPTransport) async -> UploadReport {
        let (task, isOwn) = state.withLock { state -> (Task<UploadReport, Never>, Bool) in
            if let running = state.upload { return (running, false) }
            let task = Task { await self.performUpload(TelemetryUploader(destination, transport)) }
            state.upload = task
            return (task, true)
        }
        let report = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            if isOwn { task.cancel() }
        }
        let isDone = isOwn || report.failure != nil || count == 0 || Task.isCancelled
        return isDone ? report : await upload(to: destination, over: transport)
    }

    private func performUpload(_ uploader: TelemetryUploader) async -> UploadReport {
        var report = UploadReport()
        do {
            while !report.isRefused, report.failure == nil {
                try Task.checkCancellation()
                let batch = try await onWriter {
                    self.write()
                    return try self.storage.nextBatch(now: self.timekeeper.now, makeID: self.makeID)
                }
                guard let batch else { break }
                try await settle(batch, verdict: uploader.send(batch), &report)
            }
        } catch is CancellationError {
            report.failure = "the upload was cancelled"
        } catch {
            report.failure = "the queue failed: \(error)"
        }
        state.withLock { $0.upload = nil }
        return report
    }

    private func settle(
        _ batch: StoredBatch, verdict: TelemetryUploader.Verdict, _ report: inout UploadReport
    ) async throws {
        switch verdict {
        case .delivered:
            try await onWriter { try self.storage.acknowledge(batch.id) }
            report.batchesSent += 1
            report.itemsSent += batch.items.count
        case .rejected:
            try await onWriter { try self.storage.reject(batch.id) }
            report.itemsRejected += batch.items.count
        case .refused(let reason):
            report.isRefused = true
            report.failure = reason
        case .failed(let reason):
            report.failure = reason
        }
        let count = try await onWriter { try self.storage.count() }
        state.withLock { $0.storedCount = count }
    }

    private func onWriter<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            writer.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private func onWriter(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            writer.async {
                body()
                continuation.resume()
            }
        }
    }
}

extension TelemetryItem {
    fileprivate var isExchange: Bool {
        if case .exchange = self { return true }
        return false
    }
}

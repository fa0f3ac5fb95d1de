import CCurl
import Primitives

/// One thread with a libcurl multi handle: every easy handle is touched there and nowhere else.
///
/// Other threads hand in jobs, which the loop runs between two rounds of libcurl. The queue of jobs holds at most a start,
/// a resume and a cancel for each transfer, so it is bounded by what callers have in flight.
///
/// Unchecked, because the importer does not know that waking a multi handle is allowed from any thread; everything else
/// libcurl is in ``Running``, which stays on the loop thread.
final class CurlLoop: @unchecked Sendable {
    typealias Job = @Sendable (inout Running) -> Void

    /// What belongs to the loop thread.
    struct Running {
        let multi: UnsafeMutableRawPointer
        let timekeeper: any Timekeeping
        let arrivals: ArrivalCount?
        var pool: HandlePool
        var transfers: [UnsafeMutableRawPointer: (handle: EasyHandle, transfer: any LoopTransfer)] = [:]
        var handles: [ObjectIdentifier: EasyHandle] = [:]
        /// When deadlines are looked at again; never later than the earliest one.
        var nextCheck: Duration?
    }

    private enum Phase { case running, retiring, stopping, stopped }

    private struct Inbox {
        var jobs: [Job] = []
        var phase: Phase
    }

    private let multi: UnsafeMutableRawPointer?
    private let inbox: Locked<Inbox>
    /// What arrives, for the observer; `nil` without one. Loop thread only.
    let arrivals: ArrivalCount?
    /// Fulfilled when the thread has ended.
    let ended = Promise<Void>()

    /// Starts the thread. Without memory for it the loop is stopped from the beginning.
    init(configuration: CurlTransport.Configuration, timekeeper: any Timekeeping) {
        CurlLibrary.initialize()
        multi = curl_multi_init()
        arrivals = configuration.observer.map(ArrivalCount.init)
        inbox = Locked(Inbox(phase: multi == nil ? .stopped : .running))
        guard let multi else {
            ended.fulfil(())
            return
        }
        _ = lcurl_multi_set_long(multi, CURLMOPT_PIPELINING, LCURL_PIPE_MULTIPLEX)
        // The default, four times the handles at the moment, closes connections that are about to be used again.
        _ = lcurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.connectionsMax)
        _ = lcurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, configuration.connectionsMax)
        _ = lcurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHostMax)
        let isStarted = DetachedThread.start { [self] in
            // A pool belongs to its thread from the beginning.
            run(HandlePool(stateDirectory: configuration.stateDirectory), timekeeper)
        }
        if !isStarted {
            inbox.withLock { $0.phase = .stopped }
            curl_multi_cleanup(multi)
            ended.fulfil(())
        }
    }

    /// Starts a transfer; `false`, and nothing has happened, when the loop does not run any more.
    func start(_ transfer: some LoopTransfer) -> Bool { submit { $0.start(transfer) } }

    /// Ends a transfer from outside; nothing happens when it has ended already.
    func cancel(_ transfer: some LoopTransfer, _ error: any Error) {
        submit { $0.end(transfer, .failed(error)) }
    }

    /// Gives the transfer's handle to a closure on the loop thread, when the transfer still runs.
    func withHandle(of transfer: some LoopTransfer, _ body: @escaping @Sendable (EasyHandle) -> Void) {
        submit { running in
            if let handle = running.handles[ObjectIdentifier(transfer)] { body(handle) }
        }
    }

    /// Takes nothing new; the thread ends with the last transfer.
    func retire() { change(to: .retiring, from: [.running]) }

    /// Ends every transfer and the thread. Returns at once.
    func stop() { change(to: .stopping, from: [.running, .retiring]) }

    @discardableResult
    private func submit(_ job: @escaping Job) -> Bool {
        inbox.withLock { inbox in
            guard inbox.phase == .running || inbox.phase == .retiring else { return false }
            inbox.jobs.append(job)
            // Under the lock, because the multi handle is freed once the phase is `stopped`: one write that never blocks.
            if inbox.jobs.count == 1 { curl_multi_wakeup(multi) }
            return true
        }
    }

    private func change(to phase: Phase, from phases: [Phase]) {
        inbox.withLock { inbox in
            guard phases.contains(inbox.phase) else { return }
            inbox.phase = phase
            curl_multi_wakeup(multi)
        }
    }

    // MARK: The loop thread

    private func run(_ pool: HandlePool, _ timekeeper: any Timekeeping) {
        guard let multi else { return }
        var running = Running(multi: multi, timekeeper: timekeeper, arrivals: arrivals, pool: pool)
        while true {
            let (jobs, isOver) = takeJobs(hasTransfers: !running.transfers.isEmpty)
            for job in jobs { job(&running) }
            if isOver { break }
            running.performOnce()
            running.endOverdue()
            curl_multi_poll(running.multi, nil, 0, running.pollMilliseconds(), nil)
        }
        for (_, transfer) in running.transfers.values { running.end(transfer, .failed(TransportError.shutDown)) }
        running.pool.removeAll()
        curl_multi_cleanup(running.multi)
        ended.fulfil(())
    }

    /// The jobs to do, and whether they are the last ones.
    private func takeJobs(hasTransfers: Bool) -> ([Job], isOver: Bool) {
        inbox.withLock { inbox in
            let hasRetired = inbox.phase == .retiring && inbox.jobs.isEmpty && !hasTransfers
            let isOver = inbox.phase == .stopping || hasRetired
            if isOver { inbox.phase = .stopped }
            defer { inbox.jobs.removeAll() }
            return (inbox.jobs, isOver)
        }
    }
}

extension CurlLoop.Running {
    /// Adds a transfer; ends it at once when it cannot be set up.
    mutating func start(_ transfer: any LoopTransfer) {
        let handle: EasyHandle
        do throws(TransportError) {
            handle = try pool.take()
            try transfer.configure(handle)
        } catch {
            return transfer.end(nil, .failed(error))
        }
        let code = curl_multi_add_handle(multi, handle.pointer)
        guard code == CURLM_OK else {
            let reason = String(cString: curl_multi_strerror(code))
            return transfer.end(nil, .failed(TransportError(.other, "libcurl takes no transfer: \(reason)")))
        }
        transfers[handle.pointer] = (handle, transfer)
        handles[ObjectIdentifier(transfer)] = handle
        let lookAt = transfer.deadline().lookAt
        nextCheck = min(nextCheck ?? lookAt, lookAt)
    }

    /// Takes a transfer off the multi handle and tells it.
    mutating func end(_ transfer: any LoopTransfer, _ ending: TransferEnding) {
        guard let handle = handles.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        transfers.removeValue(forKey: handle.pointer)
        curl_multi_remove_handle(multi, handle.pointer)
        transfer.end(handle, ending)
        // A handle whose transfer failed is freed rather than used again.
        if case .completed(CURLE_OK) = ending { pool.put(handle, advertisement: transfer.advertisement) }
    }

    /// Lets libcurl do what it can without waiting and ends the transfers that are done.
    mutating func performOnce() {
        var stillRunning: Int32 = 0
        curl_multi_perform(multi, &stillRunning)
        arrivals?.tell(timekeeper)
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = transfers[handle]?.transfer
            else { continue }
            end(transfer, .completed(lcurl_message_result(message)))
        }
    }

    /// Ends the transfers whose time is up. Looks at every transfer, but only when one of them may be due.
    mutating func endOverdue() {
        guard let check = nextCheck else { return }
        let now = timekeeper.uptime
        guard check <= now else { return }
        nextCheck = nil
        for (_, transfer) in transfers.values {
            let deadline = transfer.deadline()
            if deadline.due <= now {
                end(transfer, .failed(deadline.error))
            } else {
                // Deadlines move with every byte; looking more often than this would cost more than it is worth.
                let next = max(deadline.lookAt, now + .milliseconds(10))
                nextCheck = min(nextCheck ?? next, next)
            }
        }
    }

    /// How long the loop may sleep.
    func pollMilliseconds() -> Int32 {
        guard let check = nextCheck else { return 1_000 }
        let (seconds, attoseconds) = (check - timekeeper.uptime).components
        if seconds >= 1 { return 1_000 }
        return Int32(max(0, seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1))
    }
}

import Conditions
import Dispatch
import Primitives
import Transport

/// Counts what downloads ahead of need move over the wire, by local day and kind of network.
///
/// The sums in memory are right at once; the disk follows on a queue of its own, in the order of what happened.
final class UsageMeter: Sendable {
    private struct State {
        var sums: DailyUsage
        /// Counted, and not in the file yet.
        var unwritten = DataUsage()
        var isWriting = false
    }

    private let state: Locked<State>
    private let file: UsageFile
    private let queue = DispatchQueue(label: "larder.usage")
    private let today: @Sendable () -> Int
    private let conditions: any ConditionsSource

    /// Performs disk I/O.
    init(path: String, conditions: any ConditionsSource, today: @escaping @Sendable () -> Int) {
        file = UsageFile(path: path)
        self.conditions = conditions
        self.today = today
        state = Locked(State(sums: file.read() ?? DailyUsage(day: today())))
    }

    /// What has been moved since local midnight.
    var usage: DataUsage {
        let today = today()
        return state.withLock { state in
            state.sums = state.sums.rolled(to: today)
            return state.sums.usage
        }
    }

    /// Begins to count an exchange, for the network in use.
    func begin() -> ExchangeMeter { ExchangeMeter(self, PolicyRules.Family(conditions.conditions.network)) }

    /// Returns once what was counted survives a power loss. Performs disk I/O.
    func synchronize() {
        queue.sync {
            write()
            file.synchronize()
        }
    }

    fileprivate func add(_ byteCount: Int64, _ family: PolicyRules.Family) {
        guard byteCount != 0 else { return }
        var more = DataUsage()
        if family == .wifi { more.wifiByteCount = byteCount } else { more.cellularByteCount = byteCount }
        let added = more
        let today = today()
        let isFirst = state.withLock { state in
            state.sums = state.sums.rolled(to: today).adding(added)
            state.unwritten.wifiByteCount += added.wifiByteCount
            state.unwritten.cellularByteCount += added.cellularByteCount
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst { queue.async { self.write() } }
    }

    /// Runs on the queue.
    private func write() {
        let more = state.withLock { state in
            state.isWriting = false
            defer { state.unwritten = DataUsage() }
            return state.unwritten
        }
        guard more != DataUsage() else { return }
        let written = file.add(more, day: today())
        state.withLock { state in
            if let written {
                // What another process has counted counts here as well.
                state.sums = written.adding(state.unwritten)
            } else {
                state.unwritten.wifiByteCount += more.wifiByteCount
                state.unwritten.cellularByteCount += more.cellularByteCount
            }
        }
    }
}

/// Counts one exchange: the bytes of its body as they come, and what the wire carried on top at its end.
final class ExchangeMeter: Sendable {
    private let meter: UsageMeter
    private let family: PolicyRules.Family
    private let counted = Locked<Int64>(0)

    fileprivate init(_ meter: UsageMeter, _ family: PolicyRules.Family) {
        self.meter = meter
        self.family = family
    }

    /// Bytes of the body, as they came over the wire.
    func note(_ byteCount: Int) {
        counted.withLock { $0 += Int64(byteCount) }
        meter.add(Int64(byteCount), family)
    }

    /// The exchange has ended.
    func settle(_ metrics: TransferMetrics) {
        let total = metrics.sentByteCount + metrics.receivedByteCount
        let rest = counted.withLock { counted in
            defer { counted = max(counted, total) }
            return max(0, total - counted)
        }
        meter.add(rest, family)
    }
}

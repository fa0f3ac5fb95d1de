public import Conditions
public import Primitives
public import Transport
public import Wire

/// Watches a transport and says how good the network is: the shell around ``QualityEstimator``.
///
/// What it hears on the loop thread it only keeps; ``run()`` makes sense of it a moment later, and so does whoever asks.
public final class QualityMonitor: TransferObserver {
    /// How long what was heard waits to be looked at.
    private static let pause = Duration.milliseconds(50)
    /// What is remembered is written at most so often, and when the network changes or ``run()`` ends.
    private static let saveInterval = Duration.seconds(60)
    /// Arrivals closer than this are one.
    private static let resolution = Duration.milliseconds(1)
    /// At the bound arrivals become one with the last.
    private static let heardMax = 4_096
    /// Answers taken at a look; a device that gets more of them learns nothing new from the others.
    private static let answersMax = 32

    private struct State {
        var estimator: QualityEstimator
        var memory: NetworkMemory
        var network: DeviceConditions.Network
        var heard: [QualityEstimator.Event] = []
        var answerCount = 0
        /// When the first of the bytes in the last arrival came.
        var arrivalBegan = Duration.zero
        var told: QualityStatus?
        var savedAt: Duration
        var isDirty = false
        var nextID = 0
        var listeners: [Int: AsyncStream<QualityEstimate>.Continuation] = [:]
        var isFinished = false

        /// Keeps an event.
        /// - Returns: whether it is the first one since the last look.
        mutating func hear(_ event: QualityEstimator.Event, atMost bound: Int) -> Bool {
            if heard.count < bound { heard.append(event) }
            return heard.count == 1
        }

        /// Makes sense of what was heard.
        mutating func takeHeard(at uptime: Duration) {
            guard !heard.isEmpty else { return }
            isDirty = true
            for event in heard { estimator.handle(event, at: uptime) }
            heard.removeAll(keepingCapacity: true)
            answerCount = 0
        }
    }

    private let path: String?
    private let conditions: any ConditionsSource
    private let timekeeper: any Timekeeping
    private let onFault: @Sendable (String) -> Void
    private let state: Locked<State>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Reads what is remembered. Performs disk I/O.
    /// - Parameters:
    ///   - path: the file of what is remembered; `nil` remembers nothing across restarts.
    ///   - onFault: hears, in a sentence, why something is not remembered.
    public init(
        path: String?, conditions: any ConditionsSource, timekeeper: any Timekeeping,
        parameters: QualityParameters = QualityParameters(), onFault: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.path = path
        self.conditions = conditions
        self.timekeeper = timekeeper
        self.onFault = onFault
        var memory = NetworkMemory()
        do {
            if let path, let known = try NetworkMemory.read(path) { memory = known }
        } catch {
            onFault("what was remembered of networks cannot be read, \(path ?? ""): \(error)")
        }
        let network = conditions.conditions.network
        var estimator = QualityEstimator(parameters: parameters)
        // What came before the first look at the clock belongs to this network too.
        estimator.handle(.entered(network, remembered: memory[network]), at: .zero)
        state = Locked(State(estimator: estimator, memory: memory, network: network, savedAt: timekeeper.uptime))
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: - What is asked

    /// The estimate for the network in use. No I/O.
    public var estimate: QualityEstimate {
        let (uptime, date) = (timekeeper.uptime, timekeeper.now)
        return state.withLock { state in
            state.takeHeard(at: uptime)
            return state.estimator.estimate(at: uptime, date: date)
        }
    }

    /// The estimate now and whenever its status changes; a slow listener sees the newest only.
    public func estimates() -> AsyncStream<QualityEstimate> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let now = estimate
            let id = state.withLock { state -> Int? in
                if state.isFinished { return nil }
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                return state.nextID
            }
            continuation.yield(now)
            guard let id else { return continuation.finish() }
            continuation.onTermination = { [state] _ in
                state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            }
        }
    }

    /// Classes begin here from now on.
    public func setThresholds(_ thresholds: QualityThresholds) {
        let uptime = timekeeper.uptime
        state.withLock { $0.estimator.handle(.thresholdsChanged(thresholds), at: uptime) }
        signal.yield()
    }

    // MARK: - What is heard

    public func arrived(_ arrival: TransferArrival) {
        let isFirst = state.withLock { state in
            if case .arrived(var last) = state.heard.last, last.isRestrained == arrival.isRestrained,
                arrival.uptime - state.arrivalBegan < Self.resolution || state.heard.count >= Self.heardMax
            {
                last.byteCount += arrival.byteCount
                last.uptime = arrival.uptime
                state.heard[state.heard.count - 1] = .arrived(last)
                return false
            }
            state.arrivalBegan = arrival.uptime
            return state.hear(.arrived(arrival), atMost: Self.heardMax)
        }
        if isFirst { signal.yield() }
    }

    public func answered(_ answer: TransferAnswer) {
        let isFirst = state.withLock { state in
            guard state.answerCount < Self.answersMax else { return false }
            state.answerCount += 1
            return state.hear(.answered(answer), atMost: Self.heardMax)
        }
        if isFirst { signal.yield() }
    }

    public func fellSilent() { hear(.fellSilent) }

    private func hear(_ event: QualityEstimator.Event) {
        if state.withLock({ $0.hear(event, atMost: Self.heardMax) }) { signal.yield() }
    }

    // MARK: - Work

    /// Tells changes and remembers networks until the task is cancelled; ends the streams.
    public func run() async {
        async let followed: Void = followConditions()
        for await _ in signals {
            // Sleeping throws only when the task is cancelled, which ends the signals too.
            if (try? await timekeeper.sleep(for: Self.pause)) == nil { break }
            step()
        }
        await followed
        save()
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    private func followConditions() async {
        for await conditions in conditions.changes() { enter(conditions.network) }
    }

    private func enter(_ network: DeviceConditions.Network) {
        let (uptime, date) = (timekeeper.uptime, timekeeper.now)
        let hasLeft = state.withLock { state in
            let old = state.network
            state.network = network
            guard old.kind != network.kind || old.id != network.id else {
                state.estimator.handle(.signalChanged(network.signalLevel), at: uptime)
                return false
            }
            state.takeHeard(at: uptime)
            if let memory = state.estimator.memory(date: date) { state.memory[old] = memory }
            state.estimator.handle(.entered(network, remembered: state.memory[network]), at: uptime)
            return true
        }
        guard hasLeft else { return }
        signal.yield()
        save()
    }

    private func step() {
        let (uptime, date) = (timekeeper.uptime, timekeeper.now)
        let (news, listeners, isDue) = state.withLock { state in
            state.takeHeard(at: uptime)
            let estimate = state.estimator.estimate(at: uptime, date: date)
            let isNews = estimate.status != state.told
            state.told = estimate.status
            let isDue = state.isDirty && uptime - state.savedAt >= Self.saveInterval
            return (estimate, isNews ? Array(state.listeners.values) : [], isDue)
        }
        for listener in listeners { listener.yield(news) }
        if isDue { save() }
    }

    private func save() {
        let (uptime, date) = (timekeeper.uptime, timekeeper.now)
        let memory = state.withLock { state -> NetworkMemory? in
            state.takeHeard(at: uptime)
            guard state.isDirty else { return nil }
            if let known = state.estimator.memory(date: date) { state.memory[state.network] = known }
            state.isDirty = false
            state.savedAt = uptime
            return state.memory
        }
        guard let path, let memory else { return }
        do { try memory.write(path) } catch {
            onFault("networks are not remembered across restarts, \(path) cannot be written: \(error)")
        }
    }
}

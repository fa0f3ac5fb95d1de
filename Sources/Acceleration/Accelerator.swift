public import ContentStore
public import HTTPCaching
public import HTTPModel
public import Primitives
public import Transport
public import Wire

/// The one path that every front door's requests take: decide, then serve from the store or forward to the network.
public final class Accelerator: Sendable {
    private let engine: Engine
    private let activity: ActivityGate
    private let timekeeper: any Timekeeping
    private let onBegin: @Sendable () -> ExchangeTag?
    private let onExchange: @Sendable (ExchangeRecord) -> Void
    private let switches = Locked(Switches())

    private struct Switches {
        var isEnabled = true
        var rules = RequestRules()
    }

    /// Creates the path.
    /// - Parameters:
    ///   - store: `nil` when the disk is unusable: every request then goes to the network.
    ///   - transport: the network.
    ///   - policy: the cache's knobs.
    ///   - activity: told of every app request, so that pre-positioning can yield.
    ///   - timekeeper: the clocks.
    ///   - onFault: called for each failure of the store, which fails no request; must not block.
    ///   - onBegin: asked as each exchange begins for what its record shall carry; must not block.
    ///   - onExchange: called once for each exchange when it has ended; must not block. A redirect that is followed is an
    ///     exchange of its own.
    public init(
        store: ContentStore?, transport: any HTTPTransport, policy: CachingPolicy = CachingPolicy(),
        activity: ActivityGate = ActivityGate(), timekeeper: any Timekeeping,
        onFault: @escaping @Sendable (StoreError) -> Void = { _ in },
        onBegin: @escaping @Sendable () -> ExchangeTag? = { nil },
        onExchange: @escaping @Sendable (ExchangeRecord) -> Void = { _ in }
    ) {
        var policy = policy
        policy.answersRanges = true
        engine = Engine(
            EngineContext(store: store, transport: transport, policy: policy, timekeeper: timekeeper, onFault: onFault))
        self.activity = activity
        self.timekeeper = timekeeper
        self.onBegin = onBegin
        self.onExchange = onExchange
    }

    deinit { engine.revalidations.cancelAll() }

    /// Answers a request from the store or the network.
    ///
    /// Identical GET requests in flight share one fetch. A failing disk never fails a request. A hit performs disk I/O on the
    /// calling thread and does not suspend.
    /// - Throws: ``TransportError`` when the origin failed and nothing stored may answer; `CancellationError`.
    public func send(_ request: HTTPRequest, body: RequestBody? = nil, options: RequestOptions = RequestOptions())
        async throws -> AcceleratedResponse
    {
        var (request, body, options) = (request, body, options)
        let bypassesCache = options.bypassesCache
        apply(to: &request, &options)
        var redirects: [HTTPResponse] = []
        let deadline = options.totalTimeout.map { timekeeper.uptime + $0 }
        var exchange: Exchange, hop: Hop
        if let recalled = recalledExchange(request, body, options) {
            (exchange, hop) = recalled
        } else {
            (exchange, hop) = try await self.exchange(request, body, options)
        }
        while options.followsRedirects, redirects.count < Redirect.countMax,
            let next = Redirect(from: request, body: body, response: hop.response)
        {
            redirects.append(hop.response)
            options.originalRequest = options.originalRequest ?? request
            (request, body) = (next.request, next.body)
            options.bypassesCache = bypassesCache
            apply(to: &request, &options)
            // The gate stays busy from hop to hop, so that nothing starts in between.
            activity.begin()
            defer { activity.end() }
            let stream = ByteStream(exchange)
            if case .stream = hop.body { await drain(stream, upTo: Self.redirectByteCountMax) }
            if let deadline { options.totalTimeout = try remaining(until: deadline) }
            (exchange, hop) = try await self.exchange(request, body, options)
        }
        return Self.response(of: hop, in: exchange, url: request.url, redirects: redirects)
    }

    /// Answers a request at once, on the calling thread, when the store alone can.
    ///
    /// It never waits for the network; an answer that may be used while it is validated is validated behind it. A redirect
    /// is the answer, whatever the options say. Performs disk I/O.
    /// - Returns: `nil` when the network is needed: then nothing was recorded, and ``send(_:body:options:)`` is to be asked.
    public func sendFromStore(_ request: HTTPRequest, options: RequestOptions = RequestOptions())
        -> AcceleratedResponse?
    {
        var (request, options) = (request, options)
        apply(to: &request, &options)
        guard !options.bypassesCache else { return nil }
        let exchange = Exchange(request, timekeeper: timekeeper, onExchange: onExchange)
        guard let hop = engine.answerFromStore(request, options: options, now: exchange.date) else { return nil }
        exchange.enter(activity, onBegin())
        exchange.begin(hop)
        return Self.response(of: hop, in: exchange, url: request.url, redirects: [])
    }

    /// What would be done with a request now, and why; sends nothing. Performs disk I/O.
    public func explain(_ request: HTTPRequest) -> CacheDecision {
        var (request, options) = (request, RequestOptions())
        apply(to: &request, &options)
        return engine.explain(request, options: options)
    }

    /// What would answer a request if the origin could not be reached now, and why; `nil` for nothing. Performs disk I/O.
    public func explainUnreachable(_ request: HTTPRequest) -> CacheDecision? { engine.explainUnreachable(request) }

    /// Switches the cache off and on: while it is off, every request goes to the network and leaves nothing behind.
    public func setEnabled(_ isEnabled: Bool) { switches.withLock { $0.isEnabled = isEnabled } }

    /// What the app wants for all of its requests; takes effect with the next one.
    public var rules: RequestRules { switches.withLock { $0.rules } }

    /// Replaces the rules.
    public func setRules(_ rules: RequestRules) { switches.withLock { $0.rules = rules } }

    /// Ends the validations that run behind answers already given, and starts no more.
    public func cancelBackgroundWork() { engine.revalidations.cancelAll() }

    private func apply(to request: inout HTTPRequest, _ options: inout RequestOptions) {
        switches.withLock { switches in
            if !switches.isEnabled { options.bypassesCache = true }
            switches.rules.apply(to: &request, &options)
        }
    }

    private static func response(
        of hop: Hop, in exchange: Exchange, url: HTTPURL, redirects: [HTTPResponse]
    ) -> AcceleratedResponse {
        var stored: StoredBody?
        if case .stored(let body) = hop.body { stored = body }
        let (metrics, trailers) = (hop.metrics, hop.trailers)
        return AcceleratedResponse(
            response: hop.response, url: url, redirects: redirects, body: ByteStream(exchange), storedBody: stored,
            interim: hop.interim, trailers: { await trailers?() ?? HTTPFields() },
            record: { [exchange] in await exchange.completedRecord() }, metrics: { await metrics?() },
            decision: hop.decision)
    }

    /// Most bytes of a redirect's own body that are read for the sake of its connection.
    private static let redirectByteCountMax = 64 << 10

    private func exchange(
        _ request: HTTPRequest, _ body: RequestBody?, _ options: RequestOptions
    ) async throws -> (Exchange, Hop) {
        let exchange = Exchange(request, timekeeper: timekeeper, onExchange: onExchange)
        exchange.enter(activity, onBegin())
        do {
            try Task.checkCancellation()
            let hop = try await engine.answer(request, body: body, options: options)
            exchange.begin(hop)
            return (exchange, hop)
        } catch {
            exchange.fail(error)
            throw error
        }
    }

    /// The exchange for a request that was answered from the store before, and can be again in the same way.
    private func recalledExchange(_ request: HTTPRequest, _ body: RequestBody?, _ options: RequestOptions) -> (
        Exchange, Hop
    )? {
        guard body == nil, !Task.isCancelled else { return nil }
        let exchange = Exchange(request, timekeeper: timekeeper, onExchange: onExchange)
        guard let hop = engine.recall(request, options: options, now: exchange.date) else { return nil }
        exchange.enter(activity, onBegin())
        exchange.begin(hop)
        return (exchange, hop)
    }

    private func remaining(until deadline: Duration) throws(TransportError) -> Duration {
        let remaining = deadline - timekeeper.uptime
        guard remaining > .zero else { throw TransportError(.timedOut, "the redirects took all the time allowed") }
        return remaining
    }
}

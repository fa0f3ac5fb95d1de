import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is known of servers, under which rules, and who is being looked at.
struct TrustState {
    /// What a look at a server came to.
    enum Finding: Sendable {
        /// How to verify it, under the rules and in the era of the evaluator in which it was looked at.
        case options(TLSOptions, rules: [PinnedKeys], era: Int)
        case failed(any Error)
        /// The evaluator was replaced: the next one is to be asked.
        case superseded
    }

    struct Place: Hashable {
        var host: String
        var port: Int

        init(_ url: HTTPURL) { (host, port) = (url.host, url.port) }
    }

    /// A look at a server that others may wait for.
    struct Look {
        let finding = Promise<Finding>()
        var task: Task<Void, Never>?
    }

    /// What a look needs to know.
    struct Inquiry {
        var question: @Sendable (ServerTrust) -> TrustQuestion
        var rules: [PinnedKeys]
        var evaluator: TrustPolicy.Evaluator?
        var era: Int
        var finding: Promise<Finding>
    }

    /// How a request comes by its options.
    enum Step {
        case use(TLSOptions)
        case wait(Promise<Finding>)
        /// The caller is the first and has to begin the look.
        case look(Inquiry)
        case fail(TransportError)
    }

    private struct Known {
        var tls: TLSOptions
        var rules: [PinnedKeys]
        /// The server has shown another key since.
        var isOutdated = false
    }

    /// Most places, verdicts and mismatches remembered; beyond that all are forgotten and asked for again.
    private static let rememberedMax = 512
    /// Most keys of one place, such as of servers behind one name.
    private static let keysMax = 8
    /// Least time between two mismatches that are told of one host.
    private static let tellingInterval = Duration.seconds(86_400)

    private var evaluator: TrustPolicy.Evaluator?
    /// Rises with every change of the evaluator.
    private var era = 0
    private var book = PinBook([], sparing: nil)
    private var known: [Place: Known] = [:]
    private var looks: [Place: Look] = [:]
    private var verdicts: [ServerTrust: TrustPolicy.Verdict] = [:]
    /// When a mismatch of a host was told last, in uptime.
    private var told: [String: Duration] = [:]
    private var isShutDown = false

    init(evaluator: TrustPolicy.Evaluator?) { self.evaluator = evaluator }

    // MARK: - Changes

    /// - Returns: the looks whose waiters have to ask again.
    mutating func setEvaluator(_ evaluator: TrustPolicy.Evaluator?) -> [Look] {
        self.evaluator = evaluator
        era += 1
        known = [:]
        verdicts = [:]
        return takeLooks()
    }

    mutating func setRules(_ book: PinBook) { self.book = book }

    /// - Returns: the looks whose waiters have to be told.
    mutating func shutDown() -> [Look] {
        isShutDown = true
        return takeLooks()
    }

    private mutating func takeLooks() -> [Look] {
        defer { looks = [:] }
        return Array(looks.values)
    }

    // MARK: - Requests

    /// How a request is to come by its options.
    /// - Parameter localPins: the digests of which the leaf must have one besides; empty for no demand.
    mutating func step(for request: TransportRequest, localPins: [String], at now: Date) -> Step {
        if isShutDown { return .fail(.shutDown) }
        let url = request.request.url
        let rules = book.rules(for: url.host, at: now)
        let isJudged = evaluator != nil || rules.contains { !$0.isReportOnly }
        guard isJudged, url.isSecure else {
            return .use(
                TLSOptions(pins: localPins, showsChain: !rules.isEmpty && !isJudged, stopsAtUpgrade: isJudged))
        }
        let place = Place(url)
        if let known = known[place], !known.isOutdated, known.rules == rules { return .use(known.tls) }
        if let look = looks[place] { return .wait(look.finding) }
        let look = Look()
        looks[place] = look
        let (original, current) = (request.originalRequest ?? request.request, request.request)
        return .look(
            Inquiry(
                question: { TrustQuestion(originalRequest: original, currentRequest: current, trust: $0) },
                rules: rules, evaluator: evaluator, era: era, finding: look.finding))
    }

    /// Whether what was found still is what a request may go by.
    func isInForce(_ rules: [PinnedKeys], era: Int, for host: String, at now: Date) -> Bool {
        self.era == era && rules == self.rules(for: host, at: now)
    }

    func rules(for host: String, at now: Date) -> [PinnedKeys] { book.rules(for: host, at: now) }

    /// A server did not have the key that these options demand.
    mutating func doubt(_ place: Place, _ tls: TLSOptions) {
        if known[place]?.tls == tls { known[place]?.isOutdated = true }
    }

    // MARK: - Looks

    /// Keeps the task of a look, to be cancelled with it.
    /// - Returns: whether the look still is wanted.
    mutating func keep(_ task: Task<Void, Never>, of inquiry: Inquiry, at place: Place) -> Bool {
        guard looks[place]?.finding === inquiry.finding else { return false }
        looks[place]?.task = task
        return true
    }

    /// Ends a look.
    /// - Returns: what its waiters are told.
    mutating func settle(_ result: Result<TLSOptions, any Error>, _ inquiry: Inquiry, at place: Place) -> Finding {
        guard looks[place]?.finding === inquiry.finding else { return .superseded }
        looks[place] = nil
        switch result {
        case .failure(let error): return .failed(error)
        case .success(let tls):
            return .options(remember(tls, inquiry.rules, at: place), rules: inquiry.rules, era: inquiry.era)
        }
    }

    private mutating func remember(_ tls: TLSOptions, _ rules: [PinnedKeys], at place: Place) -> TLSOptions {
        var tls = tls
        if let known = known[place], known.rules == rules, known.tls.verifiesChain == tls.verifiesChain {
            tls.pins = Array((known.tls.pins.filter { !tls.pins.contains($0) } + tls.pins).suffix(Self.keysMax))
        }
        if known.count >= Self.rememberedMax { known.removeAll() }
        known[place] = Known(tls: tls, rules: rules)
        return tls
    }

    // MARK: - Verdicts

    /// What the evaluator of an era has said before.
    func verdict(over trust: ServerTrust, era: Int) -> TrustPolicy.Verdict? { self.era == era ? verdicts[trust] : nil }

    mutating func remember(_ verdict: TrustPolicy.Verdict, over trust: ServerTrust, era: Int) {
        guard self.era == era else { return }
        if verdicts.count >= Self.rememberedMax { verdicts.removeAll() }
        verdicts[trust] = verdict
    }

    /// Whether a mismatch of a host is to be told now: once a day.
    mutating func mayTell(of host: String, at uptime: Duration) -> Bool {
        if let last = told[host], uptime - last < Self.tellingInterval { return false }
        if told.count >= Self.rememberedMax { told.removeAll() }
        told[host] = uptime
        return true
    }
}

import HTTPModel
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tells mPulse of timed events, page groups and requests, in the background and within bounds.
///
/// Beacons wait in memory, a hundred at most, and go one after the other while ``run()`` runs. What cannot be sent after three
/// attempts is dropped; the rest of the app never notices.
public final class MPulse: Sendable {
    private struct State {
        var plan: BeaconPlan
        var session: BeaconSession
        var toldRefusals: Set<BeaconForm.Refusal> = []
    }

    private static let documentByteCountMax = 1 << 20
    private static let toldCountMax = 100

    private let configuration: MPulseConfiguration
    private let rules: MetricRules
    private let transport: any HTTPTransport
    private let timekeeper: any Timekeeping
    private let onProblem: @Sendable (String) -> Void
    private let state: Locked<State>
    private let arrivals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Where the document is; `nil` where a collector has none.
    private let documentURL: HTTPURL?

    /// Who sends.
    public struct Sender: Sendable {
        /// The SDK's version.
        public var version: String
        /// The app's bundle identifier.
        public var bundleID: String
        /// Makes unique ids.
        public var makeID: @Sendable () -> String

        /// Creates a value.
        public init(version: String, bundleID: String, makeID: @escaping @Sendable () -> String) {
            self.version = version
            self.bundleID = bundleID
            self.makeID = makeID
        }
    }

    /// Creates a sender of beacons that sends nothing until ``run()``.
    /// - Parameter onProblem: told in a line for people what cannot be sent, and why; must not block.
    /// - Returns: `nil` when the configuration gives no usable address, which `onProblem` is told.
    public init?(
        _ configuration: MPulseConfiguration, sender: Sender, transport: any HTTPTransport,
        timekeeper: any Timekeeping, onProblem: @escaping @Sendable (String) -> Void
    ) {
        let address = configuration.beaconURL ?? configuration.configURL
        guard !configuration.apiKey.isEmpty, let url = HTTPURL(Self.absolute(address)) else {
            onProblem(
                "no beacons for mPulse: it needs an API key and an http or https URL, not \"\(address.prefix(200))\"")
            return nil
        }
        self.configuration = configuration
        self.transport = transport
        self.timekeeper = timekeeper
        self.onProblem = onProblem
        rules = MetricRules(configuration.customMetrics)
        let document = configuration.beaconURL.map { _ in
            BeaconDocument(beaconURL: url.string, key: configuration.apiKey)
        }
        documentURL = document == nil ? url : nil
        let session = BeaconSession(
            id: sender.makeID(), start: timekeeper.now, pageID: String(sender.makeID().suffix(8)),
            version: sender.version, domain: sender.bundleID)
        state = Locked(State(plan: BeaconPlan(document: document), session: session))
        for finding in rules.findings { onProblem(finding) }
    }

    // MARK: - What there is to tell

    /// A timed event has begun: a page group has been set.
    public func noteStart() { state.withLock { $0.session.length += 1 } }

    /// A timed event has ended: fires the timer of its name.
    /// - Parameter pageGroup: as it was before the end.
    public func noteStop(name: String, microseconds: Int64, pageGroup: String?) {
        add(.timer(name: name, milliseconds: (max(microseconds, 0) + 500) / 1_000), pageGroup: pageGroup)
    }

    /// A request has ended: fires the metrics that it counts for, if it got an answer.
    /// - Parameter pageGroup: as it is now; asked only when there is something to tell.
    public func note(_ record: ExchangeRecord, pageGroup: () -> String?) {
        guard record.status != 0 else { return }
        let metrics = rules.isEmpty ? [] : rules.metrics(for: record.url)
        guard !metrics.isEmpty || configuration.reportsRequests else { return }
        let group = pageGroup()
        for metric in metrics { add(.metric(name: metric, value: 1), pageGroup: group) }
        guard configuration.reportsRequests else { return }
        let request = Beacon.Request(
            url: record.url, method: record.method, status: record.status,
            firstByteMilliseconds: record.firstByteMicroseconds / 1_000,
            totalMilliseconds: record.totalMicroseconds / 1_000)
        add(.request(request), date: record.date, pageGroup: group)
    }

    private func add(_ content: Beacon.Content, date: Date? = nil, pageGroup: String?) {
        let beacon = Beacon(content, date: date ?? timekeeper.now, pageGroup: pageGroup)
        state.withLock { $0.plan.add(beacon) }
        arrivals.continuation.yield()
    }

    // MARK: - Sending

    /// Beacons that wait.
    public var count: Int { state.withLock { $0.plan.waiting.count } }
    /// Beacons that were dropped since the start.
    public var droppedCount: Int { state.withLock { $0.plan.droppedCount } }

    /// Sends what comes until the task is cancelled. To be called once.
    public func run() async {
        for await _ in arrivals.stream {
            do {
                while try await step() {}
            } catch {
                // Only the end of the task gets here.
                return
            }
        }
    }

    /// - Returns: whether there is more to do.
    private func step() async throws -> Bool {
        switch state.withLock({ $0.plan.next(at: timekeeper.uptime) }) {
        case .rest: return false
        case .wait(let pause): try await timekeeper.sleep(for: pause)
        case .askForDocument(let isRefresh): try await askForDocument(isRefresh: isRefresh)
        case .send(let beacon): try await send(beacon)
        }
        return true
    }

    private func askForDocument(isRefresh: Bool) async throws {
        guard let documentURL, let url = question(to: documentURL, isRefresh: isRefresh) else {
            return state.withLock { $0.plan.documentFailed(at: timekeeper.uptime) }
        }
        do {
            var request = TransportRequest(HTTPRequest(url: url))
            request.totalTimeout = .seconds(60)
            let answer = try await transport.send(request)
            guard answer.response.status == 200 else {
                throw TransportError(.other, "it answered with status \(answer.response.status)")
            }
            let data = try await answer.body.collect(upTo: Self.documentByteCountMax)
            let document = try JSONDecoder().decode(BeaconDocument.self, from: data)
            let uptime = timekeeper.uptime
            state.withLock { state in
                if state.plan.document == nil, let id = document.sessionID { state.session.id = id }
                state.plan.arrived(document, at: uptime)
            }
        } catch {
            if error is CancellationError { throw error }
            onProblem("beacons wait: mPulse's configuration did not come: \(Self.reason(error))")
            state.withLock { $0.plan.documentFailed(at: timekeeper.uptime) }
        }
    }

    /// The URL of the document: with the key, signed when there is a secret.
    private func question(to url: HTTPURL, isRefresh: Bool) -> HTTPURL? {
        var form = BeaconForm()
        let time = timekeeper.now.epochMilliseconds
        form.add("key", configuration.apiKey)
        form.add("t", time)
        if let secret = configuration.secretKey {
            form.add("s", Self.signature(of: "key=\(configuration.apiKey)&t=\(time)", secret))
        }
        if isRefresh { form.add("r", "") }
        return HTTPURL(url.string + (url.string.contains("?") ? "&" : "?") + form.text)
    }

    private func send(_ beacon: Beacon) async throws {
        guard let request = request(for: beacon) else {
            return state.withLock { $0.plan.settle(beacon, isDropped: true) }
        }
        do {
            let answer = try await transport.send(request)
            switch answer.response.status {
            case 200..<300: state.withLock { $0.plan.settle(beacon, isDropped: false) }
            case 408, 429, 500...: throw TransportError(.other, "it answered with status \(answer.response.status)")
            default:
                onProblem("a beacon is dropped: mPulse answered with status \(answer.response.status)")
                state.withLock { $0.plan.settle(beacon, isDropped: true) }
            }
        } catch {
            if error is CancellationError { throw error }
            onProblem("a beacon did not arrive at mPulse: \(Self.reason(error))")
            state.withLock { $0.plan.failed(beacon, at: timekeeper.uptime) }
        }
    }

    /// - Returns: `nil` for a beacon that cannot be sent, which has been told.
    private func request(for beacon: Beacon) -> TransportRequest? {
        let (document, session) = state.withLock { state in
            if beacon.failedAttempts == 0 { state.session.beaconCount += 1 }
            return (state.plan.document, state.session)
        }
        guard let document else { return nil }
        do throws(BeaconForm.Refusal) {
            let form = try BeaconForm(beacon, document, session)
            guard let address = address(in: document), var request = form.request(to: address) else {
                onProblem("a beacon is dropped: mPulse's configuration has no usable beacon_url")
                return nil
            }
            request.totalTimeout = .seconds(60)
            return request
        } catch {
            let isNew = state.withLock { state in
                state.toldRefusals.count < Self.toldCountMax && state.toldRefusals.insert(error).inserted
            }
            if isNew { onProblem("\(error)") }
            return nil
        }
    }

    private func address(in document: BeaconDocument) -> HTTPURL? {
        HTTPURL(document.beaconURL) ?? documentURL?.resolving(document.beaconURL)
    }

    // MARK: - Words

    /// Addresses of mPulse come without a scheme, too.
    private static func absolute(_ address: String) -> String { address.hasPrefix("//") ? "https:" + address : address }

    private static func reason(_ error: any Error) -> String {
        error is DecodingError ? "it is malformed: it needs beacon_url and h.key" : "\(error)"
    }
}

import HTTPModel
public import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The network by libcurl: one event loop on one thread.
///
/// It follows no redirects, keeps no cookies and asks for no credentials. Proxies are taken from the environment as libcurl
/// does, but never for the loopback. The fields of a request go out as they are, except that the length and transfer
/// coding of a body are libcurl's business; `User-Agent` and `Accept` get a default when absent, `Expect` none. A reused
/// connection that turns out dead before a byte of the response is replaced once, unless that could repeat a request that is
/// not idempotent.
///
/// Transfers in flight are as many as callers ask for; connections are bounded, and requests beyond wait for one for at most
/// their connect timeout.
///
/// The trust evaluator and the pinned keys concern the origins of requests, of those that HSTS (RFC 6797) moves to TLS as well.
/// They do not concern a proxy of the environment that is itself reached over TLS.
public final class CurlTransport: HTTPTransport {
    /// The limits of a transport.
    public struct Configuration: Sendable {
        public var trust = TrustPolicy()
        /// Open connections kept for reuse.
        public var connectionsMax = 512
        /// Connections to one host at a time.
        public var connectionsPerHostMax = 6
        /// A directory for what libcurl remembers (Alt-Svc, HSTS), made when it is not there; `nil` keeps it in memory.
        public var stateDirectory: String?
        public var userAgent = "Larder"
        /// Hears what the network does; `nil` costs nothing.
        public var observer: (any TransferObserver)?
        /// Told of chains that break a rule about keys which only reports, once a day for each host; must not block.
        public var onPinMismatch: @Sendable (PinMismatch) -> Void = { _ in }

        /// The defaults.
        public init() {}
    }

    private struct Loops {
        var current: CurlLoop
        /// Loops that end with their last transfer.
        var retired: [CurlLoop] = []
        var isShutDown = false
    }

    /// What the library at hand can do, such as "HTTP/3" or "zstd".
    public static var features: Set<String> { CurlLibrary.features }
    /// Name and version of the library at hand.
    public static var libraryVersion: String { CurlLibrary.version }

    private let configuration: Configuration
    private let settings: CurlSettings
    private let trust: TrustKeeper
    private let timekeeper: any Timekeeping
    private let loops: Locked<Loops>

    /// Starts the loop thread. Reads the bundle of authorities when there is one to add.
    ///
    /// A bundle that cannot be read fails every request over TLS, with the reason.
    public init(configuration: Configuration = Configuration(), timekeeper: any Timekeeping = SystemTimekeeper()) {
        if let directory = configuration.stateDirectory {
            // Without the directory libcurl remembers nothing, which costs a round trip here and there.
            try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        self.configuration = configuration
        self.timekeeper = timekeeper
        settings = CurlSettings(configuration, environment: ProcessInfo.processInfo.environment)
        trust = TrustKeeper(
            evaluator: configuration.trust.evaluator, pins: settings.pins,
            authorityFile: settings.authorityFile, timekeeper: timekeeper, onMismatch: configuration.onPinMismatch)
        loops = Locked(Loops(current: CurlLoop(configuration: configuration, timekeeper: timekeeper)))
    }

    deinit { shutDown() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let url = request.request.url
        guard request.request.method.rawValue != "CONNECT" else {
            throw TransportError(.other, "\(url.host): CONNECT makes a tunnel, not an exchange")
        }
        var request = request
        var attemptsLeft = 3
        while true {
            let url = request.request.url
            let tls = try await options(for: &request)
            if url.isSecure, tls.verifiesChain, case .failure(let error) = settings.authorities { throw error }
            attemptsLeft -= 1
            do {
                return try await exchange(request, tls)
            } catch let upgrade as UpgradedToTLS {
                request.originalRequest = request.originalRequest ?? request.request
                request.request.url = upgrade.url
            } catch let error as TransportError
                where error.code == .pinMismatch && tls.isJudged && attemptsLeft > 0
            {
                // Another key than the one that was looked at; nothing of the request has gone out.
                trust.doubt(url, tls)
                // An alternative service may have another key than the origin, which is what the look is at.
                if request.version != .http1 { request.version = .http2 }
            }
        }
    }

    /// Replaces who judges servers' chains; `nil` leaves it to the system. Takes effect with the next request.
    ///
    /// What was judged before is forgotten, idle connections are closed, and requests that wait for a verdict ask the new
    /// evaluator; transfers under way go on.
    ///
    /// The evaluator is asked once for each host, port and chain, before anything of a request goes out, and may take its time:
    /// other hosts go on. Requests to the same place wait for the verdict, each for as long as it may be idle, and can be
    /// cancelled. What it accepts is pinned by the leaf's key; against the system's judgement HTTP/3 is not used, because
    /// libcurl looks at pins over QUIC only when it verifies as well.
    public func setTrustEvaluator(_ evaluator: TrustPolicy.Evaluator?) {
        trust.setEvaluator(evaluator)
        networkDidChange()
    }

    /// Replaces the rules about the keys of servers' chains; takes effect with the next request.
    ///
    /// A rule that is enforced costs its host one more handshake, before the first request and when the server's key changes.
    /// One that only reports costs and delays nothing.
    /// - Parameter host: a host that must not be lost for good: a rule that never expires only reports there.
    public func setPinnedKeys(_ rules: [PinnedKeys], sparing host: String? = nil) {
        trust.setRules(PinBook(rules, sparing: host))
    }

    /// The network has changed: idle connections are closed, new requests connect anew.
    ///
    /// Transfers under way go on over their connections, on a loop that ends with them.
    public func networkDidChange() {
        let retiring = loops.withLock { loops -> CurlLoop? in
            guard !loops.isShutDown else { return nil }
            let old = loops.current
            loops.current = CurlLoop(configuration: configuration, timekeeper: timekeeper)
            loops.retired = loops.retired.filter { $0.ended.current == nil } + [old]
            return old
        }
        retiring?.retire()
    }

    /// Ends every transfer with ``TransportError/Code/shutDown`` and the loop thread. Called by `deinit` as well.
    ///
    /// Returns at once; ``waitUntilShutDown()`` tells when all is done.
    public func shutDown() {
        let all = loops.withLock { loops in
            loops.isShutDown = true
            return loops.retired + [loops.current]
        }
        for loop in all { loop.stop() }
        trust.shutDown()
    }

    /// Returns when the loop thread has ended and what libcurl remembers is on the disk.
    /// - Throws: `CancellationError`.
    public func waitUntilShutDown() async throws {
        let all = loops.withLock { $0.retired + [$0.current] }
        for loop in all { try await loop.ended.value() }
    }

    // MARK: One attempt

    /// How to verify the server of a request, which has less time left when it had to wait.
    private func options(for request: inout TransportRequest) async throws -> TLSOptions {
        let start = timekeeper.uptime
        let (url, connectTimeout) = (request.request.url, request.connectTimeout)
        let tls = try await trust.options(for: request) { [weak self] in
            guard let self else { throw TransportError.shutDown }
            return try await handshake(url, connectTimeout: connectTimeout)
        }
        if let total = request.totalTimeout {
            request.totalTimeout = total - (timekeeper.uptime - start)
        }
        return tls
    }

    private func exchange(_ request: TransportRequest, _ tls: TLSOptions) async throws -> TransportResponse {
        let feed = try await UploadFeed.make(for: request)
        let host = request.request.url.host
        let exchange = try start { loop in
            CurlExchange(request, feed: feed, tls: tls, settings: settings, loop: loop, timekeeper: timekeeper) {
                [weak trust] certificates in
                // Off the loop thread: signatures are checked, and at times a file is read.
                Task { trust?.observe(certificates, of: host) }
            }
        }
        // From here on the body's end of life cancels the transfer, also when this task is cancelled.
        let body = ByteStream(ExchangeBody(exchange: exchange))
        let head = try await exchange.head.value().get()
        let outcome = exchange.outcome
        return TransportResponse(
            response: head.response, interim: head.interim, body: body, decodedFrom: head.decodedFrom,
            metrics: { await outcome.valueOrNil()?.metrics ?? TransferMetrics() },
            trailers: { await outcome.valueOrNil()?.trailers ?? HTTPFields() })
    }

    private func handshake(_ url: HTTPURL, connectTimeout: Duration) async throws -> ServerTrust {
        if case .failure(let error) = settings.authorities { throw error }
        let handshake = try start { _ in
            CurlHandshake(url, connectTimeout: connectTimeout, settings: settings, timekeeper: timekeeper)
        }
        return try await handshake.result.value().get()
    }

    private func start<Transfer: LoopTransfer>(_ make: (CurlLoop) -> Transfer) throws -> Transfer {
        while true {
            let (loop, isShutDown) = loops.withLock { ($0.current, $0.isShutDown) }
            let transfer = make(loop)
            if loop.start(transfer) { return transfer }
            // The loop was replaced between the two steps, or is gone for good.
            if isShutDown || loops.withLock({ $0.current === loop }) { throw TransportError.shutDown }
        }
    }
}

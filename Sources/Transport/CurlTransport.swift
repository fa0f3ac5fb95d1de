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
/// their connect timeout. HSTS (RFC 6797) is not applied when there is a trust hook, which would not see the upgraded
/// connection.
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
        trust = TrustKeeper(configuration.trust, pins: settings.pins)
        loops = Locked(Loops(current: CurlLoop(configuration: configuration, timekeeper: timekeeper)))
    }

    deinit { shutDown() }

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let url = request.request.url
        guard request.request.method.rawValue != "CONNECT" else {
            throw TransportError(.other, "\(url.host): CONNECT makes a tunnel, not an exchange")
        }
        var attemptsLeft = 3
        while true {
            let tls = try await trust.options(for: url) { [self] in
                try await handshake(url, connectTimeout: request.connectTimeout)
            }
            if url.isSecure, tls.verifiesChain, case .failure(let error) = settings.authorities { throw error }
            attemptsLeft -= 1
            do {
                return try await exchange(request, tls)
            } catch let error as TransportError
                where error.code == .pinMismatch && trust.hasHook && attemptsLeft > 0
            {
                // Another key than the one the verdict was about; nothing of the request has gone out.
                trust.doubt(url, tls)
            }
        }
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
    }

    /// Returns when the loop thread has ended and what libcurl remembers is on the disk.
    /// - Throws: `CancellationError`.
    public func waitUntilShutDown() async throws {
        let all = loops.withLock { $0.retired + [$0.current] }
        for loop in all { try await loop.ended.value() }
    }

    // MARK: One attempt

    private func exchange(_ request: TransportRequest, _ tls: TLSOptions) async throws -> TransportResponse {
        let feed = try await UploadFeed.make(for: request)
        let exchange = try start { loop in
            CurlExchange(request, feed: feed, tls: tls, settings: settings, loop: loop, timekeeper: timekeeper)
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

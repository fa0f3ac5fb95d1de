public import Acceleration
import ContentStore
import Foundation
public import HTTPCaching
public import HTTPModel
import Interception
public import Prepositioning
import Primitives
import Telemetry
public import Transport

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The SDK: content on the device before the app asks for it.
///
/// Creating a client never fails and never blocks on the network: what cannot be used (the disk, the server's address) is told
/// in one log line, and requests go to the network. Keep the client for as long as its answers are read: letting go of it ends
/// its transfers and its background work.
public final class LarderClient: Sendable {
    /// The version of the SDK, as devices report it.
    public static let version = "0.1.0"

    let services: Services
    private let background: Locked<[Task<Void, Never>]>

    /// Opens the store and starts to register and pre-position in the background. Performs disk I/O.
    public convenience init(configuration: LarderConfiguration) {
        self.init(configuration: configuration, timekeeper: SystemTimekeeper(), transport: nil)
    }

    /// The same with clocks and a network of the caller's choice.
    init(configuration: LarderConfiguration, timekeeper: any Timekeeping, transport: (any HTTPTransport)?) {
        services = Services(configuration, timekeeper: timekeeper, transport: transport)
        background = Locked(services.startBackgroundWork())
    }

    deinit {
        for task in background.withLock({ $0 }) { task.cancel() }
        services.stop()
    }

    /// The engine's own form, with everything it knows of the exchange.
    /// - Throws: ``TransportError``; `CancellationError`.
    public func send(_ request: HTTPRequest, body: RequestBody? = nil, options: RequestOptions = RequestOptions())
        async throws -> AcceleratedResponse
    { try await services.accelerator.send(request, body: body, options: options) }

    /// What would be done with a request now, and why. Performs disk I/O.
    public func explain(_ request: HTTPRequest) -> CacheDecision { services.accelerator.explain(request) }

    /// What would answer a request if the origin could not be reached now, and why; `nil` for nothing. Performs disk I/O.
    public func explainUnreachable(_ request: HTTPRequest) -> CacheDecision? {
        services.accelerator.explainUnreachable(request)
    }

    // MARK: - Interception

    /// Answers the session's data and upload tasks from the SDK; `URLSession.shared` as well as sessions of the app's own.
    public func intercept(_ session: URLSession) { Interceptor.install(in: session, handler: services.accelerator) }

    /// The same for every session that will be made with a configuration.
    public func intercept(_ configuration: URLSessionConfiguration) {
        Interceptor.install(in: configuration, handler: services.accelerator)
    }

    // MARK: - Segments

    /// Replaces the set of subscribed segments; durable; empty for none.
    public func subscribe(to segments: Set<String>) {
        guard let prepositioner = services.prepositioner else {
            return services.log.once("subscribe", "segments need a server and an API key: the subscription is ignored")
        }
        prepositioner.subscribe(to: segments)
    }

    /// Looks for a new release and downloads what is missing, now; also what waits for the app to ask
    /// (``PolicyOverrides/isManual``).
    @discardableResult
    public func sync() async -> Prepositioner.SyncReport {
        if let prepositioner = services.prepositioner { return await prepositioner.sync() }
        var report = Prepositioner.SyncReport()
        report.failures = [Services.noServer]
        return report
    }

    /// Where everything stands.
    public var status: Prepositioner.Status { services.prepositioner?.status ?? Services.statusWithoutServer }

    /// The status now and after every change, whatever the app registers with; a slow listener sees the newest only.
    public func statuses() -> AsyncStream<Prepositioner.Status> { services.registrar.statuses() }

    /// Stops background work and returns when everything recorded is durable. The client is inert afterwards.
    public func shutDown() async {
        let tasks = background.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in tasks { task.cancel() }
        services.stop()
        for task in tasks { await task.value }
        await services.registrar.waitUntilStopped()
        await services.telemetry.close()
    }
}

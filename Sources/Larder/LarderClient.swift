public import Acceleration
public import Foundation
public import HTTPCaching
public import HTTPModel
public import Prepositioning
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What an app tells the SDK.
public struct LarderConfiguration: Sendable {
    /// The control plane's base URL; `nil` uses the cache alone, without segments.
    public var serverURL: String?
    public var apiKey: String?
    public var bundleID: String
    /// Joined the first time this API key is seen on the device.
    public var initialSegments: Set<String> = []
    /// The SDK's directory; the XDG cache directory of the bundle id unless told.
    public var directory: String?
    public var pinnedByteCountMax: Int64 = 512 << 20
    public var opportunisticByteCountMax: Int64 = 128 << 20
    public var trust = TrustPolicy()
    /// Keys to trust for releases and manifests instead of those the server names at registration.
    public var signingKeys: [SigningKey] = []
    public var caching = CachingPolicy()
    /// One line for each thing that went wrong; prints to standard error unless told.
    public var log: (@Sendable (String) -> Void)?

    /// Creates a configuration with the default limits.
    public init(serverURL: String? = nil, apiKey: String? = nil, bundleID: String = "app") {
        self.serverURL = serverURL
        self.apiKey = apiKey
        self.bundleID = bundleID
    }
}

/// The SDK: content on the device before the app asks for it.
///
/// Creating a client never fails and never blocks on the network: what cannot be used (the disk, the server's address) is told
/// in one log line, and requests go to the network.
public final class LarderClient: Sendable {
    /// Opens the store and starts to register and pre-position in the background.
    public init(configuration: LarderConfiguration) { fatalError("stub") }

    // MARK: - Requests

    /// The whole body in memory, and the response.
    /// - Throws: `URLError`, with ``TransportError`` as underlying error; `CancellationError`.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) { fatalError("stub") }
    /// The whole body in memory, and the response.
    public func data(from url: URL) async throws -> (Data, HTTPURLResponse) { fatalError("stub") }
    /// The body as a file of the caller's own, moved to `destination` when whole.
    public func download(for request: URLRequest, to destination: URL) async throws -> HTTPURLResponse {
        fatalError("stub")
    }
    /// Sends a body from memory.
    public func upload(for request: URLRequest, from body: Data) async throws -> (Data, HTTPURLResponse) {
        fatalError("stub")
    }
    /// Sends a body from a file.
    public func upload(for request: URLRequest, fromFile file: URL) async throws -> (Data, HTTPURLResponse) {
        fatalError("stub")
    }
    /// Sends a body from a stream.
    public func upload(for request: URLRequest, from body: ByteStream, byteCount: Int64?) async throws -> (
        Data, HTTPURLResponse
    ) { fatalError("stub") }
    /// The body as a stream, at the caller's pace.
    public func stream(for request: URLRequest) async throws -> (ByteStream, HTTPURLResponse) { fatalError("stub") }
    /// The engine's own form, with everything it knows of the exchange.
    public func send(_ request: HTTPRequest, body: RequestBody? = nil, options: RequestOptions = RequestOptions())
        async throws -> AcceleratedResponse
    { fatalError("stub") }
    /// What would be done with a request now, and why.
    public func explain(_ request: HTTPRequest) -> CacheDecision { fatalError("stub") }

    // MARK: - Interception

    /// Answers the session's data and upload tasks from the SDK; `URLSession.shared` as well as sessions of the app's own.
    public func intercept(_ session: URLSession) { fatalError("stub") }
    /// The same for every session that will be made with a configuration.
    public func intercept(_ configuration: URLSessionConfiguration) { fatalError("stub") }

    // MARK: - Segments

    /// Replaces the set of subscribed segments; durable; empty for none.
    public func subscribe(to segments: Set<String>) { fatalError("stub") }
    /// Looks for a new release and downloads what is missing, now.
    @discardableResult
    public func sync() async -> Prepositioner.SyncReport { fatalError("stub") }
    public var status: Prepositioner.Status { fatalError("stub") }
    /// The status now and after every change.
    public func statuses() -> AsyncStream<Prepositioner.Status> { fatalError("stub") }

    // MARK: - Telemetry

    /// Records an instantaneous event.
    public func logEvent(_ name: String) { fatalError("stub") }
    /// Starts a timed event; several may run at once.
    public func startEvent(_ name: String) { fatalError("stub") }
    /// Ends the timed event of that name; nothing happens without one.
    public func stopEvent(_ name: String) { fatalError("stub") }
    /// Sends what is waiting, now. `nil` without a server or before registration.
    @discardableResult
    public func sendTelemetry() async -> Int? { fatalError("stub") }
    /// Every exchange from now on, when it has ended.
    public func exchanges() -> AsyncStream<ExchangeRecord> { fatalError("stub") }

    /// Stops background work and returns when everything recorded is durable. The client is inert afterwards.
    public func shutDown() async { fatalError("stub") }
}

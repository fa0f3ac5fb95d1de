import Cryptography
public import HTTPModel
public import Primitives

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sends one request over the network, nothing more: no cache, no redirects.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the response head is there; the body streams after it.
    ///
    /// Cancelling the task, or letting go of the response's body, ends the transfer.
    /// - Throws: ``TransportError``; `CancellationError` when the task was cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// The body of a request.
public enum RequestBody: Sendable {
    case data(Data)
    /// A file sent from the disk as the network takes it.
    case file(path: String)
    /// A stream; `byteCount` when known, else sent chunked (HTTP/1.1).
    case stream(ByteStream, byteCount: Int64?)
}

/// What the transport is asked to do.
public struct TransportRequest: Sendable {
    /// The protocol versions to try.
    public enum Version: String, Sendable, CaseIterable {
        /// HTTP/2 over TLS by negotiation, else HTTP/1.1; HTTP/3 where the origin advertised it (Alt-Svc).
        case automatic
        case http1 = "1.1"
        /// HTTP/2, also without TLS by prior knowledge.
        case http2 = "2"
        /// HTTP/3 first, with fallback.
        case http3 = "3"
    }

    public var request: HTTPRequest
    public var body: RequestBody?
    /// Decode gzip, br and zstd bodies; the response then has neither `Content-Encoding` nor `Content-Length`.
    public var decodesContent = true
    public var version = Version.automatic
    /// Until the connection stands.
    public var connectTimeout = Duration.seconds(30)
    /// Longest time without a byte moving.
    public var idleTimeout = Duration.seconds(60)
    /// Longest time for the whole exchange; `nil` for no limit.
    public var totalTimeout: Duration?
    /// Most bytes a second to receive; `nil` for no limit.
    public var receiveBytesPerSecondMax: Int64?

    /// Creates a request with the default limits.
    public init(_ request: HTTPRequest, body: RequestBody? = nil) {
        self.request = request
        self.body = body
    }
}

/// Timings and byte counts of one exchange, as libcurl measured them.
public struct TransferMetrics: Sendable, Hashable, Codable {
    /// Microseconds since the start of the exchange; 0 for a phase that did not happen (a reused connection).
    public var nameLookupMicroseconds: Int64 = 0
    public var connectMicroseconds: Int64 = 0
    public var tlsMicroseconds: Int64 = 0
    public var requestSentMicroseconds: Int64 = 0
    public var firstByteMicroseconds: Int64 = 0
    public var totalMicroseconds: Int64 = 0
    /// Bytes on the wire: head and body as sent and received, compressed.
    public var sentByteCount: Int64 = 0
    public var receivedByteCount: Int64 = 0
    /// "1.1", "2" or "3".
    public var httpVersion = ""
    public var isReusedConnection = false
    public var remoteAddress = ""

    /// Zero of everything.
    public init() {}
}

/// A response whose head has arrived.
public struct TransportResponse: Sendable {
    public var response: HTTPResponse
    /// Interim responses (1xx) in order.
    public var interim: [HTTPResponse]
    /// The body, decoded when asked for.
    public var body: ByteStream
    /// Whether the body was decoded from this coding, such as "br"; `nil` when it came as it is.
    public var decodedFrom: String?
    /// The metrics; complete once the body has ended, whatever ended it.
    public var metrics: @Sendable () async -> TransferMetrics
    /// Trailer fields, once the body has ended.
    public var trailers: @Sendable () async -> HTTPFields

    /// Creates a response.
    public init(
        response: HTTPResponse, interim: [HTTPResponse] = [], body: ByteStream, decodedFrom: String? = nil,
        metrics: @escaping @Sendable () async -> TransferMetrics,
        trailers: @escaping @Sendable () async -> HTTPFields = { HTTPFields() }
    ) {
        self.response = response
        self.interim = interim
        self.body = body
        self.decodedFrom = decodedFrom
        self.metrics = metrics
        self.trailers = trailers
    }
}

/// Why an exchange failed.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, CaseIterable {
        case nameNotResolved, connectionFailed, tlsFailed, certificateRejected, pinMismatch, timedOut
        case connectionLost, malformedResponse, bodyTruncated, requestBodyFailed, contentDecodingFailed, shutDown, other

        /// Whether the origin was not reached at all, which pre-positioned content may stand in for.
        public var isUnreachable: Bool {
            switch self {
            case .nameNotResolved, .connectionFailed, .timedOut, .connectionLost: true
            default: false
            }
        }
    }
    public var code: Code
    /// What failed, for people; host name only, never the query.
    public var description: String

    /// Creates an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// The certificate chain of a server, leaf first, as DER; asked for a verdict before the request is sent.
public struct ServerTrust: Sendable, Hashable {
    public var host: String
    public var port: Int
    /// DER certificates, leaf first.
    public var certificates: [Data]
    /// What the system store said: `nil` when it trusts the chain, else the reason.
    public var systemFailure: String?

    /// Creates a value.
    public init(host: String, port: Int, certificates: [Data], systemFailure: String?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.systemFailure = systemFailure
    }
}

/// How servers are trusted.
public struct TrustPolicy: Sendable {
    /// A verdict over a chain.
    public enum Verdict: Sendable { case useSystem, accept, reject }
    /// A PEM bundle to trust besides the system's; `nil` for the system's alone.
    public var authorityFile: String?
    /// Base64 SHA-256 digests of SubjectPublicKeyInfo by host ("example.com"); one of them must be the server's.
    public var pins: [String: [String]] = [:]
    /// Asked once for each host and chain; may take its time without stalling other hosts.
    public var hook: (@Sendable (ServerTrust) async -> Verdict)?

    /// The system store alone.
    public init() {}
}

/// The network by libcurl: one event loop on one thread.
public final class CurlTransport: HTTPTransport {
    /// The limits of a transport.
    public struct Configuration: Sendable {
        public var trust = TrustPolicy()
        /// Open connections kept for reuse.
        public var connectionsMax = 512
        /// Connections to one host at a time.
        public var connectionsPerHostMax = 6
        /// A directory for what libcurl remembers (Alt-Svc, HSTS); `nil` keeps it in memory.
        public var stateDirectory: String?
        public var userAgent = "Larder"

        /// The defaults.
        public init() {}
    }

    /// What the library at hand can do, such as "HTTP/3" or "zstd".
    public static var features: Set<String> { fatalError("stub") }
    /// Name and version of the library at hand.
    public static var libraryVersion: String { fatalError("stub") }

    /// Starts the loop thread.
    public init(configuration: Configuration = Configuration()) { fatalError("stub") }

    public func send(_ request: TransportRequest) async throws -> TransportResponse { fatalError("stub") }

    /// The network has changed: idle connections are closed, new requests connect anew.
    public func networkDidChange() { fatalError("stub") }

    /// Ends every transfer with ``TransportError/Code/shutDown`` and the loop thread. Called by `deinit` as well.
    public func shutDown() { fatalError("stub") }
}

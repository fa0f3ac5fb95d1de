public import HTTPModel
public import Primitives

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
    /// What the caller asked for first, when a redirect has led to ``request``; told to the trust evaluator.
    public var originalRequest: HTTPRequest?
    public var body: RequestBody?
    /// Decode gzip, br and zstd bodies; the response then has neither `Content-Encoding` nor `Content-Length`.
    public var decodesContent = true
    /// Give `User-Agent` and `Accept` a default when they are absent.
    public var addsFields = true
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

/// Why an exchange failed.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable, CaseIterable {
        case nameNotResolved, connectionFailed, tlsFailed, certificateRejected, pinMismatch, timedOut
        case connectionLost, malformedResponse, bodyTruncated, requestBodyFailed, contentDecodingFailed, shutDown, other
        /// The app cancelled the question whether the server is trusted.
        case cancelled

        /// Whether the origin was not reached at all, which pre-positioned content may stand in for.
        public var isUnreachable: Bool {
            switch self {
            case .nameNotResolved, .connectionFailed, .timedOut, .connectionLost: true
            default: false
            }
        }
    }
    public var code: Code
    /// What failed, for people; of URLs the host name only, never user information or a query.
    public var description: String

    /// Creates an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

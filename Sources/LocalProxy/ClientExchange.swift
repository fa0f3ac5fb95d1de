import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request of a client and the answer to it, as far as it has come.
struct ClientExchange {
    let line: RequestLine
    let started: Duration
    let date: Date?
    let sentBefore: Int64
    /// Whether the client had ended its side already when the request was read: then that does not mean that it has gone.
    let wasHalfClosed: Bool
    var keepsAlive: Bool
    /// `nil` when the answer is all there.
    var forwarding: Forwarding?
    /// `nil` when the request has no body, or all of it has been passed on.
    var upload: Upload?
    var expectsContinue = false
    var framing = ResponseFraming.none
    /// Bytes that the declared length still asks for.
    var missingByteCount: Int64 = 0
    var hasHead = false
    /// Bytes taken from the forwarding and not yet in the kernel.
    var takenByteCount = 0
    var status = 0
    var cacheStatus = ""

    /// Whether the answer's head and every byte it promised have come, whatever else is going on behind them.
    var hasAll: Bool {
        guard hasHead else { return false }
        return switch framing {
        case .none: true
        case .length: missingByteCount == 0
        case .chunked, .close: false
        }
    }

    init(_ line: RequestLine, keepsAlive: Bool, started: Duration, date: Date?, sentBefore: Int64, wasHalfClosed: Bool)
    {
        self.line = line
        self.keepsAlive = keepsAlive
        self.started = started
        self.date = date
        self.sentBefore = sentBefore
        self.wasHalfClosed = wasHalfClosed
    }
}

import CCurl

/// Something that runs on the loop thread with an easy handle of its own.
///
/// The loop calls these on its thread only: `configure` once, then `end` exactly once.
protocol LoopTransfer: AnyObject, Sendable {
    /// Sets the handle up; libcurl's callbacks may find `self` by its address until `end`.
    func configure(_ handle: EasyHandle) throws(TransportError)
    /// When it is to be given up.
    func deadline() -> TransferDeadline
    /// It is over: libcurl's result, or the error that ended it from outside. The handle is off the loop but alive.
    func end(_ handle: EasyHandle?, _ ending: TransferEnding)
    /// What the origin told that is worth remembering; `nil` when nothing.
    var advertisement: String? { get }
}

/// When a transfer is to be given up, in uptime.
struct TransferDeadline {
    var due: Duration
    /// When to look again; earlier than `due` where an event may bring `due` forward.
    var lookAt: Duration
    var error: TransportError
}

/// How a transfer came to its end.
enum TransferEnding {
    case completed(CURLcode)
    case failed(any Error)
}

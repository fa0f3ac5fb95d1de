import CEpoll
import Glibc

/// The kernel's list of what is ready (epoll), edge-triggered: each descriptor is registered once.
struct Poller: ~Copyable {
    /// What has become of a descriptor.
    struct Event {
        var token: UInt64
        var isReadable: Bool
        var isWritable: Bool
        /// The other side will send no more.
        var hasEnded: Bool
        /// The connection is gone in both directions.
        var isGone: Bool
    }

    /// Most events of one wait.
    private static let eventCountMax = 256

    private let descriptor: Int32
    private let mailbox: Mailbox
    private let events: UnsafeMutablePointer<epoll_event>

    /// Creates a poller that a message in the mailbox wakes.
    /// - Throws: ``LocalProxyError`` when the process has no descriptor left.
    init(_ mailbox: Mailbox) throws(LocalProxyError) {
        let descriptor = cepoll_create()
        guard descriptor >= 0 else { throw LocalProxyError("no event loop: \(Socket.reason(errno))") }
        self.descriptor = descriptor
        self.mailbox = mailbox
        events = .allocate(capacity: Self.eventCountMax)
        _ = add(mailbox.descriptor, token: Self.wakeToken)
    }

    deinit {
        events.deallocate()
        close(descriptor)
    }

    /// The token of the mailbox's events.
    static let wakeToken = UInt64.max

    /// Registers a descriptor for all that can happen to it.
    /// - Returns: whether the kernel took it.
    func add(_ socket: Int32, token: UInt64) -> Bool {
        cepoll_add(descriptor, socket, token) == 0
    }

    /// Waits for events, or for so many milliseconds at most.
    /// - Returns: how many there are.
    func wait(milliseconds: Int32) -> Int {
        max(0, Int(epoll_wait(descriptor, events, Int32(Self.eventCountMax), milliseconds)))
    }

    /// One of the events of the last wait.
    func event(_ index: Int) -> Event {
        let event = events[index]
        return Event(
            token: event.data.u64, isReadable: event.events & cepoll_readable != 0,
            isWritable: event.events & cepoll_writable != 0, hasEnded: event.events & cepoll_ended != 0,
            isGone: event.events & cepoll_gone != 0)
    }
}

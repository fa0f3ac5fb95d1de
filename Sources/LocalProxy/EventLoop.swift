import Acceleration
import Glibc
import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the loop watches: a connection, or the far end of a tunnel. Loop thread only.
protocol Watched: AnyObject {
    /// Something has become possible on the socket.
    func handle(_ event: Poller.Event)
    /// Another thread has something for it.
    func look()
    /// The clock has moved on.
    func checkTime()
    /// The proxy is about to stop: end as soon as nothing is under way.
    func drain()
    /// Ends at once.
    func abort()
}

/// One thread that moves every byte between the proxy and its clients.
///
/// Everything in it belongs to its thread but the mailbox.
final class EventLoop {
    let configuration: LocalProxy.Configuration
    let handler: any RequestHandling
    let timekeeper: any Timekeeping
    let mailbox: Mailbox
    let translator: RequestTranslator
    let options: RequestOptions
    var headWriter: ResponseHeadWriter
    /// Room to put answers together in.
    var scratch = ByteBuffer(capacity: 192 << 10)
    /// The time of the last wait's end.
    private(set) var now: Duration
    private(set) var isStopping = false
    /// Connections for tunnels that are being made, each by a thread.
    var dialCount = 0
    /// Under which those threads tell of their end.
    let dialToken = UInt64.max - 2

    private let poller: Poller
    private let listener: Listener
    private var slots: [(any Watched)?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    private var isAccepting = true
    private var lastTick: Duration
    private var stopDeadline: Duration?

    /// How often time-outs are looked at.
    private static let tick = Duration.milliseconds(500)
    private static let listenerToken = UInt64.max - 1

    init(
        _ configuration: LocalProxy.Configuration, listener: Listener, mailbox: Mailbox,
        handler: any RequestHandling, timekeeper: any Timekeeping
    ) throws(LocalProxyError) {
        self.configuration = configuration
        self.listener = listener
        self.mailbox = mailbox
        self.handler = handler
        self.timekeeper = timekeeper
        translator = RequestTranslator(configuration)
        headWriter = ResponseHeadWriter(name: configuration.name)
        var options = RequestOptions()
        options.followsRedirects = false
        options.isProxied = true
        options.bypassesCache = configuration.bypassesCache
        options.idleTimeout = configuration.originIdleTimeout
        self.options = options
        now = timekeeper.uptime
        lastTick = now
        poller = try Poller(mailbox)
        guard poller.add(listener.descriptor, token: Self.listenerToken) else {
            throw LocalProxyError("cannot watch the listening socket: \(Socket.reason(errno))")
        }
    }

    /// Works until it is asked to stop and nothing is left, or the grace time is over.
    func run() {
        ignoreBrokenPipes()
        while !isDone {
            // Without connections nothing is to be timed: the loop sleeps until somebody comes.
            let isIdle = watchedCount == 0 && stopDeadline == nil
            let count = poller.wait(milliseconds: isIdle ? -1 : 500)
            now = timekeeper.uptime
            for index in 0..<count { handle(poller.event(index)) }
            if now - lastTick >= Self.tick { checkTime() }
        }
        for watched in slots { watched?.abort() }
        listener.close()
    }

    /// `sendfile` to a client that has gone would end the app; on this thread the signal is never delivered.
    private func ignoreBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    // MARK: - What is watched

    /// Watches a socket.
    /// - Parameter make: makes what handles its events, given its token.
    /// - Returns: `nil` when the kernel takes no more.
    func watch<Handler: Watched>(_ socket: Int32, _ make: (UInt64) -> Handler) -> Handler? {
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count {
            slots.append(nil)
            generations.append(0)
        }
        let token = UInt64(generations[slot]) << 32 | UInt64(slot)
        let made = make(token)
        slots[slot] = made
        guard poller.add(socket, token: token) else {
            unwatch(token)
            return nil
        }
        return made
    }

    /// Forgets what was watched; its socket is being closed, which takes it from the poller.
    func unwatch(_ token: UInt64) {
        let slot = Int(token & 0xFFFF_FFFF)
        guard watched(token) != nil else { return }
        slots[slot] = nil
        generations[slot] = (generations[slot] + 1) & 0x7FFF_FFFF
        freeSlots.append(slot)
        if !isAccepting, !isStopping {
            isAccepting = true
            mailbox.put(Self.listenerToken)
        }
    }

    private func watched(_ token: UInt64) -> (any Watched)? {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < slots.count, generations[slot] == UInt32(token >> 32) else { return nil }
        return slots[slot]
    }

    private var watchedCount: Int { slots.count - freeSlots.count }

    // MARK: - Events

    private func handle(_ event: Poller.Event) {
        switch event.token {
        case Poller.wakeToken: openMail()
        case Self.listenerToken: acceptAll()
        default: watched(event.token)?.handle(event)
        }
    }

    private func openMail() {
        let (tokens, isStopping) = mailbox.take()
        for token in tokens {
            switch token {
            case Self.listenerToken: acceptAll()
            case dialToken: dialCount -= 1
            default: watched(token)?.look()
            }
        }
        if isStopping, stopDeadline == nil { beginStop() }
    }

    private func checkTime() {
        lastTick = now
        for watched in slots { watched?.checkTime() }
        // The kernel tells of new clients once; some may have had to wait for a descriptor.
        acceptAll()
    }

    private func acceptAll() {
        while isAccepting, !isStopping {
            guard watchedCount < configuration.connectionsMax else {
                isAccepting = false
                return
            }
            guard let (socket, client) = listener.accept() else { return }
            let made = watch(socket) { ClientConnection(socket, client: client, token: $0, loop: self) }
            if made == nil { Glibc.close(socket) }
        }
    }

    // MARK: - The end

    private func beginStop() {
        isStopping = true
        stopDeadline = now + configuration.stopGrace
        listener.shut()
        for watched in slots { watched?.drain() }
    }

    private var isDone: Bool {
        guard let stopDeadline else { return false }
        return watchedCount == 0 || now >= stopDeadline
    }
}

import Glibc

/// Bytes both ways between a client and a host, as they are, each way at the pace of its reader. Loop thread only.
final class Tunnel: Watched {
    /// The two ends.
    enum End {
        case client, far
    }

    private unowned let connection: ClientConnection
    private let loop: EventLoop
    private let far: Int32
    private let token: UInt64
    private let up: Lane
    private let down: Lane
    private var lastMove: Duration
    private var isClosed = false

    /// Moves made in a row before others have their turn.
    private static let turnMax = 32

    /// Creates a tunnel.
    /// - Parameter first: what goes to the host before anything that the client sends.
    init(_ connection: ClientConnection, far: Int32, token: UInt64, first: UnsafeRawBufferPointer) {
        self.connection = connection
        self.far = far
        self.token = token
        loop = connection.loop
        let window = connection.loop.configuration.windowByteCount
        up = Lane(from: connection.socket, to: far, windowByteCount: window)
        down = Lane(from: far, to: connection.socket, windowByteCount: window)
        up.buffer.append(first)
        lastMove = connection.loop.now
    }

    /// Bytes that have gone to the client.
    var downByteCount: Int64 { down.movedByteCount }
    /// Whether both ends have said all they had.
    var isWhole: Bool { up.isDone && down.isDone }

    func handle(_ event: Poller.Event) { handle(event, of: .far) }

    func handle(_ event: Poller.Event, of end: End) {
        let (out, into) = end == .client ? (up, down) : (down, up)
        if event.isReadable || event.hasEnded || event.isGone { out.mayRead = true }
        if event.isWritable || event.isGone { into.mayWrite = true }
        run()
    }

    func look() { run() }

    func checkTime() {
        if loop.now - lastMove > loop.configuration.tunnelIdleTimeout { connection.abort() }
    }

    func drain() { connection.abort() }

    func abort() { connection.abort() }

    /// Moves what can be moved.
    func run() {
        for _ in 0..<Self.turnMax {
            guard let upMoved = up.move(), let downMoved = down.move() else { return connection.abort() }
            if isWhole { return connection.abort() }
            guard upMoved || downMoved else { return }
            lastMove = loop.now
        }
        loop.mailbox.put(token)
    }

    /// Closes the far end; called by the connection, whose end it is as well.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.unwatch(token)
        Glibc.close(far)
    }
}

/// One way through a tunnel.
private final class Lane {
    let source: Int32
    let target: Int32
    let windowByteCount: Int
    var buffer = ByteBuffer(capacity: 16 << 10)
    var mayRead = true
    var mayWrite = true
    private(set) var movedByteCount: Int64 = 0
    /// The source has ended, and the target has been told.
    private(set) var isDone = false
    private var hasEnded = false

    init(from source: Int32, to target: Int32, windowByteCount: Int) {
        self.source = source
        self.target = target
        self.windowByteCount = windowByteCount
    }

    /// Writes what waits and reads what there is room for.
    /// - Returns: whether anything moved; `nil` when the connection is gone.
    func move() -> Bool? {
        var hasMoved = false
        if mayWrite, !buffer.isEmpty {
            switch Socket.write(target, buffer.bytes) {
            case .bytes(let count):
                buffer.drop(count)
                movedByteCount += Int64(count)
                hasMoved = true
            case .wouldBlock: mayWrite = false
            case .end, .failed: return nil
            }
        }
        if hasEnded, buffer.isEmpty, !isDone {
            shutdown(target, Int32(SHUT_WR))
            isDone = true
            return true
        }
        if mayRead, !hasEnded, buffer.count < windowByteCount {
            switch Socket.read(source, into: buffer.room(16 << 10)) {
            case .bytes(let count):
                buffer.commit(count)
                hasMoved = true
            case .end:
                hasEnded = true
                hasMoved = true
            case .wouldBlock: mayRead = false
            case .failed: return nil
            }
        }
        return hasMoved
    }
}

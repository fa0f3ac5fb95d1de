import Dispatch
import Primitives

/// Connections of one kind, each handed to one thread at a time; opened when first needed.
final class ConnectionPool: Sendable {
    private let idle = Locked<[SQLiteConnection]>([])
    /// Counts the connections that may still be taken.
    private let places: DispatchSemaphore
    private let open: @Sendable () throws(SQLiteError) -> SQLiteConnection

    init(count: Int, open: @escaping @Sendable () throws(SQLiteError) -> SQLiteConnection) {
        self.open = open
        // Raised from 0, because libdispatch refuses to free a semaphore that stands lower than it began.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<max(count, 1) { places.signal() }
    }

    /// Runs a closure with a connection of its own; blocks while all are in use.
    func withConnection<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        places.wait()
        defer { places.signal() }
        let connection = try idle.withLock { $0.popLast() } ?? open()
        defer { idle.withLock { $0.append(connection) } }
        return try body(connection)
    }
}

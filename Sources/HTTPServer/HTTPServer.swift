import CMicroHTTPD
import Dispatch
public import Primitives

/// An HTTP/1.1 server on libmicrohttpd. HTTP/2, HTTP/3 and public TLS belong to a proxy in front.
///
/// Errors of handlers become problem documents: a thrown ``ProblemDocument`` as it is, anything else 500 without its text.
/// Unknown paths answer 404, known paths with another method 405 with `Allow`, bad requests 400, longer bodies 413.
/// Only what does not parse as HTTP at all is answered by libmicrohttpd itself, with a bare status and a closed connection.
///
/// Memory is bounded by ``Configuration/connectionsMax`` times the head limit plus the route's `bodyByteCountMax`.
public final class HTTPServer: Sendable {
    /// The limits of a server.
    public struct Configuration: Sendable, Hashable {
        /// A numeric address, IPv4 or IPv6.
        public var address = "127.0.0.1"
        /// 0 picks a free port.
        public var port: UInt16 = 0
        public var threadCount = 2
        /// Connections beyond this wait in the system's queue until others close.
        public var connectionsMax = 1_000
        /// A connection on which nothing moves is closed; also the most time between two requests, and the most that the
        /// head of a request may take, however it trickles in.
        public var idleTimeoutSeconds = 60
        /// The most time that the body of a request may take; its connection is closed then.
        public var bodyTimeoutSeconds = 120
        /// Longer request targets are answered 414.
        public var targetByteCountMax = 8_192
        /// More bytes of request fields are answered 431.
        public var fieldsByteCountMax = 16_384

        /// The defaults.
        public init() {}
    }

    private let core: ServerCore

    /// Binds and starts to answer.
    /// - Parameter requestID: makes the ids of requests; unique ones from a random start unless told.
    /// - Throws: ``HTTPServerError`` when the address is taken or not ours, or a route's pattern is malformed or doubled.
    public init(
        configuration: Configuration, routes: [Route], timekeeper: any Timekeeping,
        requestID: (@Sendable () -> String)? = nil,
        log: @escaping @Sendable (ServerLogLine) -> Void = { _ in }
    ) throws(HTTPServerError) {
        core = ServerCore(
            configuration: configuration, router: try Router(routes), timekeeper: timekeeper,
            requestID: requestID ?? RequestIDs.unique(), log: log)
        try core.start()
    }

    deinit {
        // libmicrohttpd's threads end before the core may go, and that wait belongs on no caller's thread.
        let core = core
        Self.closingQueue().async { core.close() }
    }

    /// A queue of its own gets a thread of its own at once, however busy the shared ones are.
    private static func closingQueue() -> DispatchQueue { DispatchQueue(label: "larder.http-server.close") }

    /// The port in use.
    public var port: UInt16 { core.port }

    /// Stops taking connections, lets requests under way end (at most `grace`), then closes.
    ///
    /// Handlers still at work after `grace` are cancelled and their connections closed. Cancelling the task ends the grace.
    public func stop(grace: Duration = .seconds(10)) async {
        core.stopAccepting()
        let timer = Task { [core] in
            // Cancelled when the requests have ended in time: then there is nobody left to release.
            try? await core.timekeeper.sleep(for: grace)
            core.traffic.releaseWaiters()
        }
        await withTaskCancellationHandler {
            await core.traffic.idle()
        } onCancel: {
            core.traffic.releaseWaiters()
        }
        timer.cancel()
        await withCheckedContinuation { continuation in
            Self.closingQueue().async { [core] in
                core.close()
                continuation.resume()
            }
        }
    }
}

/// Why a server could not start.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    public var description: String
    /// Creates an error.
    public init(_ description: String) { self.description = description }
}

/// Ids of requests: a random start, so that two runs do not share ids in one log, and a count.
enum RequestIDs {
    static func unique() -> @Sendable () -> String {
        let prefix = String(UInt32.random(in: .min ... .max), radix: 36)
        let count = Locked(0)
        return {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return "\(prefix)-\(String(number, radix: 36))"
        }
    }
}

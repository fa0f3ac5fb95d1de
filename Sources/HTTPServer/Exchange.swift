import CMicroHTTPD
import HTTPModel
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request and its answer, driven by libmicrohttpd's callbacks.
///
/// The answer is queued in the second call at the earliest, since an answer in the first closes the connection; that is used
/// where closing is wanted, for bodies too long to be read. While a handler works the connection is suspended.
final class Exchange: @unchecked Sendable {
    // `shared` crosses threads. Everything else that changes is touched by the connection's own thread only:
    // libmicrohttpd makes one call for a connection at a time, and none while it is suspended.

    private enum Stage { case head, body, handling, answered }

    private struct Shared {
        var answer: Answer?
        var failure: String?
        var isSuspended = false
        var isAborted = false
        var task: Task<Void, Never>?
    }

    let core: ServerCore
    private let connection: OpaquePointer
    private let target: String
    private let id: String
    private let startedAt: Duration
    private let shared = Locked(Shared())

    private var stage = Stage.head
    private var method = ""
    private var remoteAddress = ""
    private var plan = RequestPlan.answer(ServerResponse(), route: "-")
    private var body = Data()
    private var discardedByteCount = 0

    /// Bytes of a body that nobody wants which are read all the same, so that the connection lives on and the client, which
    /// may not read before it has sent, finds its answer.
    private static let discardedByteCountMax = 1 << 20

    init(core: ServerCore, connection: OpaquePointer, target: String) {
        self.core = core
        self.connection = connection
        self.target = target
        id = core.requestID()
        startedAt = core.timekeeper.uptime
    }

    // MARK: - The connection's thread

    /// - Returns: `false` to close the connection.
    func advance(method: String, version: String, piece: UnsafeRawBufferPointer) -> Bool {
        switch stage {
        case .head: return begin(method: method, version: version)
        case .body where !piece.isEmpty: return receive(piece)
        case .body: return respond()
        case .handling: return sendAnswer()
        case .answered: return true
        }
    }

    /// The head is there: decides what will be done, and whether the body is read first.
    private func begin(method: String, version: String) -> Bool {
        self.method = method
        remoteAddress = cmhd_client_address(connection).map(SocketAddress.host) ?? ""
        let head = RequestHead(method: method, version: version, target: target, connection: connection)
        let (plan, bodyReading) = RequestPlan.make(
            for: head, router: core.router, configuration: core.configuration,
            discardedByteCountMax: Self.discardedByteCountMax)
        self.plan = plan
        stage = .body
        core.traffic.setDeadline(core.bodyDeadline, of: connection)
        switch bodyReading {
        case .none: return respond()
        case .upTo(let byteCount):
            // An announcement costs nothing, so it does not reserve much either.
            body.reserveCapacity(min(byteCount, 1 << 20))
            return true
        }
    }

    private func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        if case .route(let call) = plan {
            if piece.count <= call.route.bodyByteCountMax - body.count {
                body.append(contentsOf: piece)
                return true
            }
            let problem = Problems.bodyTooLong(byteCountMax: call.route.bodyByteCountMax)
            plan = .answer(.problem(problem), route: call.route.pattern)
            body = Data()
        }
        discardedByteCount += piece.count
        return discardedByteCount <= Self.discardedByteCountMax
    }

    /// The request is whole: answers, or suspends the connection and lets the handler work.
    private func respond() -> Bool {
        core.traffic.setDeadline(nil, of: connection)
        switch plan {
        case .answer(let response, _):
            finish(with: response, failure: nil)
            return sendAnswer()
        case .route(let call):
            stage = .handling
            var request = call.request
            request.body = body
            request.remoteAddress = remoteAddress
            request.id = id
            body = Data()
            // Suspended before anyone may resume it.
            MHD_suspend_connection(connection)
            let mayWait = shared.withLock { shared in
                shared.isSuspended = true
                return !shared.isAborted
            }
            // A server that closes down aborts what it knows of: either it has seen this exchange, or the phase tells.
            guard mayWait, core.traffic.phase != .closed else {
                abort()
                return true
            }
            start(request, call.route)
            return true
        }
    }

    private func sendAnswer() -> Bool {
        guard let answer = shared.withLock({ $0.answer }) else { return true }
        stage = .answered
        return MHD_queue_response(connection, UInt32(answer.status), answer.response) == .YES
    }

    /// libmicrohttpd is done with the request, for better or worse.
    func complete(isWhole: Bool) {
        core.traffic.setDeadline(core.headDeadline, of: connection)
        let (answer, failure, task) = shared.withLock { ($0.answer, $0.failure, $0.task) }
        task?.cancel()
        // A connection that ends within a head leaves nothing to tell; libmicrohttpd's own answers are to malformed heads.
        if stage == .head && !isWhole { return }
        let (seconds, attoseconds) = (core.timekeeper.uptime - startedAt).components
        let line = ServerLogLine(
            date: core.timekeeper.now, id: id, method: String(method.prefix(32)), route: plan.routePattern,
            status: stage == .head ? 400 : stage == .answered ? answer?.status ?? 0 : 0,
            microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000,
            byteCount: answer?.sentByteCount ?? 0, remoteAddress: remoteAddress,
            failure: failure ?? answer?.failure ?? (isWhole ? nil : "the connection ended before the answer"))
        core.log(line)
    }

    // MARK: - Any thread

    private func start(_ request: ServerRequest, _ route: Route) {
        let task = Task {
            let (response, failure) = await Self.response(of: route, to: request)
            finish(with: response, failure: failure)
        }
        let isAborted = shared.withLock { shared in
            shared.task = task
            return shared.isAborted
        }
        if isAborted { task.cancel() }
    }

    private static func response(of route: Route, to request: ServerRequest) async -> (ServerResponse, String?) {
        do {
            return (try await route.handler(request), nil)
        } catch let problem as ProblemDocument {
            var problem = problem
            problem.instance = problem.instance ?? "/requests/\(request.id)"
            return (.problem(problem), nil)
        } catch is CancellationError {
            return (.problem(Problems.stopping), nil)
        } catch {
            var problem = Problems.internalError
            problem.instance = "/requests/\(request.id)"
            return (.problem(problem), String(String(reflecting: error).prefix(500)))
        }
    }

    /// The server gives up on this exchange: a waiting connection goes on with 503, a stream ends.
    func abort() {
        let (task, answer) = shared.withLock { shared in
            shared.isAborted = true
            return (shared.task, shared.answer)
        }
        task?.cancel()
        answer?.abort()
        finish(with: .problem(Problems.stopping), failure: nil)
    }

    /// Keeps the first answer there is, and wakes the connection when it waits for one.
    private func finish(with response: ServerResponse, failure: String?) {
        guard shared.withLock({ $0.answer == nil }) else { return resume() }
        var response = response
        response.fields["Larder-Request"] = id
        let closes = core.traffic.phase != .open
        var failure = failure
        var made: Answer?
        do {
            made = try Answer(response, connection: connection, isHead: method == "HEAD", closes: closes)
        } catch {
            failure = error.description
            // Should memory lack for this one as well, the connection is closed without an answer.
            made = try? Answer(
                .problem(Problems.internalError), connection: connection, isHead: method == "HEAD", closes: closes)
        }
        shared.withLock { shared in
            guard shared.answer == nil else { return }
            shared.answer = made
            shared.failure = failure
        }
        resume()
    }

    private func resume() {
        let isSuspended = shared.withLock { shared in
            defer { shared.isSuspended = false }
            return shared.isSuspended
        }
        if isSuspended { MHD_resume_connection(connection) }
    }
}

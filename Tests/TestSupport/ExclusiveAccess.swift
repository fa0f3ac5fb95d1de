import Primitives

/// Lets one test at a time have something that exists once in the process.
///
/// Tests of several targets run side by side in one process; a suite's own `.serialized` orders only its own.
public final class ExclusiveAccess: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The handler that answers intercepted `URLSession` tasks.
    public static let interception = ExclusiveAccess()

    private let state = Locked(State())

    private init() {}

    /// Runs a closure while nobody else has access; in the order of the calls.
    public func callAsFunction(_ body: () async throws -> Void) async rethrows {
        await take()
        defer { release() }
        try await body()
    }

    private func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

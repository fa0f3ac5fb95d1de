import HTTPModel
import Primitives

/// The validations that run behind answers already given: one for each URL at a time, sixteen in all.
///
/// At the bound a validation is left out; the entry stays stale and the next request for it tries again.
final class Revalidations: Sendable {
    private static let countMax = 16

    private struct State {
        var running: Set<HTTPURL> = []
        var tasks: [HTTPURL: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    deinit { cancelAll() }

    /// Starts an operation for a URL unless one is running.
    func start(_ url: HTTPURL, _ operation: @escaping @Sendable () async -> Void) {
        let mayStart = state.withLock { state in
            guard !state.isClosed, state.running.count < Self.countMax else { return false }
            return state.running.insert(url).inserted
        }
        guard mayStart else { return }
        let task = Task { [weak self] in
            await operation()
            self?.end(url)
        }
        let isClosed = state.withLock { state in
            if state.running.contains(url) { state.tasks[url] = task }
            return state.isClosed
        }
        if isClosed { task.cancel() }
    }

    /// Cancels what runs and starts nothing more.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isClosed = true
            defer { state.tasks = [:] }
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
    }

    private func end(_ url: HTTPURL) {
        state.withLock { state in
            state.running.remove(url)
            state.tasks[url] = nil
        }
    }
}

import Dispatch
import Foundation
import HTTPModel
import Interception
import Primitives
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Collects how many tasks ended and how.
private final class Tally: Sendable {
    private struct State {
        var succeeded = 0
        var cancelled = 0
        var other: [String] = []
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
        var ended: Int { succeeded + cancelled + other.count }
    }

    private let state = Locked(State())
    var succeeded: Int { state.withLock { $0.succeeded } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    var other: [String] { state.withLock { $0.other } }

    func note(_ result: Result<Loaded, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            switch result {
            case .success(let loaded) where loaded.text == "GET / ": state.succeeded += 1
            case .success(let loaded): state.other.append(loaded.text)
            case .failure(let error as URLError) where error.code == .cancelled: state.cancelled += 1
            case .failure(let error): state.other.append("\(error)")
            }
            guard let waiter = state.waiter, state.ended >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.ended >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(2))) struct Cancellation {
        @Test("cancels a task in flight, and the engine's work with it", arguments: [Form.completion, .delegate])
        func inFlight(form: Form) async throws {
            let (arrived, cancelled) = (Latch(), Latch())
            let engine = FakeEngine { _ in
                arrived.open()
                return try await withTaskCancellationHandler {
                    try await Task.sleep(for: .seconds(3_600))
                    return (HTTPResponse(status: 200), ByteStream.empty)
                } onCancel: {
                    cancelled.open()
                }
            }
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let tally = Tally()
                let task =
                    form == .completion
                    ? session.task(for: appRequest()) { tally.note($0) } : session.dataTask(with: appRequest())
                let running = Task { if form == .delegate { _ = try await delegate.run(task) } }
                if form == .completion { task.resume() }
                await arrived.wait()
                DispatchQueue(label: "canceller").async { task.cancel() }
                await cancelled.wait()
                if form == .completion {
                    await tally.wait(for: 1)
                    #expect(tally.cancelled == 1)
                } else {
                    let error = await #expect(throws: URLError.self) { try await running.value }
                    #expect(error?.code == .cancelled)
                    #expect(delegate.record.completions == 1)
                }
            }
        }

        @Test("cancels a task that was never resumed")
        func neverResumed() async throws {
            let engine = FakeEngine()
            try await withInterception(engine) { session in
                let tally = Tally()
                session.task(for: appRequest()) { tally.note($0) }.cancel()
                await tally.wait(for: 1)
                #expect(tally.cancelled == 1)
                #expect(engine.asked.isEmpty)
            }
        }

        @Test("survives thousands of cancellations at every moment of a task")
        func storm() async throws {
            let engine = FakeEngine { asked in
                for _ in 0..<(asked.request.url.path.count % 3) { await Task.yield() }
                return (HTTPResponse(status: 200), ByteStream(Data("GET / ".utf8)))
            }
            let (rounds, parallel) = (100, 64)
            let canceller = DispatchQueue(label: "canceller")
            try await withInterception(engine) { session in
                let tally = Tally()
                for round in 0..<rounds {
                    for index in 0..<parallel {
                        let task = session.task(for: appRequest()) { tally.note($0) }
                        task.resume()
                        if (index + round) % 2 == 0 { canceller.async { task.cancel() } }
                    }
                    await tally.wait(for: (round + 1) * parallel)
                }
                #expect(tally.other == [])
                #expect(tally.succeeded + tally.cancelled == rounds * parallel)
                #expect(tally.succeeded >= rounds * parallel / 2)
            }
        }

        @Test("cancels what is in flight when its session is invalidated")
        func invalidated() async throws {
            let arrived = Latch()
            let engine = FakeEngine { _ in
                arrived.open()
                try await Task.sleep(for: .seconds(3_600))
                return (HTTPResponse(status: 200), ByteStream.empty)
            }
            let configuration = URLSessionConfiguration.ephemeral
            Interceptor.install(in: configuration, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            let session = URLSession(configuration: configuration)
            let tally = Tally()
            session.task(for: appRequest()) { tally.note($0) }.resume()
            await arrived.wait()
            session.invalidateAndCancel()
            await tally.wait(for: 1)
            #expect(tally.cancelled == 1)
        }

        @Test("holds a suspended task's answer back until it is resumed")
        func suspended() async throws {
            let (arrived, mayAnswer) = (Latch(), Latch())
            let engine = FakeEngine { _ in
                arrived.open()
                await mayAnswer.wait()
                return (HTTPResponse(status: 200), ByteStream(Data("GET / ".utf8)))
            }
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let task = session.dataTask(with: appRequest())
                let running = Task { try await delegate.run(task) }
                await arrived.wait()
                task.suspend()
                mayAnswer.open()
                // The queue of the task is serial: what suspending put on it has run when this has.
                _ = task.priority
                #expect(task.state == .suspended)
                #expect(delegate.record.completions == 0)
                task.resume()
                let loaded = try await running.value
                #expect(loaded.text == "GET / ")
                #expect(engine.asked.count == 1)
            }
        }
    }
}

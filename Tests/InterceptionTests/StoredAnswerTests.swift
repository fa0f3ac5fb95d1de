import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Interception
import Primitives
import TestSupport
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension InterceptionSuite {
    /// Answers that are in the store when Foundation asks: delivered where it asks.
    @Suite(.timeLimit(.minutes(1))) struct StoredAnswers {
        /// How an app waits for a task.
        enum Audience: String, CaseIterable, Sendable {
            case completion, async, asyncWithDelegate, delegate, completionBesideDelegate
        }

        @Test("tells an app what a protocol that answers at once tells it, in that order", arguments: Audience.allCases)
        func events(audience: Audience) async throws {
            try await withStore { store in
                let expected = try await store.peer(at: "/text").events(of: "/text", for: audience)
                let events = try await store.session().events(of: "/text", for: audience)
                // Foundation tells a task's own delegate nothing of the data; the adapter does.
                #expect(events == (audience == .asyncWithDelegate ? ["4 bytes"] : []) + expected)
                #expect(events.contains { $0.hasSuffix("4 bytes") })
                #expect(store.engine.sentCount == 0)
            }
        }

        @Test("gives HEAD, an empty body and a long one", arguments: Audience.allCases)
        func bodies(audience: Audience) async throws {
            try await withStore { store in
                let session = store.session()
                for (target, byteCount) in [("/empty", 0), ("/small", 100_000), ("/long", 1_000_000)] {
                    let received = try await session.bytes(of: target, for: audience)
                    #expect(received == byteCount, "\(target)")
                }
                let received = try await session.bytes(of: "/small", method: "HEAD", for: audience)
                #expect(received == 0)
                #expect(store.engine.sentCount == 0)
            }
        }

        @Test("follows a stored redirect to a stored answer", arguments: Audience.allCases)
        func redirect(audience: Audience) async throws {
            try await withStore { store in
                let events = try await store.session().events(of: "/moved", for: audience)
                #expect(events.contains("redirect to /text") == store.session().hasDelegate(audience))
                #expect(events.contains("200 /text") || events.contains("200 /text, 4 bytes"), "\(events)")
                // The redirect is answered at once, where it points to the usual way.
                #expect(store.engine.sentCount == 1)
            }
        }

        @Test("gives a stored 401 as it is")
        func challenge() async throws {
            try await withStore { store in
                let events = try await store.session().events(of: "/locked", for: .completion)
                #expect(events == ["401 /locked, 4 bytes"])
                #expect(store.engine.sentCount == 0)
            }
        }

        @Test("ends a task that its delegate cancels at the response", arguments: 0..<20)
        func cancelled(round: Int) async throws {
            try await withStore { store in
                let events = try await store.session { $0.cancel() }.events(of: "/text", for: .delegate)
                #expect(events.first == "200 /text")
                #expect(events.last == "failed with -999")
                #expect(events.filter { $0.hasPrefix("failed") || $0 == "completed" }.count == 1)
            }
        }

        @Test("holds the end of a task that its delegate suspends at the response")
        func suspended() async throws {
            try await withStore { store in
                let hasSuspended = Latch()
                let session = store.session {
                    $0.suspend()
                    hasSuspended.open()
                }
                let task = session.session.dataTask(with: store.request("/text"))
                let running = Task { try await session.delegate.run(task) }
                await hasSuspended.wait()
                // Both queues are serial: what was on them has run when these have.
                await session.onDelegateQueue {}
                _ = task.priority
                #expect(session.delegate.events.last != "completed")
                task.resume()
                let events = try await running.value
                #expect(events.last == "completed")
            }
        }

        @Test("starts nothing before the task is resumed")
        func notResumed() async throws {
            try await withStore { store in
                let session = store.session()
                let task = session.session.dataTask(with: store.request("/text"))
                await session.onDelegateQueue {}
                #expect(session.delegate.events.isEmpty)
                #expect(task.state == .suspended)
                let events = try await session.delegate.run(task)
                #expect(events == ["200 /text", "4 bytes", "completed"])
            }
        }

        @Test("survives thousands of cancellations at every moment of a stored answer")
        func storm() async throws {
            try await withStore { store in
                let session = store.session().session
                let canceller = DispatchQueue(label: "canceller")
                var strange: [String] = []
                for round in 0..<1_500 {
                    let result = await withCheckedContinuation { continuation in
                        let task = session.task(for: store.request("/text")) { continuation.resume(returning: $0) }
                        task.resume()
                        if round % 3 == 0 { task.cancel() } else { canceller.async { task.cancel() } }
                    }
                    switch result {
                    case .success(let loaded) where loaded.text == "text": break
                    case .failure(let error as URLError) where error.code == .cancelled: break
                    default: strange.append("\(result)")
                    }
                }
                #expect(strange.isEmpty)
            }
        }

        @Test("records each answer once, with its bytes")
        func records() async throws {
            try await withStore { store in
                let count = store.engine.recordCount
                _ = try await store.session().events(of: "/text", for: .completion)
                _ = try await store.session().events(of: "/text", for: .delegate)
                #expect(store.engine.recordCount == count + 2)
            }
        }
    }
}

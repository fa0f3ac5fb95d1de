import Foundation
import Interception
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Every test that installs a handler, one after the other: the handler is the process's.
@Suite(.serialized, .exclusiveInterception) enum InterceptionSuite {}

/// Runs a test with an engine installed in a session of its own; removes it afterwards.
func withInterception(
    _ engine: FakeEngine, delegate: RecordingDelegate? = nil,
    configure: (URLSessionConfiguration) -> Void = { _ in },
    _ body: (URLSession) async throws -> Void
) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configure(configuration)
    Interceptor.install(in: configuration, handler: engine)
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer {
        Interceptor.uninstall(handler: engine)
        session.finishTasksAndInvalidate()
    }
    try await body(session)
}

import Foundation
import HTTPModel
import Interception
import Primitives
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(1))) struct Failures {
        @Test(
            "fails a task with the error the native class would give", arguments: Form.allCases,
            [
                (TransportError.Code.nameNotResolved, URLError.Code.cannotFindHost),
                (.connectionFailed, .cannotConnectToHost), (.timedOut, .timedOut),
                (.connectionLost, .networkConnectionLost), (.certificateRejected, .serverCertificateUntrusted),
                (.shutDown, .cancelled), (.cancelled, .cancelled), (.pinMismatch, .serverCertificateUntrusted),
            ])
        func errors(form: Form, codes: (TransportError.Code, URLError.Code)) async throws {
            let engine = FakeEngine { _ in throw TransportError(codes.0, "as the test wants it") }
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let error = await #expect(throws: URLError.self) {
                    try await session.load(appRequest(), form: form, delegate: delegate)
                }
                #expect(error?.code == codes.1)
            }
        }

        @Test("fails a task whose body breaks off", arguments: Form.allCases)
        func brokenBody(form: Form) async throws {
            let engine = FakeEngine { _ in
                let source = PieceSource([Data("half".utf8)], failure: TransportError(.bodyTruncated, "it broke off"))
                return (HTTPResponse(status: 200), ByteStream(source))
            }
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let error = await #expect(throws: URLError.self) {
                    try await session.load(appRequest(), form: form, delegate: delegate)
                }
                #expect(error?.code == .networkConnectionLost)
                #expect(delegate.record.completions == (form == .delegate ? 1 : 0))
            }
        }
    }
}

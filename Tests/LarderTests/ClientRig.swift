import Foundation
import Larder
import Primitives
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client without a server, in a directory of its own, and an origin to ask.
final class ClientRig: Sendable {
    let directory: TemporaryDirectory
    let origin: ScriptedOrigin
    let client: LarderClient
    private let lines: Locked<[String]>

    /// The lines logged so far.
    var log: [String] { lines.withLock { $0 } }

    init(
        configure: (inout LarderConfiguration) -> Void,
        answer: @escaping @Sendable (ScriptedOrigin.Request) throws -> ScriptedOrigin.Response = { _ in .init("") }
    ) throws {
        directory = try TemporaryDirectory()
        origin = try ScriptedOrigin(answer)
        let lines = Locked<[String]>([])
        self.lines = lines
        var configuration = LarderConfiguration()
        configuration.directory = directory.path("larder")
        configuration.log = { line in lines.withLock { $0.append(line) } }
        configure(&configuration)
        client = LarderClient(configuration: configuration)
    }

    convenience init(
        _ answer: @escaping @Sendable (ScriptedOrigin.Request) throws -> ScriptedOrigin.Response = { _ in .init("") }
    ) throws { try self.init(configure: { _ in }, answer: answer) }

    func url(_ path: String) throws -> URL { try #require(URL(string: origin.origin + path)) }

    func request(_ path: String, _ method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try url(path))
        request.httpMethod = method
        return request
    }

    func file(_ name: String) -> URL { URL(fileURLWithPath: directory.path(name)) }
}

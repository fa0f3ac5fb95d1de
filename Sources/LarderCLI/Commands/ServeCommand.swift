import AdminAPI
import ControlPlane
import Cryptography
import DeviceAPI
import Foundation
import HTTPServer
import Larder
import Portal
import Primitives
import SQLiteRepository
import Transport
import Wire

/// `larder serve`: the control plane and its portal, one process.
enum ServeCommand {
    static let specification = CommandSpecification(
        path: ["serve"], summary: "Run the control plane and its portal.",
        discussion: """
            Everything is kept in the data directory (SQLite); no other service is needed. At the first start an
            administrator "admin" is made, with the password in LARDER_ADMIN_PASSWORD or a random one that is
            printed once. Requests are logged to standard error, one JSON object a line. SIGINT or SIGTERM ends it
            in order. Put a proxy in front (Caddy, nginx) for TLS and HTTP/2.
            """,
        options: [
            .init(
                name: "--data", value: "DIR", help: "The data directory; made when missing.", fallback: "./larder-data"),
            .init(
                name: "--address", value: "ADDRESS", help: "The numeric address to listen on.", fallback: "127.0.0.1"),
            .init(name: "--port", value: "PORT", help: "The port to listen on; 0 takes a free one.", fallback: "8080"),
            .init(name: "--quiet", value: nil, help: "Log failures only."),
        ], run: run)

    private static func run(_ arguments: Arguments) async throws -> ExitStatus {
        var configuration = HTTPServer.Configuration()
        configuration.address = arguments.value("--address") ?? "127.0.0.1"
        configuration.port = try arguments.integer("--port", in: 0...UInt16.max) ?? 8_080
        let directory = arguments.value("--data") ?? "larder-data"
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("cannot make the data directory \(directory): \(error.localizedDescription)")
        }
        let timekeeper = SystemTimekeeper()
        let repository = try SQLiteRepository(path: directory + "/larder.sqlite")
        let transport = CurlTransport()
        let controlPlane = try await ControlPlane(
            repository: repository, transport: transport, timekeeper: timekeeper)
        try await ensureAdministrator(of: controlPlane)

        let isQuiet = arguments.has("--quiet")
        let termination = Termination()
        let server = try HTTPServer(
            configuration: configuration,
            routes: DeviceAPI.routes(controlPlane, version: LarderClient.version)
                + AdminAPI.routes(controlPlane, timekeeper: timekeeper)
                + Portal.routes(controlPlane, timekeeper: timekeeper),
            timekeeper: timekeeper,
            log: { line in
                if !isQuiet || line.status >= 500 { log(line) }
            })
        let host = configuration.address.contains(":") ? "[\(configuration.address)]" : configuration.address
        Console.print("Portal: http://\(host):\(server.port)/")
        await termination.wait()
        Console.note("stopping: requests under way get 10 s to end")
        await server.stop()
        await controlPlane.shutDown()
        transport.shutDown()
        return .success
    }

    private static func ensureAdministrator(of controlPlane: ControlPlane) async throws {
        guard try await !controlPlane.hasAdministrators() else { return }
        let given = ProcessInfo.processInfo.environment["LARDER_ADMIN_PASSWORD"]
        let password = given ?? Secrets.token(characterCount: 16)
        try await controlPlane.setAdministrator(name: "admin", password: password)
        Console.print(given == nil ? "Administrator: admin, password: \(password)" : "Administrator: admin")
    }

    private static func log(_ line: ServerLogLine) {
        do {
            Console.note(String(decoding: try WireCoding.encode(line), as: UTF8.self))
        } catch {
            Console.note("cannot log: \(error)")
        }
    }
}

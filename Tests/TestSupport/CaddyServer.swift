public import Foundation
import Primitives

/// A real web server (Caddy) on free loopback ports: HTTP/1.1, HTTP/2 with and without TLS, HTTP/3, its own throw-away
/// certificate authority.
///
/// It lives in a temporary directory and dies with its owner, even when the test process is killed.
///
///     let caddy = try CaddyServer(site: "respond /hello 200 { body hi }")
///     // caddy.origin, caddy.secureOrigin, caddy.authorityFile
public final class CaddyServer: Sendable {
    /// Whether Caddy is installed; tests that need it are disabled without.
    public static let isAvailable = ["/usr/bin/caddy", "/usr/local/bin/caddy"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// What went wrong at the start, with Caddy's own log.
    public struct StartError: Error, CustomStringConvertible {
        public let description: String
    }

    /// Port for cleartext (HTTP/1.1 and HTTP/2 by prior knowledge).
    public let port: Int
    /// Port for TLS (HTTP/1.1, HTTP/2) and QUIC (HTTP/3).
    public let securePort: Int
    /// `http://localhost:<port>`
    public var origin: String { "http://localhost:\(port)" }
    /// `https://localhost:<securePort>`
    public var secureOrigin: String { "https://localhost:\(securePort)" }
    /// The PEM file of the authority that signed its certificate.
    public var authorityFile: String {
        directory.appendingPathComponent("data/caddy/pki/authorities/local/root.crt").path
    }
    /// The leaf certificate it serves for `localhost`, PEM.
    public var certificateFile: String {
        directory.appendingPathComponent("data/caddy/certificates/local/localhost/localhost.crt").path
    }
    /// A directory to put files into; `file_server` in the site's directives serves it.
    public var root: URL { directory.appendingPathComponent("root") }

    private let directory: URL
    private let process: Locked<(process: Process, input: Pipe)?>

    /// Starts the server and returns when it serves (blocks until then).
    /// - Parameters:
    ///   - site: directives of the site block, Caddyfile syntax.
    ///   - protocols: what it speaks; `h1 h2 h2c h3` unless told.
    ///   - ports: fixed ports, to start it again where it was.
    ///   - identity: its certificate; one of an authority of its own unless told.
    public init(
        site: String, protocols: String = "h1 h2 h2c h3", ports: (plain: Int, secure: Int)? = nil,
        identity: TestAuthority.Identity? = nil
    ) throws {
        port = try ports?.plain ?? freePort()
        securePort = try ports?.secure ?? freePort()
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("larder-caddy-\(UUID().uuidString)")
        let root = directory.appendingPathComponent("root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let configuration = """
            {
                admin off
                skip_install_trust
                auto_https disable_redirects
                http_port \(port)
                https_port \(securePort)
                servers {
                    protocols \(protocols)
                }
                log {
                    output stderr
                    level INFO
                }
            }
            (site) {
                root * \(root.path)
            \(site)
            }
            http://localhost:\(port) {
                import site
            }
            https://localhost:\(securePort) {
                \(identity.map { "tls \($0.chainFile) \($0.keyFile)" } ?? "")
                import site
            }

            """
        let file = directory.appendingPathComponent("Caddyfile")
        // The internal issuer is the default for localhost.
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        do {
            process = Locked(try Self.start(configuration: file, home: directory))
            try Self.waitForCertificate(port: securePort)
        } catch {
            // The error that matters is the first one; the directory is in the temporary place anyway.
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
    }

    deinit { stop() }

    /// Ends the server (blocks until it has gone) and removes its directory. A second call does nothing.
    public func stop() {
        let running = process.withLock { $0.take() }
        guard let running else { return }
        // The shell around Caddy waits for the end of its input.
        try? running.input.fileHandleForWriting.close()
        running.process.waitUntilExit()
    }

    /// The log says "obtained" a moment before the certificate is served, so the port itself is asked.
    private static func waitForCertificate(port: Int) throws {
        for _ in 0..<300 {
            let client = Process()
            client.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            client.arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost"]
            client.standardInput = FileHandle.nullDevice
            client.standardOutput = FileHandle.nullDevice
            client.standardError = FileHandle.nullDevice
            try client.run()
            client.waitUntilExit()
            if client.terminationStatus == 0 { return }
        }
        throw StartError(description: "caddy serves no certificate for localhost")
    }

    private static func start(configuration: URL, home: URL) throws -> (Process, Pipe) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            caddy run --config "$0" --adapter caddyfile </dev/null &
            exec 2>/dev/null; cat >/dev/null; kill -9 $!; wait $!; rm -rf "$1"
            """, configuration.path, home.path,
        ]
        process.environment = [
            "PATH": "/usr/bin:/usr/local/bin:/bin", "HOME": home.path,
            "XDG_DATA_HOME": home.appendingPathComponent("data").path,
            "XDG_CONFIG_HOME": home.appendingPathComponent("config").path,
        ]
        let input = Pipe(), log = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log
        try process.run()
        var text = Data()
        let wanted = [Data("serving initial configuration".utf8), Data("stapling OCSP".utf8)]
        while wanted.contains(where: { text.range(of: $0) == nil }) {
            guard let more = LoopbackSocket.readSome(log.fileHandleForReading.fileDescriptor) else {
                try? input.fileHandleForWriting.close()
                process.waitUntilExit()
                throw StartError(description: "caddy ended: \(String(decoding: text, as: UTF8.self))")
            }
            text.append(more)
        }
        // Its later lines are read and dropped, so that a full pipe never makes it wait.
        let reader = log.fileHandleForReading
        Thread.detachNewThread { while LoopbackSocket.readSome(reader.fileDescriptor) != nil {} }
        return (process, input)
    }
}

import Foundation
import Glibc

/// Caddy with a directory to serve over TLS (HTTP/1.1 and 2) at an address of the emulated link.
final class CaddyOrigin {
    /// The directory that is served.
    let root: String
    /// The authority that signed its certificate, as PEM.
    let authorityFile: String
    let url: String
    private let server: Companion

    /// Starts the server; it answers once this returns.
    /// - Parameters:
    ///   - address: under which clients know this host; it need not exist yet.
    init(directory: String, address: String) throws {
        root = directory + "/root"
        authorityFile = directory + "/authority.crt"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try Self.makeCertificates(in: directory, address: address)
        let port = try Self.freePort()
        url = "https://\(address):\(port)"
        let configuration = """
            {
                admin off
                auto_https off
                servers {
                    protocols h1 h2
                }
                log {
                    output discard
                }
            }
            https://:\(port) {
                tls \(directory)/server.crt \(directory)/server.key
                root * \(root)
                encode zstd gzip
                header /v1/* Content-Type application/json
                header /items/* Cache-Control max-age=3600
                @registration path /v1/devices
                handle @registration {
                    rewrite * /v1/registration
                    method GET
                    file_server
                }
                handle {
                    file_server
                }
            }

            """
        let file = directory + "/Caddyfile"
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        // The shell ends the server when its input ends, which it does with this program, however that dies.
        let script = """
            caddy run --config "$0" --adapter caddyfile </dev/null 2>"$0.log" &
            cat >/dev/null; kill $!; wait $!
            """
        server = try Companion(
            ["/bin/sh", "-c", script, file],
            environment: ["HOME": directory, "XDG_DATA_HOME": directory, "XDG_CONFIG_HOME": directory])
        try Self.wait(port: port)
    }

    deinit { server.finish() }

    private static func makeCertificates(in directory: String, address: String) throws {
        let script = """
            set -e; cd "$0"
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=bench authority" \
                -keyout authority.key -out authority.crt
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=bench" -keyout server.key -out server.csr
            printf 'subjectAltName=IP:%s' "$1" >server.ext
            openssl x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 \
                -extfile server.ext -out server.crt
            """
        let (_, status) = try Companion.run(["/bin/sh", "-c", "{ \(script)\n} 2>/dev/null", directory, address])
        guard status == 0 else { throw Companion.Failure(description: "openssl makes no certificate") }
    }

    /// A port that was free a moment ago.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Waits until a server listens on a port of this host.
    static func wait(port: UInt16) throws {
        for _ in 0..<200 {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 { return }
            usleep(50_000)
        }
        throw Companion.Failure(description: "no server listens on port \(port)")
    }
}

import Foundation
import Glibc

/// The smallest origin there is: answers every request on a connection with bytes of the size that its path names.
final class Origin: Sendable {
    let port: UInt16
    private let listener: Int32

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread { [listener] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var noDelay: Int32 = 1
                setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
                Thread { Self.serve(client) }.start()
            }
        }.start()
    }

    private static func serve(_ client: Int32) {
        defer { close(client) }
        var pending = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            guard let end = pending.range(of: Data("\r\n\r\n".utf8)) else {
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { return }
                pending.append(contentsOf: buffer[..<count])
                continue
            }
            let head = String(decoding: pending[..<end.lowerBound], as: UTF8.self)
            pending = Data(pending[end.upperBound...])
            // "GET /4096/maxage/7 HTTP/1.1"
            let parts = head.split(separator: " ", maxSplits: 2)[1].split(separator: "/")
            let byteCount = Int(parts.first ?? "0") ?? 0
            let control = parts.contains("store") ? "max-age=86400" : "no-store"
            var response = Data(
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: \(control)\r\nContent-Length: \(byteCount)\r\n\r\n"
                    .utf8)
            response.append(Data(repeating: 0x61, count: byteCount))
            response.withUnsafeBytes { bytes in
                var sent = 0
                while sent < bytes.count {
                    let count = write(client, bytes.baseAddress! + sent, bytes.count - sent)
                    guard count > 0 else { return }
                    sent += count
                }
            }
        }
    }
}

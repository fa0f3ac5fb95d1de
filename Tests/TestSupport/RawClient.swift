public import Foundation
import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What came back on a ``RawClient``.
public struct RawResponse: Sendable {
    public var status: Int
    /// Names in lower case; several lines of a name joined with ", ".
    public var fields: [String: String]
    public var body: Data
    public var text: String { String(decoding: body, as: UTF8.self) }
}

/// A TCP connection to a server under test, for requests that no honest client sends.
///
/// Its calls block on threads of their own, never on those that the server's tasks run on.
public final class RawClient: Sendable {
    private let connection: RawConnection

    /// Connects to the loopback. A read that takes longer than `patience` fails.
    public init(port: Int, patience: Duration = .seconds(20)) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        var limit = timeval(tv_sec: Int(patience.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let error = SocketError("connect")
            _ = closeDescriptor(descriptor)
            throw error
        }
        connection = RawConnection(descriptor)
    }

    deinit { connection.close() }

    /// Sends bytes as they are.
    public func send(_ bytes: Data) async throws { try await offloaded { try $0.write(bytes) } }
    /// Sends text as it is.
    public func send(_ text: String) async throws { try await send(Data(text.utf8)) }

    /// Reads one response, with or without the body that its head speaks of.
    public func response(toHead: Bool = false) async throws -> RawResponse {
        try await offloaded { try Self.read($0, toHead: toHead) }
    }

    /// Sends a request and reads the response.
    public func exchange(_ text: String, toHead: Bool = false) async throws -> RawResponse {
        try await send(text)
        return try await response(toHead: toHead)
    }

    /// Waits until the server closes or resets the connection; returns how many bytes came before that.
    /// - Throws: when it does neither for longer than the client is patient.
    public func bytesUntilClosed() async throws -> Int {
        try await offloaded { connection in
            var count = 0
            while true {
                do {
                    let bytes = try connection.read(65_536)
                    count += bytes.count
                    if bytes.count < 65_536 { return count }
                } catch let error as SocketError where error.description.contains("reset") {
                    return count
                }
            }
        }
    }

    /// Sends no more; reading goes on.
    public func endSending() { connection.endWriting() }

    /// Closes the connection; with a reset when asked.
    public func close(withReset: Bool = false) {
        if withReset { connection.reset() } else { connection.close() }
    }

    private func offloaded<Result: Sendable>(
        _ work: @escaping @Sendable (RawConnection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [connection] in
                continuation.resume(with: Swift.Result { try work(connection) })
            }
        }
    }

    private static func read(_ connection: RawConnection, toHead: Bool) throws -> RawResponse {
        guard let head = try connection.readHead() else { throw SocketError("no response") }
        let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        var response = RawResponse(status: status, fields: fields, body: Data())
        if 100...199 ~= status { return response }
        if toHead || status == 204 || status == 304 { return response }
        if fields["transfer-encoding"]?.lowercased() == "chunked" {
            while true {
                guard let size = try readLine(connection).flatMap({ Int($0, radix: 16) }) else {
                    throw SocketError("the response broke off")
                }
                if size == 0 { break }
                response.body += try connection.read(size)
                _ = try readLine(connection)
            }
            _ = try readLine(connection)
        } else {
            response.body = try connection.read(Int(fields["content-length"] ?? "0") ?? 0)
        }
        return response
    }

    private static func readLine(_ connection: RawConnection) throws -> String? {
        var line = Data()
        while true {
            let byte = try connection.read(1)
            if byte.isEmpty { return nil }
            if byte == Data("\n".utf8) { return String(decoding: line.filter { $0 != 13 }, as: UTF8.self) }
            line += byte
        }
    }
}

// The system's function, where a method of the same name hides it.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

public import Foundation
public import HTTPModel
import Primitives

/// An HTTP/1.1 origin on the loopback that a test answers for, request by request.
///
/// It keeps connections open, reads bodies with a length and chunked ones, and remembers what it was asked.
public final class ScriptedOrigin: Sendable {
    /// A request as it came.
    public struct Request: Sendable {
        public var method: String
        /// Path and query.
        public var target: String
        public var fields: HTTPFields
        public var body: Data
    }

    /// What to answer.
    public struct Response: Sendable {
        public var status: Int
        public var fields: HTTPFields
        public var body: Data
        /// Written instead of everything else; the connection is closed after it.
        public var raw: Data?

        /// Creates an answer; its `Content-Length` is added.
        public init(_ text: String, status: Int = 200, _ fields: HTTPFields = [:]) {
            self.init(Data(text.utf8), status: status, fields)
        }

        /// Creates an answer; its `Content-Length` is added.
        public init(_ body: Data, status: Int = 200, _ fields: HTTPFields = [:]) {
            (self.status, self.fields, self.body) = (status, fields, body)
        }

        /// Bytes as they are, after which the connection is closed.
        public static func raw(_ text: String) -> Response {
            var response = Response("")
            response.raw = Data(text.utf8)
            return response
        }
    }

    private let server: RawServer
    private let log: Locked<[Request]>

    /// `http://127.0.0.1:<port>`, or with another address
    public var origin: String { server.origin }
    /// What was asked so far, in order.
    public var requests: [Request] { log.withLock { $0 } }

    /// Starts the origin; the closure runs on the connection's own thread and may block.
    public init(
        address: String = "127.0.0.1", _ answer: @escaping @Sendable (Request) throws -> Response
    ) throws {
        let log = Locked<[Request]>([])
        self.log = log
        server = try RawServer(address: address) { connection in
            while let request = try Self.read(from: connection) {
                log.withLock { $0.append(request) }
                let response = try answer(request)
                if let raw = response.raw { return try connection.write(raw) }
                try Self.write(response, to: request, on: connection)
            }
        }
    }

    /// Stops listening and shuts every connection.
    public func stop() { server.stop() }

    private static func read(from connection: RawConnection) throws -> Request? {
        guard let head = try connection.readHead() else { return nil }
        var lines = head.components(separatedBy: "\r\n")[...]
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), let name = HTTPFieldName(line[..<colon]) else { continue }
            fields.append(name, String(line[line.index(after: colon)...]))
        }
        if fields.contains("Expect") { try connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
        var body = Data()
        if let length = fields[.contentLength].flatMap({ Int($0) }) {
            body = try connection.read(length)
        } else if fields[.transferEncoding]?.lowercased() == "chunked" {
            body = try readChunks(from: connection)
        }
        return Request(method: String(words[0]), target: String(words[1]), fields: fields, body: body)
    }

    private static func readChunks(from connection: RawConnection) throws -> Data {
        var body = Data()
        while true {
            var line = Data()
            while line.suffix(2) != Data("\r\n".utf8) {
                let byte = try connection.read(1)
                if byte.isEmpty { return body }
                line.append(byte)
            }
            let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) ?? 0
            body.append(try connection.read(size))
            _ = try connection.read(2)
            if size == 0 { return body }
        }
    }

    private static func write(_ response: Response, to request: Request, on connection: RawConnection) throws {
        var head = "HTTP/1.1 \(response.status) Status\r\n"
        for field in response.fields { head += "\(field.name): \(field.value)\r\n" }
        let hasBody = response.status != 304 && response.status != 204
        if hasBody, !response.fields.contains(.contentLength) { head += "Content-Length: \(response.body.count)\r\n" }
        try connection.write(Data("\(head)\r\n".utf8) + (hasBody && request.method != "HEAD" ? response.body : Data()))
    }
}

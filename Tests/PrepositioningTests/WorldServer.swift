import Foundation
import HTTPModel
import TestSupport
import WorldSupport

/// A ``World`` on the loopback, for programs and for the real transport. Sends large bodies slowly.
final class WorldServer: Sendable {
    let world: World
    private let server: RawServer

    var origin: String { server.origin }

    /// - Parameters:
    ///   - chunkPause: milliseconds between chunks of 16 KiB.
    ///   - front: puts something in front of the server's origin and gives the origin that devices shall know.
    init(chunkPause: Int = 0, front: (String) throws -> String = { $0 }) throws {
        let place = Place()
        server = try RawServer { connection in
            while let head = try connection.readHead() {
                guard let world = place.world else { return }
                try Self.answer(head, connection, world, chunkPause)
            }
        }
        world = World(origin: try front(server.origin))
        place.world = world
    }

    deinit { server.stop() }

    /// Tells the server's threads of the world, which can only be made once the port is known.
    private final class Place: @unchecked Sendable {  // protected by `lock`
        private let lock = NSLock()
        private var value: World?
        var world: World? {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }

    private static func answer(
        _ head: String, _ connection: RawConnection, _ world: World, _ chunkPause: Int
    ) throws {
        var lines = head.split(separator: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), let name = HTTPFieldName(line[..<colon]) else { continue }
            fields.append(name, String(line[line.index(after: colon)...]))
        }
        let count = fields[.contentLength].flatMap { Int($0) } ?? 0
        let body = try connection.read(count)
        guard body.count == count, let method = HTTPMethod(rawValue: String(words[0])),
            let url = HTTPURL(world.origin + words[1])
        else { return }
        let request = HTTPRequest(method: method, url: url, fields: fields)
        guard let reply = world.reply(to: request, body: body) else { return }
        var answer = "HTTP/1.1 \(reply.status) Answer\r\n"
        for field in reply.fields { answer += "\(field.name): \(field.value)\r\n" }
        if reply.status != 204 && reply.status != 304 { answer += "Content-Length: \(reply.body.count)\r\n" }
        try connection.write(answer + "\r\n")
        let pause = DispatchTimeInterval.milliseconds(chunkPause)
        var rest = reply.body.prefix(reply.brokenAfter ?? .max)
        while !rest.isEmpty {
            try connection.write(Data(rest.prefix(16 << 10)))
            rest = rest.dropFirst(16 << 10)
            if chunkPause > 0, !rest.isEmpty { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pause) }
        }
        if reply.brokenAfter != nil { connection.close() }
    }
}

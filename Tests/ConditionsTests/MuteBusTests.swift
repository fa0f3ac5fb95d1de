import Conditions
import Foundation
import Glibc
import Primitives
import TestSupport
import Testing

@Suite("What is no bus", .timeLimit(.minutes(1)))
struct MuteBusTests {
    /// Accepts connections, says what it is told to, and counts.
    private final class Listener: Sendable {
        let descriptor: Int32
        private let counts = AsyncStream.makeStream(of: Int.self)

        init(path: String, says greeting: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = path.utf8CString
            withUnsafeMutableBytes(of: &address.sun_path) { bytes in
                for (index, byte) in name.enumerated() { bytes[index] = UInt8(bitPattern: byte) }
            }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            guard isBound, listen(descriptor, 16) == 0 else { throw POSIXError(.EIO) }
            let (listener, told) = (descriptor, counts.continuation)
            Thread.detachNewThread {
                var count = 0
                var open: [Int32] = []
                while case let connection = accept(listener, nil, nil), connection >= 0 {
                    count += 1
                    open.append(connection)
                    _ = send(connection, greeting, greeting.utf8.count, Int32(MSG_NOSIGNAL))
                    told.yield(count)
                }
                for connection in open { close(connection) }
            }
        }

        deinit {
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }

        /// Returns when so many have connected.
        func connections(_ wanted: Int) async {
            for await count in counts.stream where count >= wanted { return }
        }
    }

    @Test(
        "is left alone and tried again, and the kernel's view holds", arguments: ["", "REJECTED\r\n", "OK\r\nGIF89a"])
    func mute(greeting: String) async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(path: directory.path("bus"), says: greeting)
        var places = SystemPlaces.bus("unix:path=" + directory.path("bus"), in: directory)
        places.answerInterval = .milliseconds(10)

        let conditions = SystemConditions(places: places)

        #expect(conditions.conditions == DeviceConditions(network: .init(.other)))
        await listener.connections(3)
        #expect(conditions.conditions == DeviceConditions(network: .init(.other)))
    }

    @Test(
        "an address that means nothing changes nothing", arguments: ["", "nonsense", "unix:path=/does/not/exist", ";;"])
    func noAddress(address: String) throws {
        let directory = try TemporaryDirectory()
        let conditions = SystemConditions(places: .bus(address, in: directory))
        #expect(conditions.conditions == DeviceConditions(network: .init(.other)))
    }

    @Test("ends its streams when the source goes")
    func streamsEnd() async throws {
        let directory = try TemporaryDirectory()
        var conditions: SystemConditions? = SystemConditions(places: .bus(nil, in: directory))
        let changes = try #require(conditions?.changes())
        conditions = nil
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 1)
    }
}

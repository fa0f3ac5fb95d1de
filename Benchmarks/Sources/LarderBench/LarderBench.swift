import Acceleration
import ContentStore
import Foundation
import FoundationNetworking
import Glibc
import HTTPModel
import Larder
import Primitives
import Transport

/// Measures hits and misses against their floors and peers, and prints Markdown tables.
@main
enum LarderBench {
    static func main() async throws {
        signal(SIGPIPE, SIG_IGN)
        let directory = NSTemporaryDirectory() + "larder-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { _ = try? FileManager.default.removeItem(atPath: directory) }
        let origin = try Origin()
        var configuration = LarderConfiguration(bundleID: "bench")
        configuration.directory = directory + "/sdk"
        let larder = LarderClient(configuration: configuration)

        for (name, byteCount) in [("1 KiB", 1_024), ("4 KiB", 4_096), ("100 KiB", 102_400), ("5 MiB", 5 << 20)] {
            try await hits(name, byteCount, origin, larder, directory)
        }
        try await sessions(origin, larder)
        try await misses(origin, larder)
        await larder.shutDown()
    }

    /// A stored body: the same file read in the cheapest way, and through the engine.
    private static func hits(
        _ name: String, _ byteCount: Int, _ origin: Origin, _ larder: LarderClient, _ directory: String
    ) async throws {
        let file = "\(directory)/\(byteCount)"
        try Data(repeating: 0x61, count: byteCount).write(to: URL(fileURLWithPath: file))
        let url = HTTPURL("http://127.0.0.1:\(origin.port)/\(byteCount)/store/1")!
        let request = HTTPRequest(url: url)
        let urlRequest = URLRequest(url: URL(string: url.string)!)
        for try await _ in try await larder.send(request).body {}
        var contest = Contest("Hit, \(name), one at a time", operations: byteCount > 1 << 20 ? 20 : 500)
        contest.add("open + fstat + read of the file") {
            precondition(readFile(file) == byteCount)
        }
        contest.add("Larder, the engine's own call (`send`), body read") {
            let response = try await larder.send(request)
            let body = try response.storedBody!.data()
            precondition(body.count == byteCount && touch(body))
        }
        contest.add("Larder, `data(for:)`") {
            let (body, _) = try await larder.data(for: urlRequest)
            precondition(body.count == byteCount && touch(body))
        }
        try await contest.printTable()
    }

    /// Looks at a byte of every page, as a mapped body costs nothing until then.
    private static func touch(_ body: Data) -> Bool {
        body.withUnsafeBytes { bytes in stride(from: 0, to: bytes.count, by: 4_096).allSatisfy { bytes[$0] == 0x61 } }
    }

    private static func readFile(_ path: String) -> Int {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var information = stat()
        fstat(descriptor, &information)
        let count = Int(information.st_size)
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        defer { buffer.deallocate() }
        return read(descriptor, buffer, count)
    }

    /// The same bytes through URLSession: from the SDK, and from a protocol class that has them at hand.
    private static func sessions(_ origin: Origin, _ larder: LarderClient) async throws {
        let url = URL(string: "http://127.0.0.1:\(origin.port)/4096/store/2")!
        let configuration = URLSessionConfiguration.default
        larder.intercept(configuration)
        let intercepted = URLSession(configuration: configuration)
        let plainConfiguration = URLSessionConfiguration.default
        plainConfiguration.protocolClasses = [ImmediateProtocol.self]
        let immediate = URLSession(configuration: plainConfiguration)
        let native = URLSession(configuration: .default)
        var contest = Contest("URLSession data task, 4 KiB, one at a time", operations: 100)
        contest.add("a URLProtocol that answers at once") { try await get(url, immediate) }
        contest.add("Larder's hit") { try await get(url, intercepted) }
        contest.add("native URLSession to the loopback origin") { try await get(url, native) }
        try await contest.printTable()
    }

    private static func get(_ url: URL, _ session: URLSession) async throws {
        let count: Int = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, _ in continuation.resume(returning: data?.count ?? -1) }.resume()
        }
        precondition(count == 4_096)
    }

    /// A response that may not be stored: the transport alone, and through the engine.
    private static func misses(_ origin: Origin, _ larder: LarderClient) async throws {
        let transport = CurlTransport()
        let url = HTTPURL("http://127.0.0.1:\(origin.port)/4096/never")!
        let stored = Locked(0)
        var contest = Contest("Miss, 4 KiB, from the loopback origin, one at a time", operations: 50)
        contest.add("the transport alone") {
            let response = try await transport.send(TransportRequest(HTTPRequest(url: url)))
            for try await _ in response.body {}
        }
        contest.add("Larder, not stored") { for try await _ in try await larder.send(HTTPRequest(url: url)).body {} }
        contest.add("Larder, stored, hashed and durable") {
            let number = stored.withLock { value in
                value += 1
                return value
            }
            let url = HTTPURL("http://127.0.0.1:\(origin.port)/4096/store/miss/\(number)")!
            for try await _ in try await larder.send(HTTPRequest(url: url)).body {}
        }
        try await contest.printTable()
        transport.shutDown()
    }
}

/// What a URLProtocol costs by itself: answers at once with 4 KiB.
final class ImmediateProtocol: URLProtocol {
    private static let body = Data(repeating: 0x61, count: 4_096)

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Self.body)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

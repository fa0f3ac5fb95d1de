import Acceleration
import ContentStore
import Foundation
import HTTPModel
import LocalProxy
import Primitives
import TestSupport
import Testing
import Transport

/// A proxy as it ships, on a store in a directory of its own.
final class Rig: Sendable {
    let directory: TemporaryDirectory
    let store: ContentStore
    let transport: CurlTransport
    let proxy: LocalProxy
    let port: Int
    private let log = Locked<[LocalProxy.AccessRecord]>([])

    /// Starts a proxy: a reverse one with an origin, else a forward one.
    init(
        origin: String? = nil, time: any Timekeeping = SystemTimekeeper(),
        _ adjust: (inout LocalProxy.Configuration) -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory()
        var network = CurlTransport.Configuration()
        network.connectionsPerHostMax = 64
        transport = CurlTransport(configuration: network)
        store = try ContentStore(
            configuration: .init(directory: directory.path("store")), timekeeper: SystemTimekeeper())
        let accelerator = Accelerator(store: store, transport: transport, timekeeper: SystemTimekeeper())
        var configuration = LocalProxy.Configuration()
        configuration.origin = try origin.map { try #require(HTTPURL($0)) }
        let log = log
        configuration.onAccess = { record in log.withLock { $0.append(record) } }
        adjust(&configuration)
        proxy = LocalProxy(configuration: configuration, handler: accelerator, timekeeper: time)
        port = Int(try proxy.start())
    }

    deinit { transport.shutDown() }

    var records: [LocalProxy.AccessRecord] { log.withLock { $0 } }

    func client() throws -> RawClient { try RawClient(port: port) }

    /// One request by GET on a connection of its own, to a reverse proxy.
    func get(_ path: String, _ lines: String...) async throws -> RawResponse {
        let fields = lines.map { $0 + "\r\n" }.joined()
        return try await client().exchange("GET \(path) HTTP/1.1\r\nHost: example.com\r\n\(fields)\r\n")
    }
}

/// An origin that answers every request with the same bytes and then closes.
func rawOrigin(_ answer: String) throws -> RawServer {
    try RawServer { connection in
        guard try connection.readHead() != nil else { return }
        try connection.write(answer)
    }
}

/// Runs a program that is installed, and returns what it wrote.
func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
        Thread {
            continuation.resume(
                with: Result {
                    try process.run()
                    let data = try output.fileHandleForReading.readToEnd() ?? Data()
                    process.waitUntilExit()
                    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
                })
        }.start()
    }
}

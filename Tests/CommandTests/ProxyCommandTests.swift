import Foundation
import HTTPModel
import TestSupport
import Testing

/// `larder proxy` from the outside.
@Suite("The command proxy", .serialized)
struct ProxyCommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func curl(_ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["curl", "-s"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return await withCheckedContinuation { continuation in
            Thread {
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }.start()
        }
    }

    @Test("stores what passes, logs it, and ends in order when asked to")
    func storesAndLogs() async throws {
        let origin = try ScriptedOrigin { .init($0.target, [.cacheControl: "max-age=60"]) }
        let (cache, log) = (directory.path("cache"), directory.path("log"))
        let proxy = try await RunningProgram([
            "proxy", "--listen", "127.0.0.1:0", "--origin", origin.origin, "--cache", cache, "--access-log", log,
        ])
        for _ in 0..<2 { #expect(try await curl(["\(proxy.base)/a?b"]) == "/a?b") }
        #expect(await proxy.stop() == 0)
        #expect(origin.requests.count == 1)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        let pattern = /\S+Z 127\.0\.0\.1 GET "\/a\?b" 200 \d+ \d+\.\d{3} whole "Larder; (\w+)[^"]*"/
        #expect(try lines.map { try #require($0.wholeMatch(of: pattern)).output.1 } == ["fwd", "hit"], "\(lines)")
        let list = try await Program.run(["cache", "list", "--cache", cache], in: directory)
        #expect(list.output.contains("\(origin.origin)/a?b"))
    }

    @Test("is a forward proxy without an origin, and a plain one without the cache")
    func forwards() async throws {
        let origin = try ScriptedOrigin { .init($0.target, [.cacheControl: "max-age=60"]) }
        let proxy = try await RunningProgram([
            "proxy", "--listen", "127.0.0.1:0", "--no-cache", "--connect-ports", "any",
        ])
        for _ in 0..<2 {
            #expect(try await curl(["--noproxy", "", "-x", proxy.base, "\(origin.origin)/a"]) == "/a")
        }
        #expect(try await curl(["--noproxy", "", "-p", "-x", proxy.base, "\(origin.origin)/b"]) == "/b")
        #expect(origin.requests.count == 3)
        #expect(await proxy.stop() == 0)
    }

    @Test("a body of any size passes both ways in little memory", .timeLimit(.minutes(3)))
    func streamsInLittleMemory() async throws {
        let byteCount = 512 << 20
        let origin = try RawServer { connection in
            while let head = try connection.readHead() {
                if head.hasPrefix("GET") {
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(byteCount)\r\n\r\n")
                    let chunk = Data(count: 1 << 20)
                    for _ in 0..<(byteCount >> 20) { try connection.write(chunk) }
                } else {
                    var rest = byteCount
                    while rest > 0 {
                        let bytes = try connection.read(min(rest, 256 << 10))
                        if bytes.isEmpty { return }
                        rest -= bytes.count
                    }
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
                }
            }
        }
        let proxy = try await RunningProgram([
            "proxy", "--listen", "127.0.0.1:0", "--origin", origin.origin, "--no-cache",
        ])
        let before = proxy.peakMemoryByteCount
        // Slower than the origin, so that without back-pressure nearly all of it would pile up.
        let size = try await curl(["--limit-rate", "100M", "-o", "/dev/null", "-w", "%{size_download}", proxy.base])
        #expect(size == String(byteCount))
        let file = directory.path("large")
        #expect(truncate(file, byteCount))
        #expect(try await curl(["-T", file, "-H", "Expect:", proxy.base + "/up"]) == "done")
        let grown = proxy.peakMemoryByteCount - before
        #expect(before > 0 && grown < 32 << 20, "grew by \(grown >> 20) MiB")
        #expect(await proxy.stop() == 0)
    }

    /// Makes a file of holes.
    private func truncate(_ path: String, _ byteCount: Int) -> Bool {
        FileManager.default.createFile(atPath: path, contents: nil) && Foundation.truncate(path, byteCount) == 0
    }
}

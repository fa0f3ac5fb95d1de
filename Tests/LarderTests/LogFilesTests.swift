import Dispatch
import Foundation
import Primitives
import TestSupport
import Testing

@testable import Larder

@Suite("Log files")
struct LogFilesTests {
    private let directory: TemporaryDirectory
    private let timekeeper = ManualTimekeeper()

    init() throws { directory = try TemporaryDirectory() }

    private func files(_ bounds: LogFiles.Bounds = .init()) -> LogFiles {
        LogFiles(directory: directory.path("Logs"), timekeeper: timekeeper, bounds: bounds)
    }

    private func names(_ files: LogFiles) -> [String] { files.paths().map { ($0 as NSString).lastPathComponent } }

    private func text(_ files: LogFiles) throws -> String {
        try files.paths().reversed().map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
    }

    @Test("have the date in their name and a time stamp in each line")
    func lines() throws {
        let files = files()
        #expect(files.paths() == [])
        files.append("first")
        timekeeper.advance(by: .milliseconds(1_500))
        files.append("second")
        #expect(names(files) == ["2026-01-01_com.akamai.akasdk.log"])
        #expect(try text(files) == "2026-01-01T00:00:00.000Z first\n2026-01-01T00:00:01.500Z second\n")
    }

    @Test("begin anew each day and at their size, the newest first")
    func rotation() throws {
        var bounds = LogFiles.Bounds()
        bounds.fileByteCountMax = 100
        let files = files(bounds)
        for number in 0..<5 { files.append("line \(number) " + String(repeating: "x", count: 20)) }
        timekeeper.advance(by: .seconds(86_400))
        files.append("next day")
        #expect(
            names(files) == [
                "2026-01-02_com.akamai.akasdk.log", "2026-01-01-3_com.akamai.akasdk.log",
                "2026-01-01-2_com.akamai.akasdk.log", "2026-01-01_com.akamai.akasdk.log",
            ])
        let text = try text(files)
        for number in 0..<5 { #expect(text.contains("line \(number) ")) }
        #expect(text.hasSuffix("next day\n"))
    }

    @Test("stay below their number and bytes; the oldest go")
    func bounds() throws {
        var bounds = LogFiles.Bounds()
        bounds.fileByteCountMax = 1_000
        bounds.fileCountMax = 3
        bounds.byteCountMax = 2_500
        let files = files(bounds)
        for number in 0..<40 {
            files.append("line \(number) " + String(repeating: "x", count: 200))
            if number.isMultiple(of: 7) { timekeeper.advance(by: .seconds(86_400)) }
            let paths = files.paths()
            #expect(paths.count <= 3)
            let sizes = try paths.map { path in
                try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            }
            #expect(sizes.reduce(0, +) <= 2_500)
        }
        #expect(try text(files).contains("line 39 "))
    }

    @Test("leave other files in the directory alone")
    func foreign() throws {
        var bounds = LogFiles.Bounds()
        bounds.fileCountMax = 1
        try FileManager.default.createDirectory(atPath: directory.path("Logs"), withIntermediateDirectories: true)
        for name in ["notes.txt", "2026_com.akamai.akasdk.log", "2026-01-01_com.akamai.akasdk.log.bak"] {
            try "mine".write(toFile: directory.path("Logs/\(name)"), atomically: true, encoding: .utf8)
        }
        let files = files(bounds)
        for _ in 0..<3 {
            files.append("line")
            timekeeper.advance(by: .seconds(86_400))
            #expect(names(files).count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("Logs")).count == 4)
    }

    @Test("never make the caller wait for the disk, and count what finds no room")
    func backlog() throws {
        var bounds = LogFiles.Bounds()
        bounds.waitingLineCountMax = 10
        let (begun, gate, taken) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Locked<[String]>([]))
        let files = LogFiles(directory: directory.path("Logs"), timekeeper: timekeeper, bounds: bounds) { _, bytes in
            begun.signal()
            gate.wait()
            taken.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            return true
        }
        files.append("held by the disk")
        begun.wait()
        // The disk holds the first line: these calls return all the same.
        for number in 0..<25 { files.append("line \(number)") }
        gate.signal()
        gate.signal()
        _ = files.paths()
        let text = taken.withLock { $0.joined() }
        #expect(text.contains("15 lines were lost"))
        #expect(text.contains("line 9\n"))
        #expect(!text.contains("line 10\n"))
    }

    @Test("lose their lines to a failing disk, nothing else, and tell how many once it works")
    func failingDisk() throws {
        try "in the way".write(toFile: directory.path("Logs"), atomically: true, encoding: .utf8)
        let files = files()
        for _ in 0..<3 { files.append("lost") }
        #expect(files.paths() == [])
        try FileManager.default.removeItem(atPath: directory.path("Logs"))
        files.append("kept")
        let stamp = "2026-01-01T00:00:00.000Z"
        #expect(try text(files) == "\(stamp) 3 lines were lost\n\(stamp) kept\n")
        try FileManager.default.removeItem(atPath: directory.path("Logs"))
        files.append("kept again")
        #expect(try text(files) == "\(stamp) kept again\n")
    }

    @Test("take the lines of several writers whole", .timeLimit(.minutes(1)))
    func severalWriters() async throws {
        var bounds = LogFiles.Bounds()
        bounds.fileByteCountMax = 20_000
        let writers = [files(bounds), files(bounds)]
        await withTaskGroup(of: Void.self) { group in
            for (index, writer) in writers.enumerated() {
                group.addTask {
                    for number in 0..<500 {
                        writer.append("writer \(index) line \(number) end")
                        if number.isMultiple(of: 50) { await writer.flush() }
                    }
                    await writer.flush()
                }
            }
        }
        let lines = try text(writers[0]).split(separator: "\n")
        #expect(lines.count == 1_000)
        #expect(lines.allSatisfy { $0.contains("writer ") && $0.hasSuffix(" end") })
        for index in 0..<2 {
            let numbers = lines.filter { $0.contains("writer \(index) ") }.compactMap { line in
                line.split(separator: " ").dropLast().last.flatMap { Int($0) }
            }
            #expect(numbers == Array(0..<500))
        }
    }

    @Test("stand in the configured directory, else in the app's cache directory")
    func place() {
        var configuration = LarderConfiguration(bundleID: "com.example.app")
        let environment = ["XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"]
        #expect(configuration.logDirectory(environment: environment) == "/xdg/com.example.app/Logs")
        #expect(configuration.logDirectory(environment: ["HOME": "/home/a"]) == "/home/a/.cache/com.example.app/Logs")
        configuration.directory = "/data"
        #expect(configuration.logDirectory(environment: environment) == "/data/Logs")
    }
}

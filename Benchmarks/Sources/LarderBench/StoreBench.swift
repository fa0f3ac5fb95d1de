import ContentStore
import Foundation
import Glibc
import HTTPModel
import Larder
import Primitives

/// The store and the way of a hit: by the number of entries, at once, cold, written, evicted.
enum StoreBench {
    /// Entries of the small, middle and large store.
    private static let sizes = [1_000, 100_000, 1_000_000]
    static let bodyByteCount = 4_096

    // MARK: Fixtures

    static func url(_ number: Int) -> HTTPURL {
        HTTPURL("https://content.example.org/articles/2026/item-\(number).json")!
    }

    /// What an ordinary origin says of an ordinary resource.
    private static func draft(_ number: Int) -> EntryDraft {
        let now = Date()
        return EntryDraft(
            url: url(number), requestFields: [:],
            response: HTTPResponse(
                status: 200,
                fields: [
                    "Content-Type": "application/json", "Cache-Control": "public, max-age=86400",
                    "Date": HTTPDate.format(now), "ETag": "\"5f3c-\(number)\"", "Content-Length": "\(bodyByteCount)",
                    "Last-Modified": "Tue, 03 Nov 2026 10:00:00 GMT", "Server": "origin",
                ]), requestTime: now, responseTime: now)
    }

    private static func body(_ number: Int) -> Data {
        var bytes = Data(repeating: 0x61, count: bodyByteCount)
        bytes.replaceSubrange(0..<16, with: Data(String(format: "%016d", number).utf8))
        return bytes
    }

    /// Fills a store through its own commits, 500 entries at a time.
    /// - Returns: what that took.
    @discardableResult
    static func fill(_ directory: String, count: Int, from first: Int = 0, budget: Int64 = 64 << 30, batch: Int = 500)
        throws -> Duration
    {
        var configuration = ContentStore.Configuration(directory: directory)
        configuration.opportunisticByteCountMax = budget
        let store = try ContentStore(configuration: configuration, timekeeper: SystemTimekeeper())
        let start = ContinuousClock.now
        for page in stride(from: first, to: first + count, by: batch) {
            try store.commit(
                (page..<min(page + batch, first + count)).map { number in
                    let writer = try store.beginBody()
                    try writer.append(body(number))
                    return ContentStore.Arrival(draft: draft(number), body: writer)
                })
        }
        return ContinuousClock.now - start
    }

    static func client(_ directory: String) -> LarderClient {
        var configuration = LarderConfiguration(bundleID: "bench")
        configuration.directory = directory
        configuration.opportunisticByteCountMax = 64 << 30
        return LarderClient(configuration: configuration)
    }

    static func hit(_ larder: LarderClient, _ number: Int) async throws {
        try await hit(larder, HTTPRequest(url: url(number)))
    }

    static func hit(_ larder: LarderClient, _ request: HTTPRequest) async throws {
        let answer = try await larder.send(request)
        let body = try answer.storedBody!.data()
        precondition(body.count == bodyByteCount && body[body.startIndex] == 0x30)
    }

    // MARK: Chapters

    /// Hits a second with so many tasks.
    static func runAtOnce(_ stage: Stage) async throws {
        stage.report.begin("Many hits at once")
        let directory = stage.directory + "/at-once"
        try fill(directory + "/store", count: 1_000)
        let larder = client(directory)
        let requests = (0..<1_000).map { HTTPRequest(url: url($0)) }
        var rows: [[String]] = []
        for taskCount in [1, 8, 64] {
            for isShared in [false, true] {
                var rates: [Double] = [], costs: [Double] = []
                for _ in 0..<(stage.isQuick ? 3 : 11) {
                    let perTask = 100_000 / taskCount
                    let start = ContinuousClock.now, spent = processorMicroseconds
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for task in 0..<taskCount {
                            group.addTask {
                                for step in 0..<perTask {
                                    try await hit(larder, requests[isShared ? 1 : (task * 131 + step) % 1_000])
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    costs.append((processorMicroseconds - spent) / Double(perTask * taskCount))
                    rates.append(Double(perTask * taskCount) / (ContinuousClock.now - start).microseconds * 1e6)
                }
                rates.sort()
                costs.sort()
                let median = rates[rates.count / 2]
                rows.append([
                    "\(taskCount) tasks, \(isShared ? "one URL" : "1,000 URLs")", String(Int(median)),
                    String(Int(rates[rates.count - 1])), Report.figure(costs[costs.count / 2]),
                ])
                if taskCount == 8, !isShared {
                    stage.report.bar(
                        "hits of 4 KiB a second, 8 at once", .atLeast, 200_000, "/s", measured: median)
                }
            }
        }
        stage.report.table(
            "Hits of 4 KiB at once, the SDK's own call, telemetry on",
            columns: ["median hits/s", "best hits/s", "processor time of a hit, µs"], rows: rows)
        await larder.shutDown()
    }

    /// Processor time of this process so far, all threads.
    private static var processorMicroseconds: Double {
        var usage = rusage()
        getrusage(0, &usage)  // RUSAGE_SELF, which comes as a type of its own
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
    }

    /// Hits by the number of entries in the store: the same 1,000 URLs, and any.
    static func runSizes(_ stage: Stage) async throws {
        stage.report.begin("Small and large stores")
        var working: [Measurement] = [], uniform: [Measurement] = []
        var rows: [[String]] = []
        for size in stage.isQuick ? [1_000, 100_000] : sizes {
            let directory = "\(stage.directory)/store-\(size)"
            let fillTime = try fill(directory + "/store", count: size)
            var contest = stage.contest("\(size) entries", operations: 2_000)
            do {
                let larder = client(directory)
                let requests = (0..<1_000).map { HTTPRequest(url: url($0 * (size / 1_000))) }
                var step = 0
                contest.add("the same 1,000 URLs") {
                    step += 1
                    try await hit(larder, requests[step * 7 % 1_000])
                }
                var generator = SystemRandomNumberGenerator()
                contest.add("any URL") { try await hit(larder, Int.random(in: 0..<size, using: &generator)) }
                let measured = try await contest.measure()
                working.append(measured[0])
                uniform.append(measured[1])
                await larder.shutDown()
            }
            let cold = try coldHits(directory, number: size / 2, rounds: stage.isQuick ? 3 : 7)
            let bytes = try diskByteCount(directory + "/store")
            rows.append([
                "\(size)", Report.figure(working.last!.median), Report.figure(uniform.last!.median),
                Report.figure(cold.milliseconds), Report.figure(cold.mebibytes),
                String(Int(Double(size) / (fillTime.microseconds / 1e6))),
                String(bytes / Int64(size) - Int64(bodyByteCount)),
            ])
            if size == 1_000_000 {
                stage.report.bar(
                    "process start to first hit, 1 M entries", .atMost, 100, "ms", measured: cold.milliseconds)
                stage.report.bar("memory of that process", .atMost, 100, "MiB", measured: cold.mebibytes)
                stage.report.bar(
                    "hit at 1 M entries over 1 k, the same 1,000 URLs", .atMost, 1.5, "x",
                    measured: working.last!.median / working[0].median)
                stage.report.bar(
                    "hit at 1 M entries over 1 k, any URL", .atMost, 1.5, "x",
                    measured: uniform.last!.median / uniform[0].median)
            }
            try FileManager.default.removeItem(atPath: directory)
        }
        stage.report.table(
            "Hits of 4 KiB by the entries stored",
            columns: [
                "1,000 URLs, µs", "any URL, µs", "new process: start to first hit, ms", "its memory, MiB",
                "filled at, entries/s", "bytes on disk beside the body",
            ], rows: rows)
    }

    /// The figures of a process of its own that opens a store and answers one request.
    private static func coldHits(_ directory: String, number: Int, rounds: Int) throws -> (
        milliseconds: Double, mebibytes: Double
    ) {
        var results: [(Double, Double)] = []
        for _ in 0..<rounds {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["--cold", directory, String(number)]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard figures.count == 2 else { throw POSIXError(.EIO) }
            results.append((figures[0], figures[1]))
        }
        results.sort { $0.0 < $1.0 }
        return results[results.count / 2]
    }

    /// The process that opens a store and answers one request; prints milliseconds since its `main`, and its memory in MiB.
    static func cold(_ arguments: [String]) async throws {
        let start = ContinuousClock.now
        let larder = client(arguments[0])
        try await hit(larder, Int(arguments[1])!)
        let elapsed = ContinuousClock.now - start
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }!
        let kibibytes = Double(line.split(whereSeparator: { $0 == " " || $0 == "\t" })[1])!
        print(elapsed.microseconds / 1_000, kibibytes / 1_024)
        await larder.shutDown()
    }

    /// Commits one by one and in batches, and with evictions.
    static func runWrites(_ stage: Stage) async throws {
        stage.report.begin("Writing to the store")
        let count = stage.isQuick ? 2_000 : 20_000
        var rows: [[String]] = []
        func add(_ name: String, _ time: Duration) {
            rows.append([
                name, String(Int(Double(count) / (time.microseconds / 1e6))),
                Report.figure(time.microseconds / Double(count)),
            ])
        }
        let directory = stage.directory + "/writing"
        add("one by one", try fill(directory, count: count, batch: 1))
        add("500 at a time", try fill(directory, count: count, from: count, batch: 500))
        let full = Int64(count) * Int64(bodyByteCount)
        add(
            "one by one into a full store, each evicts one",
            try fill(directory, count: count, from: 2 * count, budget: full, batch: 1))
        stage.report.table("Commits of 4 KiB", columns: ["entries/s", "µs each"], rows: rows)
    }

    private static func diskByteCount(_ directory: String) throws -> Int64 {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return try names.reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return sum + ((attributes[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }
}

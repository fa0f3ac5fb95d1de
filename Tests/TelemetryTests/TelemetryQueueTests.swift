import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Wire

@testable import Telemetry

@Suite struct TelemetryQueueTests {
    private let directory: TemporaryDirectory
    private let ids = Locked(0)

    init() throws { directory = try TemporaryDirectory() }

    private func queue(_ change: (inout TelemetryQueue.Configuration) -> Void = { _ in }) -> TelemetryQueue {
        var configuration = TelemetryQueue.Configuration(directory: directory.path("telemetry"))
        change(&configuration)
        return TelemetryQueue(configuration: configuration, timekeeper: ManualTimekeeper()) { [ids] in
            ids.withLock { id in
                id += 1
                return "batch-\(id)"
            }
        }
    }

    private let destination = TelemetryQueue.Destination(
        serverURL: HTTPURL("http://plane.test/base/")!, deviceID: "device", deviceToken: "token")

    @Test("sends what was recorded, compressed and with the device's token, and is empty then")
    func uploads() async throws {
        let queue = queue(), server = BatchServer()
        for index in 0..<3 { queue.record(.named("event \(index)")) }
        let report = await queue.upload(to: destination, over: server)
        #expect(report.batchesSent == 1 && report.itemsSent == 3 && report.failure == nil && !report.isRefused)
        #expect(queue.count == 0)
        let post = try #require(server.posts.first)
        #expect(post.request.url.string == "http://plane.test/base/v1/batches/batch-1")
        #expect(post.request.method == .post)
        #expect(post.request.fields[.authorization] == "Bearer token")
        #expect(post.request.fields["Larder-Device"] == "device")
        #expect(post.request.fields[.contentEncoding] == "zstd")
        #expect(post.batch.id == "batch-1" && post.batch.deviceID == "device" && post.batch.losses.isEmpty)
        #expect(post.batch.items.map(\.name) == ["event 0", "event 1", "event 2"])
    }

    @Test("keeps flushed items over a restart")
    func survivesRestart() async throws {
        do {
            let first = queue()
            for index in 0..<600 { first.record(.named("\(index)")) }
            await first.flush()
        }
        let second = queue(), server = BatchServer()
        #expect(second.storageFailure == nil)
        #expect(second.count == 600)
        let report = await second.upload(to: destination, over: server)
        #expect(report.batchesSent == 2 && report.itemsSent == 600)
        #expect(server.names == (0..<600).map { "\($0)" })
    }

    @Test("writes by itself once the gathering time is over")
    func writesBehind() async throws {
        let clock = ManualTimekeeper()
        let configuration = TelemetryQueue.Configuration(directory: directory.path("telemetry"))
        let queue = TelemetryQueue(configuration: configuration, timekeeper: clock) { "id" }
        queue.record(.named("one"))
        await clock.waitForSleepers()
        let limits = TelemetryLimits(configuration)
        let storage = try SQLiteTelemetryStorage(directory: configuration.directory, limits: limits)
        #expect(try storage.count() == 0)
        clock.advance(by: .milliseconds(250))
        while try storage.count() == 0 { await Task.yield() }
        #expect(queue.count == 1)
    }

    @Test("writes what is in memory when it is let go of")
    func writesAtTheEnd() async throws {
        queue().record(.named("last"))
        #expect(queue().count == 1)
    }

    @Test("keeps the batch and its id when the server fails", arguments: [0, 500, 503, 429, 408, 404, 302])
    func retriesWithTheSameID(status: Int) async throws {
        let server = BatchServer(answers: [status])
        do {
            let queue = queue()
            queue.record(.named("first"))
            let report = await queue.upload(to: destination, over: server)
            #expect(report.failure != nil && !report.isRefused && report.itemsSent == 0)
            #expect(queue.count == 1)
        }
        let queue = queue()
        queue.record(.named("second"))
        let report = await queue.upload(to: destination, over: server)
        #expect(report.itemsSent == 2 && report.batchesSent == 2)
        let posts = server.posts
        #expect(posts.count == 3)
        #expect(posts[0].batch == posts[1].batch)
        #expect(posts[2].batch.id != posts[1].batch.id)
        #expect(posts[2].batch.items.map(\.name) == ["second"])
    }

    @Test("drops a batch that the server will never take, and tells of the loss", arguments: [400, 413])
    func dropsRejected(status: Int) async throws {
        let queue = queue { $0.batchItemCountMax = 2 }, server = BatchServer(answers: [status])
        for index in 0..<4 { queue.record(.named("\(index)")) }
        let report = await queue.upload(to: destination, over: server)
        #expect(report.itemsSent == 2 && report.failure == nil)
        #expect(server.posts.last?.batch.losses == ["rejected": 2])
        #expect(server.posts.last?.batch.items.map(\.name) == ["2", "3"])
        #expect(queue.count == 0)
    }

    @Test("stops when the server refuses the device, and keeps everything", arguments: [401, 403])
    func stopsWhenRefused(status: Int) async throws {
        let queue = queue { $0.batchItemCountMax = 1 }, server = BatchServer(answers: [status])
        for index in 0..<3 { queue.record(.named("\(index)")) }
        let report = await queue.upload(to: destination, over: server)
        #expect(report.isRefused && report.failure != nil && report.batchesSent == 0)
        #expect(server.posts.count == 1 && queue.count == 3)
    }

    @Test("drops the oldest items beyond the count and counts them once")
    func boundsCount() async throws {
        let queue = queue { $0.itemCountMax = 10 }, server = BatchServer()
        for index in 0..<25 { queue.record(.named("\(index)")) }
        await queue.flush()
        #expect(queue.count == 10)
        let report = await queue.upload(to: destination, over: server)
        #expect(report.itemsSent == 10)
        #expect(server.names == (15..<25).map { "\($0)" })
        #expect(server.lossCount("queueFull") == 15)
    }

    @Test("drops the oldest items beyond the bytes")
    func boundsBytes() async throws {
        let queue = queue { $0.byteCountMax = 8_192 }, server = BatchServer()
        for index in 0..<40 { queue.record(.named("\(index)-" + String(repeating: "x", count: 400))) }
        await queue.flush()
        #expect(queue.count < 20 && queue.count > 10)
        let kept = queue.count
        await queue.upload(to: destination, over: server)
        let numbers = server.names.map { name in name.split(separator: "-").first.map(String.init) ?? "" }
        let expected: [String] = (40 - kept..<40).map { "\($0)" }
        #expect(numbers == expected)
        #expect(server.lossCount("queueFull") == 40 - kept)
    }

    @Test("does not cut a batch on its way when the bound is reached")
    func keepsBatchWhole() async throws {
        let queue = queue {
            $0.itemCountMax = 10
            $0.batchItemCountMax = 4
        }
        let server = BatchServer(answers: [503])
        for index in 0..<10 { queue.record(.named("\(index)")) }
        await queue.upload(to: destination, over: server)
        for index in 10..<30 { queue.record(.named("\(index)")) }
        await queue.flush()
        #expect(queue.count == 10)
        await queue.upload(to: destination, over: server)
        #expect(server.posts[0].batch == server.posts[1].batch)
        let names = server.posts.dropFirst().flatMap { $0.batch.items.map(\.name) }
        let expected = [0, 1, 2, 3, 24, 25, 26, 27, 28, 29]
        #expect(names == expected.map { "\($0)" })
    }

    @Test("refuses an item that would fill the queue alone")
    func refusesHugeItem() async throws {
        let queue = queue { $0.byteCountMax = 4_096 }, server = BatchServer()
        queue.record(.named(String(repeating: "x", count: 5_000)))
        queue.record(.named("small"))
        await queue.upload(to: destination, over: server)
        #expect(server.posts.first?.batch.losses == ["itemTooLarge": 1])
    }

    @Test("counts rows that cannot be read, and sends the others")
    func countsUnreadable() async throws {
        do {
            let limits = TelemetryLimits(.init(directory: ""))
            let storage = try SQLiteTelemetryStorage(directory: directory.path("telemetry"), limits: limits)
            try storage.append([EncodedItem(payload: Data("{junk".utf8))], losses: [:], events: [:])
        }
        let queue = queue(), server = BatchServer()
        #expect(queue.count == 1)
        queue.record(.named("good"))
        let report = await queue.upload(to: destination, over: server)
        #expect(report.itemsSent == 1 && queue.count == 0)
        #expect(server.posts.first?.batch.losses == ["unreadable": 1])
    }

    @Test("sets a broken database aside and counts that")
    func setsBrokenAside() async throws {
        let path = directory.path("telemetry")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: path + "/telemetry.sqlite"))
        let queue = queue(), server = BatchServer()
        #expect(queue.storageFailure == nil)
        #expect(FileManager.default.fileExists(atPath: path + "/telemetry.sqlite.broken"))
        queue.record(.named("after"))
        await queue.upload(to: destination, over: server)
        #expect(server.posts.first?.batch.losses == ["queueBroken": 1])
    }

    @Test("works in memory when the directory cannot be used, bounded and counting")
    func worksInMemory() async throws {
        let blocked = directory.path("file")
        try Data().write(to: URL(fileURLWithPath: blocked))
        let queue = queue {
            $0.directory = blocked + "/below"
            $0.itemCountMax = 4
        }
        let server = BatchServer(answers: [503])
        #expect(queue.storageFailure != nil)
        for index in 0..<6 { queue.record(.named("\(index)")) }
        await queue.flush()
        #expect(queue.count == 4)
        await queue.upload(to: destination, over: server)
        let report = await queue.upload(to: destination, over: server)
        #expect(report.itemsSent == 4)
        #expect(server.posts[0].batch == server.posts[1].batch)
        #expect(server.posts[1].batch.losses == ["queueFull": 2])
        #expect(queue.count == 0)
    }

    @Test("takes records from many threads and loses none")
    func recordsConcurrently() async throws {
        let queue = queue(), server = BatchServer()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in 0..<250 { queue.record(.named("\(thread)/\(index)")) }
        }
        await queue.flush()
        #expect(queue.count == 2_000)
        await queue.upload(to: destination, over: server)
        let names = server.names
        #expect(names.count == 2_000 && Set(names).count == 2_000)
    }

    @Test("runs one upload at a time")
    func joinsUploads() async throws {
        let queue = queue { $0.batchItemCountMax = 1 }, server = BatchServer()
        for index in 0..<20 { queue.record(.named("\(index)")) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { [destination] in _ = await queue.upload(to: destination, over: server) } }
        }
        #expect(server.posts.count == 20)
        #expect(Set(server.posts.map(\.batch.id)).count == 20)
    }

    @Test("says so when an upload is cancelled, and keeps the items")
    func cancels() async throws {
        let queue = queue(), server = BatchServer()
        queue.record(.named("kept"))
        let task = Task { [destination] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await queue.upload(to: destination, over: server)
        }
        let report = await task.value
        #expect(report.failure == "the upload was cancelled" && report.itemsSent == 0)
        #expect(queue.count == 1)
    }
}

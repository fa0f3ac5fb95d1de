import Foundation
import HTTPModel
import Prepositioning
import TestSupport
import Testing
import Wire
import WorldSupport

@Suite struct RunTests {
    private let world = World()

    init() throws {
        world.put("/a", "first")
        try world.publish(["news": ["/a"]])
    }

    @Test("syncs again at the interval of the release")
    func interval() async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.clock.waitForSleepers()
        #expect(try device.body("/a") == "first")
        world.put("/a", "second")
        try world.publish(["news": ["/a"]])
        device.clock.advance(by: .seconds(899))
        #expect(try device.body("/a") == "first")
        device.clock.advance(by: .seconds(1))
        await device.clock.waitForSleepers()
        #expect(try device.body("/a") == "second")
        run.cancel()
        await run.value
    }

    @Test("syncs at once when the subscription changes")
    func nudge() async throws {
        let device = try Device(world)
        let prepositioner = try device.prepositioner()
        let run = Task { await prepositioner.run() }
        await device.clock.waitForSleepers()
        prepositioner.subscribe(to: ["news"])
        var statuses = prepositioner.statuses().makeAsyncIterator()
        while let status = await statuses.next(), status.activeVersions.isEmpty {}
        #expect(try device.body("/a") == "first")
        run.cancel()
        await run.value
    }

    @Test("tries to register again after ten minutes")
    func registrationRetry() async throws {
        world.answer("/v1/devices", with: .init(status: 500))
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.clock.waitForSleepers()
        #expect(prepositioner.status.registration == .notRegistered)
        #expect(prepositioner.status.lastFailure?.contains("status 500") == true)
        device.clock.advance(by: .seconds(599))
        #expect(world.requests(for: "/v1/devices").count == 1)
        device.clock.advance(by: .seconds(1))
        await device.clock.waitForSleepers()
        #expect(world.requests(for: "/v1/devices").count == 2)
        #expect(try device.body("/a") == "first")
        run.cancel()
        await run.value
    }

    @Test("does not try a refused key again until the next start", arguments: [401, 403])
    func badCredentials(status: Int) async throws {
        let problem = ProblemDocument(
            type: "/problems/unknown-key", title: "Unknown key", status: status, detail: "No app has this key.")
        world.answer(
            "/v1/devices",
            with: .init(
                status: status, fields: [.contentType: "application/problem+json"],
                body: try WireCoding.encode(problem)))
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.run()
        guard case .badCredentials(let reason) = prepositioner.status.registration else {
            Issue.record("the key was not refused")
            return
        }
        #expect(reason.contains("No app has this key."))
        await prepositioner.sync()
        #expect(world.requests.count == 1)
        #expect(try await device.prepositioner().sync().failures == [])
    }

    @Test("ends when the server withdrew the device, and keeps the content", arguments: [401, 403, 410])
    func withdrawn(status: Int) async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        world.answer("/v1/apps/app-1/release", with: .init(status: status))
        await prepositioner.run()
        #expect(prepositioner.status.registration == .withdrawn)
        #expect(try device.body("/a") == "first")
        #expect(try device.prepositioner().status.registration == .notRegistered)
    }

    @Test("joins the initial segments the first time a key is seen, and never again")
    func initialSegments() async throws {
        let device = try Device(world)
        #expect(try device.prepositioner { $0.initialSegments = ["news"] }.status.subscribedSegments == ["news"])
        #expect(try device.prepositioner { $0.initialSegments = ["other"] }.status.subscribedSegments == ["news"])
        let other = try device.prepositioner {
            $0.apiKey = "another"
            $0.initialSegments = ["other"]
        }
        #expect(other.status.subscribedSegments == ["other"] && other.status.registration == .notRegistered)
    }

    @Test("goes on without a release when none is published")
    func nothingPublished() async throws {
        let device = try Device(World())
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.failures == [] && report.releaseVersion == nil)
    }

    @Test("says why a journal cannot be used")
    func unusableDirectory() async throws {
        let device = try Device(world)
        try Data().write(to: URL(fileURLWithPath: device.directory.path("file")))
        #expect(throws: PrepositioningError.self) {
            try device.prepositioner { $0.directory = device.directory.path("file/below") }
        }
    }

    @Test("begins anew when the journal is broken")
    func brokenJournal() async throws {
        let device = try Device(world)
        let path = device.directory.path("prepositioning")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: path + "/journal.sqlite"))
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.failures == [] && report.itemsDownloaded == 1)
        #expect(FileManager.default.fileExists(atPath: path + "/journal.sqlite.broken"))
    }

    @Test("tells listeners the newest status, and ends with the last word")
    func statuses() async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let stream = prepositioner.statuses()
        await prepositioner.sync()
        var iterator = stream.makeAsyncIterator()
        let newest = try #require(await iterator.next())
        #expect(newest == prepositioner.status && newest.isComplete)
    }
}

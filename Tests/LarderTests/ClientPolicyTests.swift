import Conditions
import Foundation
import Primitives
import TestSupport
import Testing
import Wire
import WorldSupport

@testable import Larder

@Suite("Settings, policies and background work of the client", .timeLimit(.minutes(1)))
struct ClientPolicyTests {
    private let rig: WorldRig

    init() throws { rig = try WorldRig() }

    private func started(_ segments: Set<String> = ["news"]) -> LarderClient {
        rig.start(apiKey: "key") { $0.initialSegments = segments }
    }

    @Test("settings are in force at once and at the next start; a file that cannot be read is set aside")
    func settings() async throws {
        let client = started()
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        #expect(client.settings == LarderSettings() && client.policyBlockers == [])
        client.settings.downloads.networks = .cellularOnly
        client.settings.hosts = .only(["a.example"])
        client.changeSettings { settings in
            settings.ignoredMethods = []
            settings.foregroundCheckDelay = .milliseconds(500)
        }
        #expect(client.policyBlockers == [.wifiNotAllowed] && client.status.blockers == [.wifiNotAllowed])
        let kept = client.settings
        await client.shutDown()
        let again = started()
        #expect(again.settings == kept && again.policyBlockers == [.wifiNotAllowed])
        await again.shutDown()

        let path = rig.directory.path("larder/settings.json")
        try Data("{\"followsRedirects\": false}".utf8).write(to: URL(fileURLWithPath: path))
        let older = started()
        #expect(!older.settings.followsRedirects && older.settings.ignoredMethods == ["OPTIONS"])
        await older.shutDown()
        for text in ["", "[]", "{\"hosts\": 7}"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            let count = rig.log.count
            let broken = started()
            #expect(broken.settings == LarderSettings() && rig.log.count == count + 1)
            #expect(try String(contentsOfFile: path + ".broken", encoding: .utf8) == text)
            await broken.shutDown()
        }
    }

    @Test("many threads change settings without losing any of it")
    func concurrentSettings() async throws {
        let client = rig.start()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { client.changeSettings { $0.ignoredMethods.insert("M\(number)") } }
            }
        }
        #expect(client.settings.ignoredMethods.count == 51)
        await client.shutDown()
        #expect(rig.start().settings.ignoredMethods.count == 51)
    }

    @Test("the server's address of the settings takes the place of the configuration's at the next start")
    func serverURL() async throws {
        let client = rig.start()
        client.settings.serverURL = "http://other.test/base"
        #expect(client.serverURL == "http://plane.test/")
        await client.shutDown()
        #expect(rig.start().serverURL == "http://other.test/base")
    }

    @Test("the release's policy, its thresholds and what downloads used are there to look at")
    func looks() async throws {
        var policy = DownloadPolicy()
        policy.syncIntervalSeconds = 77
        try rig.world.publish(["news": ["/a"]], policy: policy)
        let client = started()
        #expect(client.downloadPolicy == DownloadPolicy())
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        #expect(client.downloadPolicy.syncIntervalSeconds == 77)
        #expect(client.services.release.current?.version == 2)
        #expect(client.dataUsage.wifiByteCount == rig.transport.deliveredByteCount)
        #expect(client.policyBlockers(ofSegment: "news") == [])
        await client.shutDown()
        let again = started()
        #expect(again.services.release.current?.version == 2)
        await again.shutDown()
    }

    @Test("downloads wait for the conditions, and go on by themselves")
    func conditions() async throws {
        rig.conditions.set(DeviceConditions(network: .init(.none)))
        let client = started()
        #expect(client.policyBlockers == [.notRegistered, .offline])
        rig.conditions.set(DeviceConditions(network: .init(.wifi)))
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        await client.shutDown()
    }

    @Test("downloads go by the network's quality as it is measured")
    func quality() async throws {
        var policy = DownloadPolicy()
        policy.wifi.qualityMin = .good
        try rig.world.publish(["news": ["/a"]], policy: policy)
        let client = started()
        await rig.wait(for: client) { $0.blockers == [.wifiQuality] }
        client.services.noteQuality(.good)
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        await client.shutDown()
    }

    @Test("added content and downloaded items can be read when they are told")
    func changes() async throws {
        let client = started([])
        let contents = client.cachedContentChanges(), items = client.itemChanges()
        client.subscribe(to: ["news"])
        for await change in contents {
            guard case .added(let content) = change else { continue }
            #expect(try String(contentsOfFile: content.path, encoding: .utf8) == "first")
            break
        }
        var kinds: [ItemChange.Kind] = []
        for await change in items {
            kinds.append(change.kind)
            #expect(change.items.map(\.url) == [rig.world.origin + "/a"])
            guard change.kind == .downloaded else { continue }
            #expect(client.cachedContent(for: rig.world.origin + "/a")?.byteCount == 5)
            break
        }
        #expect(kinds == [.discovered, .startedDownloading, .downloaded])
        await client.shutDown()
        for await _ in client.itemChanges() { Issue.record("nothing is told any more") }
    }

    @Test("background work says what came of it, and returns in time when the server does not")
    func background() async throws {
        let client = started()
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        await rig.wait(for: client) { !$0.isSyncing }
        #expect(await client.performBackgroundWork(within: .seconds(30)) == .nothingNew)
        rig.world.put("/a", "second")
        try rig.world.publish(["news": ["/a"]])
        #expect(await client.performBackgroundWork(within: .seconds(30)) == .newContent)
        rig.transport.hold("/v1/apps/app-1/release")
        #expect(await client.performBackgroundWork(within: .milliseconds(50)) == .failed)
        rig.transport.letGo("/v1/apps/app-1/release")
        rig.world.isOffline = true
        #expect(await client.performBackgroundWork(within: .seconds(30)) == .failed)
        await client.shutDown()
        let alone = rig.start { $0.serverURL = nil }
        #expect(await alone.performBackgroundWork(within: .seconds(30)) == .failed)
        await alone.shutDown()
    }

    @Test("the release is looked at when the app has come to the foreground")
    func foreground() async throws {
        let client = started()
        client.settings.foregroundCheckDelay = .zero
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty && !$0.isSyncing }
        rig.transport.hold("/v1/apps/app-1/release")
        client.appDidEnterForeground()
        await rig.transport.waitForHeld("/v1/apps/app-1/release")
        rig.transport.letGo("/v1/apps/app-1/release")
        await client.shutDown()
    }

    @Test("a look after coming to the foreground waits its time, and is called off by leaving and by coming again")
    func foregroundCheck() async throws {
        let clock = ManualTimekeeper(), check = ForegroundCheck()
        let looks = AsyncStream.makeStream(of: Int.self)
        check.begin(after: .seconds(3), clock) { looks.continuation.yield(1) }
        await clock.waitForSleepers()
        check.callOff()
        check.begin(after: .seconds(3), clock) { looks.continuation.yield(2) }
        check.begin(after: .seconds(4), clock) { looks.continuation.yield(3) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(4))
        for await look in looks.stream {
            #expect(look == 3)
            break
        }
    }
}

import Foundation
import Prepositioning
import Primitives
import TestSupport
import Testing

@testable import Larder

@Suite("Debugging a client", .timeLimit(.minutes(1)))
struct ClientDebuggingTests {
    @Test("tells every exchange while it is on, in the log and in the files")
    func debugging() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        _ = try await rig.client.data(from: rig.url("/before"))
        rig.client.isDebugging = true
        #expect(rig.client.isDebugging)
        for _ in 0..<2 { _ = try await rig.client.data(from: rig.url("/during?token=SECRET")) }
        rig.client.isDebugging = false
        await rig.client.shutDown()
        let lines = rig.log.filter { $0.hasPrefix("GET ") }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("GET \(rig.origin.origin)/during 200 CACHE_MISS miss ") == true)
        #expect(lines.last?.hasPrefix("GET \(rig.origin.origin)/during 200 CACHE_FETCH cacheHit ") == true)
        let path = try #require(rig.client.logFilePaths.first)
        #expect(path.hasPrefix(rig.directory.path("larder/Logs/")))
        #expect(path.hasSuffix("_com.akamai.akasdk.log"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in lines { #expect(text.contains("Z \(line)\n")) }
        #expect(!text.contains("SECRET"))
    }

    @Test("keeps secrets out of the log")
    func secrets() throws {
        let rig = try ClientRig(configure: { configuration in
            configuration.apiKey = "key-4711"
            configuration.serverURL = "ftp://user:pass@example.com/?key-4711"
        })
        #expect(rig.log.contains { $0.hasPrefix("no segments") })
        rig.client.services.log.write(
            "a\nb key-4711 https://u:p@example.com/?q=1 " + String(repeating: "x", count: 10_000))
        for line in rig.log {
            #expect(!line.contains("4711") && !line.contains("pass") && !line.contains("u:p") && !line.contains("q=1"))
            #expect(!line.contains("\n") && line.utf8.count < 8_200)
        }
    }

    @Test("lists the segments, then every URL with its state")
    func listing() {
        func item(
            _ url: String, _ state: Prepositioner.ItemState, _ bytesReceived: Int64 = 0, failure: String? = nil
        ) -> Prepositioner.ItemStatus {
            .init(
                segment: "news", version: 1, url: url, state: state, byteCount: 1_000, bytesReceived: bytesReceived,
                isEssential: true, failure: failure)
        }
        var status = Services.statusWithoutServer
        #expect(ContentListing(status: status, content: []).lines == ["subscribed segments: none"])
        status.subscribedSegments = ["news", "core"]
        status.items = [
            item("http://a/4", .failed, failure: "404"), item("http://a/3", .queued),
            item("http://a/2", .downloading, 12),
            item("http://a/1", .ready), item("http://a/5", .queued, failure: "timed out"),
        ]
        #expect(
            ContentListing(status: status, content: []).lines == [
                "subscribed segments: core, news", "http://a/1 cached, 1000 bytes, segment news",
                "http://a/2 downloading, 12 of 1000 bytes, segment news", "http://a/3 queued, 1000 bytes, segment news",
                "http://a/4 failed: 404, segment news",
                "http://a/5 queued, 1000 bytes, failed before: timed out, segment news",
            ])
    }

    @Test("lists what passed by, without queries")
    func opportunistic() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        _ = try await rig.client.data(from: rig.url("/kept?token=SECRET"))
        await rig.client.shutDown()
        #expect(
            rig.client.contentListing() == [
                "subscribed segments: none", "\(rig.origin.origin)/kept?… cached, 5 bytes, passed by",
            ])
    }

    private func configurationLines(
        _ release: Release?, _ change: (inout LarderSettings, inout Prepositioner.Status) -> Void = { _, _ in },
        blockers: Set<PolicyBlocker> = [], conditions: DeviceConditions = DeviceConditions()
    ) -> [String] {
        var (settings, status) = (LarderSettings(), Services.statusWithoutServer)
        change(&settings, &status)
        return ConfigurationListing(
            configuration: LarderConfiguration(bundleID: "com.example.app"), serverURL: "https://larder.example.com/",
            status: status, release: release, receivedAt: release.map { $0.publishedAt + 60 }, settings: settings,
            blockers: blockers, usage: DataUsage(), conditions: conditions
        ).lines
    }

    @Test("lists the configuration before a release has come")
    func noConfiguration() {
        #expect(
            configurationLines(nil, blockers: [.notRegistered, .batteryLow]) == [
                "Larder \(LarderClient.version) for com.example.app", "server: https://larder.example.com/",
                "registration: none", "release: none has come",
                "features: interception on, downloads stopped: batteryLow, notRegistered", "settings of the app: none",
                "downloaded today: 0 bytes over Wi-Fi, 0 bytes over cellular", "device: wired, external power",
            ])
    }

    @Test("lists the release, its policy, what the app wants otherwise, and the device")
    func configuration() {
        var policy = DownloadPolicy()
        policy.wifi.hours = [DayHours(startMinute: 22 * 60 + 5, endMinute: 6 * 60)]
        policy.cellular.dailyByteCountMax = 1_000
        policy.cellular.isAllowedOnBattery = false
        policy.cellular.qualityMin = .good
        policy.segments["news"] = SegmentPolicy()
        policy.segments["news"]?.isForced = true
        let release = Release(
            app: "a-1", version: 12, publishedAt: Date(timeIntervalSince1970: 1_767_225_600), segments: [],
            policy: policy, pins: [PinRule(host: "example.com", includesSubdomains: true, digests: ["A", "B"])])
        let lines = configurationLines(
            release,
            { settings, status in
                status.registration = .registered(deviceID: "d-1", deviceToken: "SECRET", appID: "a-1")
                status.isEnabled = false
                settings.downloads.concurrentDownloadsMax = -1
                settings.hosts = .only(["b.example", "a.example"])
            },
            conditions: DeviceConditions(
                network: .init(.cellular, id: "home"), power: .init(isExternal: false, batteryPercent: 7)))
        let limits = "good up to 1420 ms and from 150 kbit/s, excellent up to 272 ms and from 2000 kbit/s"
        let rules = "networks wifiAndCellular, files up to 104000000 bytes, 4 downloads at once, any rate"
        let expected: [String] = [
            "registration: device d-1 of app a-1",
            "release: version 12, published 2026-01-01T00:00:00Z, received 2026-01-01T00:01:00Z",
            "features: interception off, downloads go on",
            "policy: \(rules), a look every 900 s, battery from 0 %",
            "policy for Wi-Fi: also on battery, any number of bytes a day, from 22:05 to 06:00, of any quality",
            "policy for cellular: on external power only, 1000 bytes a day, at any hour, of good quality at least",
            "policy for segment news: forced",
            "quality of Wi-Fi: \(limits)",
            "quality of cellular: \(limits)",
            "pins of example.com and its subdomains, 2 keys, enforced, for good",
            "settings of the app: any number of downloads at once, only the hosts a.example b.example",
            "downloaded today: 0 bytes over Wi-Fi, 0 bytes over cellular",
            "device: cellular, metered, on battery, charged to 7 %",
        ]
        #expect(Array(lines.dropFirst(2)) == expected)
        #expect(!lines.joined().contains("SECRET") && !lines.joined().contains("home"))
    }

    @Test("lists the configuration of a client without a server")
    func clientConfiguration() throws {
        let rig = try ClientRig()
        let lines = rig.client.configurationListing()
        #expect(lines.contains("server: none"))
        #expect(lines.contains("release: none has come"))
    }

    @Test("remembers when a release came, across restarts")
    func receipts() throws {
        let directory = try TemporaryDirectory()
        let timekeeper = ManualTimekeeper()
        func receipts() -> ReleaseReceipts {
            let files = LogFiles(directory: directory.path("Logs"), timekeeper: timekeeper)
            return ReleaseReceipts(
                directory: directory.path, timekeeper: timekeeper, log: LogLines({ _ in }, files: files))
        }
        let first = receipts()
        #expect(first.date(of: 7) == nil)
        first.note(nil)
        first.note(7)
        let date = timekeeper.now
        timekeeper.advance(by: .seconds(60))
        first.note(7)
        #expect(first.date(of: 7) == date)
        #expect(receipts().date(of: 7) == date)
        #expect(receipts().date(of: 8) == nil)
        receipts().note(8)
        #expect(receipts().date(of: 8) == timekeeper.now)
    }
}

import AkaCommon
import AkaMap
import Foundation
import Larder
import TestSupport
import Testing

@testable import VocCommon

/// Every setting, in and out, and what of the engine it is.
@Suite("VocConfig", .serialized, .exclusiveInterception, .timeLimit(.minutes(5))) struct ConfigTests {
    private var settings: LarderSettings { AkaCommon.shared().larder?.settings ?? LarderSettings() }

    private var config: VocConfig { AkaMap.shared().config }

    @Test("has the key and the server in use")
    func server() async throws {
        try await MapRig.run(configure: {
            $0.serverURL = "http://127.0.0.1:1/"
            $0.apiKey = "123456ABCDEF"
        }) { _ in
            #expect(config.license == "123456ABCDEF")
            #expect(config.serverHost?.absoluteString == "http://127.0.0.1:1/")
        }
    }

    @Test("limits files, networks and quotas in the engine's overrides")
    func downloads() async throws {
        try await MapRig.run { _ in
            config.fileSizeMax = 5_000_000
            config.networkSelectionOverride = .wifiOnly
            config.dailyWifiQuota = 1_000
            config.dailyCellularQuota = 2_000
            var overrides = settings.downloads
            #expect(overrides.fileByteCountMax == 5_000_000 && config.fileSizeMax == 5_000_000)
            #expect(overrides.networks == .wifiOnly && config.networkSelection == .wifiOnly)
            #expect(config.networkSelectionOverride == .wifiOnly)
            #expect(config.networkSelectionDefault == .wifiAndCellular)
            #expect(overrides.dailyWifiByteCountMax == 1_000 && config.dailyWifiQuota == 1_000)
            #expect(overrides.dailyCellularByteCountMax == 2_000 && config.dailyCellularQuota == 2_000)
            for selection in [VOCNetworkSelection.none, .cellularOnly, .wifiAndCellular] {
                config.networkSelectionOverride = selection
                #expect(config.networkSelection == selection)
            }
            config.networkSelectionOverride = .invalid
            overrides = settings.downloads
            #expect(overrides.networks == nil && config.networkSelection == .wifiAndCellular)
        }
    }

    @Test("sets how downloads go")
    func behaviour() async throws {
        try await MapRig.run { _ in
            #expect(config.itemDownloadBehavior == .fullAuto)
            config.itemDownloadBehavior = .none
            #expect(settings.downloads.isManual)
            #expect(config.itemDownloadBehavior == .none)
            config.itemDownloadBehavior = .sdkBehavior
            #expect(settings.downloads.isManual == false)
            config.enableAutoPurge = false
            #expect(settings.downloads.keepsDroppedContent)
            #expect(!config.enableAutoPurge)
            config.maxConcurrentDownloads = -1
            #expect(settings.downloads.concurrentDownloadsMax == -1)
            #expect(config.maxConcurrentDownloads == -1)
            config.maxConcurrentDownloads = 2
            #expect(settings.downloads.concurrentDownloadsMax == 2)
            #expect(config.maxConcurrentDownloads == 2)
            config.forceDownload = true
            #expect(settings.downloads.isForced)
            #expect(config.forceDownload)
            config.foregroundContentCheckDelay = 1.5
            #expect(settings.foregroundCheckDelay == .seconds(1.5))
            #expect(config.foregroundContentCheckDelay == 1.5)
            config.foregroundContentCheckDelay = .nan
            #expect(config.foregroundContentCheckDelay == 0)
            config.trackFileDownloadProgress = false
            #expect(!config.trackFileDownloadProgress)
        }
    }

    @Test("counts the bytes of the day")
    func usage() async throws {
        try await MapRig.run { _ in
            let usage = try #require(AkaCommon.shared().larder).dataUsage
            #expect(config.dailyWifiUsed == usage.wifiByteCount)
            #expect(config.dailyCellularUsed == usage.cellularByteCount)
            #expect(config.dailyDownloadUsed == usage.wifiByteCount + usage.cellularByteCount)
        }
    }

    @Test("sets which requests the SDK takes, and what it does with them")
    func requests() async throws {
        try await MapRig.run { _ in
            #expect(config.autoFollowRedirects && config.ignoredHTTPMethods == ["OPTIONS"] && !config.addUserAgent)
            config.autoFollowRedirects = false
            config.addUserAgent = true
            config.ignoredHTTPMethods = ["post", "OPTIONS"]
            #expect(!settings.followsRedirects && settings.addsUserAgent)
            #expect(settings.ignoredMethods == ["OPTIONS", "POST"])
            #expect(config.ignoredHTTPMethods == ["OPTIONS", "POST"])
            config.ignoredHTTPMethods = nil
            #expect(settings.ignoredMethods.isEmpty)
            #expect(config.ignoredHTTPMethods == nil)
        }
    }

    @Test("lists hosts: each list clears the other, nil resets")
    func hosts() async throws {
        try await MapRig.run { _ in
            config.setWhitelist(["a.example", "b.example"])
            #expect(settings.hosts == .only(["a.example", "b.example"]))
            config.setBlacklist(["c.example"])
            #expect(settings.hosts == .except(["c.example"]))
            config.setWhitelist(nil)
            #expect(settings.hosts == .all)
            config.setBlacklist(["c.example"])
            config.setBlacklist(nil)
            #expect(settings.hosts == .all)
            config.setBlacklist([])
            #expect(settings.hosts == .all)
            config.setWhitelist([])
            #expect(settings.hosts == .only([]))
        }
    }

    @Test("an override of the server set beforehand takes the configured server's place")
    func serverOverride() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        config.serverHostOverride = URL(string: "http://127.0.0.1:2")
        #expect(config.serverHostOverride?.absoluteString == "http://127.0.0.1:2")
        let list: [String: Any] = [
            "com.akamai": [
                "map": ["api_key": "k", "server_url": "http://127.0.0.1:1", "directory": directory.path("sdk")]
            ]
        ]
        SharedClient.shared.start { LarderOptions(propertyList: list) }
        #expect(config.serverHost?.absoluteString == "http://127.0.0.1:2/")
        await SharedClient.shared.reset()
        #expect(config.serverHostOverride == nil)
    }
}

import AkaCommon
import AkaMap
import Foundation
import Larder
import Testing
import VocSdk

@testable import VocCommon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Everything is there and does nothing before the SDK is configured.
@Suite("Before the SDK is configured", .serialized, .exclusiveInterception, .timeLimit(.minutes(5)))
struct InertTests {
    private let service = AkaMap.shared()

    @Test("the shared instances are there, one each")
    func instances() {
        #expect(AkaCommon.shared() === AkaCommon.shared())
        #expect(AkaMap.shared() === AkaMap.shared())
        #expect(AkaCommon.shared().larder == nil)
    }

    @Test("calls do nothing")
    func calls() {
        service.subscribeSegments(["basics"])
        service.logEvent("tapped")
        service.startEvent("load")
        service.stopEvent("load")
        service.cacheSize = 1
        service.debugSendAnalytics()
        service.clearStats()
        AkaCommon.shared().interceptSessions(with: .ephemeral)
        VocServiceFactory.setupSessionConfiguration(.ephemeral)
        #expect(service.subscribedSegments() == nil)
        #expect(service.cacheSize == 0 && service.cacheUsed == 0 && service.cacheAvailable == 0)
        #expect(service.cachedFiles() == [])
        #expect(service.cachedFile(forURL: "http://example.com/") == nil)
    }

    @Test("the state is that of a device that is not registered")
    func state() {
        #expect(!service.enabled())
        #expect(service.state == .notRegistered)
        #expect(service.connectionType == .none)
        #expect(!service.downloadAllowed)
        #expect(service.lastPolicyStatus == .notRegistered)
        #expect(service.networkQuality() == nil)
        #expect(service.sortedLogFilePaths == nil)
        #expect(service.statsConnectionType() == nil)
        #expect(service.filesRequested() == [])
    }

    @Test("the settings are the defaults, and setting changes nothing")
    func settings() {
        let config = service.config
        config.fileSizeMax = 1
        config.autoFollowRedirects = false
        config.setWhitelist(["a.example"])
        #expect(config.license == nil && config.serverHost == nil)
        #expect(config.fileSizeMax == 104_000_000)
        #expect(config.networkSelection == .wifiAndCellular)
        #expect(config.networkSelectionOverride == .invalid)
        #expect(config.networkSelectionDefault == .wifiAndCellular)
        #expect(config.dailyWifiQuota == VOCDownloadQuotaUnlimited)
        #expect(config.dailyCellularQuota == Int64.max)
        #expect(config.dailyWifiUsed == 0 && config.dailyCellularUsed == 0 && config.dailyDownloadUsed == 0)
        #expect(config.itemDownloadBehavior == .fullAuto)
        #expect(config.enableAutoPurge && config.trackFileDownloadProgress && config.useProductionApns)
        #expect(!config.forceDownload && !config.addUserAgent)
        #expect(config.foregroundContentCheckDelay == 3)
        #expect(config.autoFollowRedirects)
        #expect(config.ignoredHTTPMethods == ["OPTIONS"])
        #expect(config.serverHostOverride == nil)
    }

    @Test("completions are called with an error that says why")
    func completions() {
        let codes = Locked<[Int]>([])
        let note = { (error: (any Error)?) in codes.withLock { $0.append((error as NSError?)?.code ?? 0) } }
        service.unregisterService(note)
        ClientService.shared.registerWithLicense("key", segments: nil, completion: note)
        ClientService.shared.clearCache(note)
        ClientService.shared.startDownloadUserInitiated(completion: note)
        #expect(codes.withLock { $0 } == [-1003, -1003, -1003, -1003])
        service.unregisterService(nil)
    }

    @Test("a notification for the SDK is taken and fails at once; a background fetch is left to the app")
    func notifications() {
        let results = Locked<[UIBackgroundFetchResult]>([])
        let note = { (result: UIBackgroundFetchResult) in results.withLock { $0.append(result) } }
        #expect(AkaCommon.shared().didReceiveRemoteNotification(["mapsdk": 1], fetchCompletionHandler: note))
        #expect(results.withLock { $0 } == [.failed])
        #expect(!AkaCommon.shared().didReceiveRemoteNotification([:], fetchCompletionHandler: note))
        #expect(!ClientService.shared.application(UIApplication(), performFetchWithCompletionHandler: note))
        #expect(results.withLock { $0 }.count == 1)
    }

    @Test("a delegate that is set waits for the SDK, and is not kept alive")
    func earlyDelegate() async throws {
        final class Listener: VocServiceDelegate {}
        var listener: Listener? = Listener()
        weak let kept = listener
        service.setDelegate(listener, with: OperationQueue())
        listener = nil
        #expect(kept == nil)
        service.setDelegate(nil, with: nil)
    }
}

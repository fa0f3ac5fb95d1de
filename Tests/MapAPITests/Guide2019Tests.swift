import Foundation
import TestSupport
import Testing
import VocSdk

@testable import Larder
@testable import MapSamples
@testable import VocCommon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the samples of the guide of 2019 do.
@Suite("The samples of 2019 do what the guide says", .serialized, .exclusiveInterception, .timeLimit(.minutes(5)))
struct Guide2019Tests {
    private let hearing = Hearing()

    /// A launched app, a server with segments for it, and the origin of their content.
    private func launched(
        _ body: (_ guide: Guide2019, _ plane: ControlPlane, _ origin: ScriptedOrigin) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let origin = try ScriptedOrigin { request in MapRig.page(request) }
        let plane = try await ControlPlane(
            [
                "segment_1": [origin.origin + "/1"], "segment_2": [origin.origin + "/2"],
                "basics": [origin.origin + "/b"],
            ],
            bundleID: LarderOptions().configuration.bundleID, in: directory)
        let guide = Guide2019(heard: hearing.hear)
        guide.license = plane.apiKey
        let options = ["server_url": plane.url, "directory": directory.path("larder")]
        #expect(guide.application(UIApplication(), didFinishLaunchingWithOptions: nil, more: options))
        await hearing.wait { $0.contains("didInitialize") && $0.count(where: { $0.hasPrefix("downloaded") }) == 2 }
        do { try await body(guide, plane, origin) } catch {
            await end()
            throw error
        }
        await end()
    }

    private func end() async {
        ClientService.shared.setDelegate(nil, with: nil)
        await SharedClient.shared.reset()
    }

    @Test("creates the service, which registers by itself and tells of its life and of its items")
    func create() async throws {
        try await launched { guide, _, _ in
            #expect(guide.akaService === ClientService.shared)
            #expect(guide.akaService?.state != .notRegistered)
            let lines = hearing.lines
            #expect(lines.filter { $0.hasPrefix("did") } == ["didRegister", "didInitialize"])
            for segment in ["segment_1", "segment_2"] {
                let discovered = try #require(lines.firstIndex(of: "discovered \(segment) 0"), "\(lines)")
                let started = try #require(lines.firstIndex(of: "startDownloading \(segment) 1"), "\(lines)")
                let downloaded = try #require(lines.firstIndex(of: "downloaded \(segment) 2"), "\(lines)")
                #expect(discovered < started && started < downloaded)
            }
            // A second creation gives the same service, and nothing is told twice.
            let again = try VocServiceFactory.createAkaWebAccelerator(with: guide, delegateQueue: .main, options: nil)
            #expect(again === guide.akaService)
        }
        #expect(hearing.lines.count(where: { $0 == "didRegister" }) == 1)
    }

    @Test("replaces the segments: dropped items are evicted, new ones downloaded")
    func subscribe() async throws {
        try await launched { guide, _, origin in
            guide.subscribe()
            await hearing.wait { lines in
                ["evicted segment_1 3", "evicted segment_2 3", "downloaded basics 2"].allSatisfy(lines.contains)
            }
            #expect(guide.akaService?.subscribedSegments() == ["basics", "daily-deals"])
            origin.stop()
            let url = try #require(URL(string: origin.origin + "/b"))
            let (body, status) = try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let (data, response) = try guide.connectSynchronously(to: url)
                            return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode)
                        })
                }
            }
            #expect(body == "the page /b" && status == 200)
            #expect(guide.akaService?.cachedFile(forURL: origin.origin + "/1") == nil)
        }
    }

    @Test("fetches in the background, by itself and when a notification asks, and calls each handler once")
    func background() async throws {
        try await launched { guide, plane, origin in
            let fetch = { () async -> UIBackgroundFetchResult in
                await withCheckedContinuation { continuation in
                    guide.application(
                        UIApplication(), performFetchWithCompletionHandler: { continuation.resume(returning: $0) })
                }
            }
            let notify = { (info: [AnyHashable: Any]) async -> UIBackgroundFetchResult in
                await withCheckedContinuation { continuation in
                    guide.application(UIApplication(), didReceiveRemoteNotification: info) {
                        continuation.resume(returning: $0)
                    }
                }
            }
            #expect(await fetch() == .noData)
            #expect(await notify(["mapsdk": [:]]) == .noData)
            #expect(await notify(["aps": [:]]) == .noData)
            try await plane.admin("ingest", "segment_1", "--url", origin.origin + "/more")
            try await plane.admin("publish")
            #expect(await fetch() == .newData)
            #expect(guide.akaService?.cachedFile(forURL: origin.origin + "/more") != nil)
            try await plane.admin("ingest", "segment_1", "--url", origin.origin + "/most")
            try await plane.admin("publish")
            #expect(await notify(["mapsdk": 1]) == .newData)
        }
    }

    @Test("downloads when the app asks, and says why when it may not")
    func userInitiated() async throws {
        try await launched { guide, plane, origin in
            let service = try #require(guide.akaService)
            let start = { () async -> Int? in
                await withCheckedContinuation { continuation in
                    service.startDownloadUserInitiated { continuation.resume(returning: ($0 as NSError?)?.code) }
                }
            }
            service.config.itemDownloadBehavior = .none
            try await plane.admin("ingest", "segment_1", "--url", origin.origin + "/more")
            try await plane.admin("publish")
            #expect(await start() == nil)
            #expect(service.cachedFile(forURL: origin.origin + "/more") != nil)
            service.config.networkSelectionOverride = .none
            try await plane.admin("ingest", "segment_1", "--url", origin.origin + "/most")
            try await plane.admin("publish")
            let code = await start()
            #expect(code == VOCSDKError.downloadOutOfPolicy.rawValue)
            #expect(!service.downloadAllowed && service.lastPolicyStatus != .inPolicy)
            service.config.networkSelectionOverride = .invalid
            service.config.itemDownloadBehavior = .fullAuto
            #expect(service.downloadAllowed && service.lastPolicyStatus == .inPolicy)
        }
    }

    @Test("clears the cache, and downloads again what the segments hold")
    func clearCache() async throws {
        try await launched { guide, _, origin in
            let service = try #require(guide.akaService)
            let error = await withCheckedContinuation { continuation in
                service.clearCache { continuation.resume(returning: ($0 as NSError?)?.code) }
            }
            #expect(error == nil)
            await hearing.wait { $0.count(where: { $0.hasPrefix("evicted") }) >= 2 }
            service.startDownloadUserInitiated(completion: nil)
            await hearing.wait { $0.count(where: { $0.hasPrefix("downloaded") }) >= 4 }
            #expect(service.cachedFile(forURL: origin.origin + "/1") != nil)
        }
    }

    @Test("hands over the push token")
    func pushToken() async throws {
        try await MapRig.runWithServer { rig, _ in
            let guide = Guide2019(heard: hearing.hear)
            guide.akaService = ClientService.shared
            guide.application(UIApplication(), didRegisterForRemoteNotificationsWithDeviceToken: Data([1, 0xAB]))
            let sent = await rig.transport.wait { $0.request.url.path.hasSuffix("/push-token") }
            guard case .data(let body) = sent.body else { throw CancellationError() }
            let request = try WireCoding.decode(PushTokenRequest.self, from: body)
            #expect(request.service == "apns" && request.token == "01ab")
            guide.akaService?.config.useProductionApns = false
            guide.akaService?.setDevicePushToken(Data([2]))
            let next = await rig.transport.wait { $0.request.url.path.hasSuffix("/push-token") }
            guard case .data(let second) = next.body else { throw CancellationError() }
            #expect(try WireCoding.decode(PushTokenRequest.self, from: second).service == "apns-sandbox")
        }
    }

    @Test("options that cannot be used are an error, and the SDK is not started")
    func wrongOptions() async throws {
        let guide = Guide2019(heard: hearing.hear)
        #expect(!guide.application(UIApplication(), didFinishLaunchingWithOptions: nil, more: ["license": 5]))
        #expect(hearing.lines == ["could not start: -1000"])
        #expect(guide.akaService == nil && SharedClient.shared.client == nil)
        #expect(
            !guide.application(UIApplication(), didFinishLaunchingWithOptions: nil, more: ["segments": "segment_1"]))
    }

    @Test("NSURLConnection, the shared session and a session that was set up are answered by the SDK")
    func requests() async throws {
        try await MapRig.run { rig in
            let guide = Guide2019(heard: hearing.hear)
            guide.akaService = ClientService.shared
            #expect(guide.connect() != nil)
            await hearing.wait(for: "finished")
            #expect(hearing.lines == ["response", "data the page /", "finished"])
            let exchanges = try #require(SharedClient.shared.client).exchanges()
            guide.loadInSharedSession()
            for await record in exchanges where record.url == "http://www.akamai.com/" { break }
            rig.transport.disconnect()
            let session = guide.loadInCustomSession()
            defer { session.finishTasksAndInvalidate() }
            await hearing.wait { $0.count == 4 }
            #expect(hearing.lines[3] == "data the page /")
            guide.handOverRedirects()
            #expect(guide.akaService?.config.autoFollowRedirects == false)
            guide.lookAtQuality()
            #expect(hearing.lines.last == "Network Quality: Not ready")
            guide.debug()
            #expect(SharedClient.shared.isDebugging)
        }
    }

    @Test("no-cache asks the origin again")
    func noCache() async throws {
        try await MapRig.run { rig in
            let guide = Guide2019(heard: hearing.hear)
            for round in 1...2 {
                let exchanges = try #require(SharedClient.shared.client).exchanges()
                guide.loadRevalidated()
                for await record in exchanges where record.status == 200 { break }
                #expect(rig.origin.requests.count == round)
            }
        }
    }
}

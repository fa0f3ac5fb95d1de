import AkaCommon
import AkaMap
import Foundation
import Larder
import Primitives
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app's delegate, written as for the retired SDK.
private final class AppDelegate: VocServiceDelegate, Sendable {
    private let told = Locked<[String]>([])

    var calls: [String] { told.withLock { $0 } }

    func cacheAdded(_ added: Set<AkaCachedFile>?, updated: Set<AkaCachedFile>?, removed: Set<AkaCachedFile>?) {
        for file in added ?? [] {
            let isReadable = FileManager.default.isReadableFile(atPath: file.localPath)
            told.withLock { $0.append("added \(file.urlString) \(isReadable)") }
        }
    }
}

/// The faces over a client without a server: the cache, the sessions, the notifications.
@Suite(.serialized, .exclusiveInterception, .timeLimit(.minutes(1))) struct AkaFacesTests {
    private static let body = "content of the page"

    /// Configures the SDK from a property list, runs a test, and ends the SDK.
    private func configured(_ body: (RawServer) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let list: [String: Any] = ["com.akamai": ["map": ["directory": directory.path("sdk")]]]
        let file = directory.path("Aka-Info.plist")
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: file))
        let server = try RawServer { connection in
            while try connection.readHead() != nil {
                try connection.write(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Type: text/html; charset=utf-8\r\n"
                        + "Content-Length: \(Self.body.utf8.count)\r\n\r\n\(Self.body)")
            }
        }
        AkaCommon.configure(withPlist: file)
        AkaCommon.configure(withPlist: file)
        do { try await body(server) } catch {
            await AkaCommon.shared().reset()
            throw error
        }
        await AkaCommon.shared().reset()
    }

    private func load(_ url: String, in session: URLSession) async throws -> String {
        let address = try #require(URL(string: url))
        return try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: address) { data, _, error in
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        return String(decoding: data ?? Data(), as: UTF8.self)
                    })
            }.resume()
        }
    }

    @Test("is there and does nothing before it is configured")
    func inert() {
        let mapService: (any AkaMapProtocol)? = AkaMap.shared()
        mapService?.subscribeSegments(["basics"])
        mapService?.logEvent("tapped")
        mapService?.startEvent("load")
        mapService?.stopEvent("load")
        mapService?.cacheSize = 1
        mapService?.debugSendAnalytics()
        AkaCommon.shared().interceptSessions(with: .ephemeral)
        #expect(mapService?.enabled() == false)
        #expect(mapService?.state == .notRegistered)
        #expect(mapService?.subscribedSegments() == nil)
        #expect(mapService?.cachedFiles() == [])
        #expect(mapService?.cacheSize == 0)
        #expect(mapService?.cachedFile(forURL: "http://example.com/") == nil)
    }

    @Test("serves the shared session from the cache once it is configured")
    func sharedSession() async throws {
        try await configured { server in
            let url = server.origin + "/shared"
            let online = try await load(url, in: .shared)
            #expect(online == Self.body)
            server.stop()
            let offline = try await load(url, in: .shared)
            #expect(offline == Self.body)
        }
    }

    @Test("serves custom sessions whose configuration was handed over")
    func customSession() async throws {
        try await configured { server in
            let sessionConfig = URLSessionConfiguration.default
            AkaCommon.shared().interceptSessions(with: sessionConfig)
            let customSession = URLSession(configuration: sessionConfig, delegate: nil, delegateQueue: nil)
            defer { customSession.finishTasksAndInvalidate() }
            let url = server.origin + "/custom"
            let online = try await load(url, in: customSession)
            #expect(online == Self.body)
            server.stop()
            let offline = try await load(url, in: customSession)
            #expect(offline == Self.body)
        }
    }

    @Test("shows the files on the device, readable as they are")
    func cachedFiles() async throws {
        try await configured { server in
            let url = server.origin + "/page.html"
            _ = try await load(url, in: .shared)
            let mapService = AkaMap.shared()
            let file = try #require(mapService.cachedFile(forURL: url))
            #expect(file.urlString == url)
            #expect(file.inferredMIMEType == "text/html")
            #expect(file.responseHeaders["Cache-Control"] == "max-age=3600")
            #expect(try String(contentsOfFile: file.localPath, encoding: .utf8) == Self.body)
            #expect(mapService.cachedFiles() == [file])
            #expect(mapService.cacheUsed == UInt64(Self.body.utf8.count))
            #expect(mapService.cacheAvailable <= mapService.cacheSize - mapService.cacheUsed)
        }
    }

    @Test("changes the size of the cache")
    func cacheSize() async throws {
        try await configured { _ in
            let mapService = AkaMap.shared()
            #expect(mapService.cacheSize == 640 << 20)
            mapService.cacheSize = 1 * 1024 * 1024 * 1024
            #expect(mapService.cacheSize == 1 << 30)
        }
    }

    @Test("evicts when the cache shrinks")
    func shrink() async throws {
        try await configured { server in
            _ = try await load(server.origin + "/1", in: .shared)
            let mapService = AkaMap.shared()
            #expect(mapService.cachedFiles().count == 1)
            mapService.cacheSize = 0
            #expect(mapService.cachedFiles().isEmpty)
            #expect(mapService.cacheUsed == 0)
        }
    }

    @Test("tells a delegate of new files when they can be read, and no more after it is taken away")
    func cacheListener() async throws {
        try await configured { server in
            let (delegate, queue) = (AppDelegate(), OperationQueue())
            let mapService = AkaMap.shared()
            mapService.setDelegate(delegate, with: queue)
            // The delegate begins to listen a moment after the call: what is stored before that is not told.
            var round = 0
            while delegate.calls.isEmpty {
                _ = try await load(server.origin + "/listened?\(round)", in: .shared)
                round += 1
            }
            #expect(delegate.calls.first?.hasSuffix(" true") == true)
            mapService.setDelegate(nil, with: nil)
        }
    }

    @Test("takes notifications that hold its key, and calls the handler once")
    func notifications() async throws {
        let common = AkaCommon.shared()
        let results = Locked<[UIBackgroundFetchResult]>([])
        let isForeign = common.didReceiveRemoteNotification(["aps": "x"]) { result in
            results.withLock { $0.append(result) }
        }
        #expect(!isForeign)
        #expect(results.withLock { $0 } == [])
        #expect(common.didReceiveRemoteNotification(["mapsdk": 1]) { result in results.withLock { $0.append(result) } })
        #expect(results.withLock { $0 } == [.failed])
        try await configured { _ in
            let result = await withCheckedContinuation { continuation in
                #expect(common.didReceiveRemoteNotification(["mapsdk": ""]) { continuation.resume(returning: $0) })
            }
            // Without a server there is nothing to sync with.
            #expect(result == .failed)
        }
    }

    @Test("switches the debug console on and off")
    func debugConsole() async throws {
        try await configured { _ in
            AkaMap.shared().setDebugConsoleLog(true)
            #expect(AkaCommon.shared().debugConsoleEnabled)
            AkaCommon.shared().debugConsoleEnabled = false
            #expect(!AkaCommon.shared().debugConsoleEnabled)
        }
    }

    @Test("reads the options that apps wrote for the retired SDK")
    func options() {
        let configuration = AkaOptions(propertyList: [
            "CFBundleIdentifier": "com.example.news",
            "com.akamai": [
                "map": [
                    "api_key": "123456ABCDEF", "segments": ["banner_images", "core_files"], "server_url": "http://s",
                ]
            ],
        ]).configuration
        #expect(configuration.apiKey == "123456ABCDEF")
        #expect(configuration.initialSegments == ["banner_images", "core_files"])
        #expect(configuration.serverURL == "http://s")
        #expect(configuration.bundleID == "com.example.news")
        let empty = AkaOptions(propertyList: ["com.akamai": 5]).configuration
        #expect(empty.apiKey == nil)
        #expect(empty.initialSegments == [])
    }
}

import AkaCommon
import AkaMap
import Foundation
import Larder
import TestSupport
import Testing
import VocSdk
import WebKit

@testable import MapSamples
@testable import VocCommon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the samples of the guide of 2020 do, against an origin on the loopback.
@Suite("The samples of 2020 do what the guide says", .serialized, .exclusiveInterception, .timeLimit(.minutes(5)))
struct SampleTests {
    private let hearing = Hearing()

    private func guide() -> Guide2020 {
        let guide = Guide2020(heard: hearing.hear)
        guide.takeService()
        return guide
    }

    /// Loads a URL in the shared session, so that it is in the cache.
    private func load(
        _ url: String, _ fields: [String: String] = [:], in session: URLSession = .shared
    ) async throws -> (String, HTTPURLResponse) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.allHTTPHeaderFields = fields
        return try await withCheckedThrowingContinuation { [request] continuation in
            session.dataTask(with: request) { data, response, error in
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        let response = try #require(response as? HTTPURLResponse)
                        return (String(decoding: data ?? Data(), as: UTF8.self), response)
                    })
            }.resume()
        }
    }

    @Test("NSURLConnection tells its delegate, from the network and then from the cache")
    func connection() async throws {
        try await MapRig.run { rig in
            let guide = guide()
            for round in 1...2 {
                #expect(guide.connect() != nil)
                await hearing.wait { $0.count(where: { $0 == "finished" }) == round }
                rig.transport.disconnect()
            }
            let once = ["response 200", "data the page /", "finished"]
            #expect(hearing.lines == once + once)
            #expect(rig.origin.requests.count == 1)
        }
    }

    @Test("NSURLConnection in its other forms: asynchronous, synchronous, cancelled, failed")
    func otherConnections() async throws {
        try await MapRig.run { rig in
            let request = URLRequest(url: try #require(URL(string: "https://www.akamai.com/a")))
            let queue = OperationQueue()
            let data = await withCheckedContinuation { continuation in
                NSURLConnection.sendAsynchronousRequest(request, queue: queue) { response, data, error in
                    #expect((response as? HTTPURLResponse)?.statusCode == 200 && error == nil)
                    #expect(OperationQueue.current === queue)
                    continuation.resume(returning: data)
                }
            }
            #expect(data == Data("the page /a".utf8))
            rig.transport.disconnect()
            let (body, status) = try await onThread {
                var response: URLResponse?
                let body = try NSURLConnection.sendSynchronousRequest(request, returning: &response)
                return (body, (response as? HTTPURLResponse)?.statusCode)
            }
            #expect(body == Data("the page /a".utf8) && status == 200)
            let other = URLRequest(url: try #require(URL(string: "https://www.akamai.com/other")))
            await #expect(throws: (any Error).self) {
                try await onThread { try NSURLConnection.sendSynchronousRequest(other, returning: nil) }
            }
            let guide = guide()
            _ = NSURLConnection(request: other, delegate: guide)
            await hearing.wait { $0.first?.hasPrefix("failed") == true }
            let cancelled = try #require(NSURLConnection(request: request, delegate: guide, startImmediately: false))
            cancelled.cancel()
            cancelled.start()
            #expect(NSURLConnection(request: URLRequest(url: URL(fileURLWithPath: "/")), delegate: guide) == nil)
            #expect(hearing.lines.count == 1)
        }
    }

    /// Runs something that blocks on a thread of its own.
    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    @Test("the shared session is handled implicitly")
    func sharedSession() async throws {
        try await MapRig.run { rig in
            let exchanges = try #require(AkaCommon.shared().larder).exchanges()
            guide().loadInSharedSession()
            for await record in exchanges {
                #expect(record.url == "https://www.akamai.com/" && record.status == 200)
                break
            }
            rig.transport.disconnect()
            #expect(try await load("https://www.akamai.com/").0 == "the page /")
        }
    }

    @Test("a custom session is handled once its configuration was handed over, ahead of what is there")
    func customSession() async throws {
        try await MapRig.run { rig in
            let session = guide().loadInCustomSession()
            defer { session.finishTasksAndInvalidate() }
            await hearing.wait(for: "finished")
            #expect(hearing.lines == ["data the page /", "finished"])
            rig.transport.disconnect()
            let (offline, _) = try await load("https://www.akamai.com/", in: session)
            #expect(offline == "the page /")
            let configuration = URLSessionConfiguration.default
            let before = configuration.protocolClasses ?? []
            AkaCommon.shared().interceptSessions(with: configuration)
            let after = configuration.protocolClasses ?? []
            #expect(after.count == before.count + 1)
            #expect(zip(after.dropFirst(), before).allSatisfy { $0 == $1 })
        }
    }

    @Test("the web view's handler answers from the network, and then from the cache")
    func webView() async throws {
        try await MapRig.run { rig in
            WKWebView.makeTask = { [hearing] in RecordingSchemeTask($0, hearing) }
            defer { WKWebView.makeTask = nil }
            showPage()
            await hearing.wait(for: "finished")
            #expect(hearing.lines == ["response 200 text/html; charset=utf-8", "data the page /", "finished"])
            rig.transport.disconnect()
            showPage()
            await hearing.wait { $0.count == 6 }
            #expect(hearing.lines[3...] == hearing.lines[..<3])
            #expect(rig.origin.requests.count == 1)
        }
    }

    @Test("no-cache asks the origin again")
    func noCache() async throws {
        try await MapRig.run { rig in
            let url = "https://www.akamai.com/some_image.jpg"
            _ = try await load(url)
            _ = try await load(url)
            #expect(rig.origin.requests.count == 1)
            let exchanges = try #require(AkaCommon.shared().larder).exchanges()
            guide().loadRevalidated()
            for await record in exchanges where rig.origin.requests.count == 2 {
                #expect(record.url == url)
                break
            }
        }
    }

    @Test(
        "honours what a request says of freshness",
        arguments: [
            // The stored response is 100 seconds old and fresh for an hour.
            (3_600, "max-age=200", true), (3_600, "max-age=50", false), (3_600, "max-age=200, no-cache", false),
            // The stored response is stale by 40 seconds.
            (60, "max-stale", true), (60, "max-stale=50", true), (60, "max-stale=10", false),
            (60, "max-stale, no-cache", false), (60, "max-age=9999", false),
        ])
    func directives(_ lifetime: Int, _ directive: String, _ isServed: Bool) async throws {
        try await MapRig.run({ _ in .init("body", ["Cache-Control": "max-age=\(lifetime)", "Age": "100"]) }) { rig in
            let url = "https://www.akamai.com/directive"
            _ = try await load(url)
            #expect(try await load(url, ["Cache-Control": directive]).0 == "body")
            #expect(rig.origin.requests.count == (isServed ? 1 : 2))
            #expect(try await load(url, ["Pragma": "no-cache"]).0 == "body")
            #expect(rig.origin.requests.count == (isServed ? 2 : 3))
        }
    }

    @Test("the size of the cache is changed, and shrinking evicts")
    func cacheSize() async throws {
        try await MapRig.run { _ in
            let guide = guide()
            guide.setCacheSize()
            let service = AkaMap.shared()
            #expect(service.cacheSize == 1 << 30)
            _ = try await load("https://www.akamai.com/1")
            #expect(service.cacheUsed == UInt64("the page /1".utf8.count))
            #expect(service.cacheAvailable <= service.cacheSize - service.cacheUsed)
            #expect(service.cacheAvailable > 0)
            service.cacheSize = 0
            #expect(service.cachedFiles().isEmpty && service.cacheUsed == 0 && service.cacheAvailable == 0)
        }
    }

    @Test("the cache is looked at: all files, one file, its fields and its body")
    func cachedFiles() async throws {
        try await MapRig.run { _ in
            let guide = guide()
            #expect(guide.lookAtCache() == ([], nil))
            _ = try await load("https://www.akamai.com/index.html")
            let (all, single) = guide.lookAtCache()
            let file = try #require(single)
            #expect(all == [file])
            #expect(file.urlString == "https://www.akamai.com/index.html")
            #expect(file.inferredMIMEType == "text/html")
            #expect(file.responseHeaders["Cache-Control"] == "max-age=3600")
            #expect(try String(contentsOfFile: file.localPath, encoding: .utf8) == "the page /index.html")
            #expect(hearing.lines == ["text/html; charset=utf-8 the page /index.html"])
        }
    }

    @Test("cached files are equal and hash alike when they are the same file with the same fields")
    func cachedFileIdentity() async throws {
        try await MapRig.run { _ in
            _ = try await load("https://www.akamai.com/1")
            _ = try await load("https://www.akamai.com/2")
            let service = AkaMap.shared()
            let (one, two) = (
                service.cachedFile(forURL: "https://www.akamai.com/1"),
                service.cachedFile(forURL: "https://www.akamai.com/2")
            )
            #expect(one == service.cachedFile(forURL: "https://www.akamai.com/1"))
            #expect(one?.hashValue == service.cachedFile(forURL: "https://www.akamai.com/1")?.hashValue)
            #expect(one != two)
            #expect(service.cachedFiles().count == 2)
        }
    }

    @Test("a cache listener hears of files when they can be read, of their changes, and of removed ones by URL")
    func cacheListener() async throws {
        let version = Locked(1)
        try await MapRig.run({ request in
            .init("version \(version.withLock { $0 })", ["Cache-Control": "max-age=3600"])
        }) { _ in
            let listener = CacheListener { [hearing] what, files in
                for file in files {
                    let text = try? String(contentsOfFile: file.localPath, encoding: .utf8)
                    hearing.hear("\(what) \(file.urlString) \(text ?? "-") \(file.responseHeaders.isEmpty)")
                }
            }
            let queue = OperationQueue()
            let service = AkaMap.shared()
            service.setDelegate(listener, with: queue)
            let url = "https://www.akamai.com/some_image.jpg"
            _ = try await load(url)
            await hearing.wait { $0.count == 1 }
            version.withLock { $0 = 2 }
            guide().loadRevalidated()
            await hearing.wait { $0.count == 2 }
            service.cacheSize = 0
            await hearing.wait { $0.count == 3 }
            #expect(
                hearing.lines == [
                    "added \(url) version 1 false", "updated \(url) version 2 false", "removed \(url) - true",
                ])
            // After nil and nil nothing is told, though content changes.
            service.setDelegate(nil, with: nil)
            service.cacheSize = 1 << 20
            _ = try await load(url)
            await withCheckedContinuation { continuation in queue.addBarrierBlock { continuation.resume() } }
            #expect(hearing.lines.count == 3)
        }
    }

    @Test("redirects are followed, or handed to the app when the setting says so")
    func redirects() async throws {
        try await MapRig.run({ request in
            request.target == "/old" ? .init("moved", status: 302, ["Location": "/new"]) : MapRig.page(request)
        }) { _ in
            let (followed, response) = try await load("https://www.akamai.com/old")
            #expect(followed == "the page /new" && response.statusCode == 200)
            guide().handOverRedirects()
            let (body, redirect) = try await load("https://www.akamai.com/old")
            #expect(body == "moved" && redirect.statusCode == 302)
            #expect(redirect.value(forHTTPHeaderField: "Location") == "/new")
            AkaMap.shared().config.autoFollowRedirects = true
            #expect(try await load("https://www.akamai.com/old").1.statusCode == 200)
        }
    }

    @Test("a notification that is not the SDK's is left to the app")
    func foreignNotification() async throws {
        try await MapRig.run { _ in
            let guide = guide()
            let results = Locked<[UIBackgroundFetchResult]>([])
            guide.application(UIApplication(), didReceiveRemoteNotification: ["aps": "x"]) { result in
                results.withLock { $0.append(result) }
            }
            #expect(results.withLock { $0 } == [.noData])
        }
    }

    @Test("a notification with the key mapsdk is taken, and its handler called once by the SDK")
    func notification() async throws {
        try await MapRig.run { _ in
            let guide = guide()
            let result = await withCheckedContinuation { continuation in
                guide.application(UIApplication(), didReceiveRemoteNotification: ["mapsdk": ""]) {
                    continuation.resume(returning: $0)
                }
            }
            // Without a server there is nothing to sync with.
            #expect(result == .failed)
            #expect(AkaCommon.shared().didReceiveRemoteNotification(["mapsdk": 1]) { _ in })
            #expect(!AkaCommon.shared().didReceiveRemoteNotification(["MAPSDK": 1]) { _ in })
        }
    }

    @Test("the network's quality has a status that a switch covers without default")
    func quality() async throws {
        try await MapRig.run { _ in
            let guide = guide()
            guide.lookAtQuality()
            let quality = try #require(AkaMap.shared().networkQuality())
            #expect(quality.qualityStatus == .notReady)
            #expect(abs(quality.timeStamp.timeIntervalSinceNow) < 3_600)
        }
    }

    @Test("the app's delegate is set as the app starts")
    func appDelegate() async throws {
        try await MapRig.run { _ in
            let delegate = AppDelegate()
            #expect(delegate.application(UIApplication(), didFinishLaunchingWithOptions: nil))
            #expect(delegate.mapService === AkaMap.shared())
            AkaMap.shared().setDelegate(nil, with: nil)
        }
    }
}

/// Tells what a handler of a scheme answers.
private final class RecordingSchemeTask: NSObject, WKURLSchemeTask {
    let request: URLRequest
    private let hearing: Hearing

    init(_ request: URLRequest, _ hearing: Hearing) {
        self.request = request
        self.hearing = hearing
    }

    func didReceive(_ response: URLResponse) {
        let response = response as? HTTPURLResponse
        hearing.hear(
            "response \(response?.statusCode ?? 0) \(response?.value(forHTTPHeaderField: "Content-Type") ?? "")")
    }

    func didReceive(_ data: Data) { hearing.hear("data \(String(decoding: data, as: UTF8.self))") }

    func didFinish() { hearing.hear("finished") }

    func didFailWithError(_ error: any Error) { hearing.hear("failed \(error)") }
}

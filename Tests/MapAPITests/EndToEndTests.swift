import Foundation
import Larder
import TestSupport
import Testing

/// An app of the retired SDK's time with a server of this product: the whole way through the retired names alone.
@Suite("An app of 2020 with a server", .serialized, .timeLimit(.minutes(5)))
struct EndToEndTests {
    private let directory: TemporaryDirectory
    private let origin: ScriptedOrigin

    init() throws {
        directory = try TemporaryDirectory(in: builtProduct(named: "MapSamples").deletingLastPathComponent())
        origin = try ScriptedOrigin { request in
            .init("content of \(request.target)", ["Cache-Control": "max-age=60", "Content-Type": "text/plain"])
        }
    }

    private func url(_ path: String) -> String { origin.origin + path }

    private func plane() async throws -> ControlPlane {
        try await ControlPlane(
            [
                "news": [url("/news/1"), url("/shared")], "sport": [url("/sport/1"), url("/shared")],
                "unused": [url("/unused")],
            ], in: directory)
    }

    private func options(_ plane: ControlPlane) -> [String: Any] {
        [
            "CFBundleIdentifier": "com.example.news",
            "com.akamai": ["map": ["api_key": plane.apiKey, "server_url": plane.url, "segments": ["news"]]],
        ]
    }

    @Test("joins the segments of its Info.plist at the first start, and is told in order")
    func firstStart() async throws {
        let plane = try await plane()
        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        let app = try AppProcess(in: directory)
        try await app.tell("listen")
        #expect(try await app.tell("state") == ["0"])
        try await app.tell("configure")
        await app.wait(for: "added \(url("/news/1")) content of /news/1")
        await app.wait(for: "added \(url("/shared")) content of /shared")
        await app.wait(for: "didInitialize")
        let told = app.lines.filter { $0.hasPrefix("did") }
        #expect(told == ["didRegister", "didInitialize"])
        #expect(try await app.tell("subscribed").contains("news"))
        #expect(try await app.tell("enabled").contains("true"))
        #expect(try await app.tell("cached").contains("\(url("/news/1")) \(url("/shared"))"))
        // What is on the device is served without the origin.
        origin.stop()
        #expect(try await app.tell("load \(url("/news/1"))").contains("loaded content of /news/1"))
        #expect(try await app.tell("load \(url("/unused"))").contains("failed"))
        try await app.end()
    }

    @Test("replaces its segments: the dropped go, what another segment holds stays, and a restart keeps the choice")
    func segments() async throws {
        let plane = try await plane()
        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        var app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "added \(url("/news/1")) content of /news/1")
        try await app.tell("subscribe news sport")
        await app.wait(for: "added \(url("/sport/1")) content of /sport/1")
        try await app.tell("subscribe sport")
        await app.wait(for: "removed \(url("/news/1")) true")
        #expect(try await app.tell("cached").contains("\(url("/shared")) \(url("/sport/1"))"))
        #expect(try await app.tell("subscribed").contains("sport"))
        try await app.end()

        app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "didInitialize")
        #expect(app.lines.filter { $0.hasPrefix("did") } == ["didRegister", "didInitialize"])
        // The segments of the property list are ignored after the first start.
        #expect(try await app.tell("subscribed").contains("sport"))
        try await app.tell("subscribe")
        await app.wait(for: "removed \(url("/sport/1")) true")
        await app.wait(for: "removed \(url("/shared")) true")
        #expect(try await app.tell("cached").contains(""))
        #expect(try await app.tell("subscribed").contains(""))
        try await app.end()
    }

    @Test("refreshes at its start what the server has anew")
    func refreshes() async throws {
        let version = Locked(1)
        let origin = try ScriptedOrigin { _ in
            .init("version \(version.withLock { $0 })", ["Cache-Control": "max-age=60"])
        }
        let page = origin.origin + "/page"
        let plane = try await ControlPlane(["news": [page]], in: directory)
        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        var app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "added \(page) version 1")
        try await app.end()
        version.withLock { $0 = 2 }
        try await plane.admin("ingest", "news", "--url", page)
        try await plane.admin("publish")
        app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "updated \(page) version 2")
        #expect(try await app.tell("load \(page)").contains("loaded version 2"))
        try await app.end()
    }

    @Test("reads a property list of its own by its path")
    func propertyListByPath() async throws {
        let plane = try await plane()
        try AppProcess.install(
            in: directory, ["Info.plist": ["CFBundleIdentifier": "com.example.news"], "Aka-Info.plist": options(plane)])
        let app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configureWithPlist")
        await app.wait(for: "didInitialize")
        #expect(try await app.tell("subscribed").contains("news"))
        try await app.end()
    }

    @Test("names what is missing or mistyped in its options, each in a line")
    func mistypedOptions() async throws {
        let options: [String: Any] = ["com.akamai": ["map": ["api_key": 5, "segments": "news"]]]
        try AppProcess.install(in: directory, ["Info.plist": options])
        let app = try AppProcess(in: directory)
        try await app.tell("configure")
        for word in ["api_key is a number", "segments is a string", "server_url is missing"] {
            #expect(app.lines.contains { $0.contains(word) }, "\(app.lines)")
        }
        #expect(try await app.tell("state").contains("0"))
        #expect(try await app.tell("load \(url("/1"))").contains("loaded content of /1"))
        try await app.end()
    }

    @Test("is told that the server refuses its key, and that the server withdrew it")
    func refusedKey() async throws {
        let plane = try await plane()
        var wrong = options(plane)
        wrong["com.akamai"] = ["map": ["api_key": "lk_unknown", "server_url": plane.url]]
        try AppProcess.install(in: directory, ["Info.plist": wrong])
        var app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "didFailToRegister -1004")
        #expect(try await app.tell("state").contains("0"))
        try await app.end()

        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "didInitialize")
        try await plane.admin("keys", "revoke", plane.apiKey)
        // The next word with the server tells.
        try await app.tell("event")
        try await app.tell("sendAnalytics")
        await app.wait(for: "didBecomeNotRegistered")
        #expect(try await app.tell("state").contains("0"))
        try await app.end()
    }

    @Test("unregisters, and registers anew with a key and segments")
    func unregisters() async throws {
        let plane = try await plane()
        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        let app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "added \(url("/shared")) content of /shared")
        await app.wait(for: "didInitialize")
        try await app.tell("unregister")
        await app.wait(for: "unregistered well")
        await app.wait(for: "didBecomeNotRegistered")
        #expect(try await app.tell("state").contains("0"))
        #expect(try await app.tell("enabled").contains("false"))
        let key = try await plane.admin("keys", "create", "second").trimmingCharacters(in: .newlines)
        try await app.tell("register \(key) sport")
        await app.wait(for: "registered well")
        await app.wait(for: "didRegister", count: 2)
        await app.wait(for: "added \(url("/sport/1")) content of /sport/1")
        #expect(app.lines.count(where: { $0 == "didInitialize" }) == 1)
        try await app.tell("register lk_other")
        await app.wait(for: "registered -1002")
        try await app.end()
    }

    @Test("prints its segments, every URL with its state, its configuration, and what became of its analytics")
    func debugging() async throws {
        let plane = try await plane()
        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        let app = try AppProcess(in: directory)
        try await app.tell("listen")
        try await app.tell("configure")
        await app.wait(for: "added \(url("/news/1")) content of /news/1")
        await app.wait(for: "added \(url("/shared")) content of /shared")
        await app.wait(for: "didInitialize")
        let printed = try await app.tell("debug")
        let text = printed.joined(separator: "\n")
        #expect(text.contains("news"), "\(text)")
        let item = try #require(printed.firstIndex { $0.contains(url("/news/1")) }, "\(text)")
        let segments = try #require(printed.firstIndex { $0.contains("segment") })
        #expect(segments < item)
        #expect(!text.contains(plane.apiKey))
        let older = try await app.tell("olderNames")
        #expect(older.contains { $0.contains(url("/news/1")) })
        // The debug console is on now: a line for each exchange, and the app's own.
        #expect(try await app.tell("print").contains("a line of the app's"))
        try await app.tell("load \(url("/news/1"))")
        await app.waitForLine { $0.contains("CACHE_FETCH") && $0.contains(url("/news/1")) }
        try await app.tell("load \(url("/other"))")
        await app.waitForLine { $0.contains("CACHE_MISS") && $0.contains(url("/other")) }
        try await app.tell("event")
        try await app.tell("sendAnalytics")
        await app.waitForLine { $0.contains("analytics") && $0.contains("sent") }
        let files = try await app.tell("logFiles").first { $0.contains("com.akamai.akasdk.log") }
        let file = try #require(files?.split(separator: " ").first.map(String.init))
        #expect(file.hasPrefix(directory.path("caches")))
        try await app.tell("quiet")
        #expect(try await app.tell("print").isEmpty)
        try await app.end()
        let log = try String(contentsOfFile: file, encoding: .utf8)
        #expect(log.contains("CACHE_FETCH"))
        #expect(!log.contains(plane.apiKey))
    }

    @Test("keeps its settings over a restart")
    func keepsSettings() async throws {
        let plane = try await plane()
        try AppProcess.install(in: directory, ["Info.plist": options(plane)])
        var app = try AppProcess(in: directory)
        try await app.tell("configure")
        #expect(try await app.tell("forced").contains("false"))
        try await app.tell("forceDownload")
        try await app.end()
        app = try AppProcess(in: directory)
        try await app.tell("configure")
        #expect(try await app.tell("forced").contains("true"))
        try await app.end()
    }
}

import ControlModel
import ControlPlane
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Apps, keys and segments")
struct AppTests {
    @Test("an app is made, found, changed and listed by name")
    func apps() async throws {
        let server = try await TestServer()
        let news = try await server.plane.createApp(name: " News ", bundleID: "com.example.news")
        let maps = try await server.plane.createApp(name: "Maps", bundleID: "com.example.maps")
        #expect(news.name == "News")
        #expect(news.id.hasPrefix("app_") && news.id.count == 16)
        #expect(try await server.plane.apps() == [maps, news])
        var policy = DownloadPolicy()
        policy.concurrentDownloadsMax = 2
        let changed = try await server.plane.updateApp(
            id: news.id, name: "News 2", bundleID: "com.example.news2", settings: AppSettings(policy: policy))
        #expect(try await server.plane.app(id: news.id) == changed)
        #expect(changed.policy == policy)
        await expectProblem(404, "unknown-app") { try await server.plane.app(id: "app_nothing") }
    }

    @Test(
        "values that make no sense are refused with the field's name",
        arguments: [
            ("", "com.example", "invalid-name"), ("a\u{7}b", "com.example", "invalid-name"),
            ("News", "com example", "invalid-bundle-id"), ("News", "", "invalid-bundle-id"),
        ])
    func invalid(name: String, bundleID: String, type: String) async throws {
        let server = try await TestServer()
        await expectProblem(422, type) { try await server.plane.createApp(name: name, bundleID: bundleID) }
    }

    @Test("a policy out of bounds is refused")
    func policyBounds() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        for change: (inout DownloadPolicy) -> Void in [
            { $0.fileByteCountMax = 0 }, { $0.concurrentDownloadsMax = 0 }, { $0.concurrentDownloadsMax = 33 },
            { $0.syncIntervalSeconds = 0 }, { $0.bytesPerSecondMax = 10 },
        ] {
            var policy = DownloadPolicy()
            change(&policy)
            await expectProblem(422, "invalid-policy") {
                try await server.plane.updateApp(
                    id: app.id, name: "News", bundleID: "com.example.news", settings: AppSettings(policy: policy))
            }
        }
    }

    @Test("a key belongs to its app and stays revoked")
    func keys() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let other = try await server.plane.createApp(name: "Other", bundleID: "com.example.other")
        let key = try await server.plane.createAPIKey(appID: app.id, name: "Store")
        #expect(key.key.hasPrefix("lk_") && key.key.count == 43)
        await expectProblem(404, "unknown-key") {
            try await server.plane.revokeAPIKey(appID: other.id, key: key.key)
        }
        let revoked = try await server.plane.revokeAPIKey(appID: app.id, key: key.key)
        #expect(revoked.revokedAt == server.timekeeper.now)
        server.timekeeper.advance(by: .seconds(60))
        #expect(try await server.plane.revokeAPIKey(appID: app.id, key: key.key) == revoked)
        #expect(try await server.plane.apiKeys(appID: app.id) == [revoked])
        #expect(try await server.plane.apiKeys(appID: other.id).isEmpty)
    }

    @Test("segment names are unique in their app and of few characters")
    func segmentNames() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        await expectProblem(409, "segment-exists") {
            try await server.plane.createSegment(appID: app.id, name: "news", note: "")
        }
        for name in ["", "a b", "a/b", "..", String(repeating: "a", count: 65), "näws"] {
            await expectProblem(422, "invalid-segment-name") {
                try await server.plane.createSegment(appID: app.id, name: name, note: "")
            }
        }
        let other = try await server.plane.createApp(name: "Other", bundleID: "com.example.other")
        _ = try await server.plane.createSegment(appID: other.id, name: "news", note: "the same name elsewhere")
        await expectProblem(404, "unknown-segment") { try await server.plane.segment(appID: app.id, name: "sport") }
    }

    @Test("an app has a bounded number of segments")
    func segmentCount() async throws {
        var configuration = ControlPlane.Configuration()
        configuration.segmentsPerAppMax = 1
        let server = try await TestServer(configuration: configuration)
        let app = try await server.makeApp()
        await expectProblem(409, "too-many-segments") {
            try await server.plane.createSegment(appID: app.id, name: "sport", note: "")
        }
    }

    @Test("an item's priority and need are edited, and it is removed")
    func items() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.serve("https://example.com/a")
        server.origin.serve("https://example.com/b", "other")
        try await server.ingest(["https://example.com/a", "https://example.com/b"], into: app)
        let item = try await server.plane.updateItem(
            appID: app.id, segment: "news", url: "https://example.com/a", priority: 5, isEssential: false)
        #expect(item.priority == 5 && !item.isEssential && item.state == .ready)
        #expect(
            try await server.plane.items(appID: app.id, segment: "news").map(\.url)
                == ["https://example.com/b", "https://example.com/a"])
        await expectProblem(422, "invalid-priority") {
            try await server.plane.updateItem(
                appID: app.id, segment: "news", url: "https://example.com/a", priority: -1, isEssential: true)
        }
        try await server.plane.removeItem(appID: app.id, segment: "news", url: "https://example.com/a")
        await expectProblem(404, "unknown-item") {
            try await server.plane.removeItem(appID: app.id, segment: "news", url: "https://example.com/a")
        }
        // What was edited is kept when the item is checked again.
        _ = try await server.plane.updateItem(
            appID: app.id, segment: "news", url: "https://example.com/b", priority: 7, isEssential: false)
        try await server.ingest(["https://example.com/b"], into: app, replacing: true)
        let again = try await server.item("https://example.com/b", of: app)
        #expect(again.priority == 7 && !again.isEssential)
    }
}

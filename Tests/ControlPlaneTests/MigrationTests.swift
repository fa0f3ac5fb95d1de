import ControlModel
import Cryptography
import Foundation
import SQLiteDatabase
import TestSupport
import Testing
import Wire

@testable import SQLiteRepository

@Suite("A database of an older server")
struct MigrationTests {
    /// A file as version 1 of the schema had it, with an app, a device and what it told.
    private func makeOldFile(_ path: String) throws {
        let database = try SQLiteDatabase(path: path, migrations: Array(Schema.migrations.prefix(1)))
        try database.withWriter { connection in
            try connection.execute(
                """
                INSERT INTO apps VALUES ('app_1', 'News', 'com.example.news', 1767225600000,
                    '{"concurrentDownloadsMax":2,"fileByteCountMax":1000,"isEnabled":true,"syncIntervalSeconds":60}');
                INSERT INTO api_keys VALUES ('lk_1', 'app_1', 'key', 1767225600000, NULL);
                INSERT INTO devices VALUES ('dev_1', 'app_1',
                    '\(SHA256Digest.of(Data("t".utf8)).hex)', 'lk_1', 'Linux', '1.0', 1767225600000, 1767225600000);
                INSERT INTO batches VALUES (1, 'dev_1', 'b', 'app_1', 1767225600000, 1767225600000);
                INSERT INTO events VALUES (1, 'app_1', 1767225600000, 'opened', 250000);
                INSERT INTO exchanges VALUES (1, 'app_1', 1767225600000, 'GET', 'https://example.com/', 200, 'miss', '',
                    1, 2, 3, 4, 'h2', 'news', NULL);
                """)
        }
    }

    @Test("opens with everything in it, and takes what is new")
    func opens() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("server.sqlite")
        try makeOldFile(path)
        let repository = try SQLiteRepository(path: path)
        var app = try #require(await repository.app(id: "app_1"))
        #expect(app.name == "News" && app.policy.concurrentDownloadsMax == 2)
        #expect(app.policy.networks == .wifiAndCellular && app.policy.wifi == NetworkRules())
        try await repository.save(app)
        app = try #require(await repository.app(id: "app_1"))
        #expect(try await repository.device(id: "dev_1")?.pushToken == nil)
        try await repository.setPushToken(deviceID: "dev_1", to: PushTokenRequest(service: "apns", token: "aa"))
        #expect(try await repository.device(id: "dev_1")?.pushToken?.token == "aa")

        let day = app.createdAt..<app.createdAt.addingTimeInterval(86_400)
        let events = try await repository.eventStatistics(appID: "app_1", from: day.lowerBound, to: day.upperBound)
        #expect(events.map(\.name) == ["opened"])
        #expect(events.first?.medianMilliseconds == 250 && events.first?.exchangeCount == 0)
        let timeline = try await repository.timeline(deviceID: "dev_1", eventCountMax: 5, exchangeCountMax: 5)
        #expect(timeline.count == 2)
        let batch = TelemetryBatch(
            id: "b2", deviceID: "dev_1", createdAt: app.createdAt,
            items: [.pinFailure(PinFailure(host: "example.com", shownDigests: ["a", "b"], date: app.createdAt))],
            losses: [:])
        #expect(try await repository.store(batch, appID: "app_1", receivedAt: app.createdAt))
        let failures = try await repository.pinFailures(appID: "app_1", from: day.lowerBound, to: day.upperBound)
        #expect(failures.map(\.shownDigests) == [["a", "b"]])
    }

    @Test("finds the steps of before as they were: what has been released is never edited")
    func firstVersion() throws {
        let directory = try TemporaryDirectory()
        let database = try SQLiteDatabase(
            path: directory.path("old.sqlite"), migrations: Array(Schema.migrations.prefix(1)))
        let schema = try database.withWriter { connection in
            try connection.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name") { $0.string(0) }
        }
        #expect(schema.count == 33)
        #expect(
            SHA256Digest.of(Data(schema.joined(separator: "\n").utf8)).hex
                == "ee5f1f1098979b4997162184061a5aade1775fbde4671c498110999e5234e41b")
    }
}

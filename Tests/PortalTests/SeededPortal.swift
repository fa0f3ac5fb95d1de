import ControlModel
import ControlPlane
import Cryptography
import Foundation
import HTTPModel
import HTTPServer
import Portal
import Primitives
import SQLiteRepository
import TestSupport
import Testing
import Transport
import Wire

/// A portal over a real server and a real repository, filled as if a news app had been in use for a day.
final class SeededPortal: Sendable {
    static let password = "correct horse"
    let controlPlane: ControlPlane
    let repository: SQLiteRepository
    let server: HTTPServer
    let timekeeper = ManualTimekeeper()
    private let directory: TemporaryDirectory
    private let transport = CurlTransport()

    /// - Parameter isFilled: whether there is an app with content, devices and telemetry.
    init(isFilled: Bool) async throws {
        directory = try TemporaryDirectory()
        repository = try SQLiteRepository(path: directory.path("larder.sqlite"))
        controlPlane = try await ControlPlane(repository: repository, transport: transport, timekeeper: timekeeper)
        try await controlPlane.setAdministrator(name: "ada", password: Self.password)
        let controlPlane = controlPlane
        // Browsers without a driver cannot fill in a form: this route signs them in and sends them on.
        let back = Route(.get, "/test/enter") { request in
            let (token, _) = try await controlPlane.signIn(name: "ada", password: Self.password)
            var response = ServerResponse(status: 303, fields: [.location: request.queryValue("to") ?? "/"])
            response.fields.append(.setCookie, "larder_session=\(token); Path=/; HttpOnly")
            return response
        }
        server = try HTTPServer(
            configuration: .init(), routes: Portal.routes(controlPlane, timekeeper: timekeeper) + [back],
            timekeeper: timekeeper)
        if isFilled { try await fill() }
    }

    var base: String { "http://127.0.0.1:\(server.port)" }

    func stop() async {
        await server.stop()
        await controlPlane.shutDown()
        transport.shutDown()
    }

    var appID: String {
        get async throws { try #require(try await controlPlane.apps().first).id }
    }

    // MARK: - Content

    private func fill() async throws {
        let app = try await controlPlane.createApp(name: "Morning News", bundleID: "com.example.morning")
        let key = try await controlPlane.createAPIKey(appID: app.id, name: "iOS 2.1")
        for (name, note, count) in [
            ("front-page", "Today's stories and their pictures", 36), ("core", "Fonts, styles, scripts", 12),
        ] {
            _ = try await controlPlane.createSegment(appID: app.id, name: name, note: note)
            try await repository.save((0..<count).map { Self.item(app.id, name, $0) })
        }
        let release = try await controlPlane.publish(appID: app.id, by: "ada").release
        try await repository.save([Self.broken(app.id)])
        for index in 0..<24 { try await addDevice(index, app.id, key.key, release) }
    }

    private static func item(_ app: String, _ segment: String, _ index: Int) -> SegmentItem {
        let kinds = [("html", "text/html"), ("jpg", "image/jpeg"), ("webp", "image/webp"), ("css", "text/css")]
        let kind = kinds[index % kinds.count]
        var item = SegmentItem(
            appID: app, segment: segment, url: "https://news.example.com/\(segment)/story-\(index).\(kind.0)",
            priority: index % 3, isEssential: index % 5 != 4)
        item.state = index % 11 == 7 ? .warning : .ready
        if item.state == .warning {
            item.findings = [
                "The origin sends no-cache: the device asks it again on each use. Give the URL a lifetime."
            ]
        }
        item.byteCount = Int64(4_000 + index * 7_919 % 180_000)
        item.sha256 = SHA256Digest.of(Data("\(segment)\(index)".utf8))
        item.contentType = kind.1
        item.checkedAt = Date(timeIntervalSince1970: 1_767_200_000)
        return item
    }

    private static func broken(_ app: String) -> SegmentItem {
        var item = SegmentItem(appID: app, segment: "front-page", url: "https://news.example.com/front-page/gone.html")
        item.state = .failed
        item.findings = ["The origin answered with status 404. Correct the URL or remove the item."]
        return item
    }

    private func addDevice(_ index: Int, _ app: String, _ key: String, _ release: Release) async throws {
        let registration = try await controlPlane.register(
            RegistrationRequest(
                apiKey: key, bundleID: "com.example.morning", deviceID: nil, platform: index % 3 == 0 ? "linux" : "ios",
                sdkVersion: "0.1.0"))
        let device = try await controlPlane.device(id: registration.deviceID, token: registration.deviceToken)
        var generator = SeededGenerator(seed: UInt64(index + 1))
        var items: [TelemetryItem] = release.segments.map { segment in
            let ready = index % 6 == 5 ? segment.itemCount - 4 : segment.itemCount
            return .progress(
                SegmentProgress(
                    segment: segment.name, version: segment.version, itemsReady: ready, itemsFailed: 0,
                    itemsTotal: segment.itemCount, isActive: ready == segment.itemCount, date: timekeeper.now))
        }
        items += (0..<120).map { _ in .exchange(exchange(&generator)) }
        for outcome in [
            ItemOutcome.Outcome.prepositioned, .prepositioned, .prepositioned, .used, .used, .unused, .late,
        ] {
            items.append(
                .outcome(
                    ItemOutcome(
                        segment: "front-page", version: 1, url: "https://news.example.com/front-page/story-1.jpg",
                        outcome: outcome, byteCount: 48_000, date: timekeeper.now.addingTimeInterval(-3_600))))
        }
        try await controlPlane.store(
            TelemetryBatch(
                id: "batch-\(index)", deviceID: device.id, createdAt: timekeeper.now, items: items, losses: [:]),
            from: device)
    }

    /// Busy in the morning and in the evening; mostly answered on the device.
    private func exchange(_ generator: inout SeededGenerator) -> ExchangeRecord {
        let hour =
            [0, 1, 2, 5, 6, 7, 7, 8, 8, 8, 9, 12, 13, 15, 17, 18, 18, 19, 20, 22].randomElement(using: &generator) ?? 0
        let roll = Int.random(in: 0..<100, using: &generator)
        let outcome: ExchangeRecord.Outcome =
            switch roll {
            case ..<58: .pinnedHit
            case ..<74: .cacheHit
            case ..<80: .revalidated
            case ..<97: .miss
            case ..<99: .passedThrough
            default: .failed
            }
        let isHit = outcome == .pinnedHit || outcome == .cacheHit
        let microseconds = Int64.random(in: isHit ? 900...4_000 : 90_000...420_000, using: &generator)
        let bytes = Int64.random(in: 3_000...90_000, using: &generator)
        return ExchangeRecord(
            date: timekeeper.now.addingTimeInterval(Double(hour - 24) * 3_600 + 60), method: "GET",
            url: "https://news.example.com/front-page/story-1.html", status: outcome == .failed ? 0 : 200,
            outcome: outcome,
            cacheStatus: "Larder", firstByteMicroseconds: microseconds, totalMicroseconds: microseconds + 800,
            bodyByteCount: bytes, wireByteCount: isHit ? 0 : outcome == .revalidated ? 400 : bytes + 300)
    }
}

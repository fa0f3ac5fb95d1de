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
    static let pushToken = "0a1b2c3d4e5f"
    static let strangeKey = key(9)
    let controlPlane: ControlPlane
    let repository: SQLiteRepository
    let server: HTTPServer
    let timekeeper = ManualTimekeeper()
    /// What `/test/copy` answers: a page without the portal's own protection.
    let copy = Locked("")
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
        let copy = copy
        func plain(_ path: String, _ markup: @escaping @Sendable () -> String) -> Route {
            Route(.get, path) { _ in
                ServerResponse(
                    fields: [.contentType: "text/html; charset=utf-8"], body: .data(Data(markup().utf8)))
            }
        }
        // A frame as wide as a phone: browsers do not make their windows that narrow.
        let phone = """
            <iframe id="phone" src="/test/copy" width="390" height="800" style="border:0"></iframe>
            <script>phone.onload = () => {
              const root = phone.contentDocument.documentElement;
              document.title = `width ${root.scrollWidth} of ${root.clientWidth}`;
            }</script>
            """
        server = try HTTPServer(
            configuration: .init(),
            routes: Portal.routes(controlPlane, timekeeper: timekeeper) + [
                back, plain("/test/copy") { copy.withLock { $0 } }, plain("/test/phone") { phone },
            ],
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
        var settings = AppSettings()
        settings.policy.segments["front-page"] = SegmentPolicy()
        settings.policy.segments["front-page"]?.isForced = true
        settings.policy.batteryPercentMin = 20
        settings.policy.cellular.dailyByteCountMax = 50_000_000
        settings.pins = [
            PinRule(
                host: "news.example.com", includesSubdomains: true, digests: [Self.key(1), Self.key(2)],
                expiresAt: timekeeper.now.addingTimeInterval(200 * 86_400), isReportOnly: true)
        ]
        _ = try await controlPlane.updateApp(
            id: app.id, name: app.name, bundleID: app.bundleID, settings: settings)
        let release = try await controlPlane.publish(appID: app.id, by: "ada").release
        try await repository.save([Self.broken(app.id)])
        settings.policy.cellular.hours = [DayHours(startMinute: 1_320, endMinute: 360)]
        _ = try await controlPlane.updateApp(
            id: app.id, name: app.name, bundleID: app.bundleID, settings: settings)
        for index in 0..<24 { try await addDevice(index, app.id, key.key, release) }
    }

    private static func key(_ byte: UInt8) -> String { Data(repeating: byte, count: 32).base64EncodedString() }

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
        if index % 2 == 1 {
            try await controlPlane.setPushToken(
                PushTokenRequest(service: index % 3 == 0 ? "fcm" : "apns", token: Self.pushToken), of: device)
        }
        var generator = SeededGenerator(seed: UInt64(index + 1))
        var items: [TelemetryItem] = release.segments.map { segment in
            let ready = index % 6 == 5 ? segment.itemCount - 4 : segment.itemCount
            return .progress(
                SegmentProgress(
                    segment: segment.name, version: segment.version, itemsReady: ready, itemsFailed: 0,
                    itemsTotal: segment.itemCount, isActive: ready == segment.itemCount, date: timekeeper.now))
        }
        items += events(index)
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

    /// What the app's own code tells: an article that is opened with its requests, and what people do.
    private func events(_ index: Int) -> [TelemetryItem] {
        let start = timekeeper.now.addingTimeInterval(-300 - Double(index) * 60)
        func record(_ path: String, _ outcome: ExchangeRecord.Outcome, after seconds: Double) -> TelemetryItem {
            let isHit = outcome == .pinnedHit
            return .exchange(
                ExchangeRecord(
                    date: start + seconds, method: "GET", url: "https://news.example.com/\(path)", status: 200,
                    outcome: outcome, cacheStatus: "Larder", firstByteMicroseconds: isHit ? 900 : 180_000,
                    totalMicroseconds: isHit ? 1_400 : 210_000, bodyByteCount: 40_000,
                    wireByteCount: isHit ? 0 : 40_300, httpVersion: "h2", events: ["open-article"]))
        }
        var traffic = EventTraffic()
        (traffic.exchangeCount, traffic.fromDeviceCount, traffic.wireByteCount) = (3, 2, 40_300)
        traffic.totalMicroseconds = 212_800
        var checkout = EventTraffic()
        (checkout.exchangeCount, checkout.failedCount, checkout.wireByteCount) = (2, index % 8 == 0 ? 1 : 0, 9_000)
        var items = [
            record("front-page/story-1.html", .pinnedHit, after: 0.01),
            record("front-page/story-1.jpg", .pinnedHit, after: 0.05), record("api/comments", .miss, after: 0.06),
            .event(
                AppEvent(
                    name: "open-article", date: start, durationMicroseconds: 320_000 + Int64(index) * 9_000,
                    traffic: traffic)),
            .event(AppEvent(name: "share", date: start + 20)),
        ]
        if index % 3 == 0 {
            items.append(
                .event(
                    AppEvent(
                        name: "checkout", date: start + 40, durationMicroseconds: 2_400_000 + Int64(index) * 90_000,
                        traffic: checkout)))
        }
        if index % 6 == 1 {
            items.append(
                .pinFailure(
                    PinFailure(
                        host: "news.example.com", shownDigests: [Self.strangeKey, Self.key(10)], date: start - 172_800))
            )
        }
        return items
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

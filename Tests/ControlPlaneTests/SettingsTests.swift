import ControlModel
import ControlPlane
import Foundation
import TestSupport
import Testing
import Wire

@Suite("An app's settings")
struct SettingsTests {
    private static let digests = [
        Data(repeating: 1, count: 32).base64EncodedString(), Data(repeating: 2, count: 32).base64EncodedString(),
    ]
    private static let date = Date(timeIntervalSince1970: 1_767_225_600)

    private static func rule(_ change: (inout PinRule) -> Void = { _ in }) -> PinRule {
        var rule = PinRule(host: "api.example.com", digests: digests)
        change(&rule)
        return rule
    }

    private static func segment(_ change: (inout SegmentPolicy) -> Void) -> AppSettings {
        var settings = AppSettings()
        var rules = SegmentPolicy()
        change(&rules)
        settings.policy.segments["news"] = rules
        return settings
    }

    private static func settings(_ change: (inout AppSettings) -> Void) -> AppSettings {
        var settings = AppSettings()
        change(&settings)
        return settings
    }

    /// Each differs from the defaults, and from each other, in one thing.
    private static let variants: [AppSettings] = [
        settings { $0.policy.fileByteCountMax = 104_000_001 }, settings { $0.policy.concurrentDownloadsMax = 3 },
        settings { $0.policy.syncIntervalSeconds = 901 }, settings { $0.policy.bytesPerSecondMax = 100_001 },
        settings { $0.policy.isEnabled = false }, settings { $0.policy.networks = .wifiOnly },
        settings { $0.policy.networks = .none }, settings { $0.policy.wifi.isAllowedOnBattery = false },
        settings { $0.policy.wifi.dailyByteCountMax = 1_000_001 },
        settings { $0.policy.wifi.hours = [DayHours(startMinute: 1_320, endMinute: 360)] },
        settings { $0.policy.wifi.qualityMin = .good }, settings { $0.policy.cellular.isAllowedOnBattery = false },
        settings { $0.policy.cellular.dailyByteCountMax = 5_000_000 },
        settings { $0.policy.cellular.hours = [DayHours(startMinute: 0, endMinute: 1)] },
        settings { $0.policy.cellular.qualityMin = .poor }, settings { $0.policy.batteryPercentMin = 20 },
        segment { _ in }, segment { $0.isForced = true }, segment { $0.isForced = false },
        segment { $0.networks = .wifiOnly }, segment { $0.wifi = NetworkRules() },
        segment { $0.cellular = NetworkRules() }, segment { $0.batteryPercentMin = 0 },
        segment { $0.fileByteCountMax = 1 }, settings { $0.quality.wifi.good.roundTripMillisecondsMax = 1_000 },
        settings { $0.quality.wifi.good.kilobitsPerSecondMin = 1 },
        settings { $0.quality.wifi.excellent.roundTripMillisecondsMax = 1 },
        settings { $0.quality.wifi.excellent.kilobitsPerSecondMin = 9_999 },
        settings { $0.quality.cellular.excellent.kilobitsPerSecondMin = 9_999 }, settings { $0.pins = [rule()] },
        settings { $0.pins = [rule { $0.includesSubdomains = true }] },
        settings { $0.pins = [rule { $0.isReportOnly = true }] },
        settings { $0.pins = [rule { $0.expiresAt = date + 1 }] },
        settings { $0.pins = [rule { $0.digests.reverse() }] },
        settings { $0.pins = [rule { $0.host = "www.example.com" }] },
    ]

    @Test("that differ in anything differ in what an operator reads of them")
    func facts() {
        for (index, one) in ([AppSettings()] + Self.variants).enumerated() {
            for (other, two) in ([AppSettings()] + Self.variants).enumerated() {
                #expect(two.changes(from: one).isEmpty == (index == other), "\(index) and \(other)")
            }
            let names = one.facts.map(\.name)
            #expect(Set(names).count == names.count)
        }
        let change = Self.settings { $0.policy.networks = .wifiOnly }.changes(
            from: Self.settings { $0.pins = [Self.rule()] })
        #expect(
            change.first == SettingChange(name: "Networks", before: "Wi-Fi and cellular", after: "Wi-Fi only"))
        #expect(change.last?.name == "Pins of api.example.com" && change.last?.after == nil)
    }

    @Test(
        "are told in sentences",
        arguments: [
            (
                settings { _ in },
                "Devices download on Wi-Fi at any time, and on cellular at any time. They look for a new release every "
                    + "15 min, take 4 files at a time, and leave out files above 104 MB."
            ),
            (
                settings {
                    $0.policy.cellular.hours = [DayHours(startMinute: 1_320, endMinute: 360)]
                    $0.policy.cellular.dailyByteCountMax = 50_000_000
                    $0.policy.cellular.isAllowedOnBattery = false
                    $0.policy.cellular.qualityMin = .good
                    $0.policy.batteryPercentMin = 20
                    $0.policy.bytesPerSecondMax = 250_000
                    $0.policy.concurrentDownloadsMax = 1
                },
                "Devices download on Wi-Fi at any time, and on cellular from 22:00 to 06:00, up to 50 MB a day, only on "
                    + "external power, only where its quality is good or better. On battery they need a charge of at "
                    + "least 20 %. They look for a new release every 15 min, take 1 file at a time, 2000 kbit/s at most, "
                    + "and leave out files above 104 MB."
            ),
            (
                settings { $0.policy.isEnabled = false },
                "The SDK is off: devices pass every request through and download nothing ahead of need."
            ),
        ])
    func sentences(settings: AppSettings, text: String) {
        #expect(settings.sentences.joined(separator: " ") == text)
    }

    @Test("of segments and pins are told each in a sentence of its own")
    func ownSentences() {
        func last(_ settings: AppSettings) -> String? { settings.sentences.last }
        #expect(
            last(Self.segment { $0.isForced = true })
                == "The segment news downloads whatever the network, the battery, the hour and the daily limits.")
        #expect(
            last(
                Self.segment {
                    $0.networks = .wifiOnly
                    $0.batteryPercentMin = 50
                    $0.fileByteCountMax = 1_500_000
                })
                == "The segment news downloads on Wi-Fi at any time, needs a charge of at least 50 % on battery and leaves "
                + "out files above 1.5 MB.")
        #expect(
            last(Self.segment { $0.networks = NetworkSelection.none })
                == "The segment news downloads nothing, because no network is selected for it.")
        #expect(last(Self.segment { _ in })?.hasPrefix("They look") == true)
        #expect(
            last(Self.settings { $0.pins = [Self.rule { $0.includesSubdomains = true }] })
                == "They talk to servers of api.example.com and its subdomains only when these show one of the 2 pinned "
                + "keys.")
        let report = Self.rule { ($0.isReportOnly, $0.expiresAt) = (true, Self.date) }
        #expect(last(Self.settings { $0.pins = [report] })?.hasSuffix("go on, until 2026-01-01 00:00:00 UTC.") == true)
    }

    @Test(
        "that make no sense are refused, each by its place",
        arguments: [
            (settings { $0.policy.fileByteCountMax = 0 }, "/policy/fileByteCountMax"),
            (settings { $0.policy.bytesPerSecondMax = 1_023 }, "/policy/bytesPerSecondMax"),
            (settings { $0.policy.bytesPerSecondMax = .max }, "/policy/bytesPerSecondMax"),
            (settings { $0.policy.wifi.dailyByteCountMax = 999_999 }, "/policy/wifi/dailyByteCountMax"),
            (settings { $0.policy.cellular.dailyByteCountMax = -1 }, "/policy/cellular/dailyByteCountMax"),
            (
                settings { $0.policy.wifi.hours = [DayHours(startMinute: 60, endMinute: 60)] },
                "/policy/wifi/hours/0"
            ),
            (
                settings {
                    $0.policy.wifi.hours = [
                        DayHours(startMinute: 0, endMinute: 1_440), DayHours(startMinute: 1_440, endMinute: 5),
                    ]
                }, "/policy/wifi/hours/1"
            ),
            (
                settings {
                    $0.policy.wifi.hours = Array(repeating: DayHours(startMinute: 1, endMinute: 2), count: 9)
                }, "/policy/wifi/hours"
            ),
            (settings { $0.policy.batteryPercentMin = 101 }, "/policy/batteryPercentMin"),
            (settings { $0.policy.segments["nobody"] = SegmentPolicy() }, "/policy/segments/nobody"),
            (segment { $0.batteryPercentMin = -1 }, "/policy/segments/news/batteryPercentMin"),
            (
                segment {
                    var rules = NetworkRules()
                    rules.dailyByteCountMax = 5
                    $0.cellular = rules
                }, "/policy/segments/news/cellular/dailyByteCountMax"
            ),
            (
                settings { $0.quality.wifi.good.roundTripMillisecondsMax = 60_001 },
                "/quality/wifi/good/roundTripMillisecondsMax"
            ),
            (
                settings { $0.quality.cellular.excellent.roundTripMillisecondsMax = 1_421 },
                "/quality/cellular/excellent/roundTripMillisecondsMax"
            ),
            (
                settings { $0.quality.cellular.excellent.kilobitsPerSecondMin = 149 },
                "/quality/cellular/excellent/kilobitsPerSecondMin"
            ),
            (settings { $0.quality.wifi.excellent = $0.quality.wifi.good }, "/quality/wifi/excellent"),
            (settings { $0.pins = [rule { $0.digests.removeLast() }] }, "/pins/0/digests"),
            (settings { $0.pins = [rule { $0.digests[1] = $0.digests[0] }] }, "/pins/0/digests"),
            (settings { $0.pins = [rule { $0.digests[1] = "c2hvcnQ=" }] }, "/pins/0/digests/1"),
            (settings { $0.pins = [rule { $0.digests[0] = "not base64" }] }, "/pins/0/digests/0"),
            (settings { $0.pins = [rule { $0.host = "https://example.com" }] }, "/pins/0/host"),
            (settings { $0.pins = [rule { $0.host = "*.example.com" }] }, "/pins/0/host"),
            (settings { $0.pins = [rule { $0.host = "Example.com" }] }, "/pins/0/host"),
            (settings { $0.pins = [rule { $0.host = "example.com." }] }, "/pins/0/host"),
            (settings { $0.pins = [rule { $0.host = "example.com:443" }] }, "/pins/0/host"),
            (settings { $0.pins = [rule(), rule { $0.isReportOnly = true }] }, "/pins/1/host"),
            (settings { $0.pins = [rule { $0.expiresAt = date - 1e9 }] }, "/pins/0/expiresAt"),
        ])
    func faults(settings: AppSettings, pointer: String) async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let faults = try await server.plane.faults(in: settings, ofApp: app.id)
        #expect(faults.map(\.pointer) == [pointer])
        let kind = try #require(pointer.split(separator: "/").first)
        await expectProblem(422, "invalid-\(kind)") {
            try await server.plane.updateApp(
                id: app.id, name: app.name, bundleID: app.bundleID, settings: settings)
        }
        #expect(try await server.plane.app(id: app.id) == app)
    }

    @Test("of every kind are kept, travel with the release, are told before, and come back with a roll-back")
    func release() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.serve("https://example.com/a", "a")
        try await server.ingest(["https://example.com/a"], into: app)
        let first = try await server.plane.publish(appID: app.id, by: "ada").release
        #expect(first.settings == AppSettings())
        let settings = Self.settings {
            $0.policy.networks = .wifiOnly
            $0.policy.wifi.hours = [DayHours(startMinute: 1_320, endMinute: 360)]
            $0.policy.segments["news"] = SegmentPolicy()
            $0.policy.segments["news"]?.isForced = true
            $0.quality.cellular.good.kilobitsPerSecondMin = 200
            $0.pins = [Self.rule { $0.expiresAt = server.timekeeper.now + 86_400 }]
        }
        let changed = try await server.plane.updateApp(
            id: app.id, name: app.name, bundleID: app.bundleID, settings: settings)
        #expect(try await server.plane.app(id: app.id) == changed && changed.settings == settings)
        let preview = try await server.plane.publicationPreview(appID: app.id)
        #expect(preview.hasChanges)
        #expect(preview.settingChanges == settings.changes(from: AppSettings()))
        let second = try await server.plane.publish(appID: app.id, by: "ada")
        #expect(second.release.settings == settings)
        let document = try WireCoding.decode(SignedDocument.self, from: second.document)
        #expect(try WireCoding.decode(Release.self, from: document.payload).settings == settings)
        #expect(try await !server.plane.publicationPreview(appID: app.id).hasChanges)
        let back = try await server.plane.rollBack(appID: app.id, toVersion: 1, by: "ada").release
        #expect(back.version == 3 && back.settings == AppSettings())
        #expect(try await server.plane.app(id: app.id).settings == settings)
    }

    @Test("that stand already are no obstacle: a pin that ran out, the rules of a segment that went")
    func standing() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let settings = Self.settings {
            $0.policy.segments["news"] = SegmentPolicy()
            $0.pins = [Self.rule { $0.expiresAt = server.timekeeper.now + 60 }]
        }
        _ = try await server.plane.updateApp(
            id: app.id, name: "News", bundleID: app.bundleID, settings: settings)
        server.timekeeper.advance(by: .seconds(120))
        let renamed = try await server.plane.updateApp(
            id: app.id, name: "Papers", bundleID: app.bundleID, settings: settings)
        #expect(renamed.name == "Papers")
        try await server.plane.removeSegment(appID: app.id, name: "news")
        #expect(try await server.plane.app(id: app.id).policy.segments.isEmpty)
    }
}

@Suite("Texts of settings")
struct SettingTextTests {
    @Test("counts in larger units lose nothing")
    func units() {
        for (count, unit, text) in [
            (0, 1_000_000, "0"), (1, 1_000_000, "0.000001"), (104_000_000, 1_000_000, "104"),
            (1_500_000, 1_000_000, "1.5"), (8_192, 1_000, "8.192"),
        ] as [(Int64, Int64, String)] {
            #expect(UnitText.text(count, per: unit) == text)
            #expect(UnitText.count(text, per: unit) == count)
        }
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<1_000 {
            let count =
                Int64.random(in: 0...Int64.max, using: &generator) >> Int64.random(in: 0...60, using: &generator)
            #expect(UnitText.count(UnitText.text(count, per: 1_000_000), per: 1_000_000) == count)
        }
        for text in ["", ".", "1.", ".5", "1.2.3", "-1", "+1", "1e3", " 1", "0.0000001", "99999999999999999999", "١"] {
            #expect(UnitText.count(text, per: 1_000_000) == nil, "\(text)")
        }
    }

    @Test("hours are read as people write them")
    func hours() {
        let night = DayHours(startMinute: 1_320, endMinute: 360), noon = DayHours(startMinute: 720, endMinute: 810)
        #expect(DayHours.spans("22:00-06:00") == [night])
        #expect(DayHours.spans(" 22:00 – 6:00 ,12:00-13:30,") == [night, noon])
        #expect(DayHours.spans("00:00-24:00") == [DayHours(startMinute: 0, endMinute: 1_440)])
        #expect(DayHours.spans("") == [] && DayHours.spans(" , ") == [])
        for text in [
            "22-6", "22:00", "22:00-", "22:60-06:00", "25:00-06:00", "a:00-b:00", "22:00-06:00-07:00", "22:0-6:00",
        ] {
            #expect(DayHours.spans(text) == nil, "\(text)")
        }
        for hours in [night, noon, DayHours(startMinute: 5, endMinute: 1_440)] {
            #expect(DayHours.spans(hours.text) == [hours])
        }
    }
}

import ControlModel
import ControlPlane
import Foundation
import HTTPModel
import TestSupport
import Testing
import Wire

/// The pages on which people say what devices do.
@Suite("The portal's settings")
struct SettingsPageTests {
    private static let keys = [5, 6].map { Data(repeating: $0, count: 32).base64EncodedString() }

    private func withPortal(_ body: (SeededPortal, Visitor, _ root: String) async throws -> Void) async throws {
        let portal = try await SeededPortal(isFilled: true)
        let visitor = try await Visitor(portal, signedIn: true)
        try await body(portal, visitor, "/apps/\(try await portal.appID)/settings")
        await portal.stop()
    }

    private func app(_ portal: SeededPortal) async throws -> App {
        try await portal.controlPlane.app(id: portal.appID)
    }

    @Test("saved as they are shown change nothing")
    func roundTrip() async throws {
        try await withPortal { portal, visitor, root in
            var settings = try await app(portal).settings
            settings.policy.fileByteCountMax = 1_234_567
            settings.policy.bytesPerSecondMax = 1_024
            settings.policy.cellular.hours = [DayHours(startMinute: 1_320, endMinute: 360)]
            settings.policy.wifi.isAllowedOnBattery = false
            settings.policy.wifi.qualityMin = .poor
            _ = try await portal.controlPlane.updateApp(
                id: app(portal).id, name: "Morning News", bundleID: "com.example.morning", settings: settings)
            for path in [root, "\(root)/segments/core", "\(root)/segments/front-page", "\(root)/pins/news.example.com"]
            {
                let form = try await visitor.get(path).fields(ofFormTo: path)
                #expect(form.count > 4, "\(path)")
                let saved = try await visitor.post(path, form)
                #expect(saved.status == 303, "\(path)")
                #expect(try await app(portal).settings == settings, "\(path)")
            }
        }
    }

    @Test("keep what was typed and say what is wrong beside the field")
    func explains() async throws {
        try await withPortal { portal, visitor, root in
            let before = try await app(portal)
            let shown = try await visitor.get(root).fields(ofFormTo: root)
            for (field, text, sentence) in [
                ("policy.fileByteCountMax", "lots", "A number such as 50 or 1.5"),
                ("policy.concurrentDownloadsMax", "33", "must be 1 to 32"),
                ("policy.wifi.dailyByteCountMax", "0.5", "at least 1,000,000 bytes (1 MB)"),
                ("policy.cellular.hours", "22-6", "Spans such as 22:00–06:00"),
                ("policy.cellular.hours", "08:00-08:00", "ends between 00:01 and 24:00"),
                ("policy.networks", "both", "Choose one of the list"),
                ("policy.batteryPercentMin", "101", "0 to 100 percent"),
                ("quality.wifi.excellent.kilobitsPerSecondMin", "100", "must not ask for less throughput than good"),
                ("name", "", "must have 1 to 100"), ("bundleID", "no spaces", "A bundle id has"),
            ] {
                var form = shown
                form[field] = text
                let page = try await visitor.post(root, form)
                #expect(page.status == 422, "\(field)")
                #expect(page.text.contains("id=\"\(field)-error\" role=\"alert\">"), "\(field)")
                #expect(page.text.contains(sentence), "\(field)")
                // A list cannot show what is not in it.
                let kept = field == "policy.networks" ? "none" : text
                #expect(try page.fields(ofFormTo: root)[field] == kept, "\(field)")
            }
            #expect(try await app(portal) == before)
        }
    }

    @Test("say in sentences what devices do, and whether they know it yet")
    func sentences() async throws {
        try await withPortal { portal, visitor, root in
            var form = try await visitor.get(root).fields(ofFormTo: root)
            form["policy.cellular.hours"] = "22:00 - 6:00"
            form["policy.cellular.dailyByteCountMax"] = "60"
            #expect(try await visitor.post(root, form).fields[.location] == "\(root)?saved=1")
            let page = try await visitor.get("\(root)?saved=1").text
            #expect(page.contains("on cellular from 22:00 to 06:00, up to 60 MB a day"))
            #expect(page.contains("Saved.") && page.contains("Devices still do what release 1 says."))
            let publish = try await visitor.get("/apps/\(app(portal).id)/releases/publish").text
            #expect(publish.contains("Cellular: a day") && publish.contains("50 MB") && publish.contains("60 MB"))
            _ = try await visitor.post("/apps/\(app(portal).id)/releases/publish")
            #expect(try await visitor.get(root).text.contains("Devices have this, with release 2."))
        }
    }

    @Test("of a segment are its own only where they were made so")
    func segments() async throws {
        try await withPortal { portal, visitor, root in
            let path = "\(root)/segments/core"
            var form = try await visitor.get(path).fields(ofFormTo: path)
            form["wifi.dailyByteCountMax"] = "7"
            let ignored = try await visitor.post(path, form)
            #expect(ignored.status == 422 && ignored.text.contains("Check the box above them"))
            form["hasWifi"] = "true"
            form["isForced"] = "true"
            form["fileByteCountMax"] = "2.5"
            #expect(try await visitor.post(path, form).fields[.location] == "\(root)?saved=1#segments")
            let rules = try #require(try await app(portal).policy.segments["core"])
            #expect(rules.isForced == true && rules.wifi?.dailyByteCountMax == 7_000_000)
            #expect(rules.cellular == nil && rules.networks == nil && rules.fileByteCountMax == 2_500_000)
            #expect(try await visitor.get(root).text.contains("The segment core downloads whatever the network"))
            form["wifi.dailyByteCountMax"] = "0.1"
            let refused = try await visitor.post(path, form)
            #expect(refused.status == 422 && refused.text.contains("id=\"wifi.dailyByteCountMax-error\""))
            form = try await visitor.get(path).fields(ofFormTo: path)
            (form["isForced"], form["hasWifi"], form["fileByteCountMax"]) = (nil, nil, "")
            #expect(try await visitor.post(path, form).status == 303)
            #expect(try await app(portal).policy.segments["core"] == nil)
            #expect(try await visitor.get("\(root)/segments/none").status == 404)
        }
    }

    @Test("pin a host, change the rule and take it away; other keys that devices met are listed")
    func pins() async throws {
        try await withPortal { portal, visitor, root in
            let page = try await visitor.get(root).text
            #expect(page.contains("Other keys that devices met") && page.contains(SeededPortal.strangeKey))
            #expect(!page.contains("Ran out"))
            var settings = try await app(portal).settings
            settings.pins[0].expiresAt = portal.timekeeper.now.addingTimeInterval(60)
            _ = try await portal.controlPlane.updateApp(
                id: app(portal).id, name: "News", bundleID: "com.example.morning", settings: settings)
            portal.timekeeper.advance(by: .seconds(120))
            #expect(try await visitor.get(root).text.contains("Ran out"))
            let new = "\(root)/pins"
            var form = [
                "host": "API.example.com", "includesSubdomains": "true", "digests": Self.keys[0],
                "expiresAt": "2020-01-01",
            ]
            let refused = try await visitor.post(new, form)
            #expect(refused.status == 422 && refused.text.contains("A rule has 2 to 10 different keys"))
            #expect(refused.text.contains("id=\"expiresAt-error\"") && refused.text.contains(Self.keys[0]))
            form["digests"] = Self.keys.joined(separator: "\r\n")
            form["expiresAt"] = "2031-02-29"
            #expect(try await visitor.post(new, form).text.contains("A day such as 2027-01-31"))
            form["expiresAt"] = "2031-02-28"
            #expect(try await visitor.post(new, form).status == 303)
            let rule = try #require(try await app(portal).pins.last)
            #expect(rule.host == "api.example.com" && rule.includesSubdomains && !rule.isReportOnly)
            #expect(rule.digests == Self.keys && rule.expiresAt?.formatted(.iso8601) == "2031-03-01T00:00:00Z")
            #expect(try await visitor.post(new, form).text.contains("There is another rule for api.example.com"))
            form["isReportOnly"] = "true"
            #expect(try await visitor.post("\(new)/api.example.com", form).status == 303)
            #expect(try await app(portal).pins.last?.isReportOnly == true)
            #expect(try await visitor.post("\(new)/api.example.com/remove").status == 303)
            #expect(try await visitor.get("\(new)/api.example.com").status == 404)
            #expect(try await app(portal).pins.map(\.host) == ["news.example.com"])
        }
    }
}

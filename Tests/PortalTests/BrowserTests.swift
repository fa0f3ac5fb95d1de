import ControlModel
import ControlPlane
import Foundation
import Primitives
import Testing

/// The pages in a real browser.
@Suite("The portal in a browser", .serialized)
struct BrowserTests {
    @Test("draws its charts, and fits a phone and a desk")
    func drawsItsCharts() async throws {
        let portal = try await SeededPortal(isFilled: true)
        let page = "\(portal.base)/test/enter?to=/apps/\(try await portal.appID)"
        for width in [390, 1_440] {
            let document = try await Chromium.document(of: page, width: width)
            #expect(document.components(separatedBy: "data-drawn=\"true\"").count == 5, "four charts at width \(width)")
            #expect(!document.contains("class=\"no-script\""))
        }
        await portal.stop()
    }

    @Test("has no page that is wider than a phone")
    func fitsAPhone() async throws {
        let portal = try await SeededPortal(isFilled: true)
        let visitor = try await Visitor(portal, signedIn: true)
        let root = "/apps/\(try await portal.appID)"
        let device = try #require(
            try await portal.controlPlane.devices(appID: portal.appID, limit: 1, offset: 0).first
        ).id
        for path in [
            root, "\(root)/events", "\(root)/settings", "\(root)/settings/segments/core", "\(root)/settings/pins",
            "\(root)/devices", "\(root)/devices/\(device)", "\(root)/releases/publish",
        ] {
            // The portal's own pages refuse to be framed.
            let page = try await visitor.get(path).text
            portal.copy.withLock { $0 = page }
            let document = try await Chromium.document(of: "\(portal.base)/test/phone", width: 800)
            let widths = try #require(document.firstMatch(of: /width (\d+) of (\d+)/)).output
            #expect(widths.1 == widths.2, "\(path)")
        }
        await portal.stop()
    }

    /// Pictures for the documentation and for the eye; taken when `LARDER_SCREENSHOTS` names a directory.
    @Test("has its pictures taken", .enabled(if: ProcessInfo.processInfo.environment["LARDER_SCREENSHOTS"] != nil))
    func hasItsPicturesTaken() async throws {
        let directory = try #require(ProcessInfo.processInfo.environment["LARDER_SCREENSHOTS"])
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let out = directory.hasPrefix("/") ? directory : root.appending(path: directory).path
        let portal = try await SeededPortal(isFilled: true)
        let app = try await portal.appID
        let device = try #require(try await portal.controlPlane.devices(appID: app, limit: 1, offset: 0).first).id
        let wantsAll = ProcessInfo.processInfo.environment["LARDER_SCREENSHOTS_ALL"] != nil
        var shots = [
            ("dashboard", "/apps/\(app)", 1_280, 1_300),
            ("segment-phone", "/apps/\(app)/segments/front-page", 390, 844),
            ("publish", "/apps/\(app)/releases/publish", 1_280, 680),
            ("settings", "/apps/\(app)/settings", 1_280, 1_000), ("events", "/apps/\(app)/events", 1_280, 700),
        ]
        if wantsAll {
            shots += [
                ("sign-in", "", 1_280, 800), ("apps", "/apps", 1_280, 800),
                ("dashboard-phone", "/apps/\(app)", 390, 1_700),
                ("segments", "/apps/\(app)/segments", 1_280, 800),
                ("segment", "/apps/\(app)/segments/front-page", 1_280, 1_500),
                ("releases", "/apps/\(app)/releases", 1_280, 700), ("devices", "/apps/\(app)/devices", 1_280, 900),
                ("keys", "/apps/\(app)/keys", 1_280, 800), ("settings-long", "/apps/\(app)/settings", 1_280, 3_100),
                ("settings-phone", "/apps/\(app)/settings", 500, 3_600),
                ("segment-rules", "/apps/\(app)/settings/segments/core", 1_280, 1_000),
                ("pin", "/apps/\(app)/settings/pins/news.example.com", 1_280, 900),
                ("device", "/apps/\(app)/devices/\(device)", 1_280, 1_000),
                ("device-phone", "/apps/\(app)/devices/\(device)", 500, 1_200),
                ("events-phone", "/apps/\(app)/events", 500, 1_000),
                ("devices-phone", "/apps/\(app)/devices", 390, 844), ("keys-phone", "/apps/\(app)/keys", 390, 1_000),
                ("missing", "/apps/none", 1_280, 600),
            ]
        }
        for (name, path, width, height) in shots {
            let url = path.isEmpty ? "\(portal.base)/sign-in" : "\(portal.base)/test/enter?to=\(path)"
            try await Chromium.picture(of: url, width: width, height: height, to: "\(out)/\(name).png")
            #expect(FileManager.default.fileExists(atPath: "\(out)/\(name).png"))
        }
        await portal.stop()
    }
}

import Foundation
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

    /// Pictures for the documentation and for the eye; taken when `LARDER_SCREENSHOTS` names a directory.
    @Test("has its pictures taken", .enabled(if: ProcessInfo.processInfo.environment["LARDER_SCREENSHOTS"] != nil))
    func hasItsPicturesTaken() async throws {
        let directory = try #require(ProcessInfo.processInfo.environment["LARDER_SCREENSHOTS"])
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let out = directory.hasPrefix("/") ? directory : root.appending(path: directory).path
        let portal = try await SeededPortal(isFilled: true)
        let app = try await portal.appID
        let wantsAll = ProcessInfo.processInfo.environment["LARDER_SCREENSHOTS_ALL"] != nil
        var shots = [
            ("dashboard", "/apps/\(app)", 1_280, 1_300),
            ("segment-phone", "/apps/\(app)/segments/front-page", 390, 844),
            ("publish", "/apps/\(app)/releases/publish", 1_280, 620),
        ]
        if wantsAll {
            shots += [
                ("sign-in", "", 1_280, 800), ("apps", "/apps", 1_280, 800),
                ("dashboard-phone", "/apps/\(app)", 390, 1_700),
                ("segments", "/apps/\(app)/segments", 1_280, 800),
                ("segment", "/apps/\(app)/segments/front-page", 1_280, 1_500),
                ("releases", "/apps/\(app)/releases", 1_280, 700), ("devices", "/apps/\(app)/devices", 1_280, 900),
                ("keys", "/apps/\(app)/keys", 1_280, 800), ("settings", "/apps/\(app)/settings", 1_280, 900),
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

import ControlModel
import ControlPlane
import Foundation
import HTTPModel
import TestSupport
import Testing
import Wire

/// The pages about what devices told.
@Suite("The portal's events and devices")
struct EventPageTests {
    @Test("events show count, durations and the requests between their ends; a device's page has them in line")
    func events() async throws {
        let portal = try await SeededPortal(isFilled: true)
        let visitor = try await Visitor(portal, signedIn: true)
        let app = try await portal.appID
        let page = try await visitor.get("/apps/\(app)/events").text
        for text in ["open-article", "checkout", "share", "90 % within", "From the device"] {
            #expect(page.contains(text), "\(text)")
        }
        let device = try #require(try await portal.controlPlane.devices(appID: app, limit: 1, offset: 0).first)
        #expect(page.contains("/apps/\(app)/devices/\(device.id)"))
        let timeline = try await visitor.get("/apps/\(app)/devices/\(device.id)").text
        for text in [
            "open-article", "CACHE_FETCH", "CACHE_MISS", "<span class=\"badge\">open-article</span>", "a push token",
        ] {
            #expect(timeline.contains(text), "\(text)")
        }
        #expect(!timeline.contains(SeededPortal.pushToken))
        let list = try await visitor.get("/apps/\(app)/devices").text
        #expect(list.contains("<span class=\"badge good\">apns</span>") && !list.contains(SeededPortal.pushToken))
        #expect(try await visitor.get("/apps/\(app)?span=7d").text.contains("Devices met keys that no pin allows"))
        await portal.stop()
    }

    @Test("without any event say how one comes about")
    func noEvents() async throws {
        let portal = try await SeededPortal(isFilled: false)
        let visitor = try await Visitor(portal, signedIn: true)
        let app = try await portal.controlPlane.createApp(name: "Empty", bundleID: "com.example.empty")
        #expect(try await visitor.get("/apps/\(app.id)/events").text.contains("No event in this span"))
        #expect(try await visitor.get("/apps/\(app.id)/devices/dev_none").status == 404)
        await portal.stop()
    }

    @Test("a device is forgotten after a question")
    func forgets() async throws {
        let portal = try await SeededPortal(isFilled: true)
        let visitor = try await Visitor(portal, signedIn: true)
        let app = try await portal.appID
        let count = try await portal.controlPlane.deviceCount(appID: app)
        let device = try #require(try await portal.controlPlane.devices(appID: app, limit: 1, offset: 0).first).id
        let path = "/apps/\(app)/devices/\(device)/forget"
        #expect(try await visitor.get(path).text.contains("without saying whose it was"))
        #expect(try await visitor.post(path, formToken: "guessed").status == 403)
        #expect(try await visitor.post(path).fields[.location] == "/apps/\(app)/devices")
        #expect(try await portal.controlPlane.deviceCount(appID: app) == count - 1)
        #expect(try await visitor.post(path).status == 404)
        await portal.stop()
    }
}

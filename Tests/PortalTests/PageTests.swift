import ControlModel
import ControlPlane
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

/// The pages as a client without scripts gets them.
@Suite("The portal's pages")
struct PageTests {
    @Test("sends strangers to the entrance and back to where they wanted to go")
    func strangersEnter() async throws {
        let portal = try await SeededPortal(isFilled: false)
        let visitor = try await Visitor(portal, signedIn: false)
        let turnedAway = try await visitor.get("/apps/x/keys")
        #expect(turnedAway.status == 303)
        #expect(turnedAway.fields[.location] == "/sign-in?next=/apps/x/keys")
        let wrong = try await visitor.post("/sign-in", ["name": "ada", "password": "wrong"])
        #expect(wrong.status == 401)
        #expect(wrong.text.contains("value=\"ada\""))
        let right = try await visitor.post(
            "/sign-in", ["name": "ada", "password": SeededPortal.password, "next": "/apps/x/keys"])
        #expect(right.status == 303)
        #expect(right.fields[.location] == "/apps/x/keys")
        #expect(right.fields[.setCookie]?.contains("HttpOnly; SameSite=Lax") == true)
        let elsewhere = try await visitor.post(
            "/sign-in", ["name": "ada", "password": SeededPortal.password, "next": "https://evil.example"])
        #expect(elsewhere.fields[.location] == "/apps")
        await portal.stop()
    }

    @Test("shows every page of a filled app, each with its safety fields and no markup gone wrong")
    func everyPageShows() async throws {
        let portal = try await SeededPortal(isFilled: true)
        let visitor = try await Visitor(portal, signedIn: true)
        let app = try await portal.appID
        let device = try #require(try await portal.controlPlane.devices(appID: app, limit: 1, offset: 0).first).id
        let paths = [
            "/apps", "/apps/\(app)", "/apps/\(app)?span=7d", "/apps/\(app)/segments",
            "/apps/\(app)/segments/front-page",
            "/apps/\(app)/segments/front-page?state=failed", "/apps/\(app)/segments/core/remove",
            "/apps/\(app)/releases",
            "/apps/\(app)/releases/publish", "/apps/\(app)/devices", "/apps/\(app)/keys", "/apps/\(app)/settings",
            "/apps/\(app)/settings/segments/core", "/apps/\(app)/settings/pins",
            "/apps/\(app)/settings/pins/news.example.com", "/apps/\(app)/events", "/apps/\(app)/events?span=7d",
            "/apps/\(app)/devices/\(device)", "/apps/\(app)/devices/\(device)/forget",
        ]
        for path in paths {
            let page = try await visitor.get(path)
            #expect(page.status == 200, "\(path)")
            #expect(page.text.hasSuffix("</html>\n"), "\(path)")
            #expect(
                !page.text.contains("HTML(") && !page.text.contains("Optional("), "\(path) shows a value of the program"
            )
            #expect(page.fields["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(page.fields[.cacheControl] == "no-store")
        }
        let dashboard = try await visitor.get("/apps/\(app)").text
        #expect(
            dashboard.contains("class=\"no-script\"") && dashboard.contains("<th class=\"number\">Pre-positioned</th>"))
        let missing = try await visitor.get("/apps/none")
        #expect(missing.status == 404 && missing.text.contains("Back to the apps"))
        await portal.stop()
    }

    @Test("walks from an empty portal to a release")
    func walksToARelease() async throws {
        let portal = try await SeededPortal(isFilled: false)
        let visitor = try await Visitor(portal, signedIn: true)
        #expect(try await visitor.get("/apps").text.contains("No app yet"))
        let made = try await visitor.post("/apps", ["name": "Fish & <Chips>", "bundleID": "com.example.fish"])
        let app = try #require(made.fields[.location])
        #expect(try await visitor.get(app).text.contains("Fish &amp; &lt;Chips&gt;"))
        _ = try await visitor.post("\(app)/keys", ["name": "first"])
        #expect(try await visitor.get("\(app)/keys").text.contains("lk_"))
        let refused = try await visitor.post("\(app)/segments", ["name": "no spaces!", "note": "kept"])
        #expect(refused.status >= 400 && refused.text.contains("value=\"kept\""))
        _ = try await visitor.post("\(app)/segments", ["name": "style", "note": ""])
        _ = try await visitor.post("\(app)/segments/style/ingest", ["urls": "\(portal.base)/assets/portal.css\n"])
        let id = try await portal.appID
        let job = try #require(try await portal.controlPlane.ingestJobs(appID: id, limit: 1).first)
        _ = try await portal.controlPlane.waitForIngest(id: job.id)
        #expect(try await visitor.get("\(app)/segments/style").text.contains("/assets/portal.css"))
        #expect(try await visitor.get("\(app)/releases/publish").text.contains("Publish release 1"))
        #expect(try await visitor.post("\(app)/releases/publish").fields[.location] == "\(app)/releases?published=1")
        #expect(try await visitor.get("\(app)/releases?published=1").text.contains("Release 1 is out"))
        let key = try #require(try await portal.controlPlane.apiKeys(appID: id).first).key
        _ = try await visitor.post("\(app)/keys/\(key)/revoke")
        #expect(try await visitor.get("\(app)/keys").text.contains("Revoked"))
        await portal.stop()
    }

    @Test("refuses a form that another site sends")
    func refusesForeignForms() async throws {
        let portal = try await SeededPortal(isFilled: false)
        let visitor = try await Visitor(portal, signedIn: true)
        let page = try await visitor.post("/apps", ["name": "X", "bundleID": "com.x"], formToken: "guessed")
        #expect(page.status == 403)
        #expect(try await portal.controlPlane.apps().isEmpty)
        await portal.stop()
    }
}

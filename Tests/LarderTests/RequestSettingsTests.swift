import Foundation
import HTTPModel
import Larder
import TestSupport
import Testing
import Wire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Settings about requests", .exclusiveInterception)
struct RequestSettingsTests {
    private static func answer(_ request: ScriptedOrigin.Request) -> ScriptedOrigin.Response {
        request.target == "/moved"
            ? .init("moved", status: 302, [.location: "/there"])
            : .init("\(request.method) \(request.target)", [.cacheControl: "max-age=60"])
    }

    @Test("redirects are the app's when it wants them, from the next request on")
    func redirects() async throws {
        let rig = try ClientRig(Self.answer)
        let request = try rig.request("/moved")
        #expect(try await rig.client.data(for: request).0 == Data("GET /there".utf8))
        rig.client.settings.followsRedirects = false
        let (body, response) = try await rig.client.data(for: request)
        #expect(response.statusCode == 302)
        #expect(response.value(forHTTPHeaderField: "Location") == "/there")
        #expect(body == Data("moved".utf8))
        let configuration = URLSessionConfiguration.ephemeral
        rig.client.intercept(configuration)
        let session = URLSession(configuration: configuration)
        let intercepted = try await session.data(for: request)
        #expect((intercepted.1 as? HTTPURLResponse)?.statusCode == 302)
        session.finishTasksAndInvalidate()
        await rig.client.shutDown()
    }

    @Test("requests to hosts and with methods that the app excludes go past the cache")
    func past() async throws {
        let rig = try ClientRig(Self.answer)
        rig.client.settings.hosts = .only(["localhost"])
        for _ in 0..<2 { #expect(try await rig.client.data(for: rig.request("/a")).0 == Data("GET /a".utf8)) }
        #expect(rig.origin.requests.count == 2)
        rig.client.settings.hosts = .all
        rig.client.settings.ignoredMethods = ["get"]
        for _ in 0..<2 { _ = try await rig.client.data(for: rig.request("/a")) }
        #expect(rig.origin.requests.count == 4)
        rig.client.settings.ignoredMethods = []
        for _ in 0..<2 { _ = try await rig.client.data(for: rig.request("/a")) }
        #expect(rig.origin.requests.count == 5)
        await rig.client.shutDown()
    }

    @Test("the SDK's name goes behind the app's User-Agent when the app wants it", arguments: [false, true])
    func userAgent(isIntercepted: Bool) async throws {
        let rig = try ClientRig(Self.answer)
        let configuration = URLSessionConfiguration.ephemeral
        rig.client.intercept(configuration)
        let session = URLSession(configuration: configuration)
        for (adds, sent) in [(false, "App/1"), (true, "App/1 Larder/\(LarderClient.version)")] {
            rig.client.settings.addsUserAgent = adds
            var request = try rig.request("/\(adds)")
            request.setValue("App/1", forHTTPHeaderField: "User-Agent")
            if isIntercepted {
                _ = try await session.data(for: request)
            } else {
                _ = try await rig.client.data(for: request)
            }
            #expect(rig.origin.requests.last?.fields[.userAgent] == sent)
        }
        session.finishTasksAndInvalidate()
        await rig.client.shutDown()
    }
}

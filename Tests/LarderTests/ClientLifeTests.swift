import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Wire

@testable import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The life of a client")
struct ClientLifeTests {
    @Test("a server address that is none is one line in the log; requests work")
    func badServer() async throws {
        let rig = try ClientRig(configure: { $0.serverURL = "not a url" }) { _ in .init("hello") }
        #expect(rig.log.count == 1)
        #expect(rig.log.first?.contains("not a url") == true)
        #expect(try await rig.client.data(from: rig.url("/a")).0 == Data("hello".utf8))
        #expect(String(describing: rig.client.status).contains("notRegistered"))
        #expect(String(describing: await rig.client.sync()).contains("no server"))
        #expect(await rig.client.sendTelemetry().outcome == .waiting(Services.noServer))
        rig.client.subscribe(to: ["news"])
        rig.client.subscribe(to: ["sport"])
        #expect(rig.log.count == 2)
        var statusCount = 0
        for await _ in rig.client.statuses() { statusCount += 1 }
        #expect(statusCount == 1)
    }

    @Test("a server without an API key is one line in the log")
    func noKey() throws {
        let rig = try ClientRig(configure: { $0.serverURL = "http://127.0.0.1:1" })
        #expect(rig.log.count == 1)
    }

    @Test("a server that cannot be reached keeps neither requests nor the shutdown waiting")
    func unreachableServer() async throws {
        let port = try freePort()
        let rig = try ClientRig(configure: {
            $0.serverURL = "http://127.0.0.1:\(port)"
            $0.apiKey = "key"
        }) { _ in .init("hello") }
        #expect(try await rig.client.data(from: rig.url("/a")).0 == Data("hello".utf8))
        #expect(await rig.client.sendTelemetry().outcome == .waiting("the device is not registered"))
        await rig.client.shutDown()
    }

    @Test("a directory that cannot be used is told, and requests go to the network")
    func unusableDirectory() async throws {
        let blocker = try TemporaryDirectory()
        let file = blocker.path("file")
        try Data().write(to: URL(fileURLWithPath: file))
        let rig = try ClientRig(configure: { $0.directory = file + "/larder" }) { _ in
            .init("hello", [.cacheControl: "max-age=60"])
        }
        for _ in 0..<2 { #expect(try await rig.client.data(from: rig.url("/a")).0 == Data("hello".utf8)) }
        #expect(rig.origin.requests.count == 2)
        #expect(rig.log.contains { $0.contains("nothing is stored") })
        await rig.client.shutDown()
    }

    @Test("after the shutdown the client is inert, and its streams end")
    func shutsDown() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        let exchanges = rig.client.exchanges()
        _ = try await rig.client.data(from: rig.url("/a"))
        await rig.client.shutDown()
        var count = 0
        for await _ in exchanges { count += 1 }
        #expect(count == 1)
        for await _ in rig.client.exchanges() { Issue.record("nothing is told any more") }
        await #expect(throws: URLError.self) { try await rig.client.data(from: rig.url("/other")) }
        await rig.client.shutDown()
    }

    @Test("what one client stored serves the next one on the same directory")
    func survivesRestart() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        _ = try await rig.client.data(from: rig.url("/a"))
        await rig.client.shutDown()
        var configuration = LarderConfiguration()
        configuration.directory = rig.directory.path("larder")
        let next = LarderClient(configuration: configuration)
        #expect(try await next.data(from: rig.url("/a")).0 == Data("hello".utf8))
        #expect(rig.origin.requests.count == 1)
    }

    @Test(
        "tasks of an intercepted session are answered by the client", .serialized, .exclusiveInterception,
        arguments: [false, true])
    func intercepts(viaConfiguration: Bool) async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        let configuration = URLSessionConfiguration.ephemeral
        if viaConfiguration { rig.client.intercept(configuration) }
        let session = URLSession(configuration: configuration)
        if !viaConfiguration { rig.client.intercept(session) }
        for _ in 0..<2 {
            let (data, response) = try await session.data(from: rig.url("/a"))
            #expect(data == Data("hello".utf8))
            let http = try #require(response as? HTTPURLResponse)
            #expect(http.value(forHTTPHeaderField: "Cache-Status")?.hasPrefix("Larder") == true)
        }
        #expect(rig.origin.requests.count == 1)
        await rig.client.shutDown()
        session.finishTasksAndInvalidate()
    }

    @Test("the directory follows the XDG rules and the bundle id, which cannot lead out of it")
    func directory() {
        var configuration = LarderConfiguration(bundleID: "com.example.app")
        func resolved(_ environment: [String: String]) -> String {
            configuration.resolvedDirectory(environment: environment)
        }
        #expect(resolved(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/com.example.app/larder")
        #expect(resolved(["XDG_CACHE_HOME": "relative", "HOME": "/h"]) == "/h/.cache/com.example.app/larder")
        #expect(resolved(["HOME": "/h"]) == "/h/.cache/com.example.app/larder")
        configuration.bundleID = "../../etc"
        #expect(resolved(["HOME": "/h"]) == "/h/.cache/.._.._etc/larder")
        configuration.bundleID = ".."
        #expect(resolved(["HOME": "/h"]) == "/h/.cache/app/larder")
        configuration.directory = "/mine"
        #expect(resolved(["HOME": "/h"]) == "/mine")
        #expect(configuration.storeDirectory == "/mine/store")
    }
}

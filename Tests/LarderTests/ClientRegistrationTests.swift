import Foundation
import Larder
import TestSupport
import Testing
import Wire
import WorldSupport

@Suite("Registering at run time", .timeLimit(.minutes(1)))
struct ClientRegistrationTests {
    private let rig: WorldRig

    init() throws { rig = try WorldRig() }

    private func registrations() throws -> [RegistrationRequest] {
        try rig.world.requests(for: "/v1/devices").map {
            try WireCoding.decode(RegistrationRequest.self, from: $0.body)
        }
    }

    private func failure(_ body: () async throws(RegistrationError) -> Void) async -> RegistrationError? {
        do throws(RegistrationError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test("a key given at run time brings the segments given with it, and later starts know it")
    func registers() async throws {
        let client = rig.start()
        #expect(client.apiKey == nil && client.policyBlockers == [.notRegistered])
        #expect(await failure { () throws(RegistrationError) in try await client.unregister() } == .notRegistered)
        try await client.register(apiKey: "key", segments: ["news"])
        #expect(client.apiKey == "key" && client.serverURL == "http://plane.test/")
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        try await client.register(apiKey: "key", segments: ["other"])
        #expect(client.status.subscribedSegments == ["news"])
        await client.shutDown()

        let again = rig.start()
        await rig.wait(for: again) { $0.activeVersions == ["news": 1] }
        #expect(again.apiKey == "key")
        let key = try registrations().map(\.apiKey)
        #expect(key == ["key"])
        await again.shutDown()
        let attributes = try FileManager.default.attributesOfItem(
            atPath: rig.directory.path("larder/registration.json"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("says why a registration did not come about, and tries again where that may help")
    func failures() async throws {
        let client = rig.start()
        #expect(
            await failure { () throws(RegistrationError) in try await client.register(apiKey: "", segments: []) }
                == .badCredentials("the API key is empty"))
        rig.world.answer("/v1/devices", with: .init(status: 401), .init(status: 500))
        guard
            case .badCredentials = await failure({ () throws(RegistrationError) in
                try await client.register(apiKey: "wrong", segments: [])
            })
        else {
            Issue.record("the key was not refused")
            return
        }
        guard
            case .failed(let reason) = await failure({ () throws(RegistrationError) in
                try await client.register(apiKey: "key", segments: ["news"])
            })
        else {
            Issue.record("the registration did not fail")
            return
        }
        #expect(reason.contains("status 500"))
        try await client.register(apiKey: "key", segments: [])
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        #expect(
            await failure { () throws(RegistrationError) in try await client.register(apiKey: "another", segments: []) }
                == .alreadyRegistered)
        await client.shutDown()
        let alone = rig.start { $0.serverURL = nil }
        #expect(
            await failure { () throws(RegistrationError) in try await alone.register(apiKey: "key", segments: []) }
                == .noServer)
        await alone.shutDown()
    }

    @Test("forgets all of it, tells one stream of statuses from first to last, and can begin anew")
    func unregisters() async throws {
        let client = rig.start(apiKey: "first") { $0.initialSegments = ["news"] }
        var statuses = client.statuses().makeAsyncIterator()
        while let status = await statuses.next(), !status.isComplete || status.items.isEmpty {}
        let changes = client.cachedContentChanges()
        try await client.unregister()
        while let status = await statuses.next(), status.registration != .notRegistered {}
        #expect(client.cachedContent().isEmpty && client.apiKey == nil)
        #expect(rig.world.requests(for: "/v1/devices/device-1").last?.head.method == .delete)
        for await change in changes {
            #expect(change == .removed(url: rig.world.origin + "/a"))
            break
        }
        try await client.register(apiKey: "second", segments: ["news"])
        while let status = await statuses.next(), !status.isComplete || status.items.isEmpty {}
        let requests = try registrations()
        #expect(requests.map(\.apiKey) == ["first", "second"] && requests.map(\.deviceID) == [nil, nil])
        await client.shutDown()
    }

    @Test("is forgotten on the device also where the server cannot be reached")
    func unregistersOffline() async throws {
        let client = rig.start()
        try await client.register(apiKey: "key", segments: ["news"])
        await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
        rig.world.isOffline = true
        try await client.unregister()
        #expect(client.cachedContent().isEmpty)
        await client.shutDown()
        let again = rig.start()
        #expect(again.apiKey == nil && again.status.registration == .notRegistered)
        await again.shutDown()
    }

    @Test(
        "a push token given before the registration goes to the server with it: hexadecimal for APNs, text for others")
    func pushToken() async throws {
        let path = "/v1/devices/device-1/push-token"
        for (service, text) in [("apns", "00ff41"), ("fcm", "A-token")] {
            let rig = try WorldRig()
            let client = rig.start()
            client.setPushToken(service == "apns" ? Data([0, 255, 65]) : Data(text.utf8), service: service)
            try await client.register(apiKey: "key", segments: ["news"])
            await rig.wait(for: client) { $0.isComplete && !$0.items.isEmpty }
            let body = try #require(rig.world.requests(for: path).first?.body)
            #expect(try WireCoding.decode(PushTokenRequest.self, from: body) == .init(service: service, token: text))
            await client.shutDown()
        }
    }
}

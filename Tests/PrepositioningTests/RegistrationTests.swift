import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import TestSupport
import Testing
import Wire
import WorldSupport

/// How the device stands with the server: once per key, withdrawn, forgotten, and where its notifications go.
@Suite(.timeLimit(.minutes(2))) struct RegistrationTests {
    private let world = World()
    private let devicePath = "/v1/devices/device-1"
    private let tokenPath = "/v1/devices/device-1/push-token"
    private let token = PushTokenRequest(service: "apns", token: "00ff")

    init() throws {
        world.put("/a", "first")
        try world.publish(["news": ["/a"]])
    }

    private func sentTokens() throws -> [PushTokenRequest] {
        try world.requests(for: tokenPath).map { try WireCoding.decode(PushTokenRequest.self, from: $0.body) }
    }

    @Test("registers once for each key and device, whatever the number of starts")
    func once() async throws {
        let device = try Device(world)
        for _ in 0..<3 { await (try device.subscribed(["news"])).sync() }
        #expect(world.requests(for: "/v1/devices").count == 1)
    }

    @Test(
        "learns from the server, not from a cached release, that it is not wanted any more", arguments: [401, 403, 410])
    func withdrawn(status: Int) async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        world.answer(devicePath, with: .init(status: status))
        world.forgetRequests()
        await prepositioner.run()
        #expect(prepositioner.registration == .withdrawn)
        #expect(world.requests.map(\.path) == [devicePath])
        #expect(world.requests.first?.head.fields["Larder-Device"] == "device-1")
        #expect(try device.body("/a") == "first")
        // The next start asks again, as the same device.
        await (try device.prepositioner()).sync()
        let request = try #require(world.requests(for: "/v1/devices").last)
        #expect(try WireCoding.decode(RegistrationRequest.self, from: request.body).deviceID == "device-1")
    }

    @Test("goes on with a server that does not know the question", arguments: [404, 405, 500, 503])
    func olderServer(status: Int) async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        world.answer(devicePath, with: .init(status: status))
        #expect(await prepositioner.sync().failures == [])
        guard case .registered = prepositioner.registration else {
            Issue.record("the registration is gone")
            return
        }
    }

    @Test("asks for a refused key again when the app wants it")
    func registersAgain() async throws {
        world.answer("/v1/devices", with: .init(status: 401), .init(status: 401))
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.run()
        guard case .badCredentials = await prepositioner.register() else {
            Issue.record("the key was not refused")
            return
        }
        guard case .registered = await prepositioner.register() else {
            Issue.record("the key was refused")
            return
        }
        _ = await prepositioner.register()
        #expect(world.requests(for: "/v1/devices").count == 3)
        await prepositioner.sync()
        #expect(try device.body("/a") == "first")
    }

    @Test("hands the push token over once, with the device's own token, and again when it is another one")
    func pushToken() async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        prepositioner.setPushToken(token)
        await prepositioner.sync()
        let request = try #require(world.requests(for: tokenPath).first?.head)
        #expect(request.method == .put && request.fields[.authorization] == "Bearer token-1")
        #expect(request.fields["Larder-Device"] == "device-1" && request.fields[.contentType] == "application/json")
        await prepositioner.sync()
        prepositioner.setPushToken(token)
        await prepositioner.sync()
        let again = try device.prepositioner()
        await again.sync()
        #expect(try sentTokens() == [token])
        let other = PushTokenRequest(service: "fcm", token: "other")
        again.setPushToken(other)
        await again.sync()
        #expect(try sentTokens() == [token, other])
    }

    @Test("keeps the push token until the server has it, through failures and restarts, and for the next registration")
    func pushTokenRetry() async throws {
        world.answer(tokenPath, with: .init(status: 500), .init(status: 404))
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        prepositioner.setPushToken(token)
        let report = await prepositioner.sync()
        #expect(report.itemsDownloaded == 1 && report.failures.first?.contains("push token") == true)
        await (try device.prepositioner()).sync()
        let third = try device.prepositioner()
        await third.sync()
        #expect(try sentTokens().count == 3)
        world.answer(devicePath, with: .init(status: 401))
        await third.sync()
        await (try device.prepositioner()).sync()
        #expect(try sentTokens().count == 4)
    }

    @Test("a push token wakes the engine")
    func pushTokenWakes() async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.clock.waitForSleepers()
        device.transport.hold(tokenPath)
        prepositioner.setPushToken(token)
        await device.transport.waitForHeld(tokenPath)
        device.transport.letGo(tokenPath)
        run.cancel()
        await run.value
    }

    @Test(
        "forgets everything before it tells the server, which may say what it likes", arguments: [204, 401, 404, 500])
    func unregister(status: Int) async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        world.answer(devicePath, with: .init(status: status))
        device.transport.hold(devicePath)
        let end = Task { await prepositioner.unregister() }
        await device.transport.waitForHeld(devicePath)
        #expect(try device.store.usage().entryCount == 0)
        #expect(prepositioner.registration == .notRegistered && prepositioner.status.subscribedSegments == [])
        #expect(try device.prepositioner().status.registration == .notRegistered)
        device.transport.letGo(devicePath)
        await end.value
        let request = try #require(world.requests(for: devicePath).last?.head)
        #expect(request.method == .delete && request.fields[.authorization] == "Bearer token-1")
        #expect(device.releases == [nil, 1, nil, nil])
    }

    @Test("forgets everything without a server, and ends its streams")
    func unregisterOffline() async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        let statuses = prepositioner.statuses()
        world.isOffline = true
        await prepositioner.unregister()
        var last: Prepositioner.Status?
        for await status in statuses { last = status }
        #expect(last?.registration == .notRegistered)
        #expect(try device.store.usage().entryCount == 0)
    }

    @Test("tells the release that the journal has before anything else, and every newer one once")
    func releases() async throws {
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        await prepositioner.sync()
        try world.publish(["news": ["/a"]])
        await prepositioner.sync()
        #expect(device.releases == [nil, 1, 2])
        _ = try device.prepositioner()
        #expect(device.releases == [nil, 1, 2, 2])
    }
}

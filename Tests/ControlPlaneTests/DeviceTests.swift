import ControlModel
import ControlPlane
import Cryptography
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Devices")
struct DeviceTests {
    @Test("a device registers, is known by its token, and its token is kept only as a digest")
    func registers() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, response, key) = try await server.makeDevice(app)
        #expect(response.appID == app.id)
        #expect(response.signingKeys == server.plane.signingKeys)
        #expect(device.id == response.deviceID && device.id.hasPrefix("dev_"))
        #expect(device.apiKey == key.key)
        #expect(device.tokenDigest == SHA256Digest.of(Data(response.deviceToken.utf8)))
        #expect(try await server.plane.deviceCount(appID: app.id) == 1)
        await expectProblem(401, "unknown-device") {
            try await server.plane.device(id: device.id, token: "wrong")
        }
        await expectProblem(401, "unknown-device") {
            try await server.plane.device(id: "dev_nobody", token: response.deviceToken)
        }
    }

    @Test("an unknown key, a revoked key and another bundle id are refused")
    func refused() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, response, key) = try await server.makeDevice(app)
        var request = server.request(key)
        request.apiKey = "lk_wrong"
        await expectProblem(401, "unknown-key") { [request] in try await server.plane.register(request) }
        request = server.request(key)
        request.bundleID = "com.example.other"
        await expectProblem(403, "wrong-bundle") { [request] in try await server.plane.register(request) }
        _ = try await server.plane.revokeAPIKey(appID: app.id, key: key.key)
        await expectProblem(403, "key-revoked") { try await server.plane.register(server.request(key)) }
        await expectProblem(403, "key-revoked") {
            try await server.plane.device(id: device.id, token: response.deviceToken)
        }
    }

    @Test("a push token is kept until it is replaced or the device goes, also when the device registers again")
    func pushToken() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, _, key) = try await server.makeDevice(app)
        for token in ["first", "second"] {
            try await server.plane.setPushToken(PushTokenRequest(service: "apns", token: token), of: device)
            #expect(try await server.plane.device(appID: app.id, id: device.id).pushToken?.token == token)
        }
        let again = try await server.plane.register(server.request(key, deviceID: device.id))
        #expect(again.deviceID == device.id)
        server.timekeeper.advance(by: .seconds(100))
        let seen = try await server.plane.device(id: again.deviceID, token: again.deviceToken)
        #expect(seen.pushToken == PushTokenRequest(service: "apns", token: "second"))
        for (service, token, type) in [
            ("", "t", "push-service"), ("APNS", "t", "push-service"), ("a b", "t", "push-service"),
            (String(repeating: "a", count: 33), "t", "push-service"), ("apns", "", "push-token"),
            ("apns", "a b", "push-token"), ("apns", "é", "push-token"),
            ("apns", String(repeating: "a", count: 4_097), "push-token"),
        ] {
            await expectProblem(422, "invalid-\(type)") {
                try await server.plane.setPushToken(PushTokenRequest(service: service, token: token), of: device)
            }
        }
    }

    @Test("a device is forgotten at its own wish, with a revoked key too, and at an operator's")
    func forgotten() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, response, key) = try await server.makeDevice(app)
        let (other, otherResponse, _) = try await server.makeDevice(app)
        await expectProblem(401, "unknown-device") {
            try await server.plane.forgetDevice(id: device.id, token: otherResponse.deviceToken)
        }
        _ = try await server.plane.revokeAPIKey(appID: app.id, key: key.key)
        try await server.plane.forgetDevice(id: device.id, token: response.deviceToken)
        await expectProblem(401, "unknown-device") {
            try await server.plane.forgetDevice(id: device.id, token: response.deviceToken)
        }
        let elsewhere = try await server.plane.createApp(name: "Other", bundleID: "com.example.other")
        await expectProblem(404, "unknown-device") {
            try await server.plane.forgetDevice(appID: elsewhere.id, id: other.id)
        }
        try await server.plane.forgetDevice(appID: app.id, id: other.id)
        await expectProblem(401, "unknown-device") {
            try await server.plane.device(id: other.id, token: otherResponse.deviceToken)
        }
        #expect(try await server.plane.deviceCount(appID: app.id) == 0)
        // What is noted late of a device that is gone brings nothing back.
        try await server.repository.noteSeen(deviceID: other.id, at: server.timekeeper.now)
        try await server.repository.setPushToken(
            deviceID: other.id, to: PushTokenRequest(service: "apns", token: "t"))
        #expect(try await server.repository.device(id: other.id) == nil)
    }

    @Test("a device that registers again keeps its id and gets a new token")
    func again() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, response, key) = try await server.makeDevice(app)
        server.timekeeper.advance(by: .seconds(100))
        let second = try await server.plane.register(server.request(key, deviceID: device.id))
        #expect(second.deviceID == device.id)
        #expect(second.deviceToken != response.deviceToken)
        await expectProblem(401, "unknown-device") {
            try await server.plane.device(id: device.id, token: response.deviceToken)
        }
        let now = try await server.plane.device(id: device.id, token: second.deviceToken)
        #expect(now.registeredAt == device.registeredAt)
        #expect(now.lastSeenAt == server.timekeeper.now)
        // With another key the id is not to be had, nor one that the server never gave out.
        let otherKey = try await server.plane.createAPIKey(appID: app.id, name: "other")
        for (key, id) in [(otherKey, device.id), (key, "dev_madeup")] {
            #expect(try await server.plane.register(server.request(key, deviceID: id)).deviceID != id)
        }
    }

    @Test("that a device was seen is written once a minute at most")
    func lastSeen() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, response, _) = try await server.makeDevice(app)
        server.timekeeper.advance(by: .seconds(59))
        _ = try await server.plane.device(id: device.id, token: response.deviceToken)
        #expect(try await server.repository.device(id: device.id)?.lastSeenAt == device.lastSeenAt)
        server.timekeeper.advance(by: .seconds(1))
        _ = try await server.plane.device(id: device.id, token: response.deviceToken)
        #expect(try await server.repository.device(id: device.id)?.lastSeenAt == server.timekeeper.now)
    }

    @Test("devices come page by page, the one seen last first")
    func pages() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        var ids: [String] = []
        for _ in 0..<5 {
            ids.append(try await server.makeDevice(app).device.id)
            server.timekeeper.advance(by: .seconds(1))
        }
        ids.reverse()
        let first = try await server.plane.devices(appID: app.id, limit: 3, offset: 0)
        let second = try await server.plane.devices(appID: app.id, limit: 3, offset: 3)
        #expect((first + second).map(\.id) == ids)
    }

    @Test("a batch counts once, however often it is sent")
    func batchOnce() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let device = try await server.makeDevice(app).device
        let batch = TelemetryBatch(
            id: "b1", deviceID: device.id, createdAt: server.timekeeper.now,
            items: [.event(AppEvent(name: "opened", date: server.timekeeper.now))], losses: ["queueFull": 3])
        try await server.plane.store(batch, from: device)
        try await server.plane.store(batch, from: device)
        let statistics = try await server.plane.statistics(
            appID: app.id, from: server.timekeeper.now - 60, to: server.timekeeper.now + 60, sliceCount: 1)
        #expect(statistics.events == ["opened": 1])
        #expect(statistics.losses == ["queueFull": 3])
        #expect(statistics.deviceCount == 1)
    }

    @Test("a batch of another device, without an id, or too large is refused")
    func badBatches() async throws {
        var configuration = ControlPlane.Configuration()
        configuration.itemsPerBatchMax = 1
        let server = try await TestServer(configuration: configuration)
        let app = try await server.makeApp()
        let device = try await server.makeDevice(app).device
        func batch(id: String = "b", deviceID: String? = nil, count: Int = 1) -> TelemetryBatch {
            let event = TelemetryItem.event(AppEvent(name: "opened", date: server.timekeeper.now))
            return TelemetryBatch(
                id: id, deviceID: deviceID ?? device.id, createdAt: server.timekeeper.now,
                items: Array(repeating: event, count: count), losses: [:])
        }
        await expectProblem(403, "wrong-device") {
            try await server.plane.store(batch(deviceID: "dev_other"), from: device)
        }
        await expectProblem(422, "invalid-batch-id") { try await server.plane.store(batch(id: ""), from: device) }
        await expectProblem(413, "batch-too-large") { try await server.plane.store(batch(count: 2), from: device) }
        try await server.plane.store(batch(), from: device)
    }

    @Test("a span without length or a year too many is refused")
    func badSpan() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let now = server.timekeeper.now
        for (start, end) in [(now, now), (now + 1, now), (now - 401 * 86_400, now)] {
            await expectProblem(422, "invalid-span") {
                try await server.plane.statistics(appID: app.id, from: start, to: end, sliceCount: 10)
            }
        }
        await expectProblem(422, "invalid-slices") {
            try await server.plane.statistics(appID: app.id, from: now - 60, to: now, sliceCount: 0)
        }
    }
}

import Cryptography
import Foundation
import HTTPModel
import Prepositioning
import TestSupport
import Testing
import Wire
import WorldSupport

/// What is refused, reported, and leaves the old content in place.
@Suite struct TrustTests {
    private let world = World()
    private let stranger = Ed25519PrivateKey(seed: Data(repeating: 7, count: 32))!

    /// A device with version 1 of a segment on it, before a second publication.
    private func prepared() async throws -> (Device, Prepositioner) {
        world.put("/a", "good")
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        #expect(try device.body("/a") == "good")
        world.put("/a", "evil")
        return (device, prepositioner)
    }

    private func expectRefused(_ device: Device, _ prepositioner: Prepositioner, _ words: String) async throws {
        let report = await prepositioner.sync()
        #expect(report.failures.contains { $0.contains(words) }, "\(report.failures)")
        #expect(prepositioner.status.lastFailure?.contains(words) == true)
        #expect(try device.body("/a") == "good")
        #expect(prepositioner.status.activeVersions == ["news": 1])
        let again = try device.prepositioner()
        #expect(again.status.activeVersions == ["news": 1])
    }

    @Test("refuses a release that no trusted key has signed")
    func strangeSignature() async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]], signer: stranger)
        try await expectRefused(device, prepositioner, "no trusted key has signed")
    }

    @Test("refuses a release for another app")
    func otherApp() async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]], app: "app-2")
        try await expectRefused(device, prepositioner, "for the app app-2")
    }

    @Test("refuses a release older than one it has seen, also after a restart")
    func rollback() async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]], releaseVersion: 0)
        try await expectRefused(device, prepositioner, "release 0 is older than release 1")
        try await expectRefused(device, device.prepositioner(), "release 0 is older than release 1")
    }

    @Test("refuses a manifest of another segment or version")
    func wrongManifest() async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]]) { $0.version = 9 }
        try await expectRefused(device, prepositioner, "not for app-1/news@2")
    }

    @Test("refuses a manifest whose hash is not the released one")
    func wrongManifestHash() async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]])
        world.tamperWithManifests()
        try await expectRefused(device, prepositioner, "not")
        #expect(prepositioner.status.lastFailure?.contains("as released") == true)
    }

    @Test("refuses what is no document", arguments: ["", "{}", "[1,2", "\u{0}"])
    func malformed(text: String) async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]])
        world.answer("/v1/apps/app-1/release", with: .init(body: Data(text.utf8)))
        try await expectRefused(device, prepositioner, "malformed")
    }

    @Test("trusts the app's own keys alone when it has any")
    func configuredKeys() async throws {
        world.put("/a", "good")
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let strict = try device.prepositioner {
            $0.signingKeys = [SigningKey(id: "key-1", publicKey: stranger.publicKey.rawBytes)]
            $0.initialSegments = ["news"]
        }
        let report = await strict.sync()
        #expect(report.failures.contains { $0.contains("no trusted key") })
        #expect(try device.body("/a") == nil)
    }

    @Test("keeps the keys of the first registration")
    func firstUse() async throws {
        let (device, prepositioner) = try await prepared()
        prepositioner.noteRefusal("the token was refused")
        #expect(prepositioner.status.registration == .withdrawn)
        let response = RegistrationResponse(
            deviceID: "device-1", deviceToken: "token-2", appID: World.app,
            signingKeys: [SigningKey(id: "key-1", publicKey: stranger.publicKey.rawBytes)])
        world.answer("/v1/devices", with: .init(status: 200, body: try WireCoding.encode(response)))
        try world.publish(["news": ["/a"]], signer: stranger)
        let again = try device.prepositioner()
        try await expectRefused(device, again, "no trusted key")
        let request = try #require(world.requests(for: "/v1/devices").last)
        let registration = try WireCoding.decode(RegistrationRequest.self, from: request.body)
        #expect(registration.deviceID == "device-1")
    }

    @Test("asks once more past caches for a body with the wrong hash, then gives it up")
    func wrongBody() async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]])
        world.put("/a", "fake")
        world.forgetRequests()
        try await expectRefused(device, prepositioner, "not")
        let requests = world.requests(for: "/a")
        #expect(requests.map { $0.head.fields[.cacheControl] } == [nil, "no-cache"])
        #expect(prepositioner.status.items.first?.state == .failed)
        #expect(device.outcomes.contains("news@2 /a failed"))
        #expect(try device.partialNames == [])
    }

    @Test(
        "takes the right body when the second answer has it, and reports the first", arguments: ["wrong", "four!", "x"])
    func wrongBodyOnce(text: String) async throws {
        let (device, prepositioner) = try await prepared()
        try world.publish(["news": ["/a"]])
        world.answer("/a", with: .init(body: Data(text.utf8)))
        let report = await prepositioner.sync()
        #expect(report.itemsDownloaded == 1 && report.failures.count == 1)
        #expect(try device.body("/a") == "evil")
    }
}

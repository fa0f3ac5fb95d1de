import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Wire

/// A control plane on the loopback: it registers every device, hands out the release of the moment and keeps batches.
final class ReleaseOrigin: Sendable {
    private struct State {
        var release: SignedDocument?
        var items: [TelemetryItem] = []
        var isOffline = false
    }

    private static let appID = "app-1"

    private let server: ScriptedOrigin
    private let key: Ed25519PrivateKey
    private let state: Locked<State>

    var origin: String { server.origin }
    /// What devices have told.
    var telemetry: [TelemetryItem] { state.withLock { $0.items } }

    init() throws {
        guard let key = Ed25519PrivateKey(seed: Data(repeating: 7, count: 32)) else {
            throw CocoaError(.featureUnsupported)
        }
        let state = Locked(State())
        let signingKey = SigningKey(id: "key-1", publicKey: key.publicKey.rawBytes)
        server = try ScriptedOrigin { request in try Self.answer(request, state, signingKey) }
        (self.key, self.state) = (key, state)
    }

    /// Publishes a release with these pins.
    func publish(version: Int, pins: [PinRule]) throws {
        let release = Release(
            app: Self.appID, version: version, publishedAt: Date(timeIntervalSince1970: 1_767_225_600), segments: [],
            policy: DownloadPolicy(), pins: pins)
        let document = SignedDocument.signing(
            try WireCoding.encode(release), label: SignedDocument.releaseLabel, keyID: "key-1", key: key)
        state.withLock { $0.release = document }
    }

    /// From now on every connection ends without an answer.
    func goOffline() { state.withLock { $0.isOffline = true } }

    private static func answer(
        _ request: ScriptedOrigin.Request, _ state: Locked<State>, _ signingKey: SigningKey
    ) throws -> ScriptedOrigin.Response {
        if state.withLock({ $0.isOffline }) { return .raw("") }
        switch request.target {
        case "/v1/devices":
            let response = RegistrationResponse(
                deviceID: "device-1", deviceToken: "token-1", appID: appID, signingKeys: [signingKey])
            return .init(try WireCoding.encode(response), status: 201)
        case "/v1/apps/\(appID)/release":
            guard let release = state.withLock({ $0.release }) else { return .init("", status: 404) }
            return .init(try WireCoding.encode(release))
        case let target where target.hasPrefix("/v1/batches/"):
            if let json = WireCoding.decompress(request.body, byteCountMax: 16 << 20) {
                let batch = try WireCoding.decode(TelemetryBatch.self, from: json)
                state.withLock { $0.items += batch.items }
            }
            return .init("", status: 204)
        default: return .init("", status: 204)
        }
    }
}

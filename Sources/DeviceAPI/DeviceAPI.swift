import ControlModel
public import ControlPlane
import Cryptography
import HTTPModel
public import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What devices call, under `/v1`: registration, their own resource, release pointer, manifests, batches, health and the
/// API's description.
///
/// Release and manifests carry strong validators and may be cached by any CDN in front; only what a device says of
/// itself must reach the server.
public enum DeviceAPI {
    /// Seconds that a cache in front may keep the release pointer.
    static let releaseSecondsMax = 30
    /// Most bytes of a batch, before and after decompression.
    static let batchByteCountMax = 16 << 20

    /// Every route, for the server that carries them.
    /// - Parameter version: the server's version, told by `/v1/health`.
    public static func routes(_ controlPlane: ControlPlane, version: String = "0.1.0") -> [Route] {
        [
            Route(.post, "/v1/devices", bodyByteCountMax: 64 << 10) { request in
                try await register(request, with: controlPlane)
            },
            Route(.get, "/v1/devices/{id}", bodyByteCountMax: 0) { request in
                _ = try await caller(request, controlPlane, isNamedInPath: true)
                return done
            },
            Route(.put, "/v1/devices/{id}/push-token", bodyByteCountMax: 64 << 10) { request in
                try await setPushToken(request, in: controlPlane)
            },
            Route(.delete, "/v1/devices/{id}", bodyByteCountMax: 0) { request in
                let (id, token) = try credentials(request, isNamedInPath: true)
                try await controlPlane.forgetDevice(id: id, token: token)
                return done
            },
            Route(.get, "/v1/apps/{app}/release", bodyByteCountMax: 0) { request in
                try await release(request, of: controlPlane)
            },
            Route(.get, "/v1/manifests/{digest}", bodyByteCountMax: 0) { request in
                try await manifest(request, of: controlPlane)
            },
            Route(.post, "/v1/batches/{id}", bodyByteCountMax: batchByteCountMax) { request in
                try await storeBatch(request, in: controlPlane)
            },
            Route(.get, "/v1/health", bodyByteCountMax: 0) { _ in
                try await health(of: controlPlane, version: version)
            },
            Route(.get, "/v1/openapi.json", bodyByteCountMax: 0) { request in
                let response = ServerResponse(
                    fields: ["Content-Type": "application/json", "Cache-Control": "public, max-age=300"],
                    body: .data(Data(OpenAPI.document.utf8)))
                return response.conditional(for: request, eTag: "\"\(openAPIDigest)\"")
            },
        ]
    }

    private static let openAPIDigest = SHA256Digest.of(Data(OpenAPI.document.utf8))

    private static func register(
        _ request: ServerRequest, with controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        // Members that this server does not know are passed over: newer devices must be able to register with it.
        var body = try JSONReader(request)
        let registration = RegistrationRequest(
            apiKey: try body.string("apiKey", characters: 1...200),
            bundleID: try body.string("bundleID", characters: 1...200),
            deviceID: try body.optionalString("deviceID", characters: 1...100),
            platform: try body.string("platform", characters: 0...200),
            sdkVersion: try body.string("sdkVersion", characters: 0...50))
        let response = try await controlPlane.register(registration)
        return try .json(response, status: 201, fields: ["Cache-Control": "no-store"])
    }

    private static func release(
        _ request: ServerRequest, of controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        guard let current = try await controlPlane.currentRelease(appID: request.parameter("app")) else {
            throw ProblemDocument(
                type: "/problems/nothing-published", title: "Nothing published", status: 404,
                detail: "Nothing has been published for this app, or there is no such app.")
        }
        let response = ServerResponse(
            fields: ["Content-Type": "application/json", "Cache-Control": "public, max-age=\(releaseSecondsMax)"],
            body: .data(current.document))
        return response.conditional(for: request, eTag: "\"\(SHA256Digest.of(current.document))\"")
    }

    private static func manifest(
        _ request: ServerRequest, of controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        guard let digest = SHA256Digest(hex: request.parameter("digest")),
            let document = try await controlPlane.manifest(digest)
        else {
            throw ProblemDocument(
                type: "/problems/unknown-manifest", title: "Unknown manifest", status: 404,
                detail: "No manifest has this digest. Manifests are named by the release of their app.")
        }
        let response = ServerResponse(
            fields: ["Content-Type": "application/json", "Cache-Control": "public, max-age=31536000, immutable"],
            body: .data(document))
        return response.conditional(for: request, eTag: "\"\(digest)\"")
    }

    /// Members that this server does not know are passed over, as in registrations.
    private static func setPushToken(
        _ request: ServerRequest, in controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let device = try await caller(request, controlPlane, isNamedInPath: true)
        var body = try JSONReader(request)
        let token = PushTokenRequest(
            service: try body.string("service", characters: 1...32),
            token: try body.string("token", characters: 1...4_096))
        try await controlPlane.setPushToken(token, of: device)
        return done
    }

    private static func storeBatch(
        _ request: ServerRequest, in controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let device = try await caller(request, controlPlane)
        let coding = request.fields[.contentEncoding]?.lowercased() ?? "identity"
        guard coding == "zstd" || coding == "identity" else {
            let problem = ProblemDocument(
                type: "/problems/unsupported-content-coding", title: "Unsupported content coding", status: 415,
                detail: "A batch comes with Content-Encoding zstd, or without.")
            // What would have been taken (RFC 9110, section 15.5.16).
            return .problem(problem, fields: ["Accept-Encoding": "zstd, identity"])
        }
        let batch = try decodeBatch(request, isCompressed: coding == "zstd")
        guard batch.id == request.parameter("id") else {
            throw batchProblem("The batch's id is not the one in the path.")
        }
        guard batch.deviceID == device.id else {
            throw ProblemDocument(
                type: "/problems/foreign-batch", title: "Batch of another device", status: 403,
                detail: "The batch names another device than the one that sends it.")
        }
        try await controlPlane.store(batch, from: device)
        return ServerResponse(status: 204)
    }

    private static func decodeBatch(_ request: ServerRequest, isCompressed: Bool) throws -> TelemetryBatch {
        var data = request.body
        if isCompressed {
            guard let plain = WireCoding.decompress(request.body, byteCountMax: batchByteCountMax) else {
                throw batchProblem("The body is not zstd, or longer than \(batchByteCountMax) bytes decompressed.")
            }
            data = plain
        }
        do {
            return try WireCoding.decode(TelemetryBatch.self, from: data)
        } catch let error as DecodingError {
            throw batchProblem(error.sentence)
        }
    }

    private static let done = ServerResponse(status: 204, fields: ["Cache-Control": "no-store"])

    /// The device that calls: 401 when it does not say which, or is unknown; 403 when its key was revoked.
    private static func caller(
        _ request: ServerRequest, _ controlPlane: ControlPlane, isNamedInPath: Bool = false
    ) async throws -> Device {
        let (id, token) = try credentials(request, isNamedInPath: isNamedInPath)
        return try await controlPlane.device(id: id, token: token)
    }

    private static func credentials(
        _ request: ServerRequest, isNamedInPath: Bool
    ) throws -> (id: String, token: String) {
        guard let token = request.bearerToken, let id = request.fields["Larder-Device"] else {
            throw ProblemDocument(
                type: "/problems/device-not-named", title: "Device not named", status: 401,
                detail: "A device sends its token as Authorization: Bearer and its id as Larder-Device.")
        }
        guard !isNamedInPath || request.parameter("id") == id else {
            throw ProblemDocument(
                type: "/problems/wrong-device", title: "Wrong device", status: 403,
                detail: "The path names another device than Larder-Device. A device speaks for itself only.")
        }
        return (id, token)
    }

    private static func batchProblem(_ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/invalid-batch", title: "Invalid batch", status: 400, detail: detail)
    }

    private static func health(of controlPlane: ControlPlane, version: String) async throws -> ServerResponse {
        struct Health: Encodable {
            var status: String
            var version: String
        }
        // A question that the repository has to answer, so that "ok" means the store can be read.
        _ = try await controlPlane.hasAdministrators()
        return try .json(Health(status: "ok", version: version), fields: ["Cache-Control": "no-store"])
    }
}

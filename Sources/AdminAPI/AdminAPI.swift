import ControlModel
public import ControlPlane
import HTTPModel
public import HTTPServer
public import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What operators and their programs call, under `/v1/admin`: JSON in and out, with a session's token as
/// `Authorization: Bearer`.
///
/// Bodies and queries are read strictly; refusals are problem documents (RFC 9457) that name the member at fault.
public enum AdminAPI {
    /// A handler that has been given the session of its caller.
    typealias Handler = @Sendable (ServerRequest, AdminSession, ControlPlane) async throws -> ServerResponse

    /// Every route, for the server that carries them.
    /// - Parameter timekeeper: tells the present, with which the statistics end unless told.
    public static func routes(
        _ controlPlane: ControlPlane, timekeeper: any Timekeeping = SystemTimekeeper()
    ) -> [Route] {
        func route(
            _ method: HTTPMethod, _ path: String, bodyByteCountMax: Int = 64 << 10, _ handler: @escaping Handler
        ) -> Route {
            Route(method, "/v1/admin\(path)", bodyByteCountMax: bodyByteCountMax) { request in
                try await handler(request, session(of: request, controlPlane), controlPlane)
            }
        }
        let app = "/apps/{app}"
        let segment = "\(app)/segments/{segment}"
        return [
            Route(.post, "/v1/admin/sessions", bodyByteCountMax: 4 << 10) { request in
                try await signIn(request, controlPlane)
            },
            route(.get, "/sessions/current", showSession),
            route(.delete, "/sessions/current", signOut),

            route(.get, "/apps", listApps),
            route(.post, "/apps", createApp),
            route(.get, app, showApp),
            route(.patch, app, updateApp),
            route(.get, "\(app)/keys", listKeys),
            route(.post, "\(app)/keys", createKey),
            route(.delete, "\(app)/keys/{key}", revokeKey),

            route(.get, "\(app)/segments", listSegments),
            route(.post, "\(app)/segments", createSegment),
            route(.get, segment, showSegment),
            route(.delete, segment, removeSegment),
            route(.get, "\(segment)/items", listItems),
            route(.patch, "\(segment)/items", updateItem),
            route(.delete, "\(segment)/items", removeItem),
            route(.post, "\(segment)/ingests", bodyByteCountMax: 8 << 20, startIngest),
            route(.get, "\(app)/ingests", listIngests),
            route(.get, "/ingests/{ingest}", showIngest),

            route(.get, "\(app)/releases", listReleases),
            route(.post, "\(app)/releases", publish),
            route(.post, "\(app)/rollbacks", rollBack),
            route(.get, "\(app)/preview", preview),

            route(.get, "\(app)/devices", listDevices),
            route(.delete, "\(app)/devices/{device}", forgetDevice),
            route(.get, "\(app)/devices/{device}/timeline", showTimeline),
            route(.get, "\(app)/progress", listProgress),
            route(.get, "\(app)/statistics") { request, _, controlPlane in
                try await showStatistics(request, controlPlane, now: timekeeper.now)
            },
            route(.get, "\(app)/events") { request, _, controlPlane in
                try await listEvents(request, controlPlane, now: timekeeper.now)
            },
            route(.get, "\(app)/pin-failures") { request, _, controlPlane in
                try await listPinFailures(request, controlPlane, now: timekeeper.now)
            },
        ]
    }

    /// An answer that no cache keeps.
    static func answer(
        _ value: some Encodable, status: Int = 200, location: String? = nil
    ) throws -> ServerResponse {
        var fields: HTTPFields = ["Cache-Control": "no-store"]
        fields[.location] = location
        return try .json(value, status: status, fields: fields)
    }

    static let done = ServerResponse(status: 204, fields: ["Cache-Control": "no-store"])

    private static func session(of request: ServerRequest, _ controlPlane: ControlPlane) async throws -> AdminSession {
        guard let token = request.bearerToken else {
            throw ProblemDocument(
                type: "/problems/not-signed-in", title: "Not signed in", status: 401,
                detail: "This needs Authorization: Bearer with a token from POST /v1/admin/sessions.")
        }
        guard let session = try await controlPlane.session(token: token) else {
            throw ProblemDocument(
                type: "/problems/session-ended", title: "Session ended", status: 401,
                detail: "The token is unknown or has expired. Sign in again with POST /v1/admin/sessions.")
        }
        return session
    }
}

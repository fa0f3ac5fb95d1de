import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AdminAPI {
    private struct Releases: Encodable { var releases: [PublishedRelease] }

    /// A release as the API shows it: what devices get, and who published it.
    private struct PublishedRelease: Encodable {
        var app: String
        var version: Int
        var publishedAt: Date
        var publishedBy: String
        var segments: [Release.Segment]
        var policy: DownloadPolicy
        var quality: QualityThresholds
        var pins: [PinRule]

        init(_ stored: StoredRelease) {
            app = stored.release.app
            version = stored.release.version
            publishedAt = stored.release.publishedAt
            publishedBy = stored.publishedBy
            segments = stored.release.segments
            policy = stored.release.policy
            quality = stored.release.quality
            pins = stored.release.pins
        }
    }

    static func listReleases(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var query = QueryReader(request)
        let limit = try query.integer("limit", in: 1...1_000, default: 50)
        try query.finish()
        let releases = try await controlPlane.releases(appID: request.parameter("app"), limit: limit)
        return try answer(Releases(releases: releases.map(PublishedRelease.init)))
    }

    /// What publishing now would change.
    static func preview(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(try await controlPlane.publicationPreview(appID: request.parameter("app")))
    }

    static func publish(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try JSONReader(request).finish()
        let release = try await controlPlane.publish(appID: request.parameter("app"), by: session.administrator)
        return try answer(PublishedRelease(release), status: 201)
    }

    static func rollBack(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var body = try JSONReader(request)
        let version = try body.integer("version", in: 1...Int64(Int32.max))
        try body.finish()
        let release = try await controlPlane.rollBack(
            appID: request.parameter("app"), toVersion: Int(version), by: session.administrator)
        return try answer(PublishedRelease(release), status: 201)
    }
}

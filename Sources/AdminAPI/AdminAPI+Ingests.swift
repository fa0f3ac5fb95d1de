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
    private struct Ingests: Encodable { var ingests: [Ingest] }

    /// A job as the API shows it: its source in the form in which it is given.
    private struct Ingest: Encodable {
        struct Source: Encodable {
            var urls: [String]?
            var sitemap: String?
        }

        var id: String
        var appID: String
        var segment: String
        var source: Source
        var replacesItems: Bool
        var state: IngestJob.State
        var itemsTotal: Int
        var itemsDone: Int
        var itemsFailed: Int
        var startedAt: Date
        var endedAt: Date?
        var failure: String?

        init(_ job: IngestJob) {
            id = job.id
            appID = job.appID
            segment = job.segment
            source =
                switch job.source {
                case .urls(let urls): Source(urls: urls)
                case .sitemap(let url): Source(sitemap: url)
                }
            replacesItems = job.replacesItems
            state = job.state
            itemsTotal = job.itemsTotal
            itemsDone = job.itemsDone
            itemsFailed = job.itemsFailed
            startedAt = job.startedAt
            endedAt = job.endedAt
            failure = job.failure
        }
    }

    static func startIngest(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var body = try JSONReader(request)
        guard var sourceBody = try body.optionalObject("source") else {
            throw body.refusal("source", "expected an object with \"urls\" or \"sitemap\", found nothing.")
        }
        let urls = try sourceBody.optionalStrings("urls", count: 1...100_000, characters: 1...8_192)
        let sitemap = try sourceBody.optionalString("sitemap", characters: 1...8_192)
        try sourceBody.finish()
        let replacesItems = try body.optionalBool("replacesItems") ?? false
        try body.finish()
        let source: IngestSource
        switch (urls, sitemap) {
        case (let urls?, nil): source = .urls(urls)
        case (nil, let sitemap?): source = .sitemap(sitemap)
        default: throw body.refusal("source", "expected either \"urls\" or \"sitemap\".")
        }
        let job = try await controlPlane.startIngest(
            appID: request.parameter("app"), segment: request.parameter("segment"), source: source,
            replacesItems: replacesItems)
        return try answer(Ingest(job), status: 202, location: "/v1/admin/ingests/\(job.id)")
    }

    static func showIngest(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(Ingest(try await controlPlane.ingestJob(id: request.parameter("ingest"))))
    }

    static func listIngests(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var query = QueryReader(request)
        let limit = try query.integer("limit", in: 1...1_000, default: 50)
        try query.finish()
        let jobs = try await controlPlane.ingestJobs(appID: request.parameter("app"), limit: limit)
        return try answer(Ingests(ingests: jobs.map(Ingest.init)))
    }
}

public import ControlModel
import HTTPModel
import Wire

extension ControlPlane {
    /// Starts an ingest in the background: finds the URLs, fetches each as a device would, records what it found.
    ///
    /// The server fetches whatever URL the administrator names, on its own network as well.
    /// - Throws: a 404 problem; a 422 problem for URLs that are not absolute http or https URLs, or too many; a 409 problem
    ///   while another ingest into the segment runs; a 429 problem when too many ingests run.
    public func startIngest(
        appID: String, segment: String, source: IngestSource, replacesItems: Bool
    ) async throws -> IngestJob {
        let app = try await app(id: appID)
        let segment = try await self.segment(appID: appID, name: segment)
        let job = IngestJob(
            id: "ing_" + makeToken(12), appID: app.id, segment: segment.name, source: try validated(source),
            replacesItems: replacesItems, startedAt: now)
        try ingests.reserve(job)
        do {
            try await repository.save(job)
        } catch {
            ingests.end(job.id)
            throw error
        }
        let ingest = Ingest(
            repository: repository, transport: transport, timekeeper: timekeeper,
            limits: Ingest.Limits(
                itemCountMax: configuration.itemsPerSegmentMax,
                itemByteCountMax: configuration.itemByteCountMax,
                policyByteCountMax: app.policy.fileByteCountMax,
                concurrentFetches: max(configuration.concurrentIngestFetches, 1)))
        ingests.start(job.id) {
            await ingest.run(job)
        } record: {
            await ingest.record($0)
        }
        return job
    }

    /// - Throws: a 404 problem.
    public func ingestJob(id: String) async throws -> IngestJob {
        guard let job = try await repository.ingestJob(id: id) else {
            throw ProblemDocument.unknown("ingest", id, hint: "List the app's ingests; the oldest are forgotten.")
        }
        return job
    }

    /// The ingests of an app, the newest first.
    public func ingestJobs(appID: String, limit: Int) async throws -> [IngestJob] {
        try await repository.ingestJobs(appID: app(id: appID).id, limit: min(max(limit, 1), 1_000))
    }

    /// Returns when a job has ended.
    /// - Throws: a 404 problem.
    public func waitForIngest(id: String) async throws -> IngestJob {
        _ = try await ingestJob(id: id)
        await ingests.wait(for: id)
        return try await ingestJob(id: id)
    }

    /// The source with its URLs in normal form and without repetitions.
    private func validated(_ source: IngestSource) throws -> IngestSource {
        switch source {
        case .sitemap(let text):
            guard let url = Validation.itemURL(text) else {
                throw ProblemDocument.invalid(
                    "sitemap",
                    "\"\(text.prefix(200))\" is no absolute http or https URL, such as https://example.com/sitemap.xml."
                )
            }
            return .sitemap(url.string)
        case .urls(let texts):
            return .urls(try validatedURLs(texts))
        }
    }

    private func validatedURLs(_ texts: [String]) throws -> [String] {
        let texts = texts.map(Validation.trimmed).filter { !$0.isEmpty }
        guard !texts.isEmpty else { throw ProblemDocument.invalid("urls", "There is no URL. Give at least one.") }
        guard texts.count <= configuration.itemsPerSegmentMax else {
            throw ProblemDocument.invalid(
                "urls",
                "There are \(texts.count) URLs; a segment holds \(configuration.itemsPerSegmentMax) at most.")
        }
        let bad = texts.filter { Validation.itemURL($0) == nil }
        guard bad.isEmpty else {
            let shown = bad.prefix(3).map { "\"\($0.prefix(200))\"" }.joined(separator: ", ")
            throw ProblemDocument.invalid(
                "urls",
                "\(bad.count) of \(texts.count) are no absolute http or https URLs, such as \(shown). Mend or remove them."
            )
        }
        var seen: Set<String> = []
        return texts.compactMap { Validation.itemURL($0)?.string }.filter { seen.insert($0).inserted }
    }
}

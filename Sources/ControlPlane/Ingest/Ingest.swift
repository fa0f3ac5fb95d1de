import ControlModel
import Cryptography
import Primitives
import Transport

/// One run of an ingest: finds the URLs, fetches each, keeps the job and the items up to date meanwhile.
struct Ingest: Sendable {
    /// What bounds a run.
    struct Limits: Sendable {
        var itemCountMax: Int
        var itemByteCountMax: Int64
        var policyByteCountMax: Int64
        var concurrentFetches: Int
    }

    /// Progress is saved once so many items are done…
    private static let savedItemCount = 50
    /// … or so much time has passed.
    private static let savedInterval = Duration.milliseconds(500)

    let repository: any Repository
    let transport: any HTTPTransport
    let timekeeper: any Timekeeping
    let limits: Limits

    /// Runs a job to its end, whatever it is.
    /// - Returns: the ended job, for ``record(_:)``.
    func run(_ started: IngestJob) async -> IngestJob {
        var job = started
        do {
            let items = try await prepare(&job)
            try await inspect(items, job: &job)
            job.state = .succeeded
        } catch is CancellationError {
            job.state = .failed
            job.failure = "The ingest was ended before it was done. Start it again."
        } catch {
            job.state = .failed
            job.failure = "\(error)"
        }
        job.endedAt = timekeeper.now.wholeSecond
        return job
    }

    /// Stores the ended job.
    func record(_ job: IngestJob) async {
        do {
            try await repository.save(job)
        } catch {
            // The repository is out of order, so there is nowhere to say so; the next start marks the job as failed.
        }
    }

    /// Finds the URLs and stores them as waiting items; items that stay keep their priority.
    private func prepare(_ job: inout IngestJob) async throws -> [SegmentItem] {
        let urls = try await locations(of: job.source)
        let existing = Dictionary(
            try await repository.items(appID: job.appID, segment: job.segment).map { ($0.url, $0) },
            uniquingKeysWith: { first, _ in first })
        let countAfter = job.replacesItems ? urls.count : Set(existing.keys).union(urls).count
        guard countAfter <= limits.itemCountMax else {
            throw IngestError(
                "The segment would have \(countAfter) items; \(limits.itemCountMax) is the most. "
                    + "Split it into several segments.")
        }
        let items = urls.map { url in
            SegmentItem(
                appID: job.appID, segment: job.segment, url: url, priority: existing[url]?.priority ?? 0,
                isEssential: existing[url]?.isEssential ?? true)
        }
        try Task.checkCancellation()
        if job.replacesItems {
            try await repository.replaceItems(appID: job.appID, segment: job.segment, with: items)
        } else {
            try await repository.save(items)
        }
        job.itemsTotal = items.count
        try await repository.save(job)
        return items
    }

    private func locations(of source: IngestSource) async throws -> [String] {
        switch source {
        case .urls(let urls): return urls
        case .sitemap(let address):
            let reader = SitemapReader(
                follower: RedirectFollower(transport: transport), locationCountMax: limits.itemCountMax)
            return try await reader.locations(at: address)
        }
    }

    /// Fetches every item, a few at a time.
    private func inspect(_ items: [SegmentItem], job: inout IngestJob) async throws {
        let inspector = inspector
        var progress = Progress(job: job, savedAt: timekeeper.uptime)
        try await withThrowingTaskGroup(of: SegmentItem.self) { group in
            var waiting = items.makeIterator()
            for _ in 0..<limits.concurrentFetches {
                guard let item = waiting.next() else { break }
                group.addTask { try await inspector.inspect(item) }
            }
            while let item = try await group.next() {
                if let next = waiting.next() { group.addTask { try await inspector.inspect(next) } }
                progress.add(item)
                let isDue = timekeeper.uptime - progress.savedAt >= Self.savedInterval
                if progress.unsaved.count >= Self.savedItemCount || isDue { try await save(&progress) }
            }
        }
        try await save(&progress)
        try await repository.save(progress.twins(inOrderOf: items.map(\.url)))
        job = progress.job
    }

    private var inspector: ItemInspector {
        let isPolicyLower = limits.policyByteCountMax < limits.itemByteCountMax
        return ItemInspector(
            transport: transport, timekeeper: timekeeper,
            byteCountMax: min(limits.policyByteCountMax, limits.itemByteCountMax),
            limitName: isPolicyLower ? "the largest file of the app's download policy" : "this server's own")
    }

    private func save(_ progress: inout Progress) async throws {
        guard !progress.unsaved.isEmpty else { return }
        try await repository.save(progress.unsaved)
        try await repository.save(progress.job)
        progress.unsaved.removeAll(keepingCapacity: true)
        progress.savedAt = timekeeper.uptime
    }

    /// What is done so far.
    private struct Progress {
        var job: IngestJob
        var savedAt: Duration
        var unsaved: [SegmentItem] = []
        private var good: [String: SegmentItem] = [:]

        init(job: IngestJob, savedAt: Duration) {
            self.job = job
            self.savedAt = savedAt
        }

        mutating func add(_ item: SegmentItem) {
            unsaved.append(item)
            job.itemsDone += 1
            if item.state == .failed { job.itemsFailed += 1 } else { good[item.url] = item }
        }

        /// The items that have the same bytes as an earlier one, with a note that says so.
        func twins(inOrderOf urls: [String]) -> [SegmentItem] {
            var first: [SHA256Digest: String] = [:]
            return urls.compactMap { url in
                guard var item = good[url], let digest = item.sha256, item.byteCount > 0 else { return nil }
                guard let twin = first[digest] else {
                    first[digest] = url
                    return nil
                }
                item.findings.append(
                    "The bytes are the same as those of \(twin). Devices keep them once; "
                        + "remove one of the two if the app asks for one only.")
                return item
            }
        }
    }
}

/// Why an ingest ended without looking at its items.
struct IngestError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

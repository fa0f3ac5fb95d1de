import Foundation
import Larder
import Wire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Loads a page as a small browser would: the page by the shared session, what it needs by a session of its own.
struct Browser {
    private let larder: LarderClient
    private let session: URLSession

    init(larder: LarderClient) {
        self.larder = larder
        let configuration = URLSessionConfiguration.default
        larder.intercept(configuration)
        session = URLSession(configuration: configuration)
    }

    /// Loads a page, the sub-resources it names, and then what else there is, six at a time.
    func load(page: URL, others: [URL]) async -> [RequestReport] {
        let exchanges = larder.exchanges()
        let reports = await loadAll(page: page, others: others)
        return await Self.addingWireBytes(to: reports, from: exchanges)
    }

    /// The SDK's own records of the same requests tell what went over the network.
    private static func addingWireBytes(
        to reports: [RequestReport], from exchanges: AsyncStream<ExchangeRecord>
    ) async -> [RequestReport] {
        let records = await withTaskGroup(of: [String: ExchangeRecord].self) { group in
            group.addTask {
                var records: [String: ExchangeRecord] = [:]
                for await record in exchanges {
                    records[record.url] = record
                    if records.count >= Set(reports.map(\.url)).count { break }
                }
                return records
            }
            group.addTask {
                do { try await Task.sleep(for: .seconds(5)) } catch {
                    // Cancelled: every record has come.
                }
                return [:]
            }
            var records: [String: ExchangeRecord] = [:]
            if let first = await group.next() { records = first }
            group.cancelAll()
            for await more in group { records.merge(more) { old, _ in old } }
            return records
        }
        return reports.map { report in
            var report = report
            report.wireByteCount = records[report.url.absoluteString]?.wireByteCount
            return report
        }
    }

    private func loadAll(page: URL, others: [URL]) async -> [RequestReport] {
        let (first, body) = await get(page, with: .shared)
        var reports = [first]
        let named = Self.references(in: body, of: page)
        let stylesheets = named.filter { $0.pathExtension == "css" }
        let (sheets, inSheets) = await loadStylesheets(stylesheets)
        reports += sheets
        var seen = Set([page] + stylesheets)
        let rest = (named + inSheets + others).filter { seen.insert($0).inserted }
        reports += await getAll(rest).map(\.0)
        return reports
    }

    private func loadStylesheets(_ urls: [URL]) async -> ([RequestReport], [URL]) {
        let loaded = await getAll(urls)
        return (loaded.map(\.0), zip(urls, loaded).flatMap { Self.references(in: $1.1, of: $0) })
    }

    private func getAll(_ urls: [URL]) async -> [(RequestReport, Data)] {
        await withTaskGroup(of: (Int, RequestReport, Data).self) { group in
            var results: [(RequestReport, Data)?] = Array(repeating: nil, count: urls.count)
            var next = 0
            func addNext() {
                guard next < urls.count else { return }
                let index = next
                next += 1
                group.addTask {
                    let (report, body) = await get(urls[index], with: session)
                    return (index, report, body)
                }
            }
            for _ in 0..<6 { addNext() }
            while let (index, report, body) = await group.next() {
                results[index] = (report, body)
                addNext()
            }
            return results.compactMap { $0 }
        }
    }

    /// One plain request, by completion handler: the form that Foundation on Linux carries most safely.
    private func get(_ url: URL, with session: URLSession) async -> (RequestReport, Data) {
        let start = ContinuousClock.now
        let (data, response, failure) = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, response, error in
                continuation.resume(returning: (data, response as? HTTPURLResponse, error.map { "\($0)" }))
            }.resume()
        }
        let elapsed = (ContinuousClock.now - start).components
        let report = RequestReport(
            url: url, status: response?.statusCode ?? 0,
            microseconds: elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000,
            byteCount: data?.count ?? 0, digest: Report.digest(of: data ?? Data()), wireByteCount: nil,
            cacheStatus: response?.value(forHTTPHeaderField: "Cache-Status"), failure: failure)
        return (report, data ?? Data())
    }

    /// The sub-resources of the same origin that a page or a style sheet names.
    private static func references(in body: Data, of base: URL) -> [URL] {
        guard ["css", "html", ""].contains(base.pathExtension), let text = String(data: body, encoding: .utf8) else {
            return []
        }
        let patterns: [Regex<(Substring, Substring)>] =
            base.pathExtension == "css"
            ? [/url\(["']?([^"')]+)["']?\)/] : [/<(?:link|img|script)[^>]*?(?:href|src)="([^"#]+)"/]
        return patterns.flatMap { pattern in text.matches(of: pattern).map { String($0.output.1) } }
            .compactMap { URL(string: $0, relativeTo: base)?.absoluteURL }
            .filter { $0.host == base.host && $0.port == base.port }
    }
}

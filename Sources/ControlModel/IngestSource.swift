/// Where an ingest takes its URLs from.
public enum IngestSource: Sendable, Hashable, Codable {
    case urls([String])
    /// A sitemap or sitemap index, plain or gzip.
    case sitemap(String)
}

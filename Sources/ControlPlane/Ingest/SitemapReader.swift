import HTTPModel
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Collects the URLs of a sitemap, or of a sitemap index and those it names (https://www.sitemaps.org/protocol.html).
///
/// Fails as a whole when one of the sitemaps cannot be read: a segment shall not lose items because of a hiccup.
struct SitemapReader: Sendable {
    /// The protocol's own limit for one sitemap, unpacked.
    static let byteCountMax = 52_428_800
    static let depthMax = 3
    static let sitemapCountMax = 500
    /// Parsing takes a while for large sitemaps.
    private static let work = Offload(label: "larder.sitemaps")

    let follower: RedirectFollower
    let locationCountMax: Int

    /// The URLs in their order, in normal form and without repetitions; what is no URL comes as it was written.
    /// - Throws: ``IngestError``; `CancellationError`.
    func locations(at address: String) async throws -> [String] {
        var found = Found()
        try await collect(address, depth: 1, into: &found)
        guard !found.locations.isEmpty else {
            throw IngestError("The sitemap \(address) lists no URL. Check that it is the right one.")
        }
        return found.locations
    }

    private struct Found {
        var locations: [String] = []
        var seenLocations: Set<String> = []
        var seenSitemaps: Set<String> = []
    }

    private func collect(_ address: String, depth: Int, into found: inout Found) async throws {
        guard depth <= Self.depthMax else {
            throw IngestError("The sitemap index nests deeper than \(Self.depthMax) levels at \(address).")
        }
        guard let url = Validation.itemURL(address) else {
            throw IngestError("The sitemap index names \"\(address.prefix(200))\", which is no http or https URL.")
        }
        guard found.seenSitemaps.insert(url.string).inserted else { return }
        guard found.seenSitemaps.count <= Self.sitemapCountMax else {
            throw IngestError(
                "The sitemap index names more than \(Self.sitemapCountMax) sitemaps. Ingest them in parts.")
        }
        switch try await document(at: url) {
        case .index(let addresses):
            for address in addresses { try await collect(address, depth: depth + 1, into: &found) }
        case .locations(let texts):
            for text in texts {
                let location = Validation.itemURL(text)?.string ?? String(text.prefix(2_048))
                guard found.seenLocations.insert(location).inserted else { continue }
                found.locations.append(location)
            }
            guard found.locations.count <= locationCountMax else {
                throw IngestError(
                    "The sitemap lists more than \(locationCountMax) URLs, the most a segment holds. "
                        + "Ingest parts of it into several segments.")
            }
        }
    }

    private func document(at url: HTTPURL) async throws -> SitemapDocument {
        do {
            let body = try await body(at: url)
            return try await Self.work.run {
                let text = Gunzip.isGzip(body) ? try Gunzip.unpack(body, byteCountMax: Self.byteCountMax) : body
                return try SitemapDocument(parsing: text)
            }
        } catch let error as TransportError {
            throw IngestError("The sitemap \(url) could not be fetched: \(error). Check the address and the server.")
        } catch let error as RedirectError {
            throw IngestError("The sitemap \(url) could not be fetched: \(error). Use the final address.")
        } catch is ByteStreamError {
            throw IngestError("The sitemap \(url) is longer than \(Self.byteCountMax) bytes, the protocol's limit.")
        } catch let error as SitemapError {
            throw IngestError("The sitemap \(url) could not be read: \(error).")
        }
    }

    private func body(at url: HTTPURL) async throws -> Data {
        let fetched = try await follower.fetch(url)
        let status = fetched.response.response.status
        guard status == 200 else {
            throw IngestError("The sitemap \(url) was answered with status \(status). Check the address.")
        }
        return try await fetched.response.body.collect(upTo: Self.byteCountMax)
    }
}

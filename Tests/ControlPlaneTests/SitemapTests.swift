import CZlib
import Foundation
import Testing

@testable import ControlPlane

@Suite("Sitemaps")
struct SitemapTests {
    private func parse(_ text: String) throws -> SitemapDocument { try SitemapDocument(parsing: Data(text.utf8)) }

    @Test("URLs are taken from urlset/url/loc, trimmed and with references resolved")
    func urlset() throws {
        let document = try parse(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
                xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
              <!-- a comment -->
              <url><loc> https://example.com/a?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
                <image:image><image:loc>https://example.com/a.jpg</image:loc></image:image></url>
              <url><image:loc>https://example.com/b.jpg</image:loc><loc><![CDATA[https://example.com/b]]></loc></url>
              <url><loc></loc></url>
            </urlset>
            """)
        #expect(document == .locations(["https://example.com/a?x=1&y=2", "https://example.com/b"]))
    }

    @Test("a sitemap without a namespace, or with a prefix, is read as well")
    func namespaces() throws {
        #expect(try parse("<urlset><url><loc>https://e.x/</loc></url></urlset>") == .locations(["https://e.x/"]))
        #expect(
            try parse(
                """
                <s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://e.x/</s:loc>
                </s:url></s:urlset>
                """) == .locations(["https://e.x/"]))
    }

    @Test("an index names further sitemaps")
    func index() throws {
        #expect(
            try parse("<sitemapindex><sitemap><loc>https://e.x/1.xml</loc></sitemap></sitemapindex>")
                == .index(["https://e.x/1.xml"]))
    }

    @Test("another document, broken XML and an empty file are refused with the reason")
    func refused() throws {
        #expect(throws: SitemapError.notASitemap("html")) { try parse("<html><body/></html>") }
        for text in ["<urlset><url>", "", "no xml"] {
            let error = try #require(throws: SitemapError.self) { try parse(text) }
            guard case .malformed = error else {
                Issue.record("\(text) gave \(error)")
                continue
            }
        }
    }

    @Test("entities are refused, whether they would read a file or grow without end")
    func entities() throws {
        #expect(throws: SitemapError.entityDeclared) {
            try parse(
                """
                <!DOCTYPE urlset [<!ENTITY file SYSTEM "file:///etc/hostname">]>
                <urlset><url><loc>https://e.x/&file;</loc></url></urlset>
                """)
        }
        var bomb = "<!DOCTYPE urlset [<!ENTITY a0 \"ha\">"
        for level in 1...20 { bomb += "<!ENTITY a\(level) \"\(String(repeating: "&a\(level - 1);", count: 10))\">" }
        bomb += "]><urlset><url><loc>&a20;</loc></url></urlset>"
        #expect(throws: SitemapError.entityDeclared) { try parse(bomb) }
    }

    @Test("too many entries, a URL too long and nesting too deep are refused")
    func bounds() throws {
        let entry = "<url><loc>https://e.x/</loc></url>"
        #expect(throws: SitemapError.tooManyEntries) {
            try parse("<urlset>\(String(repeating: entry, count: SitemapDocument.entryCountMax + 1))</urlset>")
        }
        let long = "https://e.x/" + String(repeating: "a", count: 20_000)
        #expect(throws: SitemapError.self) { try parse("<urlset><url><loc>\(long)</loc></url></urlset>") }
        let deep = String(repeating: "<url>", count: 40) + String(repeating: "</url>", count: 40)
        #expect(throws: SitemapError.self) { try parse("<urlset>\(deep)</urlset>") }
    }

    @Test("gzip is unpacked, in several members as well; damaged or endless data is refused")
    func gzip() throws {
        let text = Data(String(repeating: "https://example.com/ ", count: 10_000).utf8)
        let packed = try gzipped(text)
        #expect(Gunzip.isGzip(packed) && !Gunzip.isGzip(text))
        #expect(try Gunzip.unpack(packed, byteCountMax: 1 << 20) == text)
        #expect(try Gunzip.unpack(packed + packed, byteCountMax: 1 << 20) == text + text)
        #expect(throws: SitemapError.tooLong(byteCountMax: 1_000)) {
            try Gunzip.unpack(packed, byteCountMax: 1_000)
        }
        #expect(throws: SitemapError.badGzip) { try Gunzip.unpack(packed.dropLast(9), byteCountMax: 1 << 20) }
        var damaged = packed
        damaged[damaged.count / 2] ^= 0xFF
        #expect(throws: SitemapError.badGzip) { try Gunzip.unpack(damaged, byteCountMax: 1 << 20) }
        #expect(throws: SitemapError.badGzip) { try Gunzip.unpack(Data([0x1F, 0x8B]), byteCountMax: 1 << 20) }
    }
}

/// A gzip file of some bytes.
func gzipped(_ data: Data) throws -> Data {
    var stream = z_stream()
    try #require(
        deflateInit2_(
            &stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { deflateEnd(&stream) }
    var input = Array(data), output = [UInt8](repeating: 0, count: data.count + 1_024)
    let count = output.count
    let status = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            return deflate(&stream, Z_FINISH)
        }
    }
    try #require(status == Z_STREAM_END)
    return Data(output.prefix(count - Int(stream.avail_out)))
}

import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What one sitemap file says.
enum SitemapDocument: Sendable, Hashable {
    /// URLs of pages.
    case locations([String])
    /// Addresses of further sitemaps.
    case index([String])

    /// The protocol allows 50,000 in one file.
    static let entryCountMax = 50_000

    /// Parses a `urlset` or a `sitemapindex`; other elements, such as images and translations, are passed over.
    ///
    /// Entity declarations are refused and nothing outside of the file is loaded. Holds the file and its URLs in memory.
    /// - Throws: ``SitemapError``.
    init(parsing data: Data) throws(SitemapError) {
        // Foundation on Linux does not tell the delegate of declarations, so they are looked for here. A sitemap is UTF-8 by
        // its protocol; in another encoding libxml2's own bounds on entities hold.
        guard data.range(of: Data("<!ENTITY".utf8)) == nil else { throw .entityDeclared }
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isWhole = parser.parse()
        if let refusal = reader.refusal { throw refusal }
        // Foundation on Linux takes a file that ends early for a whole one.
        guard isWhole, reader.isComplete, let root = reader.root else {
            let code = parser.parserError.map { "libxml2 error \(($0 as NSError).code)" }
            throw .malformed(line: parser.lineNumber, reason: code ?? "it ends early")
        }
        self = root == "urlset" ? .locations(reader.entries) : .index(reader.entries)
    }

    /// Takes `loc` of `urlset/url` and of `sitemapindex/sitemap`.
    private final class Reader: NSObject, XMLParserDelegate {
        private(set) var root: String?
        private(set) var entries: [String] = []
        private(set) var refusal: SitemapError?
        private(set) var isComplete = false
        private var path: [String] = []
        private var rootNamespace: String?
        private var text: String?

        private var entryElement: String { root == "urlset" ? "url" : "sitemap" }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            if path.isEmpty {
                guard name == "urlset" || name == "sitemapindex" else { return refuse(.notASitemap(name), parser) }
                root = name
            }
            // A foreign element, such as image:loc, has a prefix that the root does not have.
            path.append(namespaceURI == rootNamespace ?? namespaceURI ? name : "")
            if path.count == 1 { rootNamespace = namespaceURI }
            guard path.count <= 32 else {
                return refuse(.malformed(line: parser.lineNumber, reason: "too deep"), parser)
            }
            if path.count == 3, path[1] == entryElement, path[2] == "loc" { text = "" }
        }

        func parser(_ parser: XMLParser, foundCharacters characters: String) {
            guard let length = text?.utf8.count else { return }
            guard length + characters.utf8.count <= 16_384 else {
                return refuse(.malformed(line: parser.lineNumber, reason: "a URL has more than 16,384 bytes"), parser)
            }
            text? += characters
        }

        func parser(_ parser: XMLParser, foundCDATA block: Data) {
            self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if path.count == 3, let text {
                let entry = Validation.trimmed(text)
                if !entry.isEmpty { entries.append(entry) }
                self.text = nil
                if entries.count > SitemapDocument.entryCountMax { refuse(.tooManyEntries, parser) }
            }
            _ = path.popLast()
            isComplete = path.isEmpty
        }

        private func refuse(_ error: SitemapError, _ parser: XMLParser) {
            if refusal == nil { refusal = error }
            parser.abortParsing()
        }
    }
}

/// Why a sitemap was refused.
enum SitemapError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(line: Int, reason: String)
    case notASitemap(String)
    case tooManyEntries
    case entityDeclared
    case badGzip
    case tooLong(byteCountMax: Int)

    var description: String {
        switch self {
        case .malformed(let line, let reason): "it is no well-formed XML at line \(line) (\(reason))"
        case .notASitemap(let name): "its root element is \"\(name.prefix(40))\" instead of urlset or sitemapindex"
        case .tooManyEntries: "it has more than \(SitemapDocument.entryCountMax) entries, the protocol's limit"
        case .entityDeclared: "it declares entities, which a sitemap has no need of"
        case .badGzip: "its gzip data is damaged"
        case .tooLong(let byteCountMax): "it is longer than \(byteCountMax) bytes unpacked, the protocol's limit"
        }
    }
}

import CCurl

/// The libcurl at hand: set up once, asked what it can do.
enum CurlLibrary {
    /// The result of the one set-up; a static constant runs once, whichever thread comes first.
    private static let isInitialized = curl_global_init(LCURL_GLOBAL_ALL) == CURLE_OK

    /// Sets the library up for the process; the second and later calls do nothing.
    static func initialize() { _ = isInitialized }

    /// Names and versions of the library and its parts.
    static let version = String(cString: curl_version())

    /// The version as 0xMMmmpp.
    static let versionNumber = lcurl_version()?.pointee.version_num ?? 0

    /// What it can do, by the names that HTTP uses.
    static let features: Set<String> = {
        guard let bits = lcurl_version()?.pointee.features else { return [] }
        let names: [(Int32, String)] = [
            (CURL_VERSION_HTTP2, "HTTP/2"), (CURL_VERSION_HTTP3, "HTTP/3"), (CURL_VERSION_LIBZ, "gzip"),
            (CURL_VERSION_BROTLI, "br"), (CURL_VERSION_ZSTD, "zstd"), (CURL_VERSION_ALTSVC, "Alt-Svc"),
            (CURL_VERSION_HSTS, "HSTS"), (CURL_VERSION_SSL, "TLS"), (CURL_VERSION_IPV6, "IPv6"),
        ]
        return Set(names.compactMap { bits & $0.0 != 0 ? $0.1 : nil })
    }()

    /// The content codings it decodes, as they stand in `Accept-Encoding`.
    static let codings = ["gzip", "br", "zstd"].filter(features.contains).joined(separator: ", ")
}

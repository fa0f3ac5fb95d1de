import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `If-Range` may carry (RFC 9110, section 13.1.5).
enum Validator {
    /// The strong validator of a response: a strong entity tag, else a modification date at least a minute older than the
    /// response (RFC 9110, section 8.8.2.2); `nil` when there is none.
    static func strong(of response: HTTPResponse, now: Date) -> String? {
        if let tag = response.fields[.eTag], tag.hasPrefix("\""), tag.hasSuffix("\""), tag.count >= 2 { return tag }
        guard let text = response.fields[.lastModified], let modified = HTTPDate.parse(text, now: now),
            let dateText = response.fields[.date], let date = HTTPDate.parse(dateText, now: now),
            date.timeIntervalSince(modified) >= 60
        else { return nil }
        return text
    }
}

/// The value of `Content-Range` in a 206 answer to a single range (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
    var first: Int64
    var last: Int64
    /// `nil` when the server does not know.
    var byteCount: Int64?

    /// Reads `bytes 0-99/200`; `nil` for anything else.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]),
            first >= 0, first <= last, parts[1] == "*" || Int64(parts[1]) != nil
        else { return nil }
        self.first = first
        self.last = last
        byteCount = Int64(parts[1])
    }
}

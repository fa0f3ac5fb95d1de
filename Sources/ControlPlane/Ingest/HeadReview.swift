import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Judges a response's head: would a device's cache keep it, find it again and serve it without asking? Pure.
struct HeadReview {
    var status: Int
    var fields: HTTPFields
    /// The URL the app will ask for.
    var asked: HTTPURL
    /// The URL that answered.
    var final: HTTPURL
    var hops: [Int] = []
    var now: Date

    /// Everything found, in the order in which it matters.
    var findings: [Finding] {
        guard status == 200 else { return [statusFinding] + wayFindings }
        return storageFindings + varyFindings + freshnessFindings + wayFindings
    }

    private var statusFinding: Finding {
        let advice =
            switch status {
            case 401, 403, 407: "Devices fetch without credentials: make it public or remove the item."
            case 404, 410: "Correct the URL or remove the item."
            case 429, 503: "The origin asks for patience: ingest again later."
            case 500...: "Mend the origin, then ingest again."
            default: "Only answers with status 200 can be published; check the URL."
            }
        return Finding(.failure, "The origin answered with status \(status). \(advice)")
    }

    // MARK: - May it be stored?

    private var storageFindings: [Finding] {
        var findings: [Finding] = []
        if control.noStore {
            findings.append(
                Finding(
                    .failure,
                    "Cache-Control: no-store forbids keeping the response (RFC 9111, section 5.2.2.5). "
                        + "Change the field at the origin or remove the item."))
        }
        if let coding = fields[.contentEncoding] {
            findings.append(
                Finding(
                    .failure,
                    "The body came with Content-Encoding \(coding.prefix(40)), which was not asked for. "
                        + "Let the origin send gzip, br, zstd or no coding."))
        }
        if fields.contains(.setCookie) {
            findings.append(
                Finding(
                    .warning,
                    "The response sets a cookie, so it may be personal. Every device gets the same bytes; check that "
                        + "they are meant for everyone."))
        }
        return findings
    }

    // MARK: - Will it be found again?

    /// Fields whose values are the same for all of an app's requests to a URL, as a rule.
    private static let harmlessVary: Set<String> = [
        "accept-encoding", "accept", "user-agent", "origin", "save-data", "dnt", "host", "x-forwarded-proto",
    ]

    private var varyFindings: [Finding] {
        let names = fields.values(of: .vary).flatMap { $0.split(separator: ",") }
            .map { Validation.trimmed(String($0)).lowercased() }.filter { !$0.isEmpty }
        if names.contains("*") {
            return [
                Finding(
                    .failure,
                    "Vary: * means that no stored response ever fits (RFC 9111, section 4.1). "
                        + "Change the field at the origin or remove the item.")
            ]
        }
        let risky = names.filter { !Self.harmlessVary.contains($0) }
        guard !risky.isEmpty else { return [] }
        return [
            Finding(
                .warning,
                "Vary: \(risky.joined(separator: ", ").prefix(200)) makes the response fit only requests that carry the "
                    + "same values as the device's download, which carries none. Drop it at the origin if it is not needed."
            )
        ]
    }

    // MARK: - Will it be served without asking?

    private var freshnessFindings: [Finding] {
        if case .response = control.noCache { return [revalidates(because: "Cache-Control: no-cache")] }
        if let maxAge = control.maxAge {
            guard maxAge.cautious == 0 else { return [] }
            return [revalidates(because: "Cache-Control: max-age=0 or an unreadable max-age")]
        }
        if let expires = fields[.expires] {
            let date = fields[.date].flatMap { HTTPDate.parse($0, now: now) } ?? now
            let isFresh = HTTPDate.parse(expires, now: now).map { $0 > date } ?? false
            return isFresh ? [] : [revalidates(because: "an Expires date that is past or unreadable")]
        }
        guard !hasValidator else { return [] }
        return [
            Finding(
                .warning,
                "The response has neither a validator (ETag, Last-Modified) nor a lifetime (max-age, Expires), so each "
                    + "check downloads it whole. Let the origin send one of them.")
        ]
    }

    private var hasValidator: Bool { fields.contains(.eTag) || fields.contains(.lastModified) }

    private func revalidates(because reason: String) -> Finding {
        let cost = hasValidator ? "" : " There is no validator either, so each time it is downloaded whole."
        return Finding(
            .warning,
            "It revalidates on each use because of \(reason): the app waits for the origin every time.\(cost) "
                + "Give it a lifetime at the origin if it may be served without asking.")
    }

    // MARK: - The way there

    private var wayFindings: [Finding] {
        var findings: [Finding] = []
        if !hops.isEmpty {
            let statuses = hops.map(String.init).joined(separator: ", ")
            findings.append(
                Finding(
                    .warning,
                    "The URL redirects (\(statuses)) to \(final). List that URL too if the app asks for it directly."))
        }
        if let insecure = [asked, final].first(where: { !$0.isSecure }) {
            findings.append(cleartext(insecure))
        }
        return findings
    }

    private func cleartext(_ url: HTTPURL) -> Finding {
        guard !Self.isLoopback(url.host) else {
            return Finding(
                .warning,
                "The address is cleartext http on this machine: fine for a trial, out of reach for real devices.")
        }
        return Finding(
            .warning,
            "\(url.origin) is cleartext http: anyone on the way can read and change it, though devices check the hash. "
                + "Use https.")
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
    }

    private var control: CacheControl { CacheControl(fields) }
}

import Cryptography

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules about keys that are in force, by host.
struct PinBook: Sendable {
    private let rules: [String: [PinnedKeys]]
    /// Where a rule that never expires only reports.
    private let sparedHost: String?

    /// Sorts rules by host. One whose digests cannot be digests says nothing: it could never be kept.
    init(_ rules: [PinnedKeys], sparing sparedHost: String?) {
        self.sparedHost = sparedHost?.lowercased()
        let usable = rules.filter { rule in rule.digests.contains { Data(base64Encoded: $0)?.count == 32 } }
        self.rules = Dictionary(grouping: usable) { rule in
            let name = rule.host.lowercased()
            return name.hasSuffix(".") ? String(name.dropLast()) : name
        }
    }

    /// The rules for a host: its own, else those of the nearest name above that speak for it. What has expired says nothing.
    func rules(for host: String, at now: Date) -> [PinnedKeys] {
        guard !rules.isEmpty else { return [] }
        var name = host.hasSuffix(".") ? host.dropLast() : host[...]
        var isOwn = true
        while true {
            let found = (rules[String(name)] ?? []).filter { rule in
                (isOwn || rule.includesSubdomains) && rule.expiresAt.map { now < $0 } ?? true
            }
            if !found.isEmpty { return host == sparedHost ? found.map(\.sparing) : found }
            guard let dot = name.firstIndex(of: ".") else { return [] }
            name = name[name.index(after: dot)...]
            isOwn = false
        }
    }
}

extension PinnedKeys {
    /// The rule, which only reports when it never expires.
    fileprivate var sparing: PinnedKeys {
        var rule = self
        if expiresAt == nil { rule.isReportOnly = true }
        return rule
    }
}

extension [PinnedKeys] {
    /// The rules that have none of the keys that vouch for a server.
    /// - Parameter authorityFile: where authorities are looked for that the server does not show, once nothing else matches.
    func broken(by chain: CertificateChain, authorityFile: String?) -> [PinnedKeys] {
        let broken = filter { rule in !chain.vouchingDigests().contains(where: rule.digests.contains) }
        guard !broken.isEmpty, let authorityFile else { return broken }
        let vouching = chain.vouchingDigests(authorityFile: authorityFile)
        return broken.filter { rule in !vouching.contains(where: rule.digests.contains) }
    }
}

import HTTPModel

/// What the app wants for all of its requests.
///
/// The rules are for the app's own calls and its intercepted sessions. Requests that are passed on for another program, as the
/// local proxy does, are not changed by them.
public struct RequestRules: Sendable, Hashable {
    /// The hosts whose requests the SDK takes. Names match exactly, in any case.
    public enum HostFilter: Sendable, Hashable, Codable {
        case all
        /// These hosts alone, by exact name.
        case only(Set<String>)
        case except(Set<String>)
    }

    /// Follow redirects; otherwise the 3xx is the app's answer.
    public let followsRedirects: Bool
    private let ignoredMethods: Set<String>
    private let hosts: HostFilter
    private let userAgentToken: String?
    /// Whether GET, HEAD and POST requests go their way as if there were no rules.
    private let isTransparent: Bool

    /// Creates rules.
    /// - Parameters:
    ///   - followsRedirects: whether redirects are followed.
    ///   - ignoredMethods: methods, in any case, whose requests the SDK leaves alone.
    ///   - hosts: the hosts whose requests the SDK takes.
    ///   - userAgentToken: added at the end of a request's own `User-Agent`.
    public init(
        followsRedirects: Bool = true, ignoredMethods: Set<String> = ["OPTIONS"], hosts: HostFilter = .all,
        userAgentToken: String? = nil
    ) {
        self.followsRedirects = followsRedirects
        self.ignoredMethods = Set(ignoredMethods.map { $0.uppercased() })
        self.hosts = hosts.normalized
        self.userAgentToken = userAgentToken
        isTransparent =
            followsRedirects && hosts == .all && userAgentToken == nil
            && self.ignoredMethods.isDisjoint(with: ["GET", "HEAD", "POST"])
    }

    /// Whether the SDK answers such a request; otherwise it goes to the network as if there were no SDK.
    /// - Parameters:
    ///   - method: in any case.
    ///   - host: without its port; an IPv6 address with or without brackets.
    public func takes(method: String, host: @autoclosure () -> String) -> Bool {
        guard !ignoredMethods.contains(method.uppercased()) else { return false }
        switch hosts {
        case .all: return true
        case .only(let names): return names.contains(HostFilter.normalName(host()))
        case .except(let names): return !names.contains(HostFilter.normalName(host()))
        }
    }

    /// The request and options as the rules want them; `options` are the caller's.
    func apply(to request: inout HTTPRequest, _ options: inout RequestOptions) {
        if isTransparent || options.isProxied { return }
        if !followsRedirects { options.followsRedirects = false }
        if !takes(request) { options.bypassesCache = true }
        guard let userAgentToken, let own = request.fields[.userAgent], !own.hasSuffix(userAgentToken) else { return }
        request.fields[.userAgent] = own.isEmpty ? userAgentToken : "\(own) \(userAgentToken)"
    }

    private func takes(_ request: HTTPRequest) -> Bool {
        takes(method: request.method.rawValue, host: request.url.host)
    }
}

extension RequestRules.HostFilter {
    fileprivate var normalized: Self {
        switch self {
        case .all: .all
        case .only(let names): .only(Set(names.map(Self.normalName)))
        case .except(let names): .except(Set(names.map(Self.normalName)))
        }
    }

    fileprivate static func normalName(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
    }
}

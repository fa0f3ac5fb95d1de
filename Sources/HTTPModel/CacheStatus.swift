/// One member of the `Cache-Status` field (RFC 9211): how one cache handled the request.
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
    /// Why a request went forward (RFC 9211, section 2.2).
    public enum ForwardReason: String, Sendable, CaseIterable, Codable {
        case bypass, method, miss, request, stale, partial
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
    }

    /// The cache's name.
    public var cacheName: String
    /// The response came from the cache without going forward.
    public var isHit: Bool
    public var forwardReason: ForwardReason?
    public var forwardStatus: Int?
    /// Remaining freshness in seconds; negative when stale.
    public var ttl: Int?
    public var isStored: Bool?
    public var isCollapsed: Bool?
    public var key: String?
    public var detail: String?

    /// Creates a member.
    public init(
        cacheName: String = "Larder", isHit: Bool = false, forwardReason: ForwardReason? = nil,
        forwardStatus: Int? = nil, ttl: Int? = nil, isStored: Bool? = nil, isCollapsed: Bool? = nil,
        key: String? = nil, detail: String? = nil
    ) {
        self.cacheName = cacheName
        self.isHit = isHit
        self.forwardReason = forwardReason
        self.forwardStatus = forwardStatus
        self.ttl = ttl
        self.isStored = isStored
        self.isCollapsed = isCollapsed
        self.key = key
        self.detail = detail
    }

    /// Reads every member of a field value; `nil` when it is not a list as RFC 9211 says.
    ///
    /// Parameters that are unknown, or not of their type, are passed over.
    public static func parse(_ text: String) -> [CacheStatus]? {
        guard let members = StructuredField.parseList(text) else { return nil }
        var statuses: [CacheStatus] = []
        for member in members {
            guard case .item(let item) = member, let name = item.value.text else { return nil }
            var status = CacheStatus(cacheName: name)
            for pair in item.parameters { status.read(pair.key, pair.value) }
            statuses.append(status)
        }
        return statuses
    }

    private mutating func read(_ key: String, _ value: StructuredField.BareItem) {
        switch (key, value) {
        case ("hit", .boolean(let value)): isHit = value
        case ("fwd", .token(let value)): forwardReason = ForwardReason(rawValue: value)
        case ("fwd-status", .integer(let value)): forwardStatus = value
        case ("ttl", .integer(let value)): ttl = value
        case ("stored", .boolean(let value)): isStored = value
        case ("collapsed", .boolean(let value)): isCollapsed = value
        case ("key", .string(let value)): self.key = value
        case ("detail", _): detail = value.text
        default: break
        }
    }

    /// The member as it stands in the field; characters that the field cannot carry are question marks.
    public var description: String {
        var text = Self.tokenOrString(cacheName)
        if isHit { text += "; hit" }
        if let forwardReason, !isHit { text += "; fwd=\(forwardReason.rawValue)" }
        if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        if let ttl { text += "; ttl=\(ttl)" }
        if let isStored { text += isStored ? "; stored" : "; stored=?0" }
        if let isCollapsed { text += isCollapsed ? "; collapsed" : "; collapsed=?0" }
        if let key { text += "; key=\(Self.string(key))" }
        if let detail { text += "; detail=\(Self.tokenOrString(detail))" }
        return text
    }

    private static func tokenOrString(_ text: String) -> String {
        StructuredFieldGrammar.isToken(text) ? text : string(text)
    }

    private static func string(_ text: String) -> String {
        let visible = text.utf8.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") }
        let item = StructuredField.Item(.string(String(decoding: visible, as: UTF8.self)))
        return StructuredField.serialize(item) ?? "\"\""
    }
}

extension StructuredField.BareItem {
    /// The text of a string or token.
    fileprivate var text: String? {
        switch self {
        case .string(let text), .token(let text): text
        default: nil
        }
    }
}

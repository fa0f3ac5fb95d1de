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
    public static func parse(_ text: String) -> [CacheStatus]? { fatalError("stub") }

    /// The member as it stands in the field.
    public var description: String { fatalError("stub") }
}

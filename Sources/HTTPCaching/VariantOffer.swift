public import HTTPModel

/// The tags of stored variants, offered to the origin with a request that none of them was made for: a 304 then tells which
/// of them is the right one after all (RFC 9111, section 4.3.1).
public struct VariantOffer: Sendable, Hashable {
    /// As many as a request line of reasonable length carries; the newest count.
    private static let countMax = 8

    /// The entries whose tags are offered.
    public let entryIDs: [Int64]
    /// The fields that offer them, the caller's own tags among them.
    public let conditionalFields: HTTPFields

    /// The offer to make; `nil` without a tag to offer.
    init?(of stored: [StoredResponse], for request: HTTPRequest) {
        guard !request.fields.contains(.ifModifiedSince) || request.fields.contains(.ifNoneMatch) else { return nil }
        let offered = HTTPCache.answering(request, stored)
            .filter { $0.response.fields.firstValue(of: .eTag).flatMap { EntityTag($0) } != nil }
            .sorted { Variants.isPreferred($0, to: $1) }.prefix(Self.countMax)
        let tags = offered.compactMap { $0.response.fields.firstValue(of: .eTag) }
        guard !tags.isEmpty, let list = EntityTagCondition.union(request.fields[.ifNoneMatch], tags) else { return nil }
        entryIDs = offered.map(\.id)
        conditionalFields = [.ifNoneMatch: list]
    }
}

extension EntityTagCondition {
    /// The caller's list of tags with others added that are not in it yet; the others alone when the caller has no list.
    static func union(_ own: String?, _ tags: [String]) -> String? {
        var list: [String] = []
        if let own, case .tags(let named) = EntityTagCondition(own) { list = named.map(\.description) }
        for tag in tags where !list.contains(where: { Self.isSame($0, tag) }) { list.append(tag) }
        return list.isEmpty ? nil : list.joined(separator: ", ")
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard let left = EntityTag(left), let right = EntityTag(right) else { return left == right }
        return left == right
    }
}

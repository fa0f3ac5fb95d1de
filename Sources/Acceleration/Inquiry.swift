import ContentStore
import HTTPCaching
import HTTPModel

/// What the cache asks the origin on top of a caller's request: whether stored entries are still good, or for the rest of one.
struct Inquiry: Sendable {
    /// The entries that a 304 may confirm.
    var entries: [StoreEntry] = []
    /// The entry that the response shall complete.
    var part: StoreEntry?
    /// The fields that ask, set in place of the caller's own.
    var fields = HTTPFields()

    /// The caller's request as it is.
    static let none = Inquiry()

    /// The request as the origin sees it.
    func applied(to request: HTTPRequest) -> HTTPRequest {
        var sent = request
        if !entries.isEmpty {
            sent.fields[.ifNoneMatch] = nil
            sent.fields[.ifModifiedSince] = nil
        }
        for field in fields { sent.fields[field.name] = field.value }
        return sent
    }
}

extension Engine.Lookup {
    /// What is to be asked for the decision's sake.
    var inquiry: Inquiry {
        switch decision.action {
        case .revalidate(let id, let fields), .serveAndRevalidate(let id, let fields):
            return entry(id).map { Inquiry(entries: [$0], fields: fields) } ?? .none
        case .complete(let id, let fields): return entry(id).map { Inquiry(part: $0, fields: fields) } ?? .none
        case .forward:
            guard let offer = decision.offer else { return .none }
            return Inquiry(entries: offer.entryIDs.compactMap { entry($0) }, fields: offer.conditionalFields)
        case .serve, .refuse: return .none
        }
    }
}

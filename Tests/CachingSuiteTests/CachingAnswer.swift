import HTTPModel

/// What a caller gets of one exchange.
struct CachingAnswer: Sendable {
    var response: HTTPResponse
    var text: String

    init(_ response: HTTPResponse, _ text: String) {
        self.response = response
        self.text = text
    }

    /// An answer with this cache's member of `Cache-Status` added.
    init(_ response: HTTPResponse, _ text: String, _ status: CacheStatus) {
        self.init(response, text)
        self.response.fields.append(.cacheStatus, status.description)
    }

    /// This cache's own account of what it did.
    var cacheStatus: CacheStatus? {
        response.fields[.cacheStatus].flatMap { CacheStatus.parse($0) }?.last { $0.cacheName == "Larder" }
    }
}

import HTTPModel
import Primitives
import Transport

/// The exchanges of one try to download an item, redirects included, to be counted when they have ended.
final class Exchanges: Sendable {
    struct One: Sendable {
        var url: HTTPURL
        var meter: ExchangeMeter
        var metrics: @Sendable () async -> TransferMetrics
    }

    private let exchanges = Locked<[One]>([])

    var all: [One] { exchanges.withLock { $0 } }

    func append(_ exchange: One) { exchanges.withLock { $0.append(exchange) } }
}

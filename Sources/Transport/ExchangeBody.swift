import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a response as its consumer reads it. Letting go of it ends the transfer.
struct ExchangeBody: ByteSource {
    let exchange: CurlExchange

    func next() async throws -> Data? {
        do {
            return try await exchange.buffer.next { [exchange] in
                exchange.loop.withHandle(of: exchange) { exchange.resumeReceiving($0) }
            }
        } catch let error as CancellationError {
            cancel()
            throw error
        }
    }

    func cancel() {
        exchange.buffer.abandon()
        if exchange.outcome.current == nil { exchange.loop.cancel(exchange, CancellationError()) }
    }
}

import HTTPModel
import Primitives
import Transport

/// Fetches a URL as a device would: GET, bodies decoded, redirects followed.
struct RedirectFollower: Sendable {
    static let hopsMax = 5
    /// What is read of a redirect's body, so that its connection can be used again.
    private static let redirectBodyByteCountMax = 64 << 10

    let transport: any HTTPTransport

    /// A response that is no redirect, and the way to it.
    struct Fetched {
        var response: TransportResponse
        /// Where the response came from.
        var url: HTTPURL
        /// The status of each redirect, in order.
        var hops: [Int]
    }

    /// - Throws: ``RedirectError``; ``TransportError``; `CancellationError`.
    func fetch(_ start: HTTPURL) async throws -> Fetched {
        var url = start
        var hops: [Int] = []
        while true {
            var request = TransportRequest(HTTPRequest(url: url))
            request.connectTimeout = .seconds(15)
            request.idleTimeout = .seconds(30)
            request.totalTimeout = .seconds(1_800)
            let response = try await transport.send(request)
            guard [301, 302, 303, 307, 308].contains(response.response.status),
                let location = response.response.fields[.location]
            else { return Fetched(response: response, url: url, hops: hops) }
            guard hops.count < Self.hopsMax else { throw RedirectError.tooMany(Self.hopsMax) }
            guard let next = url.resolving(location) else { throw RedirectError.unusable(String(location.prefix(200))) }
            hops.append(response.response.status)
            try await drain(response.body)
            url = next
        }
    }

    private func drain(_ body: ByteStream) async throws {
        do {
            _ = try await body.collect(upTo: Self.redirectBodyByteCountMax)
        } catch is ByteStreamError {
            // Longer than it is worth reading; letting go of the body ends the transfer.
        }
    }
}

/// Why a redirect could not be followed.
enum RedirectError: Error, CustomStringConvertible {
    case tooMany(Int)
    case unusable(String)

    var description: String {
        switch self {
        case .tooMany(let count): "it redirects more than \(count) times"
        case .unusable(let location): "it redirects to \"\(location)\", which is no http or https URL"
        }
    }
}

import HTTPModel
import Primitives

/// The fetches in flight, by what makes requests identical.
final class FlightTable: Sendable {
    /// Requests with the same key may share one fetch.
    struct Key: Hashable {
        var url: HTTPURL
        /// Every field of the request: which of them select the response is only known once it is there.
        var fields: HTTPFields
        var options: RequestOptions

        /// The key of a request as it is sent. What led to it makes no difference.
        init(_ request: HTTPRequest, _ options: RequestOptions) {
            (url, fields) = (request.url, request.fields)
            self.options = options
            self.options.originalRequest = nil
        }
    }

    /// A place in a flight.
    enum Boarding {
        /// The flight is new and has yet to be started.
        case first(Flight, member: Int)
        case joined(Flight, member: Int)
        /// A flight has ended since the store was looked at: look again.
        case lookAgain
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var endCount: UInt64 = 0
    }

    private let state = Locked(State())

    /// How many flights have ended; read before the store is looked at, and given to ``board(_:endCount:)``.
    var endCount: UInt64 { state.withLock { $0.endCount } }

    /// The flight with a key, while it can be joined.
    func flight(for key: Key) -> Flight? { state.withLock { $0.flights[key] } }

    /// Joins the flight with a key or begins one.
    /// - Parameter endCount: `nil` begins one even when another may have just filled the store.
    func board(_ key: Key, endCount: UInt64?) -> Boarding {
        state.withLock { state in
            // The locks nest in this order only: the table's, then the flight's.
            if let flight = state.flights[key], let member = flight.join() { return .joined(flight, member: member) }
            if let endCount, endCount != state.endCount { return .lookAgain }
            let (flight, member) = Flight.withFirstMember()
            state.flights[key] = flight
            return .first(flight, member: member)
        }
    }

    /// Takes an ended flight out.
    func remove(_ flight: Flight, key: Key) {
        state.withLock { state in
            state.endCount += 1
            if state.flights[key] === flight { state.flights[key] = nil }
        }
    }
}

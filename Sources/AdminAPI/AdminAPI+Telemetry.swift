import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AdminAPI {
    private struct Events: Encodable { var events: [EventStatistics] }
    private struct PinFailures: Encodable { var pinFailures: [PinFailureSum] }
    private struct Timeline: Encodable { var entries: [TimelineLine] }

    /// An entry as the API shows it: one of the two is there.
    private struct TimelineLine: Encodable {
        var event: AppEvent?
        var exchange: ExchangeRecord?

        init(_ entry: TimelineEntry) {
            switch entry {
            case .event(let event): self.event = event
            case .exchange(let exchange): self.exchange = exchange
            }
        }
    }

    /// The last 24 hours in 24 slices unless told otherwise.
    static func showStatistics(
        _ request: ServerRequest, _ controlPlane: ControlPlane, now: Date
    ) async throws -> ServerResponse {
        var query = QueryReader(request)
        let sliceCount = try query.integer("slices", in: 1...1_000, default: 24)
        let span = try span(&query, now: now)
        return try answer(
            try await controlPlane.statistics(
                appID: request.parameter("app"), from: span.lowerBound, to: span.upperBound, sliceCount: sliceCount))
    }

    static func listEvents(
        _ request: ServerRequest, _ controlPlane: ControlPlane, now: Date
    ) async throws -> ServerResponse {
        var query = QueryReader(request)
        let span = try span(&query, now: now)
        let events = try await controlPlane.eventStatistics(
            appID: request.parameter("app"), from: span.lowerBound, to: span.upperBound)
        return try answer(Events(events: events))
    }

    static func listPinFailures(
        _ request: ServerRequest, _ controlPlane: ControlPlane, now: Date
    ) async throws -> ServerResponse {
        var query = QueryReader(request)
        let span = try span(&query, now: now)
        let failures = try await controlPlane.pinFailures(
            appID: request.parameter("app"), from: span.lowerBound, to: span.upperBound)
        return try answer(PinFailures(pinFailures: failures))
    }

    static func showTimeline(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let entries = try await controlPlane.timeline(
            appID: request.parameter("app"), deviceID: request.parameter("device"))
        return try answer(Timeline(entries: entries.map(TimelineLine.init)))
    }

    /// The span of `from` and `to`, the last 24 hours unless told otherwise; the last that is read of a query.
    private static func span(_ query: inout QueryReader, now: Date) throws -> Range<Date> {
        let end = try query.date("to") ?? now
        let start = try query.date("from") ?? end.addingTimeInterval(-86_400)
        try query.finish()
        guard start < end else {
            throw ProblemDocument(
                type: "/problems/invalid-query", title: "Invalid query", status: 400,
                detail: "from: expected a date before \"to\".")
        }
        return start..<end
    }
}

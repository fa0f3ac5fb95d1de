import Transport

/// Finds the link's rate in the times at which bytes arrive.
///
/// A sender that does not yet know the link sends a round trip's worth at once and waits: such a *train* of bytes still comes at
/// the link's rate, and only the silence between trains is the sender's. So rates are taken within trains, of all transfers
/// together, from the end of the first read to the end of the last one; what the first read brought may have waited.
struct ArrivalTrains: Sendable {
    /// The rate of a stretch of bytes.
    struct Rate: Sendable, Hashable {
        var bytesPerSecond: Double
        /// From 0 to 1, what a stretch of 64 KiB, or of a second, counts.
        var weight: Double
        /// It was too short for a clock: the link is at least that fast.
        var isLimit: Bool
        /// There were enough bytes to stand in for a rate as long as there is none.
        var isTelling = true
    }

    private struct Point {
        var at: Duration
        /// Bytes since the train began, without those of its first read.
        var byteCount: Int
    }

    /// Silence that can be the sender's: a share of the round trip, and never as short as a radio's pauses.
    private static let silenceShare = 0.125
    /// The same after a first read, when nothing tells yet how far apart packets are.
    private static let firstSilenceShare = 0.25
    private static let silenceMin = Duration.milliseconds(10)
    /// Without a known round trip.
    private static let usualSilence = Duration.milliseconds(25)
    /// More than a packet or two: after a silence it is a record of TLS that was on its way meanwhile.
    private static let recordByteCount = 8 << 10
    private static let byteCountMin = 8 << 10
    /// Fewer bytes will do on a link on which they take so long that no clock errs.
    private static let slowByteCountMin = 4 << 10
    private static let slowDurationMin = Duration.milliseconds(250)
    /// A busy link brings whole packets: where reads are smaller, the sender had no more to send.
    private static let readByteCountMin = 1_000
    private static let durationMin = Duration.milliseconds(10)
    private static let fullByteCount = 64.0 * 1024
    /// A train that goes on is told in pieces of so many round trips, or of half a second.
    private static let pieceRoundTrips = 2
    private static let pieceDurationMin = Duration.milliseconds(500)
    private static let pointCountMax = 256

    private var points: [Point] = []
    /// Reads since the first one.
    private var readCount = 0

    /// Takes an arrival; returns the rate of a train, or a piece of one, that is over with it.
    mutating func take(_ arrival: TransferArrival, roundTrip: Duration?) -> Rate? {
        guard arrival.byteCount > 0 else { return nil }
        // What was held back came at no rate of the link's; what follows begins anew.
        if arrival.isRestrained { return end() }
        guard let last = points.last, arrival.uptime >= last.at,
            !isSilence(arrival.uptime - last.at, then: arrival.byteCount, roundTrip)
        else { return begin(at: arrival.uptime) }
        readCount += 1
        append(Point(at: arrival.uptime, byteCount: last.byteCount + arrival.byteCount))
        let piece = max(Self.pieceDurationMin, (roundTrip ?? .zero) * Self.pieceRoundTrips)
        let duration = arrival.uptime - points[0].at
        guard duration >= piece, isTelling(last.byteCount + arrival.byteCount, duration) else { return nil }
        return begin(at: arrival.uptime)
    }

    /// Begins a train, or the next piece of one; returns the rate of what was before.
    private mutating func begin(at uptime: Duration) -> Rate? {
        defer { points = [Point(at: uptime, byteCount: 0)] }
        return end()
    }

    /// Ends the train; returns its rate when there was enough of it.
    mutating func end() -> Rate? {
        defer { (points, readCount) = ([], 0) }
        guard let first = points.first, let last = points.last, last.byteCount > 0 else { return nil }
        let isTelling = isTelling(last.byteCount, last.at - first.at)
        guard last.at - first.at >= Self.durationMin else {
            let least = Self.rate(first, last, atLeast: Self.durationMin)
            return Rate(bytesPerSecond: least, weight: 1, isLimit: true, isTelling: isTelling)
        }
        guard isTelling else { return nil }
        let seconds = (last.at - first.at) / .seconds(1)
        let weight = min(1, max(Double(last.byteCount) / Self.fullByteCount, seconds))
        return Rate(bytesPerSecond: sustained(first, last), weight: weight, isLimit: false)
    }

    private func isTelling(_ byteCount: Int, _ duration: Duration) -> Bool {
        guard byteCount >= readCount * Self.readByteCountMin else { return false }
        return byteCount >= Self.byteCountMin
            || byteCount >= Self.slowByteCountMin && duration >= Self.slowDurationMin
    }

    /// The rate of the whole, or of its second half where that is higher because the sender took its time to get going.
    private func sustained(_ first: Point, _ last: Point) -> Double {
        let whole = Self.rate(first, last)
        guard let middle = points.first(where: { $0.byteCount * 2 >= last.byteCount }),
            last.byteCount - middle.byteCount >= Self.byteCountMin, last.at - middle.at >= Self.durationMin
        else { return whole }
        return max(whole, Self.rate(middle, last))
    }

    private static func rate(_ first: Point, _ last: Point, atLeast duration: Duration = .zero) -> Double {
        Double(last.byteCount - first.byteCount) / (max(duration, last.at - first.at) / .seconds(1))
    }

    private func isSilence(_ gap: Duration, then byteCount: Int, _ roundTrip: Duration?) -> Bool {
        let isFirst = points.count < 2 || points[points.count - 1].at == points[0].at
        let share = isFirst ? Self.firstSilenceShare : Self.silenceShare
        let least: Duration = roundTrip.map { max($0 * share, Self.silenceMin) } ?? Self.usualSilence
        guard gap >= least else { return false }
        guard !isFirst, let last = points.last else { return byteCount < Self.recordByteCount }
        // A link that was busy all the time would have brought more.
        return Double(byteCount) / (gap / .seconds(1)) < Self.rate(points[0], last) / 2
    }

    /// Keeps every other point when there are too many.
    private mutating func append(_ point: Point) {
        if points.count >= Self.pointCountMax {
            points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        }
        points.append(point)
    }
}

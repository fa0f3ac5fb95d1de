import Testing
import Transport

@testable import NetworkQuality

@Suite("Trains of arrivals")
struct ArrivalTrainsTests {
    /// Feeds arrivals of (milliseconds, bytes); returns the rates told, the last one at the end.
    private func rates(
        _ arrivals: [(Double, Int)], roundTrip: Duration? = .milliseconds(100),
        isRestrained: (Int) -> Bool = { _ in false }
    ) -> [ArrivalTrains.Rate] {
        var trains = ArrivalTrains()
        var told = arrivals.enumerated().compactMap { index, arrival in
            trains.take(
                TransferArrival(
                    uptime: .microseconds(Int64(arrival.0 * 1_000)), byteCount: arrival.1,
                    isRestrained: isRestrained(index)),
                roundTrip: roundTrip)
        }
        if let last = trains.end() { told.append(last) }
        return told
    }

    /// Packets of 1,000 bytes every millisecond: 1 MB/s.
    private func packets(_ count: Int, from milliseconds: Double = 0) -> [(Double, Int)] {
        (0..<count).map { (milliseconds + Double($0), 1_000) }
    }

    @Test("the silence of a sender that waits for acknowledgements is not the link's")
    func slowStart() {
        let rounds = packets(10) + packets(20, from: 100) + packets(40, from: 200) + packets(80, from: 300)
        let found = rates(rounds)
        #expect(found.map(\.isLimit) == [true, false, false, false])
        for rate in found.dropFirst() { #expect(abs(rate.bytesPerSecond - 1e6) < 1) }
        #expect(found.dropFirst().map(\.weight).sorted() == found.dropFirst().map(\.weight))
    }

    @Test("records of TLS that come whole are no silence, however long each takes")
    func records() {
        // 16 KiB every 168 ms: 780 kbit/s, at a round trip of 400 ms.
        let records = (0..<20).map { (Double($0) * 168, 16 << 10) }
        let found = rates(records, roundTrip: .milliseconds(400))
        #expect(!found.isEmpty)
        for rate in found { #expect(abs(rate.bytesPerSecond - 97_524) < 10, "\(rate)") }
    }

    @Test("bytes that waited for this program do not make the link faster")
    func stall() {
        // The program looks away for 20 ms, and then has 20 packets at once.
        let found = rates(packets(30) + [(49, 20_000)] + packets(30, from: 50))
        #expect(found.count == 1)
        #expect(abs((found.first?.bytesPerSecond ?? 0) - 1e6) < 1)
    }

    @Test("bytes that were held back, or came under a limit, count for nothing")
    func restraint() {
        #expect(rates(packets(100), isRestrained: { _ in true }).isEmpty)
        let found = rates(packets(30) + [(30, 500_000)] + packets(30, from: 31), isRestrained: { $0 == 30 })
        #expect(found.count == 2)
        for rate in found { #expect(abs(rate.bytesPerSecond - 1e6) < 1) }
    }

    @Test("a sender that takes its time to get going is measured where it goes")
    func pacing() {
        let slow = (0..<20).map { (Double($0) * 9, 1_000) }
        let found = rates(slow + packets(100, from: 180))
        #expect(found.count == 1)
        #expect(abs((found.first?.bytesPerSecond ?? 0) - 1e6) < 1)
    }

    @Test("small bodies, and trickles of small pieces, tell no rate")
    func trickle() {
        #expect(rates(packets(5)).allSatisfy { $0.isLimit && !$0.isTelling })
        #expect(rates((0..<500).map { (Double($0) * 20, 150) }).isEmpty)
        #expect(rates((0..<500).map { (Double($0) * 1_000, 5_000) }).isEmpty)
    }

    @Test("what is over within ten milliseconds says how fast the link is at least")
    func limit() {
        let found = rates((0..<20).map { (Double($0) * 0.1, 10_000) })
        #expect(found == [ArrivalTrains.Rate(bytesPerSecond: 19e6, weight: 1, isLimit: true)])
    }

    @Test("few bytes are enough on a link on which they take long")
    func slowLink() {
        let found = rates((0..<5).map { (Double($0) * 240, 1_448) }, roundTrip: .seconds(2))
        #expect(found.count == 1)
        #expect(abs((found.first?.bytesPerSecond ?? 0) - 6_033) < 1)
    }

    @Test("a long download is told in pieces")
    func pieces() {
        let found = rates(packets(5_000))
        #expect(found.count == 10)
        for rate in found { #expect(abs(rate.bytesPerSecond - 1e6) < 1) }
    }

    @Test("arrivals out of order, empty or at once trap nothing")
    func nonsense() {
        _ = rates([(5, 1_000), (3, 50_000), (3, 50_000), (3, 0), (-7, 9_000), (1e9, .max / 4)], roundTrip: .zero)
        _ = rates(packets(50), roundTrip: .seconds(-5))
    }
}

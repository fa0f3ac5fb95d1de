import Conditions
import Foundation
import NetworkQuality
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("The monitor", .timeLimit(.minutes(1)))
struct QualityMonitorTests {
    private let directory: TemporaryDirectory
    private let time = ManualTimekeeper()
    private let conditions = ManualConditions(DeviceConditions(network: .init(.wifi, id: "home")))

    init() throws { directory = try TemporaryDirectory() }

    private func monitor(_ faults: Locked<[String]> = Locked([])) -> QualityMonitor {
        QualityMonitor(
            path: directory.path("networks.json"), conditions: conditions, timekeeper: time,
            onFault: { fault in faults.withLock { $0.append(fault) } })
    }

    /// Three exchanges of 64 KB at 1 MB/s, after waits of so long.
    private func exchange(_ monitor: QualityMonitor, wait: Duration = .milliseconds(50)) {
        for _ in 0..<3 {
            let sentAt = time.uptime
            time.advance(by: wait)
            monitor.answered(TransferAnswer(sentAt: sentAt, wait: wait))
            for _ in 0..<64 {
                time.advance(by: .milliseconds(1))
                monitor.arrived(TransferArrival(uptime: time.uptime, byteCount: 1_000))
            }
            monitor.fellSilent()
        }
    }

    @Test("whoever asks gets what was heard just now; a change is told once, to everybody")
    func tells() async {
        let monitor = monitor()
        #expect(monitor.estimate.status == .notReady)
        var first = monitor.estimates().makeAsyncIterator(), second = monitor.estimates().makeAsyncIterator()
        #expect(await first.next()?.status == .notReady)
        #expect(await second.next()?.status == .notReady)
        exchange(monitor)
        let estimate = monitor.estimate
        #expect(estimate.status == .excellent)
        #expect(estimate.roundTrip == .milliseconds(50))
        #expect(abs((estimate.bytesPerSecond ?? 0) - 1e6) < 1)
        #expect(estimate.date == time.now)
        let run = Task { await monitor.run() }
        await time.waitForSleepers()
        time.advance(by: .milliseconds(50))
        #expect(await first.next()?.status == .excellent)
        #expect(await second.next()?.status == .excellent)
        exchange(monitor)
        exchange(monitor, wait: .seconds(4))
        await time.waitForSleepers()
        time.advance(by: .milliseconds(50))
        #expect(await first.next()?.status == .poor)
        run.cancel()
        await run.value
        #expect(await first.next() == nil)
        var late = monitor.estimates().makeAsyncIterator()
        #expect(await late.next()?.status == .poor)
        #expect(await late.next() == nil)
    }

    @Test("another network is another estimate, and the one before is known again")
    func networks() async {
        let monitor = monitor()
        let run = Task { await monitor.run() }
        exchange(monitor)
        var estimates = monitor.estimates().makeAsyncIterator()
        #expect(await estimates.next()?.status == .excellent)
        await time.waitForSleepers()
        time.advance(by: .milliseconds(50))
        // What is told of the first network, if it has not been told yet, comes before the second.
        conditions.set(DeviceConditions(network: .init(.cellular, id: "op")))
        while monitor.estimate.roundTrip != nil { await Task.yield() }
        #expect(monitor.estimate.status == .unknown)
        exchange(monitor, wait: .seconds(2))
        #expect(monitor.estimate.status == .poor)
        conditions.set(DeviceConditions(network: .init(.wifi, id: "home", signalLevel: 3)))
        while monitor.estimate.status == .poor { await Task.yield() }
        #expect(monitor.estimate.status == .excellent)
        #expect(monitor.estimate.roundTrip == .milliseconds(50))
        run.cancel()
        await run.value
    }

    @Test("networks are known again after a restart; a damaged file is one sentence")
    func restart() async throws {
        let faults = Locked<[String]>([])
        let first = monitor(faults)
        exchange(first)
        let run = Task { await first.run() }
        run.cancel()
        await run.value
        let second = monitor(faults)
        #expect(second.estimate.status == .excellent)
        #expect(second.estimate.roundTrip == .milliseconds(50))
        #expect(second.estimate.confidence > 0)
        #expect(faults.withLock { $0 }.isEmpty)
        try Data("{".utf8).write(to: URL(fileURLWithPath: directory.path("networks.json")))
        #expect(monitor(faults).estimate.status == .notReady)
        #expect(faults.withLock { $0.count } == 1)
    }

    @Test("a file that cannot be written is one sentence, and everything else works")
    func unwritable() async throws {
        let faults = Locked<[String]>([])
        try Data().write(to: URL(fileURLWithPath: directory.path("file")))
        let monitor = QualityMonitor(
            path: directory.path("file/networks.json"), conditions: conditions, timekeeper: time,
            onFault: { fault in faults.withLock { $0.append(fault) } })
        exchange(monitor)
        #expect(monitor.estimate.status == .excellent)
        let run = Task { await monitor.run() }
        run.cancel()
        await run.value
        #expect(faults.withLock { $0.count } == 1)
    }

    @Test("new thresholds are told when they change the class")
    func thresholds() async {
        let monitor = monitor()
        exchange(monitor)
        let run = Task { await monitor.run() }
        var estimates = monitor.estimates().makeAsyncIterator()
        #expect(await estimates.next()?.status == .excellent)
        var thresholds = QualityThresholds()
        thresholds.wifi.excellent.roundTripMillisecondsMax = 1
        monitor.setThresholds(thresholds)
        #expect(monitor.estimate.status == .good)
        await time.waitForSleepers()
        time.advance(by: .milliseconds(50))
        var told = await estimates.next()
        // The class before may be told first, when the run had heard of it but not told it.
        if told?.status == .excellent { told = await estimates.next() }
        #expect(told?.status == .good)
        run.cancel()
        await run.value
    }

    @Test("what is heard while nobody asks and nothing runs is bounded")
    func bounded() {
        let monitor = monitor()
        for index in 0..<100_000 {
            monitor.arrived(TransferArrival(uptime: .milliseconds(2 * index), byteCount: 2_000))
            if index.isMultiple(of: 10) {
                monitor.answered(TransferAnswer(sentAt: .milliseconds(2 * index), wait: .milliseconds(9)))
            }
        }
        #expect(monitor.estimate.roundTrip == .seconds(0.009))
    }
}

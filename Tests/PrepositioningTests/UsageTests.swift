import Conditions
import Foundation
import Primitives
import TestSupport
import Testing
import Transport

@testable import Prepositioning

/// What downloads have moved since local midnight.
@Suite struct UsageTests {
    private func usage(wifi: Int64 = 0, cellular: Int64 = 0) -> DataUsage {
        var usage = DataUsage()
        usage.wifiByteCount = wifi
        usage.cellularByteCount = cellular
        return usage
    }

    @Test("begins anew on a later day, and keeps what was used when the clock is set back")
    func days() {
        let sums = DailyUsage(day: 10).adding(usage(wifi: 5, cellular: 7))
        #expect(sums.rolled(to: 10) == sums)
        #expect(sums.rolled(to: 11) == DailyUsage(day: 11))
        #expect(sums.rolled(to: 9) == DailyUsage(day: 9, usage: usage(wifi: 5, cellular: 7)))
        // From the day that the clock was set back to, the next midnight counts.
        #expect(sums.rolled(to: 3).rolled(to: 4).usage == DataUsage())
    }

    @Test("is never less than nothing, whatever is added and however the clock jumps")
    func properties() {
        var sums = DailyUsage(day: 0)
        for _ in 0..<5_000 {
            let extremes: [Int64] = [.min, .max, 0, .random(in: -1_000...1_000)]
            sums = sums.rolled(to: .random(in: -3...3)).adding(
                usage(wifi: extremes.randomElement() ?? 0, cellular: extremes.randomElement() ?? 0))
            #expect(sums.usage.wifiByteCount >= 0 && sums.usage.cellularByteCount >= 0)
        }
    }

    @Test("is one sum for every process of the app, and survives them")
    func file() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("usage")
        let first = UsageFile(path: path), second = UsageFile(path: path)
        #expect(first.read() == nil)
        #expect(first.add(usage(wifi: 100), day: 4)?.usage == usage(wifi: 100))
        #expect(second.add(usage(wifi: 10, cellular: 1), day: 4)?.usage == usage(wifi: 110, cellular: 1))
        #expect(first.add(usage(wifi: -200), day: 4)?.usage == usage(cellular: 1))
        #expect(UsageFile(path: path).read() == DailyUsage(day: 4, usage: usage(cellular: 1)))
        #expect(second.add(usage(wifi: 3), day: 5) == DailyUsage(day: 5, usage: usage(wifi: 3)))
    }

    @Test("begins anew with a file that is none, and counts on without a disk")
    func brokenFile() throws {
        let directory = try TemporaryDirectory()
        for bytes in [Data(), Data("short".utf8), Data(repeating: 7, count: 32), Data(repeating: 0, count: 4_096)] {
            let path = directory.path("usage\(bytes.count)")
            try bytes.write(to: URL(fileURLWithPath: path))
            let file = UsageFile(path: path)
            #expect(file.read() == nil)
            #expect(file.add(usage(wifi: 9), day: 1)?.usage == usage(wifi: 9))
            #expect(UsageFile(path: path).read()?.usage == usage(wifi: 9))
        }
        let meter = UsageMeter(path: directory.path("no/where"), conditions: ManualConditions()) { 1 }
        meter.begin().note(12)
        meter.synchronize()
        #expect(meter.usage == usage(wifi: 12))
    }

    @Test("counts an exchange once, by the network that it began on, and with what the wire carried on top")
    func exchanges() throws {
        let directory = try TemporaryDirectory()
        let conditions = ManualConditions(), day = Locked(1)
        let path = directory.path("usage")
        let meter = UsageMeter(path: path, conditions: conditions) { day.withLock { $0 } }
        let exchange = meter.begin()
        conditions.set(DeviceConditions(network: .init(.cellular)))
        exchange.note(1_000)
        #expect(meter.usage == usage(wifi: 1_000))
        var metrics = TransferMetrics()
        metrics.sentByteCount = 200
        metrics.receivedByteCount = 1_300
        exchange.settle(metrics)
        exchange.settle(metrics)
        #expect(meter.usage == usage(wifi: 1_500))
        // What has come counts even where nobody knows more.
        let brokenOff = meter.begin()
        brokenOff.note(70)
        brokenOff.settle(TransferMetrics())
        #expect(meter.usage == usage(wifi: 1_500, cellular: 70))
        meter.synchronize()
        let again = UsageMeter(path: path, conditions: conditions) { day.withLock { $0 } }
        #expect(again.usage == usage(wifi: 1_500, cellular: 70))
        day.withLock { $0 = 2 }
        #expect(again.usage == usage())
        again.begin().note(5)
        #expect(again.usage == usage(cellular: 5))
    }

    @Test("adds up what many transfers count at once")
    func concurrency() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("usage")
        let meter = UsageMeter(path: path, conditions: ManualConditions()) { 1 }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let exchange = meter.begin()
                    for _ in 0..<1_000 { exchange.note(3) }
                }
            }
        }
        meter.synchronize()
        #expect(meter.usage == usage(wifi: 24_000))
        #expect(UsageFile(path: path).read()?.usage == usage(wifi: 24_000))
    }
}

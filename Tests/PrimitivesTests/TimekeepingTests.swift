import Foundation
import Primitives
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimekeepingTests {
    @Test("the machine's monotonic clock does not go back")
    func monotonic() {
        let clock = SystemTimekeeper()
        let readings = (0..<1_000).map { _ in clock.uptime }
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(clock.now > Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test("a sleep on the machine's clock ends when its task is cancelled")
    func cancellation() async {
        let sleeper = Task { try await SystemTimekeeper().sleep(for: .seconds(100_000)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("a clock moved by hand wakes those whose time has come, and only those")
    func manual() async throws {
        let clock = ManualTimekeeper()
        let start = clock.now
        let short = Task { try await clock.sleep(for: .seconds(5)) }
        let long = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        try await short.value
        #expect(clock.now == start + 5 && clock.uptime == .seconds(5))
        await clock.waitForSleepers(1)
        long.cancel()
        await #expect(throws: CancellationError.self) { try await long.value }
        try await clock.sleep(for: .zero)
    }
}

import Primitives
import Testing

@Suite(.timeLimit(.minutes(1))) struct ActivityGateTests {
    @Test("is idle at once when nothing is in flight")
    func idle() async {
        let gate = ActivityGate()
        #expect(!gate.isBusy)
        await gate.idle()
    }

    @Test("waits until the last of several has ended")
    func waits() async {
        let gate = ActivityGate()
        gate.begin()
        gate.begin()
        let isThrough = Locked(false)
        let waiter = Task {
            await gate.idle()
            isThrough.withLock { $0 = true }
        }
        gate.end()
        for _ in 0..<50 { await Task.yield() }
        #expect(gate.isBusy)
        #expect(!isThrough.withLock { $0 })
        gate.end()
        await waiter.value
        #expect(!gate.isBusy)
    }

    @Test("wakes all who wait, also many")
    func many() async {
        let gate = ActivityGate()
        gate.begin()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await gate.idle() } }
            group.addTask { gate.end() }
        }
        #expect(!gate.isBusy)
    }

    @Test("lets a cancelled task through, before and while it waits")
    func cancellation() async {
        let gate = ActivityGate()
        gate.begin()
        let waiting = Task { await gate.idle() }
        waiting.cancel()
        await waiting.value
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await gate.idle()
        }
        await late.value
        #expect(gate.isBusy)
    }

    @Test("an end too many does not close it for ever")
    func surplusEnd() async {
        let gate = ActivityGate()
        gate.end()
        #expect(!gate.isBusy)
        gate.begin()
        #expect(gate.isBusy)
        gate.end()
        await gate.idle()
    }
}

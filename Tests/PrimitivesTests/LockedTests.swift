import Foundation
import Primitives
import Testing

@Suite struct LockedTests {
    private struct Refusal: Error, Equatable {}

    @Test("lets one thread at a time at the value")
    func exclusion() async {
        let counter = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
                }
            }
        }
        #expect(counter.withLock { $0 } == 80_000)
    }

    @Test("is free again after an error, and passes it on with its type")
    func errors() {
        let value = Locked("kept")
        do throws(Refusal) {
            try value.withLock { state throws(Refusal) in
                state = "changed"
                throw Refusal()
            }
            Issue.record("the error did not come through")
        } catch {
            #expect(error == Refusal())
        }
        #expect(value.withLock { $0 } == "changed")
    }

    @Test("lets go of its value")
    func release() {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            let value = Locked(Witness())
            witness = value.withLock { $0 }
            #expect(witness != nil)
        }
        #expect(witness == nil)
    }
}

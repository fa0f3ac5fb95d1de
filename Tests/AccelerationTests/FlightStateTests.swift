import ContentStore
import Foundation
import Primitives
import Testing

@testable import Acceleration

@Suite("The bookkeeping of a flight")
struct FlightStateTests {
    private static let chunk = Data(count: 256 << 10)
    private static let window = Int(FlightState.windowByteCount)

    private func isTake(_ step: FlightState.Step) -> Bool { if case .take = step { true } else { false } }
    private func isWait(_ step: FlightState.Step) -> Bool { if case .wait = step { true } else { false } }
    private func isEnd(_ step: FlightState.Step) -> Bool { if case .end = step { true } else { false } }

    @Test("the fastest reader sets the pace while the disk takes bytes")
    func fastestSetsPace() {
        var state = FlightState()
        let (fast, slow) = (state.add(), state.add())
        for _ in 0..<4 { _ = state.append(Self.chunk, isOnDisk: true) }
        #expect(!state.hasRoom)
        _ = state.advance(fast, by: Self.chunk.count)
        #expect(state.hasRoom)
        #expect(isTake(state.step(of: slow)))
    }

    @Test("the slowest reader sets the pace once the disk takes no more")
    func slowestSetsPace() {
        var state = FlightState()
        let (fast, slow) = (state.add(), state.add())
        for _ in 0..<4 { _ = state.append(Self.chunk, isOnDisk: false) }
        _ = state.advance(fast, by: Self.window)
        #expect(!state.hasRoom)
        _ = state.advance(slow, by: Self.chunk.count)
        #expect(state.hasRoom)
    }

    @Test("memory holds what the fastest reader has not had and a window at most behind it")
    func boundsMemory() {
        var state = FlightState()
        let (fast, slow) = (state.add(), state.add())
        for _ in 0..<40 {
            _ = state.append(Self.chunk, isOnDisk: true)
            _ = state.advance(fast, by: Self.chunk.count)
        }
        #expect(isWait(state.step(of: fast)))
        #expect(!isTake(state.step(of: slow)))  // far behind: from the disk
        _ = state.advance(slow, by: 40 * Self.chunk.count - Self.window)
        #expect(isTake(state.step(of: slow)))
    }

    @Test("a reader in the middle of a chunk gets the rest of it")
    func splitsChunks() throws {
        var state = FlightState()
        let reader = state.add()
        _ = state.append(Data("hello".utf8), isOnDisk: true)
        _ = state.advance(reader, by: 2)
        guard case .take(let rest) = state.step(of: reader) else {
            Issue.record("there are bytes to take")
            return
        }
        #expect(rest == Data("llo".utf8))
        #expect(rest.startIndex == 0)
    }

    @Test("the fetch is abandoned with its last reader, and nobody can join it then")
    func abandons() {
        var state = FlightState()
        let (first, second) = (state.add(), state.add())
        #expect(!state.remove(first).isAbandoned)
        #expect(state.isOpen)
        #expect(state.remove(second).isAbandoned)
        #expect(!state.isOpen)
        #expect(state.remove(second).isAbandoned == false)  // once
    }

    @Test("a body that is whole is committed though everybody has left")
    func commitsWhole() {
        var state = FlightState()
        let reader = state.add()
        _ = state.append(Data("hello".utf8), isOnDisk: true)
        state.becomeWhole()
        #expect(!state.remove(reader).isAbandoned)
    }

    @Test("readers get every byte before the end or the error")
    func endsAfterBytes() {
        var state = FlightState()
        let reader = state.add()
        _ = state.append(Data("hello".utf8), isOnDisk: true)
        _ = state.end(.success(()))
        #expect(isTake(state.step(of: reader)))
        _ = state.advance(reader, by: 5)
        #expect(isEnd(state.step(of: reader)))
    }
}

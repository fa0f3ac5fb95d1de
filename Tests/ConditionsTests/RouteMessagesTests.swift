import TestSupport
import Testing

@testable import Conditions

@Suite("The kernel's messages about routes")
struct RouteMessagesTests {
    private func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
    private func half(_ value: UInt16) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    /// A route: table of 12 bytes, then attributes.
    private func message(
        prefix: UInt8 = 0, type: UInt8 = 1, flags: UInt16 = 2, kind: UInt16 = 24, _ attributes: [(UInt16, [UInt8])]
    ) -> [UInt8] {
        var body: [UInt8] = [2, prefix, 0, 0, 254, 0, 0, type, 0, 0, 0, 0]
        for (name, value) in attributes {
            body += half(UInt16(4 + value.count)) + half(name) + value
            body += Array(repeating: 0, count: (4 - body.count % 4) % 4)
        }
        return word(UInt32(16 + body.count)) + half(kind) + half(flags) + word(1) + word(0) + body
    }

    @Test("are read: interface, gateway, metric, the default routes only when wanted")
    func read() {
        let first = message([(4, word(3)), (5, [10, 1, 1, 1]), (6, word(100))])
        let other = message(prefix: 24, [(4, word(9))])
        let barred = message(type: 7, [(4, word(9))])
        let nowhere = message([(5, [10, 1, 1, 1])])
        let route = Route(interface: 3, gateway: [10, 1, 1, 1], metric: 100)
        let packet = first + other + barred + nowhere
        #expect(RouteMessages.parse(packet[...], wantsDefaults: true) == .init(routes: [route], isLast: false))
        #expect(
            RouteMessages.parse(packet[...], wantsDefaults: false)
                == .init(routes: [route, Route(interface: 9)], isLast: false))
    }

    @Test("end with the end, with an error, or with a single answer")
    func end() {
        #expect(RouteMessages.parse(message(flags: 0, [(4, word(3))])[...], wantsDefaults: false).isLast)
        #expect(RouteMessages.parse(message(kind: 3, [])[...], wantsDefaults: false) == .init(isLast: true))
        #expect(RouteMessages.parse(message(kind: 2, [])[...], wantsDefaults: false) == .init(isLast: true))
        #expect(RouteMessages.parse([], wantsDefaults: false) == .init())
    }

    @Test("may be cut off or garbage", arguments: 0..<50 as Range<UInt64>)
    func garbage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var packet = message([(4, word(3)), (5, [10, 1, 1, 1]), (6, word(100))]) + message([(4, word(4))])
        for _ in 0..<4 {
            packet[Int.random(in: 0..<packet.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        packet.removeLast(Int.random(in: 0..<packet.count, using: &random))
        let answer = RouteMessages.parse(packet[...], wantsDefaults: false)
        #expect(answer.routes.count <= 2)
    }
}

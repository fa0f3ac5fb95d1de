import Foundation
import TestSupport
import Testing

@testable import Beacons

@Suite("The plan of the beacons")
struct BeaconPlanTests {
    private func beacon(_ number: Int = 0) -> Beacon {
        Beacon(
            .metric(name: "m", value: number), date: Date(timeIntervalSince1970: Double(number)), pageGroup: nil)
    }

    private var document: BeaconDocument { BeaconDocument(beaconURL: "http://c.test/", key: "k") }

    @Test("rests without beacons, and asks for nothing then")
    func rests() {
        var plan = BeaconPlan(document: nil)
        #expect(plan.next(at: .zero) == .rest)
        plan.add(beacon())
        #expect(plan.next(at: .zero) == .askForDocument(isRefresh: false))
        plan.arrived(document, at: .zero)
        #expect(plan.next(at: .zero) == .send(beacon()))
        plan.settle(beacon(), isDropped: false)
        #expect(plan.next(at: .seconds(10_000)) == .rest)
        #expect(plan.droppedCount == 0)
    }

    @Test("the oldest beacon goes at the bound, and a late word on it changes nothing")
    func bound() {
        var plan = BeaconPlan(document: document)
        for number in 0...BeaconPlan.countMax { plan.add(beacon(number)) }
        #expect(plan.waiting.count == BeaconPlan.countMax && plan.droppedCount == 1)
        plan.settle(beacon(0), isDropped: false)
        plan.failed(beacon(0), at: .zero)
        #expect(plan.next(at: .zero) == .send(beacon(1)))
    }

    @Test("pauses grow from five seconds to five minutes; then what waits is dropped, and others start anew")
    func documentPauses() {
        var plan = BeaconPlan(document: nil)
        var uptime = Duration.zero
        var pauses: [Duration] = []
        for number in 0..<3 { plan.add(beacon(number)) }
        while case .askForDocument = plan.next(at: uptime) {
            plan.documentFailed(at: uptime)
            guard case .wait(let pause) = plan.next(at: uptime) else { break }
            pauses.append(pause)
            uptime += pause
        }
        #expect(pauses == [5, 10, 20, 40, 80, 160, 300].map { .seconds($0) })
        #expect(plan.waiting.isEmpty && plan.droppedCount == 3)
        plan.add(beacon())
        #expect(plan.next(at: uptime) == .wait(.seconds(300)))
        #expect(plan.next(at: uptime + .seconds(300)) == .askForDocument(isRefresh: false))
    }

    @Test(
        "random histories: never more than the bound, never a send while limited or paused, every beacon accounted for")
    func histories() {
        for seed in 1...80 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var plan = BeaconPlan(document: nil)
            var uptime = Duration.zero
            var added = 0, sent = 0
            for _ in 0..<2_000 {
                if Int.random(in: 0..<3, using: &random) == 0 {
                    plan.add(beacon(added))
                    added += 1
                }
                switch plan.next(at: uptime) {
                case .rest:
                    #expect(plan.waiting.isEmpty)
                    uptime += .seconds(1)
                case .wait(let pause):
                    #expect(pause > .zero && pause <= .seconds(300))
                    uptime += Bool.random(using: &random) ? pause : pause / 2
                case .askForDocument(let isRefresh):
                    #expect(isRefresh == (plan.document != nil))
                    if Bool.random(using: &random) {
                        var fresh = document
                        fresh.isRateLimited = Int.random(in: 0..<4, using: &random) == 0
                        plan.arrived(fresh, at: uptime)
                    } else {
                        plan.documentFailed(at: uptime)
                    }
                case .send(let beacon):
                    #expect(plan.document?.isRateLimited == false)
                    #expect(beacon.failedAttempts < BeaconPlan.attemptCountMax)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: plan.failed(beacon, at: uptime)
                    case 1: plan.settle(beacon, isDropped: true)
                    default:
                        plan.settle(beacon, isDropped: false)
                        sent += 1
                    }
                }
                #expect(plan.waiting.count <= BeaconPlan.countMax)
                #expect(added == sent + plan.droppedCount + plan.waiting.count)
            }
            #expect(sent > 0)
        }
    }
}

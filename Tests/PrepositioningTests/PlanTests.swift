import Cryptography
import Foundation
import Testing
import Wire

@testable import Prepositioning

/// The state machine alone: events in, actions out.
@Suite struct PlanTests {
    private let now = PlanInstant(now: Date(timeIntervalSince1970: 1_767_225_600), uptime: .zero)

    private func version(_ number: Int, _ items: [Manifest.Item], segment: String = "news") -> SegmentVersion {
        let manifest = Manifest(app: "app", segment: segment, version: number, createdAt: now.now, items: items)
        return SegmentVersion(manifest, digest: .of(Data("\(segment)\(number)".utf8)), isActive: false)
    }

    private func item(_ path: String, _ text: String = "text", essential: Bool = true) -> Manifest.Item {
        Manifest.Item(
            url: "http://origin.test\(path)", byteCount: Int64(text.utf8.count), sha256: .of(Data(text.utf8)),
            isEssential: essential)
    }

    private func release(_ versions: [SegmentVersion]) -> Release {
        let segments = versions.map {
            Release.Segment(
                name: $0.segment, version: $0.version, manifest: $0.manifest, itemCount: $0.items.count, byteCount: 0)
        }
        return Release(app: "app", version: 1, publishedAt: now.now, segments: segments, policy: DownloadPolicy())
    }

    private func plan(_ versions: SegmentVersion...) -> PrepositioningPlan {
        var plan = PrepositioningPlan(subscription: Set(versions.map(\.segment)))
        _ = plan.handle(.released(release(versions), versions), at: now)
        return plan
    }

    private func activations(_ actions: [PlanAction]) -> [PlanAction] {
        actions.filter { if case .activate = $0 { true } else { false } }
    }

    @Test("asks for the switch with the last essential item, not before and not for an optional one")
    func asksForSwitch() {
        let fresh = version(1, [item("/a"), item("/b", "b"), item("/c", "c", essential: false)])
        var plan = plan(fresh)
        let first = plan.handle(.stored(fresh.key("http://origin.test/a"), entryID: 1), at: now)
        #expect(activations(first) == [])
        let last = plan.handle(.stored(fresh.key("http://origin.test/b"), entryID: 2), at: now)
        #expect(activations(last) == [.activate(segment: "news", version: 1, replacing: [])])
        _ = plan.handle(.activated(segment: "news", version: 1), at: now)
        #expect(plan.active["news"]?.version == 1 && plan.pending["news"] == nil)
        #expect(plan.missing.map(\.url) == ["http://origin.test/c"])
        #expect(!plan.isStaged(fresh.key("http://origin.test/c")))
    }

    @Test("names the version it replaces, and lets go of it afterwards")
    func replaces() {
        let old = version(1, [item("/a")]), fresh = version(2, [item("/a", "new")])
        var plan = plan(old)
        _ = plan.handle(.stored(old.key("http://origin.test/a"), entryID: 1), at: now)
        _ = plan.handle(.activated(segment: "news", version: 1), at: now)
        _ = plan.handle(.released(release([fresh]), [fresh]), at: now)
        let actions = plan.handle(.stored(fresh.key("http://origin.test/a"), entryID: 2), at: now)
        #expect(activations(actions) == [.activate(segment: "news", version: 2, replacing: ["news@1"])])
        let after = plan.handle(.activated(segment: "news", version: 2), at: now)
        #expect(after.contains(.release([SegmentVersionName(segment: "news", version: 1)])))
        #expect(plan.holders == ["news@2"])
    }

    @Test("gives the same bytes of the same URL to one transfer at a time")
    func sharesTransfers() {
        var plan = plan(version(1, [item("/a")]), version(1, [item("/a")], segment: "other"))
        let first = plan.takeNext(at: .zero)
        #expect(first?.segment == "news" && plan.takeNext(at: .zero) == nil)
        _ = plan.handle(.stored(first!, entryID: 7), at: now)
        let second = plan.takeNext(at: .zero)
        #expect(second?.segment == "other" && plan.twin(of: second!) == 7)
    }

    @Test("waits after a transient failure, and gives up after five")
    func givesUp() {
        let fresh = version(1, [item("/a")])
        var plan = plan(fresh)
        let key = fresh.key("http://origin.test/a")
        let failure = DownloadFailure("broken", isTransient: true)
        for attempt in 1...5 {
            let uptime = Duration.seconds(attempt * 10)
            #expect(plan.takeNext(at: uptime) == key)
            let instant = PlanInstant(now: now.now, uptime: uptime)
            _ = plan.handle(.failed(key, failure, retryDelay: .seconds(5)), at: instant)
            guard attempt < 5 else { break }
            let due = plan.nextRetry()
            #expect(due == uptime + .seconds(5))
            #expect(plan.takeNext(at: uptime + .seconds(4)) == nil)
        }
        #expect(plan.item(key)?.state == .failed)
        let due = plan.nextRetry()
        #expect(due == nil)
        _ = plan.handle(.syncBegan, at: now)
        #expect(plan.takeNext(at: .zero) == key)
    }

    @Test("tells each outcome of an item once")
    func tellsOnce() {
        let fresh = version(1, [item("/a?token=secret")])
        var plan = plan(fresh)
        let key = fresh.key("http://origin.test/a?token=secret")
        func record(_ outcome: ExchangeRecord.Outcome) -> ExchangeRecord {
            ExchangeRecord(
                date: now.now, method: "GET", url: "http://origin.test/a", status: 200, outcome: outcome,
                cacheStatus: "", firstByteMicroseconds: 0, totalMicroseconds: 0, bodyByteCount: 0, wireByteCount: 0,
                segments: ["news"])
        }
        func outcomes(_ actions: [PlanAction]) -> [ItemOutcome.Outcome] {
            actions.compactMap { if case .tell(.outcome(let told)) = $0 { told.outcome } else { nil } }
        }
        #expect(outcomes(plan.handle(.exchanged(record(.miss)), at: now)) == [.late])
        #expect(outcomes(plan.handle(.exchanged(record(.miss)), at: now)) == [])
        #expect(outcomes(plan.handle(.stored(key, entryID: 1), at: now)) == [.prepositioned])
        _ = plan.handle(.activated(segment: "news", version: 1), at: now)
        #expect(outcomes(plan.handle(.exchanged(record(.pinnedHit)), at: now)) == [.used])
        #expect(outcomes(plan.handle(.exchanged(record(.pinnedHit)), at: now)) == [])
        #expect(outcomes(plan.handle(.subscribed([]), at: now)) == [])
        #expect(plan.holders.isEmpty)
    }

    @Test("doubles the wait with each failure, up to a minute, and honours Retry-After within reason")
    func backOff() {
        let failure = DownloadFailure("broken", isTransient: true)
        let waits = (0..<8).map { RetryPolicy.delay(after: failure, failedAttempts: $0, randomFraction: 1) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(RetryPolicy.delay(after: failure, failedAttempts: 0, randomFraction: 0) == .milliseconds(500))
        var patient = failure
        patient.retryAfter = .seconds(90)
        #expect(RetryPolicy.delay(after: patient, failedAttempts: 0, randomFraction: 0) == .seconds(90))
        patient.retryAfter = .seconds(121)
        #expect(RetryPolicy.delay(after: patient, failedAttempts: 0, randomFraction: 0) == nil)
    }

    @Test("reads the Content-Range of a single range alone")
    func contentRange() {
        #expect(ContentRange("bytes 5-9/10")?.first == 5)
        #expect(ContentRange("Bytes 0-0/*")?.byteCount == nil)
        for text in ["", "bytes", "bytes 9-5/10", "bytes -5/10", "bytes 1-2", "items 1-2/3", "bytes 1-2/x"] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }
}

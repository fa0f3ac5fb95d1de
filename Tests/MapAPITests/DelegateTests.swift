import AkaMap
import Foundation
import Larder
import Testing

@testable import VocCommon

/// A delegate that notes everything it is told.
private final class NotingDelegate: VocServiceDelegate {
    let hearing: Hearing

    init(_ hearing: Hearing) { self.hearing = hearing }

    func vocService(_ vocService: any VocService, didRegister info: [AnyHashable: Any]) {
        note("didRegister", vocService)
    }
    func vocService(_ vocService: any VocService, networkQualityUpdate networkQuality: any VocNetworkQuality) {
        note("\(networkQuality.qualityStatus) \(networkQuality.timeStamp.timeIntervalSince1970)", vocService)
    }
    func vocService(_ vocService: any VocService, itemsDiscovered items: [Any]) { note("discovered", items) }
    func vocService(_ vocService: any VocService, itemsStartDownloading items: [Any]) { note("started", items) }
    func vocService(_ vocService: any VocService, itemsDownloaded items: [Any]) { note("downloaded", items) }
    func vocService(_ vocService: any VocService, itemsEvicted items: [Any]) { note("evicted", items) }

    private func note(_ what: String, _ service: any VocService) {
        hearing.hear(service === ClientService.shared ? what : "\(what) of another service")
    }

    private func note(_ what: String, _ items: [Any]) {
        let told = items.compactMap { $0 as? VocItem }
            .map { "\($0.url) \($0.segment) \($0.state) \($0.bytesDownloaded)/\($0.size) \($0.downloadError ?? "-")" }
        hearing.hear("\(what): \(told.joined(separator: ", "))")
    }
}

/// What becomes of the engine's streams on the way to a delegate.
@Suite("The delegate's calls", .serialized, .exclusiveInterception, .timeLimit(.minutes(5))) struct DelegateTests {
    private let hearing = Hearing()
    private let queue = OperationQueue()

    private func item(_ url: String, received: Int64 = 0, failure: String? = nil) -> Prepositioner.ItemStatus {
        .init(
            segment: "news", version: 1, url: url, state: .queued, byteCount: 10, bytesReceived: received,
            isEssential: true, failure: failure)
    }

    private func streams(
        items: [ItemChange] = [], qualities: [QualityEstimate] = [], known: QualityStatus = .notReady
    ) -> DelegateCalls.Streams {
        func stream<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
            AsyncStream { continuation in
                for element in elements { continuation.yield(element) }
                continuation.finish()
            }
        }
        return .init(
            statuses: stream([]), contentChanges: stream([]), itemChanges: stream(items), qualities: stream(qualities),
            knownQuality: known)
    }

    @Test("items are told of in order: discovered, started, downloaded, evicted; a failure is not")
    func items() async {
        let delegate = NotingDelegate(hearing)
        let calls = DelegateCalls(delegate, on: queue, service: .shared)
        await calls.run(
            streams(items: [
                .init(.discovered, [item("a"), item("b")]), .init(.startedDownloading, [item("a", received: 4)]),
                .init(.failed, [item("b", failure: "404")]), .init(.downloaded, [item("a", received: 10)]),
                .init(.evicted, [item("a")]),
            ]), Locked(ServiceEvents()))
        #expect(
            hearing.lines == [
                "discovered: a news discovered 0/10 -, b news discovered 0/10 -", "started: a news downloading 4/10 -",
                "downloaded: a news cached 10/10 -", "evicted: a news deleted 0/10 -",
            ])
    }

    @Test("progress is left out when the app does not track it")
    func untrackedProgress() async {
        ClientService.shared.config.trackFileDownloadProgress = false
        defer { ClientService.shared.config.trackFileDownloadProgress = true }
        let delegate = NotingDelegate(hearing)
        let calls = DelegateCalls(delegate, on: queue, service: .shared)
        await calls.run(
            streams(items: [
                .init(.startedDownloading, [item("a", received: 4)]), .init(.downloaded, [item("a", received: 10)]),
            ]), Locked(ServiceEvents()))
        #expect(hearing.lines == ["started: a news downloading 0/10 -", "downloaded: a news cached 10/10 -"])
    }

    @Test("quality is told when its status changes, with its time stamp, and not before")
    func quality() async {
        let date = Date(timeIntervalSince1970: 5)
        let delegate = NotingDelegate(hearing)
        let calls = DelegateCalls(delegate, on: queue, service: .shared)
        let statuses: [QualityStatus] = [.notReady, .poor, .poor, .good, .excellent, .unknown]
        await calls.run(
            streams(qualities: statuses.map { QualityEstimate(status: $0, date: date) }), Locked(ServiceEvents()))
        #expect(hearing.lines == ["poor 5.0", "good 5.0", "excellent 5.0", "unknown 5.0"])
    }

    @Test("calls wait for the queue, one after the other, and none is made after the end")
    func ended() async {
        queue.isSuspended = true
        let delegate = NotingDelegate(hearing)
        let calls = DelegateCalls(delegate, on: queue, service: .shared)
        let streams = streams(items: [.init(.discovered, [item("a")]), .init(.downloaded, [item("a")])])
        let work = Task { await calls.run(streams, Locked(ServiceEvents())) }
        calls.end()
        queue.isSuspended = false
        await work.value
        #expect(hearing.lines.isEmpty)
    }

    @Test("a delegate is held weakly")
    func weakly() async {
        var delegate: NotingDelegate? = NotingDelegate(hearing)
        weak let kept = delegate
        let calls = delegate.map { DelegateCalls($0, on: queue, service: .shared) }
        delegate = nil
        #expect(kept == nil)
        await calls?.run(streams(items: [.init(.discovered, [item("a")])]), Locked(ServiceEvents()))
        #expect(hearing.lines.isEmpty)
    }

    @Test("items are equal when they are the same item in the same state")
    func identity() {
        let one = VocItem(item("a"), .discovered, tracksProgress: true)
        #expect(one == VocItem(item("a"), .discovered, tracksProgress: true))
        #expect(Set([one, VocItem(item("a"), .discovered, tracksProgress: true)]).count == 1)
        #expect(one != VocItem(item("a"), .downloaded, tracksProgress: true))
        #expect(VocItem(item("a", failure: "404"), .failed, tracksProgress: true).downloadError == "404")
    }
}

import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@testable import Beacons

/// A sender in front of a recorder, over the real transport and on a clock moved by hand.
private final class Rig: Sendable {
    let recorder: BeaconRecorder
    let clock = ManualTimekeeper()
    let mPulse: MPulse
    private let transport = CurlTransport(configuration: .init())
    private let task: Task<Void, Never>
    private let told: Locked<[String]>

    var lines: [String] { told.withLock { $0 } }

    init(
        secret: String? = nil, document: (@Sendable (Int) -> String)? = { _ in document() },
        change: (inout MPulseConfiguration) -> Void = { _ in }
    ) throws {
        recorder = try BeaconRecorder(secret: secret)
        if let document { recorder.serve(document) }
        var configuration = MPulseConfiguration(apiKey: "KEY-1")
        configuration.secretKey = secret
        configuration.configURL = recorder.configURL
        if document == nil { configuration.beaconURL = recorder.origin + "/collect?site=7" }
        change(&configuration)
        let told = Locked<[String]>([])
        self.told = told
        let made = MPulse(
            configuration, sender: .init(version: "0.1.0", bundleID: "com.example.app") { "made-id-12345678" },
            transport: transport, timekeeper: clock, onProblem: { line in told.withLock { $0.append(line) } })
        let mPulse = try #require(made)
        self.mPulse = mPulse
        task = Task { await mPulse.run() }
    }

    deinit {
        task.cancel()
        transport.shutDown()
    }

    func exchange(_ url: String, status: Int = 200, _ method: String = "GET") {
        let record = ExchangeRecord(
            date: clock.now, method: method, url: url, status: status, outcome: .miss, cacheStatus: "",
            firstByteMicroseconds: 40_900, totalMicroseconds: 125_000, bodyByteCount: 1, wireByteCount: 2)
        mPulse.note(record) { "group" }
    }
}

@Suite("What mPulse is told")
struct MPulseTests {
    @Test("a timed event is a custom timer of the Beacon API, field by field")
    func timer() async throws {
        let rig = try Rig(secret: "s3cret")
        rig.mPulse.noteStart()
        rig.clock.advance(by: .milliseconds(1_500))
        rig.mPulse.noteStop(name: "Event Name", microseconds: 1_499_600, pageGroup: "Event Name")
        let beacon = try #require(await rig.recorder.wait(for: 1).first)
        #expect(rig.recorder.problems.isEmpty && rig.lines.isEmpty)
        #expect(beacon.method == "GET")
        #expect(
            beacon.fields == [
                "d": "site.example", "h.key": "KEY-1", "h.d": "app.example", "h.cr": "crumb",
                "h.t": "1767225600123", "http.initiator": "api", "rt.start": "api", "rt.si": "session-9",
                "rt.ss": "1767225600000", "rt.sl": "1", "api": "1", "api.v": "2", "api.l": "larder",
                "api.lv": "0.1.0", "h.pg": "Event Name", "rt.tstart": "1767225601500", "rt.end": "1767225601500",
                "t_other": "timer0|1500",
            ])
        #expect(try beacon.timers() == ["timer0": 1_500])
        let query = try #require(rig.recorder.documentQueries.first)
        #expect(Set(query.keys) == ["key", "t", "s"] && query["key"] == "KEY-1" && query["t"] == "1767225601500")
    }

    @Test("a request fires every metric that has a prefix of its URL, once each, and no other")
    func metrics() async throws {
        let rig = try Rig(change: {
            $0.customMetrics = [
                "ShoppingCart": ["https://www.companyA.com/cart/", "https://WWW.companyB.com:443/cart/"],
                "Checkout": ["https://www.companyA.com/", "HTTPS://www.companyA.com/cart"],
            ]
        })
        rig.exchange("https://www.companya.com/cart/7")
        rig.exchange("https://www.companyc.com/cart/7")
        rig.exchange("https://www.companya.com/CART/7", status: 0)
        rig.exchange("https://www.companyb.com/cart/", status: 503)
        let beacons = await rig.recorder.wait(for: 3)
        #expect(beacons.map { $0["custom0"] } == [nil, "1", "1"])
        #expect(beacons.map { $0["custom1"] } == ["1", nil, nil])
        #expect(beacons.map { $0["h.pg"] } == ["group", "group", "group"])
        #expect(beacons.map { $0["http.initiator"] } == ["api", "api", "api"])
        #expect(beacons.map { $0["u"] } == [nil, nil, nil])
        while rig.mPulse.count > 0 { await Task.yield() }
        #expect(rig.mPulse.droppedCount == 0 && rig.recorder.problems.isEmpty)
    }

    @Test("what mPulse has not defined is told in one line and not sent")
    func undefined() async throws {
        let rig = try Rig(change: { $0.customMetrics = ["Unknown": ["http://app.test/"]] })
        for _ in 0..<3 {
            rig.mPulse.noteStop(name: "nobody's", microseconds: 5, pageGroup: nil)
            rig.exchange("http://app.test/a")
        }
        rig.mPulse.noteStop(name: "inner", microseconds: 5, pageGroup: nil)
        let beacons = await rig.recorder.wait(for: 1)
        #expect(try beacons.map { try $0.timers() } == [["timer1": 0]])
        #expect(beacons.first?["h.pg"] == nil)
        #expect(rig.lines.count == 2 && rig.mPulse.droppedCount == 6)
        #expect(rig.lines.allSatisfy { $0.contains("nobody's") || $0.contains("Unknown") })
    }

    @Test("a beacon whose URL would be longer than 2,000 bytes is a POST of the same form")
    func post() async throws {
        let token = String(repeating: "t", count: 2_000)
        let rig = try Rig(document: { _ in document(token: token) })
        rig.mPulse.noteStop(name: "inner", microseconds: 2_000, pageGroup: "größer & weiter=1 🥧")
        let beacon = try #require(await rig.recorder.wait(for: 1).first)
        #expect(beacon.method == "POST" && beacon["h.cr"] == token && beacon["h.pg"] == "größer & weiter=1 🥧")
        #expect(rig.recorder.problems.isEmpty)
    }

    @Test("the configuration is asked for again after five minutes, when there is something to send")
    func refresh() async throws {
        let rig = try Rig(document: { document(token: "crumb-\($0)") })
        rig.mPulse.noteStop(name: "inner", microseconds: 1, pageGroup: nil)
        _ = await rig.recorder.wait(for: 1)
        rig.clock.advance(by: .seconds(299))
        rig.mPulse.noteStop(name: "inner", microseconds: 1, pageGroup: nil)
        _ = await rig.recorder.wait(for: 2)
        rig.clock.advance(by: .seconds(1))
        #expect(rig.recorder.documentQueries.count == 1)
        rig.mPulse.noteStop(name: "inner", microseconds: 1, pageGroup: nil)
        let beacons = await rig.recorder.wait(for: 3)
        #expect(beacons.map { $0["h.cr"] } == ["crumb-1", "crumb-1", "crumb-2"])
        #expect(rig.recorder.documentQueries.map { $0["r"] } == [nil, ""])
        #expect(Set(beacons.map { $0["rt.si"] }) == ["session-9"])
    }

    @Test("an app that mPulse limits sends nothing until the next configuration says otherwise")
    func rateLimited() async throws {
        let rig = try Rig(document: { document(rateLimited: $0 < 3) })
        rig.mPulse.noteStop(name: "inner", microseconds: 1_000, pageGroup: nil)
        for _ in 0..<2 {
            await rig.clock.waitForSleepers()
            #expect(rig.recorder.beacons.isEmpty && rig.mPulse.count == 1)
            rig.clock.advance(by: .seconds(300))
        }
        #expect(try await rig.recorder.wait(for: 1).first?.timers() == ["timer1": 1])
        #expect(rig.recorder.documentQueries.count == 3)
    }

    @Test("a beacon that mPulse's servers fail is tried three times, one they refuse once")
    func retries() async throws {
        let rig = try Rig()
        rig.recorder.answer([503, 429, 500, 400])
        rig.mPulse.noteStop(name: "Event Name", microseconds: 1, pageGroup: nil)
        rig.mPulse.noteStop(name: "Event Name", microseconds: 1, pageGroup: nil)
        rig.mPulse.noteStop(name: "inner", microseconds: 1, pageGroup: nil)
        for pause in [5, 10, 20] {
            await rig.clock.waitForSleepers()
            rig.clock.advance(by: .seconds(pause))
        }
        let beacons = await rig.recorder.wait(for: 1)
        #expect(try beacons.map { try $0.timers() } == [["timer1": 0]])
        while rig.mPulse.count > 0 { await Task.yield() }
        #expect(rig.mPulse.droppedCount == 2)
    }

    @Test("a configuration that does not come is told, and asked for again")
    func documentFails() async throws {
        let rig = try Rig(document: { $0 == 1 ? #"{"h.key":1}"# : document() })
        rig.mPulse.noteStop(name: "inner", microseconds: 1, pageGroup: nil)
        await rig.clock.waitForSleepers()
        #expect(rig.lines.count == 1 && rig.lines.first?.contains("beacon_url") == true)
        rig.clock.advance(by: .seconds(5))
        #expect(await rig.recorder.wait(for: 1).count == 1)
    }

    @Test("a wrong secret is a refusal, which is told")
    func wrongSecret() async throws {
        let rig = try Rig(secret: "right", change: { $0.secretKey = "wrong" })
        rig.mPulse.noteStop(name: "inner", microseconds: 1, pageGroup: nil)
        await rig.clock.waitForSleepers()
        #expect(rig.lines.first?.contains("403") == true)
        #expect(rig.lines.allSatisfy { !$0.contains("wrong") && !$0.contains("KEY-1") })
    }

    @Test("a collector without a configuration gets every timer and metric by its own name")
    func collector() async throws {
        let rig = try Rig(
            document: nil,
            change: {
                $0.customMetrics = ["Cart": ["http://app.test/cart"], "h.key": ["http://app.test/cart"]]
            })
        rig.mPulse.noteStop(name: "a,b|c", microseconds: 7_000, pageGroup: nil)
        rig.exchange("http://app.test/cart/1")
        let beacons = await rig.recorder.wait(for: 2)
        #expect(try beacons.first?.timers() == ["a_b_c": 7])
        #expect(beacons.first?["d"] == "com.example.app" && beacons.first?["h.key"] == "KEY-1")
        #expect(beacons.first?["h.cr"] == nil && beacons.first?["site"] == "7")
        #expect(beacons.first?["rt.si"] == "made-id-12345678")
        #expect(beacons.last?["Cart"] == "1")
        while rig.mPulse.count > 0 { await Task.yield() }
        #expect(rig.lines.count == 1 && rig.lines.first?.contains("h.key") == true)
        #expect(rig.recorder.documentQueries.isEmpty && rig.recorder.problems.isEmpty)
    }

    @Test("requests are beacons of their own when asked for, without their queries")
    func requests() async throws {
        let rig = try Rig(change: { $0.reportsRequests = true })
        rig.exchange("https://api.test/search")
        rig.exchange("https://api.test/add", status: 0)
        rig.exchange("https://api.test/add", status: 404, "POST")
        let beacons = await rig.recorder.wait(for: 2)
        #expect(
            beacons.first?.fields == [
                "v": "0.1.0", "u": "https://api.test/search", "pid": "12345678", "n": "1", "http.initiator": "xhr",
                "rt.start": "manual", "rt.tstart": "1767225600000", "rt.end": "1767225600125", "t_done": "125",
                "t_resp": "40", "t_page": "85", "xhr.pg": "group", "d": "site.example", "h.key": "KEY-1",
                "h.d": "app.example", "h.cr": "crumb", "h.t": "1767225600123", "rt.si": "session-9",
                "rt.ss": "1767225600000", "rt.sl": "0",
            ])
        #expect(beacons.last?["http.method"] == "POST" && beacons.last?["http.errno"] == "404")
        #expect(beacons.last?["n"] == "2")
    }

    @Test("no key, or an address that is none, is one line and no sender", arguments: ["", "ftp://x/", "no url"])
    func unusable(address: String) {
        let lines = Locked<[String]>([])
        var configuration = MPulseConfiguration(apiKey: address.isEmpty ? "" : "key")
        if !address.isEmpty { configuration.configURL = address }
        let made = MPulse(
            configuration, sender: .init(version: "1", bundleID: "app") { "id" },
            transport: CurlTransport(configuration: .init()), timekeeper: ManualTimekeeper(),
            onProblem: { line in lines.withLock { $0.append(line) } })
        #expect(made == nil && lines.withLock { $0.count } == 1)
    }
}

import Foundation
import HTTPModel
import TestSupport
import Testing
import Transport

@testable import Beacons

@Suite("The form of beacons")
struct BeaconFormTests {
    private func form(_ byteCount: Int) throws -> TransportRequest {
        var form = BeaconForm()
        let url = try #require(HTTPURL("http://c.test/b"))
        // "?x=" is beside the address.
        form.add("x", String(repeating: "y", count: byteCount - url.string.utf8.count - 3))
        return try #require(form.request(to: url))
    }

    @Test("a URL of 2,000 bytes is a GET, one more a POST")
    func length() throws {
        let get = try form(2_000)
        #expect(get.request.method == .get && get.request.url.string.utf8.count == 2_000 && get.body == nil)
        let post = try form(2_001)
        #expect(post.request.method == .post && post.request.url.string == "http://c.test/b")
        guard case .data(let body)? = post.body else { throw ReadBeacon.Malformed("no body") }
        #expect(try ReadBeacon.form(String(decoding: body, as: UTF8.self))["x"]?.count == 2_001 - 18)
    }

    @Test("whatever stands in names and values comes out as it went in")
    func escapes() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var form = BeaconForm()
            var expected: [String: String] = [:]
            for number in 0..<5 {
                var value = ""
                for _ in 0..<Int.random(in: 0...20, using: &random) {
                    if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) {
                        value.unicodeScalars.append(scalar)
                    }
                }
                expected["n\(number)&=%+ \(value.prefix(2))"] = value
            }
            for (name, value) in expected { form.add(name, value) }
            #expect(try ReadBeacon.form(form.text) == expected)
        }
    }

    @Test("metrics cannot take the place of a field of the beacon")
    func reserved() {
        let session = BeaconSession(
            id: "s", start: Date(timeIntervalSince1970: 0), pageID: "p", version: "1", domain: "d")
        for name in ["h.key", "api", "rt.end", "d", "rt.si", "http.initiator", "h.pg", "t_other"] {
            let beacon = Beacon(.metric(name: name, value: 1), date: Date(timeIntervalSince1970: 0), pageGroup: "g")
            #expect(throws: BeaconForm.Refusal.reserved(name)) {
                try BeaconForm(beacon, BeaconDocument(beaconURL: "http://c.test/", key: "k"), session)
            }
        }
    }
}

@Suite("mPulse's configuration")
struct BeaconDocumentTests {
    private func read(_ json: String) throws -> BeaconDocument {
        try JSONDecoder().decode(BeaconDocument.self, from: Data(json.utf8))
    }

    @Test("is read with its labels")
    func whole() throws {
        let read = try read(document(rateLimited: true))
        #expect(read.beaconURL == "/beacon/" && read.key == "KEY-1" && read.domain == "app.example")
        #expect(read.token == "crumb" && read.tokenTime == "1767225600123" && read.isRateLimited)
        #expect(read.siteDomain == "site.example" && read.sessionID == "session-9")
        #expect(read.metricLabels == ["ShoppingCart": "custom0", "Checkout": "custom1"])
        #expect(read.timerLabels == ["Event Name": "timer0", "inner": "timer1"])
    }

    @Test(
        "what is missing or of another type costs only itself",
        arguments: [
            #"{"beacon_url":"//c.test/","h.key":"k"}"#,
            #"{"beacon_url":"//c.test/","h.key":"k","h.cr":[1],"h.t":{},"PageParams":7,"rate_limited":"no"}"#,
            #"{"beacon_url":"//c.test/","h.key":"k","PageParams":{"customTimers":[{"name":3}],"customMetrics":"x"}}"#,
        ])
    func lenient(json: String) throws {
        var expected = BeaconDocument(beaconURL: "//c.test/", key: "k")
        (expected.metricLabels, expected.timerLabels) = ([:], [:])
        #expect(try read(json) == expected)
    }

    @Test("without an address and a key there is none", arguments: ["", "[]", "{}", #"{"beacon_url":1,"h.key":"k"}"#])
    func unusable(json: String) {
        #expect(throws: (any Error).self) { try read(json) }
    }

    @Test("prefixes that can match nothing are told")
    func prefixes() {
        let rules = MetricRules([
            "a": ["ftp://x/", "", "/path", "https://", "http://h.test"],
            "b": ["http://[", "HTTP://H.test:80/x?secret=1"],
        ])
        #expect(rules.findings.count == 4)
        #expect(rules.metrics(for: "http://h.test/x/y") == ["a", "b"])
        #expect(rules.metrics(for: "http://h.test/y") == ["a"])
        #expect(rules.metrics(for: "https://h.test/x") == [])
        let many = MetricRules(["m": (0..<600).map { "http://h.test/\($0)" }])
        #expect(many.findings.count == 1)
        #expect(many.metrics(for: "http://h.test/499") == ["m"] && many.metrics(for: "http://h.test/599").count == 1)
    }
}

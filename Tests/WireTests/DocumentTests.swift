import Cryptography
import Foundation
import Testing
import Wire

/// The documents as they stand on the wire: older devices and servers read these very members.
@Suite struct DocumentTests {
    private static let date = Date(timeIntervalSince1970: 1_767_225_600)
    private static let digest = SHA256Digest.of(Data())

    private func expect<Value: Codable & Equatable>(_ value: Value, is json: String) throws {
        let encoded = try WireCoding.encode(value)
        #expect(String(decoding: encoded, as: UTF8.self) == json)
        #expect(try WireCoding.decode(Value.self, from: Data(json.utf8)) == value)
    }

    @Test("registration")
    func registration() throws {
        try expect(
            RegistrationRequest(
                apiKey: "k", bundleID: "org.example", deviceID: nil, platform: "linux", sdkVersion: "1"),
            is: #"{"apiKey":"k","bundleID":"org.example","platform":"linux","sdkVersion":"1"}"#)
        try expect(
            RegistrationResponse(
                deviceID: "d", deviceToken: "t", appID: "a",
                signingKeys: [SigningKey(id: "k1", publicKey: Data([1, 2]))]),
            is: #"{"appID":"a","deviceID":"d","deviceToken":"t","signingKeys":[{"id":"k1","publicKey":"AQI="}]}"#)
    }

    @Test("release and manifest")
    func release() throws {
        let segment = Release.Segment(name: "news", version: 42, manifest: Self.digest, itemCount: 1, byteCount: 9)
        #expect(segment.holder == "news@42")
        let release = Release(
            app: "a", version: 7, publishedAt: Self.date, segments: [segment], policy: DownloadPolicy())
        let published = #""publishedAt":"2026-01-01T00:00:00Z""#
        let segments =
            #""segments":[{"byteCount":9,"itemCount":1,"manifest":"\#(Self.digest)","name":"news","version":42}],"version":7}"#
        let rules = #"{"hours":[],"isAllowedOnBattery":true}"#
        let classes =
            #"{"excellent":{"kilobitsPerSecondMin":2000,"roundTripMillisecondsMax":272},"good":{"kilobitsPerSecondMin":150,"roundTripMillisecondsMax":1420}}"#
        try expect(
            release,
            is:
                #"{"app":"a","pins":[],"policy":{"batteryPercentMin":0,"cellular":\#(rules),"concurrentDownloadsMax":4,"#
                + #""fileByteCountMax":104000000,"isEnabled":true,"networks":"wifiAndCellular","segments":{},"#
                + #""syncIntervalSeconds":900,"wifi":\#(rules)},\#(published),"#
                + #""quality":{"cellular":\#(classes),"wifi":\#(classes)},\#(segments)"#)
        // What an older server signed has the defaults in what it does not say.
        let old =
            #"{"app":"a","policy":{"concurrentDownloadsMax":4,"fileByteCountMax":104000000,"isEnabled":true,"syncIntervalSeconds":900},"#
            + "\(published),\(segments)"
        #expect(try WireCoding.decode(Release.self, from: Data(old.utf8)) == release)
        try expect(
            Manifest(
                app: "a", segment: "news", version: 42, createdAt: Self.date,
                items: [
                    Manifest.Item(
                        url: "http://a/b", byteCount: 9, sha256: Self.digest, eTag: "\"x\"", priority: 1,
                        isEssential: false)
                ]),
            is:
                #"{"app":"a","createdAt":"2026-01-01T00:00:00Z","items":[{"byteCount":9,"eTag":"\"x\"","isEssential":false,"priority":1,"#
                + #""sha256":"\#(Self.digest)","url":"http://a/b"}],"segment":"news","version":42}"#)
    }

    @Test("what a release may say of policy and pins")
    func settings() throws {
        var policy = DownloadPolicy()
        policy.bytesPerSecondMax = 1_024
        policy.networks = .wifiOnly
        policy.wifi.isAllowedOnBattery = false
        policy.wifi.dailyByteCountMax = 5
        policy.wifi.hours = [DayHours(startMinute: 1_320, endMinute: 360)]
        policy.wifi.qualityMin = .good
        var segment = SegmentPolicy()
        segment.isForced = true
        segment.networks = NetworkSelection.none
        policy.segments = ["news": segment]
        try expect(
            policy,
            is:
                #"{"batteryPercentMin":0,"bytesPerSecondMax":1024,"cellular":{"hours":[],"isAllowedOnBattery":true},"#
                + #""concurrentDownloadsMax":4,"fileByteCountMax":104000000,"isEnabled":true,"networks":"wifiOnly","#
                + #""segments":{"news":{"isForced":true,"networks":"none"}},"syncIntervalSeconds":900,"#
                + #""wifi":{"dailyByteCountMax":5,"hours":[{"endMinute":360,"startMinute":1320}],"isAllowedOnBattery":false,"#
                + #""qualityMin":"good"}}"#)
        try expect(
            PinRule(host: "a.example", digests: ["x", "y"], expiresAt: Self.date, isReportOnly: true),
            is:
                #"{"digests":["x","y"],"expiresAt":"2026-01-01T00:00:00Z","host":"a.example","includesSubdomains":false,"#
                + #""isReportOnly":true}"#)
        try expect(
            PushTokenRequest(service: "apns", token: "00ff"), is: #"{"service":"apns","token":"00ff"}"#)
    }

    @Test("telemetry")
    func telemetry() throws {
        let exchange = ExchangeRecord(
            date: Self.date, method: "GET", url: "http://a/b", status: 200, outcome: .pinnedHit,
            cacheStatus: "Larder; hit",
            firstByteMicroseconds: 1, totalMicroseconds: 2, bodyByteCount: 3, wireByteCount: 0, httpVersion: "2",
            segments: ["news"])
        let outcome = ItemOutcome(
            segment: "news", version: 42, url: "http://a/b", outcome: .used, byteCount: 3, date: Self.date)
        let progress = SegmentProgress(
            segment: "news", version: 42, itemsReady: 1, itemsFailed: 2, itemsTotal: 3, isActive: true, date: Self.date)
        try expect(
            TelemetryItem.exchange(exchange),
            is:
                #"{"exchange":{"_0":{"bodyByteCount":3,"cacheStatus":"Larder; hit","date":"2026-01-01T00:00:00Z","firstByteMicroseconds":1,"#
                + #""httpVersion":"2","method":"GET","outcome":"pinnedHit","segments":["news"],"status":200,"totalMicroseconds":2,"#
                + #""url":"http://a/b","wireByteCount":0}}}"#)
        try expect(
            TelemetryItem.pinFailure(PinFailure(host: "a.example", shownDigests: ["x"], date: Self.date)),
            is:
                #"{"pinFailure":{"_0":{"date":"2026-01-01T00:00:00Z","host":"a.example","shownDigests":["x"]}}}"#)
        try expect(
            AppEvent(name: "e", date: Self.date, durationMicroseconds: 5, traffic: EventTraffic()),
            is:
                #"{"date":"2026-01-01T00:00:00Z","durationMicroseconds":5,"name":"e","traffic":{"exchangeCount":0,"#
                + #""failedCount":0,"fromDeviceCount":0,"totalMicroseconds":0,"wireByteCount":0}}"#)
        let batch = TelemetryBatch(
            id: "b", deviceID: "d", createdAt: Self.date,
            items: [
                .exchange(exchange), .event(AppEvent(name: "e", date: Self.date)), .outcome(outcome),
                .progress(progress),
            ],
            losses: ["queueFull": 2])
        #expect(try WireCoding.decode(TelemetryBatch.self, from: WireCoding.encode(batch)) == batch)
    }

    @Test("the words for outcomes do not change")
    func words() {
        #expect(
            ExchangeRecord.Outcome.allCases.map(\.rawValue)
                == ["pinnedHit", "cacheHit", "revalidated", "staleOnError", "miss", "passedThrough", "failed"])
        #expect(
            ItemOutcome.Outcome.allCases.map(\.rawValue)
                == ["prepositioned", "used", "late", "unused", "evicted", "replaced", "failed"])
    }

    @Test("problem documents")
    func problem() throws {
        try expect(
            ProblemDocument(type: "/problems/unknown-key", title: "Unknown key", status: 401, detail: "no such key"),
            is: #"{"detail":"no such key","status":401,"title":"Unknown key","type":"/problems/unknown-key"}"#)
    }
}

import Foundation
import TestSupport
import Testing
import Wire

@Suite struct WireCodingTests {
    @Test("writes JSON with sorted keys, plain slashes and whole-second dates")
    func json() throws {
        let event = AppEvent(
            name: "open/a", date: Date(timeIntervalSince1970: 1_767_225_600.75), durationMicroseconds: 5)
        let json = try WireCoding.encode(event)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"date":"2026-01-01T00:00:00Z","durationMicroseconds":5,"name":"open/a"}"#)
        #expect(try WireCoding.decode(AppEvent.self, from: json).date == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(String(decoding: try WireCoding.encode(event, pretty: true), as: UTF8.self).contains("\n  \"name\""))
    }

    @Test(
        "refuses JSON that is malformed or lacks what is needed",
        arguments: [
            "", "{", "[]", "null", "{\"name\":\"a\"}", "{\"name\":5,\"date\":\"2026-01-01T00:00:00Z\"}",
            "{\"name\":\"a\",\"date\":\"today\"}",
        ])
    func malformed(text: String) {
        #expect(throws: (any Error).self) { try WireCoding.decode(AppEvent.self, from: Data(text.utf8)) }
    }

    @Test("passes over members that it does not know")
    func unknownMembers() throws {
        let json = Data(#"{"name":"a","date":"2026-01-01T00:00:00Z","added":{"later":[1]}}"#.utf8)
        #expect(try WireCoding.decode(AppEvent.self, from: json).name == "a")
    }

    @Test("gives back what it compressed, random or not, empty or large")
    func compression() throws {
        var generator = SeededGenerator(seed: 1)
        let random = Data((0..<100_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        for data in [Data(), Data("a".utf8), random, Data(repeating: 7, count: 1_000_000)] {
            let compressed = try #require(WireCoding.compress(data))
            #expect(WireCoding.decompress(compressed, byteCountMax: data.count) == data)
            #expect(WireCoding.decompress(compressed.dropFirst(0), byteCountMax: .max) == data)
        }
        #expect(try #require(WireCoding.compress(Data(repeating: 7, count: 1_000_000))).count < 1_000)
    }

    @Test("decompresses nothing longer than allowed, cut, changed or foreign")
    func hostileCompression() throws {
        let data = Data(repeating: 7, count: 10_000)
        let compressed = try #require(WireCoding.compress(data))
        #expect(WireCoding.decompress(compressed, byteCountMax: 9_999) == nil)
        for count in 0..<compressed.count {
            #expect(WireCoding.decompress(compressed.prefix(count), byteCountMax: 20_000) == nil)
        }
        #expect(WireCoding.decompress(compressed + [1], byteCountMax: 20_000) == nil)
        #expect(WireCoding.decompress(compressed + compressed, byteCountMax: 20_000) == nil)
        #expect(WireCoding.decompress(Data("not zstd".utf8), byteCountMax: 20_000) == nil)
        #expect(WireCoding.decompress(Data(), byteCountMax: 20_000) == nil)
    }

    @Test("the short way for exchanges writes what the general one does, whatever the texts hold")
    func exchanges() throws {
        var encoder = ExchangeEncoder()
        var generator = SeededGenerator(seed: 2)
        let texts = ["", "a/b", "\"\\", "line\nend\r\t\u{0}\u{1F}", "é€😀", "\u{7F}\u{2028}"]
        for round in 0..<200 {
            func text() -> String { texts[Int.random(in: 0..<texts.count, using: &generator)] }
            let record = ExchangeRecord(
                date: Date(timeIntervalSince1970: .random(in: 0..<4e9, using: &generator).rounded(.down)),
                method: text(),
                url: text(), status: round, outcome: ExchangeRecord.Outcome.allCases[round % 7], cacheStatus: text(),
                firstByteMicroseconds: .random(in: .min ... .max, using: &generator), totalMicroseconds: 0,
                bodyByteCount: .max, wireByteCount: .min, httpVersion: text(),
                segments: (0..<(round % 3)).map { _ in text() }, errorCode: round % 2 == 0 ? nil : text())
            let item = TelemetryItem.exchange(record)
            let short = encoder.encode(record), general = try WireCoding.encode(item)
            #expect(try WireCoding.decode(TelemetryItem.self, from: short) == item)
            #expect(
                try JSONSerialization.jsonObject(with: short) as? NSDictionary
                    == JSONSerialization.jsonObject(with: general) as? NSDictionary)
        }
        var fractional = ExchangeRecord(
            date: Date(timeIntervalSince1970: 1_767_225_600.75), method: "GET", url: "u", status: 200, outcome: .miss,
            cacheStatus: "", firstByteMicroseconds: 1, totalMicroseconds: 2, bodyByteCount: 3, wireByteCount: 4)
        for _ in 0..<3 {
            #expect(encoder.encode(fractional) == (try WireCoding.encode(TelemetryItem.exchange(fractional))))
            fractional.date += 0.2
        }
    }
}

import Foundation
import HTTPModel
import TestSupport
import Testing

@Suite struct HTTPDateTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01T00:00:00Z

    @Test(
        "reads the three forms",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
            ("SUN NOV  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ])
    func reads(text: String, seconds: Int) {
        #expect(HTTPDate.parse(text, now: Self.now)?.timeIntervalSince1970 == Double(seconds))
    }

    @Test(
        "refuses anything else",
        arguments: [
            "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Foo, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 06  Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 94",
            "Sun Nov  6 08:49:37 1994 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37.5 GMT",
            "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 G\u{0}T", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08-49-37 GMT", String(repeating: "S", count: 100_000),
        ])
    func refuses(text: String) { #expect(HTTPDate.parse(text, now: Self.now) == nil) }

    @Test(
        "takes a two-digit year as the latest that is not more than 50 years ahead",
        arguments: [
            ("Thursday, 01-Jan-70 00:00:00 GMT", "Wed, 01 Jan 2070 00:00:00 GMT"),
            ("Wednesday, 01-Jan-76 00:00:00 GMT", "Wed, 01 Jan 2076 00:00:00 GMT"),
            ("Wednesday, 01-Jan-76 00:00:01 GMT", "Thu, 01 Jan 1976 00:00:01 GMT"),
            ("Saturday, 01-Jan-77 00:00:00 GMT", "Sat, 01 Jan 1977 00:00:00 GMT"),
            ("Friday, 31-Dec-99 23:59:59 GMT", "Fri, 31 Dec 1999 23:59:59 GMT"),
            ("Friday, 01-Jan-00 00:00:00 GMT", "Sat, 01 Jan 2000 00:00:00 GMT"),
        ])
    func twoDigitYears(text: String, full: String) throws {
        #expect(HTTPDate.format(try #require(HTTPDate.parse(text, now: Self.now))) == full)
    }

    @Test("counts two-digit years from the century at hand")
    func laterCentury() throws {
        let now = try #require(HTTPDate.parse("Thu, 01 Jan 2099 00:00:00 GMT", now: Self.now))
        let date = try #require(HTTPDate.parse("Friday, 01-Jan-05 00:00:00 GMT", now: now))
        #expect(HTTPDate.format(date) == "Thu, 01 Jan 2105 00:00:00 GMT")
    }

    @Test("writes an IMF-fixdate, rounded down and within the years that can be written")
    func writes() {
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 784_111_777.999)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: -1e300)) == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: .infinity)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: -.infinity)) == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: .nan)) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }

    @Test("agrees with the C library on random dates, and reads what it writes")
    func agreesWithTheCLibrary() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<5_000 {
            var seconds = time_t.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            var parts = tm()
            gmtime_r(&seconds, &parts)
            var buffer = [CChar](repeating: 0, count: 64)
            strftime(&buffer, buffer.count, "%a, %d %b ", &parts)
            let date = Date(timeIntervalSince1970: Double(seconds))
            let written = HTTPDate.format(date)
            #expect(written.hasPrefix(String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)))
            #expect(
                written.hasSuffix(
                    String(
                        format: "%04d %02d:%02d:%02d GMT", parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                        parts.tm_sec)))
            #expect(HTTPDate.parse(written, now: Self.now) == date)
        }
    }
}

import HTTPModel
import Testing

@Suite struct ByteRangeTests {
    @Test(
        "reads one range",
        arguments: [
            ("bytes=0-0", .closed(first: 0, last: 0)), ("bytes=5-", .from(5)), ("bytes=-5", .suffix(5)),
            ("BYTES=1-2", .closed(first: 1, last: 2)),
            ("bytes= 1-2 ", .closed(first: 1, last: 2)),
            ("bytes=0-99999999999999999999", .closed(first: 0, last: .max)),
        ] as [(String, ByteRange)])
    func reads(text: String, range: ByteRange) { #expect(ByteRange(text) == range) }

    @Test(
        "passes over what is malformed, several or of another unit",
        arguments: [
            "", "bytes", "bytes=", "bytes=-", "bytes=a-", "bytes=2-1", "bytes=1-2,3-4", "bytes=1-2,", "items=1-2",
            "bytes=--1", "bytes=1--2",
            "bytes=1 -2", "bytes=0x1-2", "bytes:1-2", "=1-2", "bytes=+1-2",
        ])
    func refuses(text: String) { #expect(ByteRange(text) == nil) }

    @Test("resolves against a length")
    func resolves() {
        #expect(ByteRange.from(3).resolved(in: 10) == 3..<10)
        #expect(ByteRange.from(10).resolved(in: 10) == nil)
        #expect(ByteRange.closed(first: 2, last: 4).resolved(in: 10) == 2..<5)
        #expect(ByteRange.closed(first: 2, last: .max).resolved(in: 10) == 2..<10)
        #expect(ByteRange.closed(first: 10, last: 12).resolved(in: 10) == nil)
        #expect(ByteRange.suffix(4).resolved(in: 10) == 6..<10)
        #expect(ByteRange.suffix(.max).resolved(in: 10) == 0..<10)
        #expect(ByteRange.suffix(0).resolved(in: 10) == nil)
        #expect(ByteRange.suffix(1).resolved(in: 0) == nil)
        #expect(ByteRange.from(0).resolved(in: 0) == nil)
    }

    @Test(
        "reads and writes Content-Range",
        arguments: ["bytes 0-9/10", "bytes 5-5/100", "bytes 0-4/*", "bytes */10", "bytes */0"])
    func contentRange(text: String) throws { #expect(try #require(ContentRange(text)).description == text) }

    @Test(
        "refuses a Content-Range that is malformed or contradicts itself",
        arguments: [
            "", "bytes", "bytes 0-9", "bytes 0-10/10", "bytes 5-4/10", "bytes */*", "items 0-9/10", "bytes=0-9/10",
            "bytes 0-9/x",
            "bytes -1-9/10", "bytes 0-9223372036854775807/*", "bytes a-b/10", "0-9/10",
        ])
    func refusesContentRange(text: String) { #expect(ContentRange(text) == nil) }

    @Test("builds only a Content-Range that makes sense")
    func builds() {
        #expect(ContentRange(range: 0..<5, completeByteCount: 4) == nil)
        #expect(ContentRange(range: 0..<0, completeByteCount: 4) == nil)
        #expect(ContentRange(range: -1..<2, completeByteCount: 4) == nil)
        #expect(ContentRange(range: nil, completeByteCount: nil) == nil)
        #expect(ContentRange("bytes 0-4/10")?.range == 0..<5)
        #expect(ContentRange("bytes 0-4/10")?.completeByteCount == 10)
    }
}

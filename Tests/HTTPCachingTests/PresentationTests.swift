import Foundation
import HTTPCaching
import HTTPModel
import TestSupport
import Testing

@Suite struct PresentationTests {
    private let stored = entry([
        "Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Type": "text/plain", "Content-Length": "10",
        "Last-Modified": CachingCase.date(-100), "Date": CachingCase.date(0), "Age": "3",
        "Cache-Status": "Elsewhere; hit",
    ])

    @Test("Age is replaced and this cache's status comes last")
    func age() {
        let response = present(stored, at: 10)
        #expect(response.fields.values(of: .age) == ["13"])
        #expect(response.fields[.cacheStatus] == "Elsewhere; hit, Larder; hit")
        #expect(response.status == 200)
        #expect(present(entry(["Age": "99999999999"], delay: 5), at: 1e12).fields[.age] == "2147483648")
        // A clock set back by an hour.
        #expect(present(entry([:], delay: 5), at: -3_600).fields[.age] == "5")
    }

    @Test("the time that the request took counts as age")
    func responseDelay() {
        #expect(HTTPCache.age(of: entry(["Date": CachingCase.date(0)], delay: 7), now: start + 1) == 8)
        #expect(HTTPCache.age(of: entry(["Date": CachingCase.date(-3)], delay: 7), now: start + 1) == 8)
        #expect(HTTPCache.age(of: entry(["Date": CachingCase.date(-9)], delay: 7), now: start + 1) == 10)
        #expect(HTTPCache.age(of: entry([:]), now: start + 1.9) == 1)
    }

    @Test("a part is cut from a stored whole whose length is known")
    func ranges() {
        let part = present(stored, ["Range": "bytes=2-4"], length: 10)
        #expect(part.status == 206)
        #expect(part.fields[.contentRange] == "bytes 2-4/10" && part.fields[.contentLength] == "3")
        #expect(part.fields[.contentType] == "text/plain" && part.fields[.eTag] == "\"a\"" && part.fields[.age] == "3")
        #expect(present(stored, ["Range": "bytes=-4"], length: 10).fields[.contentRange] == "bytes 6-9/10")
        #expect(present(stored, ["Range": "bytes=9-99"], length: 10).fields[.contentRange] == "bytes 9-9/10")
        let beyond = present(stored, ["Range": "bytes=10-"], length: 10)
        #expect(beyond.status == 416 && beyond.fields[.contentRange] == "bytes */10")
        #expect(beyond.fields[.contentLength] == "0" && beyond.fields[.contentType] == nil)
    }

    @Test(
        "the whole is the answer where a part does not apply",
        arguments: ["bytes=0-1,3-4", "items=0-1", "bytes=4-2", "bytes", ""])
    func wholes(range: String) {
        let response = present(stored, ["Range": range], length: 10)
        #expect(
            response.status == 200 && response.fields[.contentRange] == nil && response.fields[.contentLength] == "10")
    }

    @Test("without the length, for HEAD and for other statuses Range is passed over")
    func rangeNotApplicable() {
        #expect(present(stored, ["Range": "bytes=0-1"]).status == 200)
        #expect(present(stored, ["Range": "bytes=0-1"], method: .head, length: 10).status == 200)
        #expect(
            present(entry(["Cache-Control": "max-age=60"], status: 404), ["Range": "bytes=0-1"], length: 10).status
                == 404)
    }

    @Test("If-Range lets a part through only while it names this very representation")
    func ifRange() {
        func status(_ condition: String, _ stored: StoredResponse) -> Int {
            present(stored, ["Range": "bytes=0-1", "If-Range": condition], length: 10).status
        }
        #expect(status("\"a\"", stored) == 206)
        #expect(status("\"b\"", stored) == 200)
        #expect(status("W/\"a\"", stored) == 200)
        #expect(status("W/\"a\"", entry(["ETag": "W/\"a\""])) == 200)
        #expect(status("\"a\"", entry([:])) == 200)
        #expect(status(CachingCase.date(-100), stored) == 206)
        #expect(status(CachingCase.date(-99), stored) == 200)
        #expect(
            status(CachingCase.date(0), entry(["Last-Modified": CachingCase.date(0), "Date": CachingCase.date(0)]))
                == 200)
        #expect(status("rubbish", stored) == 200)
    }

    @Test("the caller's condition goes before the range")
    func conditionBeforeRange() {
        #expect(present(stored, ["Range": "bytes=0-1", "If-None-Match": "\"a\""], length: 10).status == 304)
        #expect(present(stored, ["Range": "bytes=0-1", "If-None-Match": "\"b\""], length: 10).status == 206)
    }

    @Test("ranges are served when the policy allows, fetched when they are not at hand")
    func rangeDecisions() {
        var policy = CachingPolicy()
        policy.answersRanges = true
        #expect(decide(at: 1, ["Range": "bytes=0-1"], stored: [stored], policy: policy).action == .serve(entryID: 1))
        #expect(decide(at: 1, ["Range": "bytes=0-1"], stored: [], policy: policy).action == .forward(.uriMiss))
        #expect(decide(at: 99, ["Range": "bytes=0-1"], stored: [stored], policy: policy).forwardReason == .stale)
        #expect(decide(at: 1, ["Range": "bytes=0-1"], method: .head, stored: [stored]).action == .serve(entryID: 1))
    }

    @Test("a tag without quotation marks matches itself")
    func unquotedTag() {
        let stored = entry(["ETag": "abc", "Cache-Control": "max-age=60"])
        #expect(present(stored, ["If-None-Match": "abc"]).status == 304)
        #expect(present(stored, ["If-None-Match": "abd"]).status == 200)
        #expect(present(stored, ["If-None-Match": "\"abc\""]).status == 200)
        #expect(present(entry([:]), ["If-None-Match": "abc"]).status == 200)
    }
}

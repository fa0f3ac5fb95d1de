import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// Parts of what is stored whole.
    public static let ranges: [CachingCase] = cutting + ignoring + conditions + staleWholes

    private static let stored: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Length": "10"]

    /// Ten digits are stored, and asked for with `Range`.
    private static func cut(
        _ name: String, _ reference: String, _ kind: Kind, _ fields: HTTPFields, _ status: Int, _ text: String,
        gets: [HTTPFieldName: String?] = [:], stored: HTTPFields = stored
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, origin: .ok(stored), sends: Step.digits),
                Step(5, .hit, fields, reads: text, status: status, gets: gets),
            ])
    }

    private static let cutting: [CachingCase] = [
        cut(
            "a range is cut from a stored whole", "RFC 9111 §3.3", .may, ["Range": "bytes=2-4"], 206, "234",
            gets: ["Content-Range": "bytes 2-4/10", "Content-Length": "3", "ETag": "\"a\"", "Age": "5"]),
        cut("an open range", "RFC 9110 §14.1.2", .may, ["Range": "bytes=7-"], 206, "789"),
        cut("a suffix range", "RFC 9110 §14.1.2", .may, ["Range": "bytes=-3"], 206, "789"),
        cut(
            "a suffix longer than the whole is the whole", "RFC 9110 §14.1.2", .must, ["Range": "bytes=-99"], 206,
            Step.digits, gets: ["Content-Range": "bytes 0-9/10"]),
        cut(
            "a range ends where the whole does", "RFC 9110 §14.1.2", .must, ["Range": "bytes=8-99"], 206, "89",
            gets: ["Content-Range": "bytes 8-9/10"]),
        cut(
            "an end beyond all numbers is the end", "RFC 9110 §14.1.2", .must,
            ["Range": "bytes=8-99999999999999999999"], 206, "89"),
        cut("the first byte alone", "RFC 9110 §14.1.2", .may, ["Range": "bytes=0-0"], 206, "0"),
        cut(
            "a range behind the end is not satisfiable", "RFC 9110 §15.5.17", .should, ["Range": "bytes=10-"], 416, "",
            gets: ["Content-Range": "bytes */10", "Content-Type": .none]),
        cut("nor is a suffix of nothing", "RFC 9110 §14.1.2", .should, ["Range": "bytes=-0"], 416, ""),
        cut("units are of any case", "RFC 9110 §14.1", .must, ["Range": "Bytes=0-1"], 206, "01"),
        cut(
            "ranges that touch are one", "RFC 9110 §15.3.7.2", .may, ["Range": "bytes=0-1,2-3"], 206, "0123",
            gets: ["Content-Range": "bytes 0-3/10"]),
        cut("ranges that overlap are one", "RFC 9110 §15.3.7.2", .may, ["Range": "bytes=2-6 , 0-4"], 206, "0123456"),
        cut(
            "of two ranges the one within the whole counts", "RFC 9110 §14.2", .may, ["Range": "bytes=0-1,50-60"], 206,
            "01"),
        cut(
            "ranges apart are answered with the whole", "RFC 9110 §14.2", .may, ["Range": "bytes=0-1,8-9"], 200,
            Step.digits, gets: ["Content-Range": .none]),
        CachingCase(
            "HEAD knows no ranges", "RFC 9110 §14.2", .must,
            [
                Step(0, .miss, origin: .ok(stored), sends: Step.digits),
                Step(1, .hit, ["Range": "bytes=0-1"], method: .head, status: 200, gets: ["Content-Range": .none]),
            ]),
        CachingCase(
            "an error has no ranges", "RFC 9110 §14.2", .must,
            [
                Step(0, .miss, origin: .answers(404, ["Cache-Control": "max-age=60"])),
                Step(1, .hit, ["Range": "bytes=0-1"], body: 0, status: 404),
            ]),
    ]

    private static let ignoring: [CachingCase] = [
        "bytes=4-2", "bytes=a-b", "bytes 0-1", "bytes=", "bytes=--1", "bytes=1", "bytes=-", "bytes=0-1;x",
        "bytes=0-1,x",
        "bytes=+1-2", "items=0-1", "0-1",
    ].map {
        cut("a Range of '\($0)' is passed over", "RFC 9110 §14.2", .must, ["Range": $0], 200, Step.digits)
    }

    private static func dated(_ seconds: Int) -> HTTPFields {
        ["Cache-Control": "max-age=60", "Last-Modified": date(seconds)]
    }

    private static let conditions: [CachingCase] = [
        cut(
            "If-Range with the tag", "RFC 9110 §13.1.5", .may, ["Range": "bytes=0-1", "If-Range": "\"a\""], 206, "01"),
        cut(
            "If-Range with another tag", "RFC 9110 §13.1.5", .must, ["Range": "bytes=0-1", "If-Range": "\"b\""], 200,
            Step.digits),
        cut(
            "If-Range with a weak tag", "RFC 9110 §13.1.5", .must, ["Range": "bytes=0-1", "If-Range": "W/\"a\""], 200,
            Step.digits),
        cut(
            "If-Range with a tag that is weak on both sides", "RFC 9110 §13.1.5", .must,
            ["Range": "bytes=0-1", "If-Range": "W/\"a\""], 200, Step.digits,
            stored: ["Cache-Control": "max-age=60", "ETag": "W/\"a\""]),
        cut(
            "If-Range with the date", "RFC 9110 §13.1.5", .may, ["Range": "bytes=0-1", "If-Range": date(-100)], 206,
            "01", stored: dated(-100)),
        cut(
            "If-Range with a later date", "RFC 9110 §13.1.5", .must, ["Range": "bytes=0-1", "If-Range": date(-99)], 200,
            Step.digits, stored: dated(-100)),
        cut(
            "If-Range with an earlier date", "RFC 9110 §13.1.5", .must, ["Range": "bytes=0-1", "If-Range": date(-101)],
            200, Step.digits, stored: dated(-100)),
        cut(
            "If-Range with a date that is no strong validator", "RFC 9110 §8.8.2.2", .must,
            ["Range": "bytes=0-1", "If-Range": date(0)], 200, Step.digits, stored: dated(0)),
        cut(
            "If-Range with neither", "RFC 9110 §13.1.5", .must, ["Range": "bytes=0-1", "If-Range": "a"], 200,
            Step.digits),
        cut("If-Range alone", "RFC 9110 §13.1.5", .must, ["If-Range": "\"b\""], 200, Step.digits),
        cut(
            "If-None-Match goes before Range", "RFC 9110 §13.2.2", .must,
            ["Range": "bytes=0-1", "If-None-Match": "\"a\""], 304, ""),
        cut(
            "a tag that does not match leaves Range alone", "RFC 9110 §13.2.2", .may,
            ["Range": "bytes=0-1", "If-None-Match": "\"b\""], 206, "01"),
        cut(
            "only-if-cached takes a part of what is stored", "RFC 9111 §5.2.1.7", .should,
            ["Range": "bytes=0-1", "Cache-Control": "only-if-cached"], 206, "01"),
    ]

    private static func stale(
        _ name: String, _ reference: String, _ kind: Kind, _ second: CachingExchange, then: CachingExchange? = nil,
        control: String = "max-age=60", pins: Bool = false
    ) -> CachingCase {
        let first = Step(
            0, .miss, origin: .ok(["Cache-Control": control, "ETag": "\"a\"", "Content-Length": "10"]),
            sends: Step.digits, pins: pins)
        return CachingCase(name, reference, kind, [first, second] + (then.map { [$0] } ?? []))
    }

    private static let staleWholes: [CachingCase] = [
        stale(
            "a stale whole is asked about for the sake of a part", "RFC 9111 §4.3.1", .may,
            Step(
                60, .validated, ["Range": "bytes=2-4"], origin: .notModified(), reads: "234", status: 206,
                sees: ["If-None-Match": "\"a\"", "Range": "bytes=2-4"]),
            then: Step(61, .hit, reads: Step.digits)),
        stale(
            "the request's no-cache asks about it too", "RFC 9111 §5.2.1.4", .should,
            Step(
                1, .validated, ["Range": "bytes=2-4", "Cache-Control": "no-cache"], origin: .notModified(),
                reads: "234", status: 206)),
        stale(
            "a part of something newer goes to the caller, and not into the whole", "RFC 9111 §3.4", .must,
            Step(
                60, .replaced, ["Range": "bytes=2-4"],
                origin: .answers(
                    206, ["ETag": "\"b\"", "Content-Range": "bytes 2-4/10", "Cache-Control": "max-age=60"]),
                sends: "abcdefghij", reads: "cde", status: 206),
            then: Step(61, .validated, origin: .notModified(), reads: Step.digits, sees: ["If-None-Match": "\"a\""])),
        stale(
            "a part of the same representation freshens the whole", "RFC 9111 §3.4", .may,
            Step(
                60, .replaced, ["Range": "bytes=2-4"],
                origin: .answers(
                    206, ["ETag": "\"a\"", "Content-Range": "bytes 2-4/10", "Cache-Control": "max-age=60", "X": "1"]),
                reads: "234", status: 206),
            then: Step(61, .hit, reads: Step.digits, gets: ["Age": "1", "X": "1", "Content-Range": .none])),
        stale(
            "a whole in answer to a range takes the old one's place", "RFC 9110 §14.2", .may,
            Step(
                60, .replaced, ["Range": "bytes=2-4"], origin: .ok(["ETag": "\"b\"", "Cache-Control": "max-age=60"]),
                body: 1, status: 200),
            then: Step(61, .hit, body: 1)),
        stale(
            "a part is served stale while the whole is asked about", "RFC 5861 §3", .may,
            Step(
                61, .hitAndAsk, ["Range": "bytes=2-4"], origin: .notModified(), reads: "234", status: 206,
                sees: ["If-None-Match": "\"a\""]),
            then: Step(100, .hit, reads: Step.digits), control: "max-age=60, stale-while-revalidate=9"),
        stale(
            "a part of a pinned whole is served when the origin is unreachable", "", .product,
            Step(61, .rescued, ["Range": "bytes=2-4"], origin: .isUnreachable, reads: "234", status: 206), pins: true),
        stale(
            "a part is not served stale against must-revalidate", "RFC 9111 §5.2.2.2", .must,
            Step(61, .failed, ["Range": "bytes=2-4"], origin: .isUnreachable), control: "max-age=60, must-revalidate"),
    ]
}

import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// Responses that are parts, or broke off.
    public static let parts: [CachingCase] = answering + completing + brokenOff + combining + notStored

    private static let tagged: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

    /// A 206 with these bytes of ten.
    private static func part(_ first: Int, _ last: Int, _ fields: HTTPFields = tagged, of whole: Int = 10)
        -> Step.Origin
    {
        var fields = fields
        fields.append(.contentRange, "bytes \(first)-\(last)/\(whole)")
        return .answers(206, fields)
    }

    /// The exchange that brings such a part.
    private static func fetch(
        _ time: Double, _ first: Int, _ last: Int, _ fields: HTTPFields = tagged, of whole: Int = 10
    ) -> CachingExchange {
        Step(
            time, .miss, ["Range": "bytes=\(first)-\(last)"], origin: part(first, last, fields, of: whole), status: 206)
    }

    private static func whole(_ time: Double, _ outcome: Step.Outcome, sees: [HTTPFieldName: String?] = [:])
        -> CachingExchange
    {
        let gets: [HTTPFieldName: String?] = outcome == .hit ? ["Content-Range": .none, "Content-Length": "10"] : [:]
        return Step(
            time, outcome, origin: .ok(tagged), sends: Step.digits, reads: Step.digits, status: 200, gets: gets,
            sees: sees)
    }

    private static let answering: [CachingCase] = [
        CachingCase(
            "a stored part answers for itself", "RFC 9111 §3.3", .may,
            [
                fetch(0, 2, 6),
                Step(
                    1, .hit, ["Range": "bytes=2-6"], reads: "23456", status: 206,
                    gets: ["Content-Range": "bytes 2-6/10", "Content-Length": "5", "Age": "1"]),
                Step(1, .hit, ["Range": "bytes=3-4"], reads: "34", gets: ["Content-Range": "bytes 3-4/10"]),
            ]),
        CachingCase(
            "a stored part answers a suffix that it has", "RFC 9111 §3.3", .may,
            [fetch(0, 5, 9), Step(1, .hit, ["Range": "bytes=-3"], reads: "789", status: 206)]),
        CachingCase(
            "a stored part does not answer beyond itself", "RFC 9111 §3.3", .must,
            [fetch(0, 2, 6), Step(1, .miss, ["Range": "bytes=2-7"], origin: part(2, 7), reads: "234567", status: 206)]),
        CachingCase(
            "a stored part is no whole", "RFC 9111 §3.3", .must,
            [fetch(0, 2, 6), whole(1, .miss, sees: ["Range": .none, "If-None-Match": .none])]),
        CachingCase(
            "not for only-if-cached either", "RFC 9111 §3.3", .must,
            [fetch(0, 0, 6), Step(1, .refused, ["Cache-Control": "only-if-cached"])]),
        CachingCase(
            "not when the origin is unreachable either", "RFC 9111 §3.3", .must,
            [fetch(0, 0, 6), Step(1, .failed, origin: .isUnreachable)]),
        CachingCase(
            "nor when a segment holds it", "RFC 9111 §3.3", .must,
            [
                Step(0, .miss, ["Range": "bytes=0-6"], origin: part(0, 6), pins: true),
                Step(1, .failed, origin: .isUnreachable),
            ]),
        CachingCase(
            "a stored part does not answer HEAD", "RFC 9111 §3.3", .should,
            [fetch(0, 0, 6), Step(1, .miss, method: .head, origin: .ok(tagged))]),
        CachingCase(
            "a stored part answers where its If-Range holds", "RFC 9110 §13.1.5", .may,
            [fetch(0, 2, 6), Step(1, .hit, ["Range": "bytes=3-4", "If-Range": "\"a\""], reads: "34", status: 206)]),
        CachingCase(
            "and not where it does not", "RFC 9110 §13.1.5", .must,
            [
                fetch(0, 2, 6),
                Step(
                    1, .miss, ["Range": "bytes=3-4", "If-Range": "\"b\""], origin: .ok(["ETag": "\"b\""]), body: 1,
                    status: 200),
            ]),
        CachingCase(
            "a stale part is asked about", "RFC 9111 §4.3.1", .may,
            [
                fetch(0, 2, 6),
                Step(
                    60, .validated, ["Range": "bytes=2-6"], origin: .notModified(), reads: "23456", status: 206,
                    sees: ["If-None-Match": "\"a\"", "Range": "bytes=2-6"]),
                Step(61, .hit, ["Range": "bytes=2-6"], reads: "23456"),
            ]),
        CachingCase(
            "the tag of a part is not offered for more than it has", "RFC 9111 §4.3.1", .must,
            [
                fetch(0, 2, 6),
                Step(
                    60, .miss, ["Range": "bytes=2-9"], origin: part(2, 9), reads: "23456789",
                    sees: ["If-None-Match": .none]),
            ]),
        CachingCase(
            "a part satisfies no range behind its whole", "RFC 9110 §15.5.17", .may,
            [fetch(0, 2, 6), Step(1, .hit, ["Range": "bytes=10-"], status: 416, gets: ["Content-Range": "bytes */10"])]),
    ]

    private static let completing: [CachingCase] = [
        CachingCase(
            "the rest of a part is fetched for a whole", "RFC 9111 §3.4", .may,
            [
                fetch(0, 0, 5),
                Step(
                    1, .completed, origin: part(6, 9), reads: Step.digits, status: 200,
                    gets: ["Content-Range": .none, "Content-Length": "10"],
                    sees: ["Range": "bytes=6-", "If-Range": "\"a\""]),
                Step(2, .hit, reads: Step.digits, status: 200, gets: ["Age": "1"]),
            ]),
        CachingCase(
            "a stale one's too", "RFC 9111 §3.4", .may,
            [fetch(0, 0, 5), Step(90, .completed, origin: part(6, 9), reads: Step.digits, status: 200)]),
        CachingCase(
            "what has changed comes whole", "RFC 9110 §13.1.5", .must,
            [
                fetch(0, 0, 5),
                Step(
                    1, .completed, origin: .ok(["ETag": "\"b\"", "Cache-Control": "max-age=60"]), body: 1, status: 200),
                Step(2, .hit, body: 1),
            ]),
        CachingCase(
            "a rest of something else is not put to it", "RFC 9111 §3.4", .must,
            [
                fetch(0, 0, 5),
                Step(
                    1, .replaced, origin: part(6, 9, ["ETag": "\"b\"", "Cache-Control": "max-age=60"]),
                    sends: "abcdefghij", reads: "ghij"),
            ]),
        CachingCase(
            "a rest that begins elsewhere is not put to it", "RFC 9111 §3.4", .must,
            [fetch(0, 0, 5), Step(1, .replaced, origin: part(7, 9), reads: "789")]),
        CachingCase(
            "a rest that the origin has not is fetched anew", "RFC 9110 §15.5.17", .must,
            [fetch(0, 0, 5), Step(1, .replaced, origin: .answers(416, ["Content-Range": "bytes */3"]), status: 416)]),
        CachingCase(
            "an error goes to the caller and leaves the part", "RFC 9111 §3.3", .must,
            [
                fetch(0, 0, 5), Step(1, .completed, origin: .answers(503, [:]), status: 503),
                Step(2, .hit, ["Range": "bytes=0-5"], reads: "012345"),
            ]),
        CachingCase(
            "a weak tag completes nothing", "RFC 9110 §15.3.7.3", .must,
            [
                fetch(0, 0, 5, ["Cache-Control": "max-age=60", "ETag": "W/\"a\""]),
                whole(1, .miss, sees: ["Range": .none]),
            ]),
        CachingCase(
            "no validator completes nothing", "RFC 9110 §15.3.7.3", .must,
            [fetch(0, 0, 5, ["Cache-Control": "max-age=60"]), whole(1, .miss, sees: ["Range": .none])]),
        CachingCase(
            "a caller's own condition is for the whole", "RFC 9110 §13.2.2", .must,
            [
                fetch(0, 0, 5),
                Step(
                    1, .miss, ["If-None-Match": "\"a\""], origin: .notModified(["ETag": "\"a\""]), status: 304,
                    sees: ["Range": .none, "If-None-Match": "\"a\""]),
            ]),
        CachingCase(
            "a date that is a strong validator completes", "RFC 9110 §15.3.7.3", .may,
            [
                fetch(0, 0, 5, ["Cache-Control": "max-age=60", "Last-Modified": date(-100)]),
                Step(
                    1, .completed, origin: part(6, 9, ["Last-Modified": date(-100)]), reads: Step.digits, status: 200,
                    sees: ["If-Range": date(-100)]),
            ]),
    ]

    private static func breaking(
        _ name: String, _ reference: String, _ kind: Kind, _ fields: HTTPFields, coding: String? = nil,
        _ second: CachingExchange
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .failed, origin: .breaksOff(200, fields, after: 4), sends: Step.digits, coding: coding),
                second,
            ])
    }

    private static let long: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Length": "10"]

    private static let brokenOff: [CachingCase] = [
        breaking(
            "a download that broke off goes on where it was", "RFC 9111 §3.4", .may, long,
            Step(
                1, .completed, origin: part(4, 9), reads: Step.digits, status: 200,
                gets: ["Content-Range": .none, "Content-Length": "10"],
                sees: ["Range": "bytes=4-", "If-Range": "\"a\""])),
        breaking(
            "what came of it answers for itself", "RFC 9111 §3.3", .may, long,
            Step(1, .hit, ["Range": "bytes=1-3"], reads: "123", status: 206)),
        breaking(
            "it never counts as whole", "RFC 9111 §3.3", .must, long,
            Step(1, .refused, ["Cache-Control": "only-if-cached, max-stale"])),
        breaking(
            "without a strong validator nothing is kept", "RFC 9111 §3.4", .must,
            ["Cache-Control": "max-age=60", "ETag": "W/\"a\"", "Content-Length": "10"],
            whole(1, .miss, sees: ["Range": .none])),
        breaking(
            "without a length nothing is kept", "RFC 9111 §3.4", .may, tagged, whole(1, .miss, sees: ["Range": .none])),
        breaking(
            "of a decoded body nothing is kept", "RFC 9111 §3.4", .must, long, coding: "gzip",
            whole(1, .miss, sees: ["Range": .none])
        )
        .except(.proxy, proxyDecodes),
        breaking(
            "with no-store nothing is kept", "RFC 9111 §5.2.2.5", .must,
            ["Cache-Control": "no-store", "ETag": "\"a\"", "Content-Length": "10"],
            whole(1, .miss, sees: ["Range": .none])),
        CachingCase(
            "a whole outlives a download that broke off", "RFC 9111 §3.3", .may,
            [
                Step(0, .miss, origin: .ok(long), sends: Step.digits),
                Step(
                    60, .failed,
                    origin: .breaksOff(
                        200, ["Cache-Control": "max-age=60", "ETag": "\"b\"", "Content-Length": "10"], after: 4)),
                Step(61, .validated, origin: .notModified(), reads: Step.digits, sees: ["If-None-Match": "\"a\""]),
            ]),
        CachingCase(
            "a completion that breaks off leaves more than there was", "RFC 9111 §3.4", .may,
            [
                fetch(0, 0, 3),
                Step(
                    1, .failed,
                    origin: .breaksOff(
                        206, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Range": "bytes 4-9/10"], after: 3
                    )
                ),
                Step(2, .completed, origin: part(7, 9), reads: Step.digits, sees: ["Range": "bytes=7-"]),
            ]),
    ]

    private static let combining: [CachingCase] = [
        CachingCase(
            "two halves are a whole", "RFC 9111 §3.4", .may, [fetch(0, 0, 4), fetch(1, 5, 9), whole(2, .hit)]),
        CachingCase(
            "in any order", "RFC 9111 §3.4", .may, [fetch(0, 5, 9), fetch(1, 0, 4), whole(2, .hit)]),
        CachingCase(
            "and where they overlap", "RFC 9111 §3.4", .may, [fetch(0, 0, 6), fetch(1, 3, 9), whole(2, .hit)]),
        CachingCase(
            "three thirds are a whole", "RFC 9111 §3.4", .may,
            [fetch(0, 3, 5), fetch(1, 0, 2), fetch(2, 6, 9), whole(3, .hit)]),
        CachingCase(
            "two parts are a longer part", "RFC 9111 §3.4", .may,
            [fetch(0, 1, 4), fetch(1, 5, 7), Step(2, .hit, ["Range": "bytes=2-7"], reads: "234567", status: 206)]),
        CachingCase(
            "parts with a gap are not put together", "RFC 9111 §3.4", .must,
            [fetch(0, 0, 3), fetch(1, 6, 9), Step(2, .miss, ["Range": "bytes=2-7"], origin: part(2, 7))]),
        CachingCase(
            "parts of other tags are not put together", "RFC 9111 §3.4", .must,
            [
                fetch(0, 0, 4), fetch(1, 5, 9, ["Cache-Control": "max-age=60", "ETag": "\"b\""]),
                whole(2, .miss),
            ]),
        CachingCase(
            "parts of weak tags are not put together", "RFC 9110 §15.3.7.3", .must,
            [
                fetch(0, 0, 4, ["Cache-Control": "max-age=60", "ETag": "W/\"a\""]),
                fetch(1, 5, 9, ["Cache-Control": "max-age=60", "ETag": "W/\"a\""]), whole(2, .miss),
            ]),
        CachingCase(
            "parts of one date are put together", "RFC 9110 §15.3.7.3", .may,
            [
                fetch(0, 0, 4, ["Cache-Control": "max-age=60", "Last-Modified": date(-100)]),
                fetch(1, 5, 9, ["Cache-Control": "max-age=60", "Last-Modified": date(-100)]), whole(2, .hit),
            ]),
        CachingCase(
            "parts of wholes of other lengths are not put together", "RFC 9110 §15.3.7.3", .must,
            [fetch(0, 0, 4), fetch(1, 5, 9, of: 11), Step(2, .miss, origin: .ok(tagged), body: 2)]),
        CachingCase(
            "the fields of the newer part count", "RFC 9111 §3.4", .must,
            [
                fetch(0, 0, 4, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X": "old", "Y": "old"]),
                fetch(1, 5, 9, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X": "new"]),
                Step(2, .hit, reads: Step.digits, gets: ["X": "new", "Y": "old", "Age": "1"]),
            ]),
    ]

    private static func unkept(
        _ name: String, _ reference: String, _ kind: Kind, _ request: HTTPFields, _ origin: Step.Origin
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [Step(0, .miss, request, origin: origin), Step(1, .miss, ["Range": "bytes=0-1"], origin: part(0, 1))])
    }

    private static let notStored: [CachingCase] = [
        unkept(
            "no-store of a part", "RFC 9111 §5.2.2.5", .must, ["Range": "bytes=0-1"],
            part(0, 1, ["Cache-Control": "no-store", "ETag": "\"a\""])),
        unkept("a part that nobody asked for", "RFC 9110 §15.3.7", .should, [:], part(0, 1)),
        unkept(
            "several parts in one response", "RFC 9111 §3.3", .may, ["Range": "bytes=0-1,4-5"],
            .answers(206, ["Cache-Control": "max-age=60", "Content-Type": "multipart/byteranges; boundary=x"])),
        unkept(
            "a part of a whole of unknown length", "RFC 9111 §3.3", .may, ["Range": "bytes=0-1"],
            .answers(206, ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/*"])),
        unkept(
            "a part that contradicts itself", "RFC 9110 §14.4", .must, ["Range": "bytes=0-1"],
            .answers(206, ["Cache-Control": "max-age=60", "Content-Range": "bytes 3-1/10"])),
        unkept(
            "a part of a coded body", "RFC 9111 §3.3", .product, ["Range": "bytes=0-1"],
            part(0, 1, ["Cache-Control": "max-age=60", "Content-Encoding": "gzip", "ETag": "\"a\""])),
        CachingCase(
            "a 416 is about one request", "RFC 9110 §15.5.17", .must,
            [
                Step(
                    0, .miss, ["Range": "bytes=99-"],
                    origin: .answers(416, ["Cache-Control": "max-age=60", "Content-Range": "bytes */10"])),
                whole(1, .miss),
            ]),
        CachingCase(
            "a 412 is about one request", "RFC 9110 §15.5.13", .must,
            [
                Step(0, .miss, ["If-Match": "\"x\""], origin: .answers(412, ["Cache-Control": "max-age=60"])),
                whole(1, .miss),
            ]),
    ]
}

import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// How long a response is fresh, and how old it is.
    public static let freshness: [CachingCase] = lifetimes + heuristics + ages

    /// Stored with these fields, asked for again after some seconds: fresh or not.
    static func reuse(
        _ name: String, _ reference: String, _ kind: Kind, _ fields: HTTPFields, after: Double, fresh: Bool,
        status: Int = 200, path: String = "/a"
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, path: path, origin: .answers(status, fields)),
                Step(after, fresh ? .hit : .miss, path: path, origin: .ok(), body: fresh ? 0 : 1),
            ])
    }

    private static let lifetimes: [CachingCase] = [
        reuse(
            "max-age keeps it fresh", "RFC 9111 §5.2.2.1", .may, ["Cache-Control": "max-age=60"], after: 59, fresh: true
        ),
        reuse("max-age ends", "RFC 9111 §5.2.2.1", .must, ["Cache-Control": "max-age=60"], after: 60, fresh: false),
        reuse(
            "max-age=0 is stale at once", "RFC 9111 §5.2.2.1", .must, ["Cache-Control": "max-age=0"], after: 0,
            fresh: false),
        reuse(
            "max-age wins over a later Expires", "RFC 9111 §5.3", .must,
            ["Cache-Control": "max-age=1", "Expires": date(9_999)], after: 2, fresh: false),
        reuse(
            "max-age wins over a past Expires", "RFC 9111 §5.3", .may,
            ["Cache-Control": "max-age=60", "Expires": date(-60)], after: 2, fresh: true),
        reuse(
            "s-maxage means nothing to a private cache", "RFC 9111 §5.2.2.10", .must,
            ["Cache-Control": "s-maxage=9999"], after: 1, fresh: false),
        reuse(
            "s-maxage=0 does not make a private cache's copy stale", "RFC 9111 §5.2.2.10", .may,
            ["Cache-Control": "s-maxage=0, max-age=60"], after: 1, fresh: true),
        reuse(
            "directive names are of any case", "RFC 9111 §5.2", .must, ["Cache-Control": "MaX-aGe=60"], after: 1,
            fresh: true),
        reuse(
            "a quoted number is a number", "RFC 9111 §5.2", .should, ["Cache-Control": "max-age=\"60\""], after: 1,
            fresh: true),
        reuse(
            "a max-age that is no number is stale", "RFC 9111 §4.2.1", .should, ["Cache-Control": "max-age=abc"],
            after: 1, fresh: false),
        reuse(
            "a max-age that is no number hides Expires", "RFC 9111 §4.2.1", .should,
            ["Cache-Control": "max-age=abc", "Expires": date(9_999)], after: 1, fresh: false),
        reuse(
            "a negative max-age is stale", "RFC 9111 §4.2.1", .should, ["Cache-Control": "max-age=-60"], after: 0,
            fresh: false),
        reuse(
            "a max-age beyond all numbers is very long", "RFC 9111 §1.2.2", .must,
            ["Cache-Control": "max-age=99999999999999999999"], after: 2_000_000_000, fresh: true),
        reuse(
            "the first of two max-age counts, short", "RFC 9111 §4.2.1", .should,
            ["Cache-Control": "max-age=1, max-age=60"], after: 2, fresh: false),
        reuse(
            "the first of two max-age counts, long", "RFC 9111 §4.2.1", .may,
            ["Cache-Control": "max-age=60, max-age=1"], after: 2, fresh: true),
        reuse(
            "max-age within a quoted string of another directive is not one", "RFC 9111 §5.2", .must,
            ["Cache-Control": "a=\"max-age=60\""], after: 1, fresh: false),
        reuse(
            "directives on several lines are one list", "RFC 9110 §5.3", .must,
            HTTPFields([.init("Cache-Control", "public"), .init("Cache-Control", "max-age=60")]), after: 1, fresh: true),
        reuse("Expires keeps it fresh", "RFC 9111 §5.3", .may, ["Expires": date(60)], after: 59, fresh: true),
        reuse("Expires ends", "RFC 9111 §5.3", .must, ["Expires": date(60)], after: 60, fresh: false),
        reuse(
            "Expires counts from Date, not from the local clock", "RFC 9111 §4.2.1", .must,
            ["Expires": date(1_060), "Date": date(1_000)], after: 61, fresh: false),
        reuse("Expires: 0 is past", "RFC 9111 §5.3", .must, ["Expires": "0"], after: 0, fresh: false),
        reuse("Expires: -1 is past", "RFC 9111 §5.3", .must, ["Expires": "-1"], after: 0, fresh: false),
        reuse(
            "an Expires in another zone is past", "RFC 9111 §4.2", .should,
            ["Expires": "Thu, 01 Jan 2026 01:00:00 UTC"], after: 1, fresh: false),
        reuse(
            "an RFC 850 Expires counts", "RFC 9110 §5.6.7", .must, ["Expires": "Thursday, 01-Jan-26 00:01:00 GMT"],
            after: 1, fresh: true),
        reuse(
            "an asctime Expires counts", "RFC 9110 §5.6.7", .must, ["Expires": "Thu Jan  1 00:01:00 2026"], after: 1,
            fresh: true),
        reuse(
            "an Expires in lower case counts", "RFC 9111 §4.2", .should, ["Expires": "thu, 01 jan 2026 00:01:00 gmt"],
            after: 1, fresh: true),
        reuse(
            "the first of two Expires counts", "RFC 9111 §4.2.1", .should,
            HTTPFields([.init("Expires", date(-1)), .init("Expires", date(60))]), after: 1, fresh: false),
    ]

    private static let heuristics: [CachingCase] = [
        reuse(
            "a tenth of its age is a lifetime when none is stated", "RFC 9111 §4.2.2", .may,
            ["Last-Modified": date(-1_000)], after: 99, fresh: true),
        CachingCase(
            "the guess ends", "RFC 9111 §4.2.2", .should,
            [
                Step(0, .miss, origin: .ok(["Last-Modified": date(-1_000)])),
                Step(100, .validated, origin: .notModified(), body: 0),
            ]),
        CachingCase(
            "the guess is never more than a day", "RFC 9111 §4.2.2", .product,
            [
                Step(0, .miss, origin: .ok(["Last-Modified": date(-100_000_000)])),
                Step(86_399, .hit),
                Step(86_400, .validated, origin: .notModified()),
            ]),
        CachingCase(
            "no guess beside a stated lifetime", "RFC 9111 §4.2.2", .must,
            [
                Step(0, .miss, origin: .ok(["Last-Modified": date(-100_000), "Cache-Control": "max-age=1"])),
                Step(2, .validated, origin: .notModified()),
            ]),
        CachingCase(
            "no guess beside an Expires that is no date", "RFC 9111 §4.2.2", .must,
            [
                Step(0, .miss, origin: .ok(["Last-Modified": date(-100_000), "Expires": "soon"])),
                Step(2, .validated, origin: .notModified()),
            ]),
        reuse(
            "no guess for a status that is not cacheable by default", "RFC 9111 §4.2.2", .must,
            ["Last-Modified": date(-100_000)], after: 1, fresh: false, status: 403),
        reuse(
            "a guess for such a status when it is public", "RFC 9111 §4.2.2", .may,
            ["Last-Modified": date(-100_000), "Cache-Control": "public"], after: 1, fresh: true, status: 403),
        reuse(
            "a guess for 404", "RFC 9110 §15.1", .may, ["Last-Modified": date(-100_000)], after: 1, fresh: true,
            status: 404),
        reuse(
            "a guess for 410", "RFC 9110 §15.1", .may, ["Last-Modified": date(-100_000)], after: 1, fresh: true,
            status: 410),
        reuse(
            "a guess for 301", "RFC 9110 §15.1", .may, ["Last-Modified": date(-100_000)], after: 1, fresh: true,
            status: 301),
        reuse(
            "no guess for 302", "RFC 9110 §15.1", .must, ["Last-Modified": date(-100_000)], after: 1, fresh: false,
            status: 302),
        reuse("no guess without Last-Modified", "RFC 9111 §4.2.2", .should, [:], after: 0, fresh: false),
        reuse(
            "no guess from a Last-Modified that is no date", "RFC 9111 §4.2.2", .should, ["Last-Modified": "yesterday"],
            after: 1, fresh: false),
        CachingCase(
            "no guess from a Last-Modified ahead of Date", "RFC 9111 §4.2.2", .should,
            [
                Step(0, .miss, origin: .ok(["Last-Modified": date(1_000)])),
                Step(1, .validated, origin: .notModified()),
            ]),
    ]

    private static let ages: [CachingCase] =
        [
            CachingCase(
                "Age is generated, and grows", "RFC 9111 §4", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60"]), gets: ["Age": .none]),
                    Step(10, .hit, gets: ["Age": "10"]),
                    Step(59, .hit, gets: ["Age": "59"]),
                ]),
            CachingCase(
                "Age that came counts", "RFC 9111 §4.2.3", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Age": "50"])),
                    Step(9, .hit, gets: ["Age": "59"]),
                    Step(10, .miss, origin: .ok()),
                ]),
            CachingCase(
                "a Date in the past counts as age", "RFC 9111 §4.2.3", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Date": date(-55)])),
                    Step(4, .hit, gets: ["Age": "59"]),
                    Step(5, .miss, origin: .ok()),
                ]),
            CachingCase(
                "the greater of Age and the age by Date counts", "RFC 9111 §4.2.3", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Date": date(-20), "Age": "30"])),
                    Step(1, .hit, gets: ["Age": "31"]),
                ]),
            CachingCase(
                "a Date ahead of the clock makes nothing younger", "RFC 9111 §4.2.3", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Date": date(1_000)])),
                    Step(59, .hit, gets: ["Age": "59"]),
                    Step(60, .miss, origin: .ok()),
                ]),
            CachingCase(
                "without Date the time of arrival counts", "RFC 9110 §6.6.1", .must,
                [
                    Step(0, .miss, origin: .answersUndated(200, ["Expires": date(60)])),
                    Step(59, .hit, gets: ["Age": "59"]),
                    Step(60, .miss, origin: .ok()),
                ]),
            CachingCase(
                "a Date that is none counts as absent", "RFC 9110 §6.6.1", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Date": "today"])),
                    Step(59, .hit, gets: ["Age": "59"]),
                ]),
            CachingCase(
                "the first member of Age counts", "RFC 9111 §5.1", .should,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Age": "50, 1"])),
                    Step(1, .hit, gets: ["Age": "51"]),
                ]),
            CachingCase(
                "an Age beyond all numbers is very old", "RFC 9111 §1.2.2", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Age": "99999999999999999999"])),
                    Step(1, .miss, origin: .ok()),
                ]),
        ]
        + ["-50", "abc", "5.5", "\"50\"", ""].map { value in
            CachingCase(
                "an Age of '\(value)' is ignored", "RFC 9111 §5.1", .should,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Age": value])),
                    Step(1, .hit, gets: ["Age": "1"]),
                ])
        }
}

import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// Fields as origins write them, well and badly.
    public static let fields: [CachingCase] = controls + expiries + moreAges + others

    private static let controls: [CachingCase] =
        [
            "max-age =60", "max-age= 60", "max-age='60'", "max-age=60.5", "max-age=0x3C", "max-age=+60", "max-age=60;x",
            "max-age=60; public", "max-age=\"60", "max-age=\"\"", "max-age=", "max-age", "max-age=6 0", "max-age=60s",
            "max-age=\"6\\0x\"", "max-age=x, max-age=60", "maxage=60", "x-max-age=60", "max-age:60",
        ].map {
            reuse(
                "Cache-Control of '\($0)' gives no lifetime", "RFC 9111 §4.2.1", .should, ["Cache-Control": $0],
                after: 1, fresh: false)
        }
        + [
            "max-age=060", " max-age=60 ", ",, ,max-age=60,,", "\tmax-age=60", "max-age=\"\\60\"",
            "x=\"a,b\", max-age=60",
            "x=\"a\\\"b\", max-age=60", "x=, max-age=60", "=x, max-age=60", "\", max-age=60", "max-age=60, public=1",
            "max-age=2147483648", "max-age=60, no-storex", "max-age=60, x-no-store", "max-age=60, nocache",
            "max-age=60, x=\"no-store\"", "max-age=60, no_cache", "private=\"X\", max-age=60", "immutable, max-age=60",
        ].map {
            reuse(
                "Cache-Control of '\($0)' gives one", "RFC 9111 §5.2", .should, ["Cache-Control": $0], after: 1,
                fresh: true)
        }
        + [
            "no-store", "max-age=60,no-store", "no-store;max-age=60, no-store", "x=\"y\",no-store,max-age=60",
            "no-store=1, max-age=60", "max-age=60,\tno-store", "max-age=60, NO-STORE",
        ].map {
            reuse(
                "Cache-Control of '\($0)' keeps it out", "RFC 9111 §5.2.2.5", .must, ["Cache-Control": $0], after: 0,
                fresh: false)
        } + [
            reuse(
                "no-cache beside no-cache with a field counts whole", "RFC 9111 §4.2.1", .should,
                ["Cache-Control": "max-age=60, no-cache=\"X\", no-cache"], after: 1, fresh: false),
            reuse(
                "no-cache with names that are none counts whole", "RFC 9111 §5.2.2.4", .should,
                ["Cache-Control": "max-age=60, no-cache=\" , \""], after: 1, fresh: false),
            reuse(
                "max-age and no-cache: the stricter counts", "RFC 9111 §4.2.1", .should,
                ["Cache-Control": "max-age=60, no-cache"], after: 1, fresh: false),
            reuse(
                "a no-store on a second line", "RFC 9110 §5.3", .must,
                HTTPFields([.init("Cache-Control", "max-age=60"), .init("Cache-Control", "no-store")]), after: 1,
                fresh: false),
        ]

    private static let expiries: [CachingCase] =
        [
            "Thu, 01 Jan 2026 01:00:00 +0000", "Thu, 01 Jan 2026 01:00:00", "Thu, 1 Jan 2026 01:00:00 GMT",
            "01 Jan 2026 01:00:00 GMT", "Thu, 32 Jan 2026 01:00:00 GMT", "Thu, 01 Jan 2026 25:00:00 GMT",
            "Thu, 01 Jan 2026 1:00:00 GMT", "Thu, 01 Jan 26 01:00:00 GMT", "Thu, 01-Jan-2026 01:00:00 GMT",
            "2026-01-01T01:00:00Z", "1767229200", "tomorrow", "", "Thu, 01 Jan 2026 01.00.00 GMT",
            "Thu, 01 Jan 2026 01:00:00 EST", "Thu 01 Jan 2026 01:00:00 GMT",
        ].map {
            reuse(
                "an Expires of '\($0)' is past", "RFC 9111 §5.3", .must, ["Expires": $0], after: 0, fresh: false)
        }
        + [
            "Thu, 01 Jan 2026 01:00:00 GMT", "Thursday, 01-Jan-26 01:00:00 GMT", "Thu Jan  1 01:00:00 2026",
            "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 2026 01:00:00 GMT",
        ].map {
            reuse(
                "an Expires of '\($0)' is ahead", "RFC 9110 §5.6.7", .must, ["Expires": $0], after: 1, fresh: true)
        } + [
            reuse(
                "an Expires that is its Date is past", "RFC 9111 §5.3", .must, ["Expires": date(0)], after: 0,
                fresh: false),
            reuse(
                "an Expires before its Date is past", "RFC 9111 §5.3", .must,
                ["Expires": date(60), "Date": date(100)], after: 0, fresh: false),
        ]

    private static func aged(_ value: String, _ age: Int) -> CachingCase {
        CachingCase(
            "an Age of '\(value)' is one of \(age)", "RFC 9111 §5.1", .should,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Age": value])),
                Step(1, .hit, gets: ["Age": String(age + 1)]),
            ])
    }

    private static let moreAges: [CachingCase] = [
        aged("0", 0), aged("050", 50), aged("50,x", 50), aged("50;x", 0), aged("5e1", 0), aged("0x20", 0),
        aged(", 50", 0), aged("5 0", 0), aged("+50", 0),
        CachingCase(
            "of two Age lines the first counts", "RFC 9111 §5.1", .should,
            [
                Step(
                    0, .miss,
                    origin: .ok(
                        HTTPFields([.init("Cache-Control", "max-age=60"), .init("Age", "50"), .init("Age", "5")]))),
                Step(1, .hit, gets: ["Age": "51"]),
            ]),
        CachingCase(
            "an Age beyond the lifetime is stale at once", "RFC 9111 §4.2", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Age": "60"])),
                Step(0, .miss, origin: .ok()),
            ]),
        CachingCase(
            "a clock that was set back makes nothing younger", "RFC 9111 §4.2.3", .product,
            [
                Step(100, .miss, origin: .ok(["Cache-Control": "max-age=60"])),
                Step(50, .hit, gets: ["Age": "0"]),
            ]),
    ]

    private static let others: [CachingCase] = [
        reuse(
            "Pragma of a response means nothing", "RFC 9111 §5.4", .may,
            ["Cache-Control": "max-age=60", "Pragma": "no-cache"], after: 1, fresh: true),
        reuse(
            "CDN-Cache-Control is not for an app's cache", "RFC 9213 §3.1", .must,
            ["Cache-Control": "max-age=60", "CDN-Cache-Control": "no-store"], after: 1, fresh: true),
        reuse(
            "nor does it give a lifetime", "RFC 9213 §3.1", .must, ["CDN-Cache-Control": "max-age=60"], after: 1,
            fresh: false),
        reuse(
            "Surrogate-Control is not either", "RFC 9213 §2.1", .must,
            ["Cache-Control": "max-age=60", "Surrogate-Control": "no-store"], after: 1, fresh: true),
        reuse(
            "Set-Cookie keeps nothing out", "RFC 9111 §7.3", .may,
            ["Cache-Control": "max-age=60", "Set-Cookie": "a=1"], after: 1, fresh: true),
        reuse(
            "unknown fields mean nothing", "RFC 9110 §5.1", .must,
            ["Cache-Control": "max-age=60", "No-Store": "1", "Warning": "110 - stale"], after: 1, fresh: true),
        CachingCase(
            "min-fresh of a response means nothing", "RFC 9111 §5.2.2", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60, min-fresh=99, only-if-cached, max-stale"])),
                Step(59, .hit), Step(60, .miss, origin: .ok()),
            ]),
        CachingCase(
            "a response's directive in a request means nothing", "RFC 9111 §5.2.1", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60"])),
                Step(1, .hit, ["Cache-Control": "must-revalidate, private, s-maxage=0, public, immutable"]),
            ]),
        CachingCase(
            "a request's Pragma counts beside other Pragma directives", "RFC 9111 §5.4", .may,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\""])),
                Step(1, .validated, ["Pragma": "x, No-Cache"], origin: .notModified()),
            ]),
    ]
}

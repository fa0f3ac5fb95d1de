import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// What a request may ask of the cache, and who may use what is stale.
    public static let requests: [CachingCase] = directives + staleness + failures + pinned

    private static let hour: CachingExchange.Origin = .ok(["Cache-Control": "max-age=3600", "ETag": "\"v1\""])
    private static let minute: CachingExchange.Origin = .ok(["Cache-Control": "max-age=60", "ETag": "\"v1\""])

    /// Stored for an hour, asked for again after 100 seconds with request directives.
    private static func asking(
        _ name: String, _ reference: String, _ kind: Kind, _ fields: HTTPFields, _ outcome: Step.Outcome,
        after: Double = 100, first: Step.Origin = hour
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, origin: first),
                Step(after, outcome, fields, origin: .notModified(), body: outcome == .refused ? nil : 0),
            ])
    }

    private static let directives: [CachingCase] = [
        asking("no-cache asks the origin", "RFC 9111 §5.2.1.4", .should, ["Cache-Control": "no-cache"], .validated),
        asking("Pragma: no-cache asks the origin", "RFC 9111 §5.4", .may, ["Pragma": "no-cache"], .validated),
        asking(
            "Pragma is ignored beside Cache-Control", "RFC 9111 §5.4", .should,
            ["Pragma": "no-cache", "Cache-Control": "max-age=3600"], .hit),
        asking(
            "max-age that is longer than its age is met", "RFC 9111 §5.2.1.1", .may, ["Cache-Control": "max-age=101"],
            .hit),
        asking(
            "max-age that is its age is not met", "RFC 9111 §5.2.1.1", .product, ["Cache-Control": "max-age=100"],
            .validated),
        asking("max-age=0 asks the origin", "RFC 9111 §5.2.1.1", .should, ["Cache-Control": "max-age=0"], .validated),
        asking(
            "a long max-age does not lengthen the response's own", "RFC 9111 §5.2.1.1", .must,
            ["Cache-Control": "max-age=9999"], .validated, first: minute),
        asking(
            "an unreadable max-age asks the origin", "RFC 9111 §4.2.1", .product, ["Cache-Control": "max-age=x"],
            .validated),
        asking("min-fresh that is met", "RFC 9111 §5.2.1.3", .may, ["Cache-Control": "min-fresh=3500"], .hit),
        asking(
            "min-fresh that is not met", "RFC 9111 §5.2.1.3", .should, ["Cache-Control": "min-fresh=3501"], .validated),
        asking(
            "an unreadable min-fresh is not met", "RFC 9111 §5.2.1.3", .product, ["Cache-Control": "min-fresh"],
            .validated),
        asking(
            "max-stale without number takes anything stale", "RFC 9111 §5.2.1.2", .may, ["Cache-Control": "max-stale"],
            .hit,
            after: 99_999, first: minute),
        asking(
            "max-stale with its number met", "RFC 9111 §5.2.1.2", .may, ["Cache-Control": "max-stale=40"], .hit,
            first: minute),
        asking(
            "max-stale with its number exceeded", "RFC 9111 §5.2.1.2", .must, ["Cache-Control": "max-stale=39"],
            .validated, first: minute),
        asking(
            "an unreadable max-stale allows nothing", "RFC 9111 §5.2.1.2", .product, ["Cache-Control": "max-stale=x"],
            .validated, first: minute),
        asking(
            "max-stale adds to max-age", "RFC 9111 §5.2.1.1", .product, ["Cache-Control": "max-age=50, max-stale=50"],
            .hit),
        asking(
            "max-stale adds no more than it says to max-age", "RFC 9111 §5.2.1.1", .product,
            ["Cache-Control": "max-age=50, max-stale=49"], .validated),
        asking(
            "min-fresh outweighs max-stale", "RFC 9111 §5.2.1.3", .product, ["Cache-Control": "max-stale, min-fresh=1"],
            .validated, first: minute),
        asking(
            "max-stale is ignored beside no-cache", "RFC 9111 §5.2.1.4", .product,
            ["Cache-Control": "no-cache, max-stale"], .validated, first: minute),
        asking(
            "max-age is ignored beside no-cache", "RFC 9111 §5.2.1.4", .product,
            ["Cache-Control": "max-age=3600, no-cache"], .validated),
        asking(
            "no-store of a request does not touch what is stored", "RFC 9111 §5.2.1.5", .may,
            ["Cache-Control": "no-store"], .hit),
        asking(
            "unknown directives change nothing", "RFC 9111 §5.2.3", .must, ["Cache-Control": "max-cache=0, no-caching"],
            .hit),
        asking(
            "only-if-cached is answered when fresh", "RFC 9111 §5.2.1.7", .should, ["Cache-Control": "only-if-cached"],
            .hit),
        asking(
            "only-if-cached is refused when stale", "RFC 9111 §5.2.1.7", .should, ["Cache-Control": "only-if-cached"],
            .refused, first: minute),
        asking(
            "only-if-cached with max-stale takes what is stale", "RFC 9111 §5.2.1.7", .may,
            ["Cache-Control": "only-if-cached, max-stale"], .hit, first: minute),
        CachingCase(
            "only-if-cached is refused when nothing is stored", "RFC 9111 §5.2.1.7", .should,
            [
                Step(0, .refused, ["Cache-Control": "only-if-cached"], status: 504)
            ]),
        asking(
            "immutable spares a reload", "RFC 8246 §2", .should, ["Cache-Control": "max-age=0"], .hit,
            first: .ok(["Cache-Control": "max-age=3600, immutable", "ETag": "\"v1\""])),
        asking(
            "immutable yields to no-cache", "RFC 8246 §2", .should, ["Cache-Control": "no-cache"], .validated,
            first: .ok(["Cache-Control": "max-age=3600, immutable", "ETag": "\"v1\""])),
        asking(
            "immutable ends with freshness", "RFC 8246 §2", .must, [:], .validated,
            first: .ok(["Cache-Control": "max-age=60, immutable", "ETag": "\"v1\""])),
    ]

    private static func stale(_ control: String, _ outcome: Step.Outcome, at time: Double, _ fields: HTTPFields = [:])
        -> [Step]
    {
        [
            Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60, \(control)", "ETag": "\"v1\""])),
            Step(time, outcome, fields, origin: .notModified(), body: 0),
        ]
    }

    private static let staleness: [CachingCase] = [
        CachingCase(
            "stale-while-revalidate answers and asks behind", "RFC 5861 §3", .may,
            stale("stale-while-revalidate=30", .hitAndAsk, at: 90)),
        CachingCase(
            "stale-while-revalidate ends", "RFC 5861 §3", .must, stale("stale-while-revalidate=30", .validated, at: 91)),
        CachingCase(
            "stale-while-revalidate=0 allows the very moment only", "RFC 5861 §3", .must,
            stale("stale-while-revalidate=0", .validated, at: 61)),
        CachingCase(
            "an unreadable stale-while-revalidate allows nothing", "RFC 5861 §3", .should,
            stale("stale-while-revalidate=x", .validated, at: 61)),
        CachingCase(
            "must-revalidate outweighs stale-while-revalidate", "RFC 9111 §5.2.2.2", .must,
            stale("stale-while-revalidate=30, must-revalidate", .validated, at: 61)),
        CachingCase(
            "must-revalidate outweighs max-stale", "RFC 9111 §5.2.2.2", .must,
            stale("must-revalidate", .validated, at: 61, ["Cache-Control": "max-stale"])),
        CachingCase(
            "must-revalidate leaves what is fresh alone", "RFC 9111 §5.2.2.2", .may,
            stale("must-revalidate", .hit, at: 59)),
        CachingCase(
            "proxy-revalidate means nothing to a private cache", "RFC 9111 §5.2.2.8", .may,
            stale("proxy-revalidate", .hit, at: 61, ["Cache-Control": "max-stale"])),
        CachingCase(
            "a request's max-age outweighs stale-while-revalidate", "RFC 9111 §5.2.1.1", .should,
            stale("stale-while-revalidate=99", .validated, at: 61, ["Cache-Control": "max-age=61"])),
        CachingCase(
            "a longer max-age leaves stale-while-revalidate alone", "RFC 5861 §3", .may,
            stale("stale-while-revalidate=99", .hitAndAsk, at: 61, ["Cache-Control": "max-age=62"])),
        CachingCase(
            "a request's min-fresh outweighs stale-while-revalidate", "RFC 9111 §5.2.1.3", .should,
            stale("stale-while-revalidate=99", .validated, at: 61, ["Cache-Control": "min-fresh=1"])),
        CachingCase(
            "only-if-cached takes stale-while-revalidate and asks nobody", "RFC 9111 §5.2.1.7", .product,
            stale("stale-while-revalidate=99", .hit, at: 61, ["Cache-Control": "only-if-cached"])),
        CachingCase(
            "what was asked for behind is fresh afterwards", "RFC 5861 §3", .may,
            stale("stale-while-revalidate=30", .hitAndAsk, at: 61) + [Step(119, .hit, body: 0, gets: ["Age": "58"])]),
        CachingCase(
            "no-cache outweighs stale-while-revalidate", "RFC 9111 §5.2.2.4", .must,
            stale("no-cache, stale-while-revalidate=99", .validated, at: 61)),
    ]

    private static func failing(
        _ name: String, _ reference: String, _ kind: Kind, control: String, _ origin: Step.Origin,
        _ outcome: Step.Outcome,
        at time: Double = 100, request: HTTPFields = [:], pins: Bool = false
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": control, "ETag": "\"v1\""]), pins: pins),
                Step(time, outcome, request, origin: origin, body: outcome == .rescued || outcome == .hit ? 0 : nil),
            ])
    }

    private static let failures: [CachingCase] =
        [500, 502, 503, 504].map { status in
            failing(
                "stale-if-error covers \(status)", "RFC 5861 §4", .may, control: "max-age=60, stale-if-error=40",
                .answers(status, [:]), .rescued)
        } + [
            failing(
                "stale-if-error ends", "RFC 5861 §4", .must, control: "max-age=60, stale-if-error=39",
                .answers(503, [:]), .replaced),
            failing(
                "stale-if-error does not cover 501", "RFC 5861 §4", .must, control: "max-age=60, stale-if-error=99",
                .answers(501, [:]), .replaced),
            failing(
                "stale-if-error does not cover 404", "RFC 5861 §4", .must, control: "max-age=60, stale-if-error=99",
                .answers(404, [:]), .replaced),
            failing(
                "a 503 goes through without stale-if-error", "RFC 9111 §4.3.3", .may, control: "max-age=60",
                .answers(503, [:]), .replaced),
            failing(
                "stale-if-error of the request counts", "RFC 5861 §4", .may, control: "max-age=60", .answers(503, [:]),
                .rescued,
                request: ["Cache-Control": "stale-if-error=40"]),
            failing(
                "stale-if-error of the request goes before the response's", "RFC 5861 §4", .product,
                control: "max-age=60, stale-if-error=99",
                .answers(503, [:]), .replaced, request: ["Cache-Control": "stale-if-error=39"]),
            failing(
                "must-revalidate outweighs stale-if-error", "RFC 9111 §5.2.2.2", .must,
                control: "max-age=60, must-revalidate, stale-if-error=99",
                .answers(503, [:]), .replaced),
            failing(
                "no-cache outweighs stale-if-error", "RFC 9111 §5.2.2.4", .must,
                control: "no-cache, max-age=60, stale-if-error=99",
                .answers(503, [:]), .replaced),
            failing(
                "stale-if-error covers an unreachable origin", "RFC 5861 §4", .may,
                control: "max-age=60, stale-if-error=40", .isUnreachable, .rescued),
            failing(
                "stale-if-error that ended covers no unreachable origin", "RFC 5861 §4", .should,
                control: "max-age=60, stale-if-error=39", .isUnreachable, .failed),
            failing(
                "a disconnected cache may answer stale", "RFC 9111 §4.2.4", .may, control: "max-age=60", .isUnreachable,
                .rescued),
            failing(
                "must-revalidate forbids that", "RFC 9111 §5.2.2.2", .must, control: "max-age=60, must-revalidate",
                .isUnreachable, .failed),
            failing(
                "no-cache of the response forbids that", "RFC 9111 §5.2.2.4", .must, control: "no-cache",
                .isUnreachable, .failed),
            failing(
                "no-cache of the request forbids that", "RFC 9111 §5.2.1.4", .should, control: "max-age=60",
                .isUnreachable, .failed,
                request: ["Cache-Control": "no-cache"]),
            failing(
                "max-age of the request forbids that", "RFC 9111 §5.2.1.1", .should, control: "max-age=60",
                .isUnreachable, .failed,
                request: ["Cache-Control": "max-age=100"]),
            failing(
                "min-fresh of the request forbids that", "RFC 9111 §5.2.1.3", .should, control: "max-age=60",
                .isUnreachable, .failed,
                request: ["Cache-Control": "min-fresh=1"]),
            CachingCase(
                "nothing stored, nothing to answer with", "RFC 9111 §4.2.4", .must,
                [Step(0, .failed, origin: .isUnreachable)]),
        ]

    private static let pinned: [CachingCase] = [
        failing(
            "pinned content is served when the origin is unreachable", "", .product, control: "max-age=60",
            .isUnreachable, .rescued, pins: true),
        failing(
            "even with must-revalidate", "", .product, control: "max-age=60, must-revalidate", .isUnreachable, .rescued,
            pins: true),
        failing("even with no-cache", "", .product, control: "no-cache", .isUnreachable, .rescued, pins: true),
        failing(
            "even beyond stale-if-error", "", .product, control: "max-age=60, stale-if-error=1", .isUnreachable,
            .rescued, pins: true),
        failing(
            "even beside a request's max-age", "", .product, control: "max-age=60", .isUnreachable, .rescued,
            request: ["Cache-Control": "max-age=0"], pins: true),
        failing(
            "but not beside a request's no-cache", "", .product, control: "max-age=60", .isUnreachable, .failed,
            request: ["Cache-Control": "no-cache"], pins: true),
        failing(
            "also when a gateway cannot reach it", "", .product, control: "max-age=60", .answers(502, [:]), .rescued,
            pins: true),
        failing(
            "not when the origin itself fails", "", .product, control: "max-age=60", .answers(500, [:]), .replaced,
            pins: true),
        failing(
            "and for only-if-cached", "", .product, control: "max-age=60", .isUnreachable, .hit,
            request: ["Cache-Control": "only-if-cached"], pins: true),
        failing(
            "while the origin works it is validated like any other", "RFC 9111 §4.2.4", .must, control: "max-age=60",
            .notModified(), .validated, pins: true),
        CachingCase(
            "an invalidated one is not served", "RFC 9111 §4.4", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=3600"]), pins: true),
                Step(1, .miss, method: .put, origin: .answers(204, [:])),
                Step(2, .failed, origin: .isUnreachable),
            ]),
    ]
}

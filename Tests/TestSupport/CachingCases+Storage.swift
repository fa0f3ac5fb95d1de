import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// What is stored, under which variant, what a validation changes and what invalidates.
    public static let storage: [CachingCase] = storing + variants + preferences + validations + invalidations

    /// Asked for twice with the same fields: is the second answer from the store?
    static func stored(
        _ name: String, _ reference: String, _ kind: Kind, _ isStored: Bool, status: Int = 200,
        fields: HTTPFields = ["Cache-Control": "max-age=60"], request: HTTPFields = [:], method: HTTPMethod = .get
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, request, method: method, origin: .answers(status, fields), status: status),
                Step(1, isStored ? .hit : .miss, origin: .ok(), status: isStored ? status : 200),
            ])
    }

    private static let storing: [CachingCase] = [
        stored(
            "private is for a private cache", "RFC 9111 §5.2.2.7", .may, true,
            fields: ["Cache-Control": "private, max-age=60"]),
        stored("a response to Authorization too", "RFC 9111 §3.5", .may, true, request: ["Authorization": "Basic x"]),
        stored(
            "no-store of the response", "RFC 9111 §5.2.2.5", .must, false,
            fields: ["Cache-Control": "no-store, max-age=60"]),
        stored(
            "no-store of the response, in any case", "RFC 9111 §5.2.2.5", .must, false,
            fields: ["Cache-Control": "No-StOrE, max-age=60"]),
        stored(
            "no-store with an argument", "RFC 9111 §5.2.2.5", .must, false,
            fields: ["Cache-Control": "no-store=\"x\", max-age=60"]),
        stored("no-store of the request", "RFC 9111 §5.2.1.5", .must, false, request: ["Cache-Control": "no-store"]),
        stored(
            "must-understand of a known status outweighs no-store", "RFC 9111 §5.2.2.3", .may, true,
            fields: ["Cache-Control": "no-store, must-understand, max-age=60"]),
        stored(
            "must-understand of an unknown status", "RFC 9111 §5.2.2.3", .must, false, status: 299,
            fields: ["Cache-Control": "must-understand, max-age=60"]),
        stored("an unknown status with a stated lifetime", "RFC 9111 §3", .may, true, status: 299),
        stored("an unknown status without one", "RFC 9111 §3", .must, false, status: 299, fields: [:]),
        stored("302 with a stated lifetime", "RFC 9111 §3", .may, true, status: 302),
        stored("404 with a stated lifetime", "RFC 9111 §3", .may, true, status: 404),
        stored("500 with a stated lifetime", "RFC 9111 §3", .may, true, status: 500),
        stored("503 with Expires", "RFC 9111 §3", .may, true, status: 503, fields: ["Expires": date(60)]),
        stored("206", "RFC 9111 §3.3", .must, false, status: 206, request: ["Range": "bytes=0-1"]),
        stored(
            "304 to the caller's own condition", "RFC 9111 §3", .must, false, status: 304,
            request: ["If-None-Match": "\"x\""]),
        stored("a response to POST", "RFC 9111 §3", .may, false, method: .post),
        stored("a response to HEAD", "RFC 9111 §3", .may, false, method: .head),
        stored("a response to an unknown method", "RFC 9111 §3", .must, false, method: HTTPMethod(rawValue: "BREW")!),
        CachingCase(
            "HEAD is answered from a stored GET", "RFC 9110 §9.3.2", .may,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "Content-Length": "5"])),
                Step(1, .hit, method: .head, status: 200, gets: ["Content-Length": "5", "Age": "1"]),
            ]),
        CachingCase(
            "hop-by-hop fields are not stored", "RFC 9111 §3.1", .must,
            [
                Step(
                    0, .miss,
                    origin: .ok([
                        "Cache-Control": "max-age=60", "Connection": "x-hop, Close", "X-Hop": "1",
                        "Keep-Alive": "timeout=5",
                        "Upgrade": "h2c", "Proxy-Authenticate": "Basic", "Trailer": "X-T", "X-Kept": "1",
                    ])),
                Step(
                    1, .hit,
                    gets: [
                        "Connection": .none, "X-Hop": .none, "Keep-Alive": .none, "Upgrade": .none,
                        "Proxy-Authenticate": .none,
                        "Trailer": .none, "X-Kept": "1",
                    ]),
            ]),
        CachingCase(
            "fields named by no-cache are not stored, the rest is reused", "RFC 9111 §5.2.2.4", .may,
            [
                Step(
                    0, .miss,
                    origin: .ok([
                        "Cache-Control": "max-age=60, no-cache=\"Set-Cookie, X-One\"", "Set-Cookie": "a=1",
                        "X-One": "1", "X-Two": "2",
                    ])),
                Step(1, .hit, gets: ["Set-Cookie": .none, "X-One": .none, "X-Two": "2"]),
            ]),
        CachingCase(
            "no-cache is stored but asked about", "RFC 9111 §5.2.2.4", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "no-cache, max-age=60", "ETag": "\"1\""])),
                Step(1, .validated, origin: .notModified(), body: 0),
            ]),
        CachingCase(
            "a condition for the origin goes by the cache", "RFC 9111 §4.3.2", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"1\""])),
                Step(
                    1, .miss, ["If-Match": "\"2\""], origin: .answers(412, [:]), status: 412,
                    sees: ["If-Match": "\"2\""]),
            ]),
        CachingCase(
            "another path is another entry", "RFC 9111 §2", .must,
            [
                Step(0, .miss, path: "/a?x=1", origin: .ok(["Cache-Control": "max-age=60"])),
                Step(1, .miss, path: "/a?x=2", origin: .ok(["Cache-Control": "max-age=60"])),
                Step(2, .hit, path: "/a?x=1", body: 0),
                Step(2, .miss, path: "/A?x=1", origin: .ok()),
            ]),
    ]

    /// Stored for one request with `Vary`, asked for by another.
    private static func varying(
        _ name: String, _ kind: Kind, _ vary: String, _ first: HTTPFields, _ second: HTTPFields, _ matches: Bool,
        coding: String? = nil
    ) -> CachingCase {
        var fields: HTTPFields = ["Cache-Control": "max-age=60", "Vary": vary]
        fields[.contentEncoding] = coding
        return CachingCase(
            name, "RFC 9111 §4.1", kind,
            [
                Step(0, .miss, first, origin: .ok(fields)),
                Step(1, matches ? .hit : .miss, second, origin: .ok(), body: matches ? 0 : 1),
            ])
    }

    private static let variants: [CachingCase] = [
        varying("the same field matches", .may, "Foo", ["Foo": "1"], ["Foo": "1"], true),
        varying("another field does not", .must, "Foo", ["Foo": "1"], ["Foo": "2"], false),
        varying("a missing field does not", .must, "Foo", ["Foo": "1"], [:], false),
        varying("an added field does not", .must, "Foo", [:], ["Foo": "1"], false),
        varying("an empty field is not a missing one", .must, "Foo", ["Foo": ""], [:], false),
        varying("missing twice matches", .may, "Foo", ["Bar": "1"], ["Bar": "2"], true),
        varying("case of the name does not matter", .must, "fOO", ["Foo": "1"], ["FOO": "1"], true),
        varying("case of the value does", .must, "Foo", ["Foo": "a"], ["Foo": "A"], false),
        varying("white space around commas does not matter", .may, "Foo", ["Foo": "1,  2"], ["Foo": "1 ,2"], true),
        varying("white space within a value does", .must, "Foo", ["Foo": "1 2"], ["Foo": "12"], false),
        varying(
            "lines are joined", .may, "Foo", HTTPFields([.init("Foo", "1"), .init("Foo", "2")]), ["Foo": "1, 2"], true),
        varying("order does", .must, "Foo", ["Foo": "1, 2"], ["Foo": "2, 1"], false),
        varying(
            "all fields must match", .must, "Foo, Bar", ["Foo": "1", "Bar": "2"], ["Foo": "1", "Bar": "3"], false),
        varying(
            "all match", .may, "Foo,  Bar ,", ["Foo": "1", "Bar": "2"], ["Foo": "1", "Bar": "2", "Baz": "4"], true),
        varying("a star never matches", .must, "*", [:], [:], false),
        varying("a star among names never matches", .must, "Foo, *", ["Foo": "1"], ["Foo": "1"], false),
        varying("what is no name never matches", .should, "Foo Bar", ["Foo": "1"], ["Foo": "1"], false),
        varying(
            "Accept-Encoding does not matter for a decoded body", .product, "Accept-Encoding",
            ["Accept-Encoding": "gzip, br, zstd"], ["Accept-Encoding": "identity"], true),
        varying(
            "unless the request excludes bodies as they are", .must, "Accept-Encoding",
            ["Accept-Encoding": "gzip"], ["Accept-Encoding": "br, identity;q=0"], false),
        varying(
            "by a star too", .must, "Accept-Encoding", ["Accept-Encoding": "gzip"],
            ["Accept-Encoding": "br, *; q=0.000"], false),
        varying(
            "a named identity goes before the star", .may, "Accept-Encoding",
            ["Accept-Encoding": "gzip"], ["Accept-Encoding": "*;q=0, identity;q=0.5"], true),
        varying(
            "Accept-Encoding matters for a coded body", .must, "Accept-Encoding",
            ["Accept-Encoding": "dcb"], ["Accept-Encoding": "gzip"], false, coding: "dcb"),
        varying(
            "and matches there when it is the same", .may, "Accept-Encoding",
            ["Accept-Encoding": "dcb, x"], ["Accept-Encoding": "dcb,x"], true, coding: "dcb"),
        CachingCase(
            "variants live side by side", "RFC 9111 §4.1", .may,
            [
                Step(0, .miss, ["Foo": "1"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Foo"])),
                Step(1, .miss, ["Foo": "2"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Foo"])),
                Step(2, .hit, ["Foo": "1"], body: 0),
                Step(3, .hit, ["Foo": "2"], body: 1),
            ]),
        CachingCase(
            "the newest that matches is taken, by Date", "RFC 9111 §4", .must,
            [
                Step(0, .miss, ["Foo": "1", "Bar": "1"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Foo"])),
                Step(1, .miss, ["Foo": "2", "Bar": "1"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Bar"])),
                Step(2, .hit, ["Foo": "1", "Bar": "1"], body: 1),
            ]),
        CachingCase(
            "one with Vary goes before a newer one without", "RFC 9111 §4.1", .should,
            [
                Step(0, .miss, ["Foo": "1"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Foo"])),
                Step(1, .miss, ["Foo": "2"], origin: .ok(["Cache-Control": "max-age=60"])),
                Step(2, .hit, ["Foo": "1"], body: 0),
                Step(2, .hit, ["Foo": "3"], body: 1),
            ]),
    ]

    private static func validating(
        _ name: String, _ reference: String, _ kind: Kind, _ fields: HTTPFields, sees: [HTTPFieldName: String?],
        request: HTTPFields = [:], outcome: Step.Outcome = .validated, origin: Step.Origin = .notModified(),
        status: Int = 200
    ) -> CachingCase {
        var stored = fields
        stored.append(.cacheControl, "max-age=1")
        return CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, origin: .ok(stored)),
                Step(
                    10, outcome, request, origin: origin, body: outcome == .validated && status == 200 ? 0 : nil,
                    status: status, sees: sees),
            ])
    }

    private static let validations: [CachingCase] = [
        validating(
            "a strong tag goes back", "RFC 9111 §4.3.1", .must, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"a\"", "If-Modified-Since": .none]),
        validating(
            "a weak tag goes back", "RFC 9111 §4.3.1", .must, ["ETag": "W/\"a\""], sees: ["If-None-Match": "W/\"a\""]),
        validating(
            "a tag without quotation marks goes back as it came", "RFC 9110 §8.8.3", .product, ["ETag": "abc"],
            sees: ["If-None-Match": "abc"]),
        validating(
            "a star is no tag", "RFC 9110 §13.1.2", .must, ["ETag": "*"], sees: ["If-None-Match": .none],
            outcome: .miss, origin: .ok()),
        validating(
            "Last-Modified goes back", "RFC 9111 §4.3.1", .should, ["Last-Modified": date(-9)],
            sees: ["If-Modified-Since": date(-9)]),
        validating(
            "a Last-Modified that is no date does not", "RFC 9110 §13.1.3", .must, ["Last-Modified": "x"],
            sees: ["If-Modified-Since": .none], outcome: .miss, origin: .ok()),
        validating(
            "both go back", "RFC 9111 §4.3.1", .should, ["ETag": "\"a\"", "Last-Modified": date(-9)],
            sees: ["If-None-Match": "\"a\"", "If-Modified-Since": date(-9)]),
        validating(
            "the caller's own tag goes with the entry's", "RFC 9111 §4.3.2", .may, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"b\", \"a\""], request: ["If-None-Match": "\"b\""],
            origin: .notModified(["ETag": "\"a\""])),
        validating(
            "a 304 about the caller's own tag is the caller's", "RFC 9111 §4.3.2", .must, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"b\", \"a\""], request: ["If-None-Match": "\"b\""], outcome: .replaced,
            origin: .notModified(["ETag": "\"b\""]), status: 304),
        validating(
            "the caller's date makes room", "RFC 9111 §4.3.2", .must, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"a\"", "If-Modified-Since": .none], request: ["If-Modified-Since": date(-99)]),
        validating(
            "the caller's tag makes room for the entry's date", "RFC 9111 §4.3.2", .must,
            ["Last-Modified": date(-9)], sees: ["If-None-Match": .none, "If-Modified-Since": date(-9)],
            request: ["If-None-Match": "\"b\""]),
        validating(
            "the caller's star makes room", "RFC 9110 §13.1.2", .must, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"a\""], request: ["If-None-Match": "*"], status: 304),
        validating(
            "and is answered from the validated entry", "RFC 9111 §4.3.2", .should, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"a\""],
            request: ["If-None-Match": "\"a\""], status: 304),
        validating(
            "a new response replaces the old", "RFC 9111 §4.3.3", .must, ["ETag": "\"a\""],
            sees: ["If-None-Match": "\"a\""],
            outcome: .replaced, origin: .ok(["ETag": "\"b\""])),
        CachingCase(
            "a 304 makes it fresh again and updates its fields", "RFC 9111 §3.2", .must,
            [
                Step(
                    0, .miss,
                    origin: .ok([
                        "Cache-Control": "max-age=60", "ETag": "\"a\"", "X-Old": "1", "X-Both": "1",
                        "Content-Length": "5", "Content-Type": "text/plain",
                    ])),
                Step(
                    60, .validated,
                    origin: .notModified([
                        "Cache-Control": "max-age=100", "X-Both": "2", "X-New": "3", "Content-Length": "0",
                        "Content-Encoding": "gzip",
                        "Content-Range": "bytes 0-1/2", "ETag": "\"a\"", "Connection": "x-hop", "X-Hop": "1",
                    ]), body: 0,
                    gets: [
                        "X-Old": "1", "X-Both": "2", "X-New": "3", "Content-Length": "5", "Content-Type": "text/plain",
                        "Content-Encoding": .none,
                        "Content-Range": .none, "Connection": .none, "X-Hop": .none, "Age": "0",
                    ]),
                Step(159, .hit, body: 0, gets: ["Age": "99", "X-Both": "2"]),
                Step(160, .validated, origin: .notModified()),
            ]),
        CachingCase(
            "Age of the old response does not outlive a 304", "RFC 9111 §4.2.3", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\"", "Age": "60"])),
                Step(1, .validated, origin: .answersUndated(304, [:]), gets: ["Age": "0"]),
                Step(60, .hit, gets: ["Age": "59"]),
            ]),
        CachingCase(
            "several lines of one name replace the old ones together", "RFC 9111 §3.2", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=1", "ETag": "\"a\"", "X": "1"])),
                Step(
                    2, .validated, origin: .notModified(HTTPFields([.init("X", "2"), .init("x", "3")])),
                    gets: ["X": "2, 3"]),
            ]),
        CachingCase(
            "a 304 about another tag does not freshen it", "RFC 9111 §4.3.4", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=1", "ETag": "\"a\""])),
                Step(2, .replaced, origin: .notModified(["ETag": "\"b\""]), status: 304),
            ]),
        CachingCase(
            "the caller's tag is answered from the store", "RFC 9111 §4.3.2", .should,
            [
                Step(
                    0, .miss,
                    origin: .ok([
                        "Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Type": "text/plain",
                        "Content-Length": "5", "Last-Modified": date(-9),
                        "Vary": "Foo",
                    ])),
                Step(
                    1, .hit, ["If-None-Match": "\"x\", W/\"a\""], status: 304,
                    gets: [
                        "ETag": "\"a\"", "Content-Type": .none, "Content-Length": .none, "Last-Modified": .none,
                        "Vary": "Foo", "Cache-Control": "max-age=60",
                    ]),
                Step(1, .hit, ["If-None-Match": "*"], status: 304),
                Step(1, .hit, ["If-None-Match": "\"b\""], status: 200),
                Step(1, .hit, ["If-None-Match": "\"b\"", "If-Modified-Since": date(0)], status: 200),
                Step(1, .hit, ["If-Modified-Since": date(-9)], status: 304),
                Step(1, .hit, ["If-Modified-Since": date(-10)], status: 200),
                Step(1, .hit, ["If-Modified-Since": "never"], status: 200),
                Step(1, .hit, ["If-None-Match": "\"a\""], method: .head, status: 304),
            ]),
        CachingCase(
            "without Last-Modified the time of the response counts", "RFC 9111 §4.3.2", .should,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60"])),
                Step(1, .hit, ["If-Modified-Since": date(0)], status: 304),
                Step(1, .hit, ["If-Modified-Since": date(-1)], status: 200),
            ]),
        CachingCase(
            "an error is not turned into 304", "RFC 9110 §13.2.1", .must,
            [
                Step(0, .miss, origin: .answers(404, ["Cache-Control": "max-age=60", "ETag": "\"a\""])),
                Step(1, .hit, ["If-None-Match": "\"a\""], status: 404),
            ]),
        CachingCase(
            "HEAD that agrees freshens the entry", "RFC 9111 §4.3.5", .may,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=1", "ETag": "\"a\"", "Content-Length": "5"])),
                Step(
                    2, .replaced, method: .head,
                    origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Length": "5", "X": "1"])),
                Step(3, .hit, body: 0, gets: ["Age": "1", "X": "1"]),
            ]),
    ]

    static func changing(
        _ name: String, _ kind: Kind, _ isInvalidated: Bool, method: HTTPMethod = .post, path: String = "/b",
        status: Int = 200, fields: HTTPFields = [:]
    ) -> CachingCase {
        CachingCase(
            name, "RFC 9111 §4.4", kind,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\""])),
                Step(1, .miss, method: method, path: path, origin: .answers(status, fields), status: status),
                Step(
                    2, isInvalidated ? .validated : .hit, ["Cache-Control": "max-stale"], origin: .notModified(),
                    body: 0),
            ])
    }

    private static let invalidations: [CachingCase] =
        [HTTPMethod.post, .put, .delete, .patch, HTTPMethod(rawValue: "M-SEARCH")!].map {
            changing("\($0) invalidates its target", .must, true, method: $0, path: "/a")
        }
        + [HTTPMethod.options, .trace].map {
            changing("\($0) does not", .must, false, method: $0, path: "/a")
                .except(.session, "URLSession's own class keeps OPTIONS and TRACE")
        } + [
            changing("an error does not", .must, false, path: "/a", status: 500),
            changing("a client's error does not", .must, false, path: "/a", status: 404),
            changing("a redirect does", .must, true, path: "/a", status: 303),
            changing("another path does not", .must, false),
            changing("Location does", .may, true, fields: ["Location": "/a"]),
            changing("an absolute Location does", .may, true, fields: ["Location": "HTTP://Example.com:80/a"]),
            changing("Content-Location does", .may, true, fields: ["Content-Location": "a"]),
            changing(
                "Location of another origin does not", .must, false, fields: ["Location": "https://example.com/a"]),
            changing("Location that is no URL does not", .must, false, fields: ["Location": "http://"]),
            CachingCase(
                "what was invalidated is good again once validated", "RFC 9111 §4.4", .may,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\""])),
                    Step(1, .miss, method: .post, origin: .ok()),
                    Step(2, .validated, origin: .notModified(), body: 0),
                    Step(3, .hit, body: 0),
                ]),
        ]
}

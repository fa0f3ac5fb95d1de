import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// Which statuses are stored and guessed about.
    public static let statuses: [CachingCase] =
        [
            200, 201, 202, 203, 204, 300, 301, 303, 307, 308, 400, 401, 403, 405, 410, 414, 418, 429, 451, 501, 502,
            504, 599,
        ]
        .map { status in
            stored("\(status) with max-age", "RFC 9111 §3", .may, true, status: status)
        }
        + [203, 300, 308, 405, 414, 501].map { status in
            reuse(
                "a guess for \(status)", "RFC 9110 §15.1", .may, ["Last-Modified": date(-100_000)], after: 1,
                fresh: true, status: status)
        }
        + [201, 202, 303, 307, 400, 401, 429, 500, 503, 599].map { status in
            reuse(
                "no guess for \(status)", "RFC 9110 §15.1", .must, ["Last-Modified": date(-100_000)], after: 1,
                fresh: false, status: status)
        }
        + [200, 204, 301, 404, 500].map { status in
            reuse(
                "must-understand of \(status) outweighs no-store", "RFC 9111 §5.2.2.3", .may,
                ["Cache-Control": "must-understand, no-store, max-age=60"], after: 1, fresh: true, status: status)
        }

    /// What requests other than GET and HEAD leave behind.
    public static let posting: [CachingCase] = kept + invalidating

    private static let location: HTTPFields = [
        "Cache-Control": "max-age=60", "Content-Location": "/a", "ETag": "\"a\"",
    ]

    private static func post(
        _ name: String, _ kind: Kind, _ isKept: Bool, _ fields: HTTPFields = location, method: HTTPMethod = .post,
        status: Int = 200, request: HTTPFields = [:]
    ) -> CachingCase {
        CachingCase(
            name, "RFC 9110 §9.3.3", kind,
            [
                Step(0, .miss, request, method: method, origin: .answers(status, fields), status: status),
                Step(1, isKept ? .hit : .miss, origin: .ok(), body: isKept ? 0 : 1),
            ])
    }

    private static let kept: [CachingCase] = [
        post("a response to POST that is one to GET answers GET", .may, true),
        post(
            "with an absolute Content-Location", .may, true,
            ["Expires": date(60), "Content-Location": "http://example.com/a"]),
        post(
            "not without a stated lifetime", .must, false, ["Content-Location": "/a", "Last-Modified": date(-9_999)]),
        post(
            "not with public alone", .must, false, ["Content-Location": "/a", "Cache-Control": "public"]),
        post(
            "not with the Content-Location of something else", .must, false,
            ["Cache-Control": "max-age=60", "Content-Location": "/b"]),
        post(
            "not without Content-Location", .must, false, ["Cache-Control": "max-age=60"]),
        post(
            "not with a Content-Location that is no URL", .must, false,
            ["Cache-Control": "max-age=60", "Content-Location": "http://"]),
        post("not as 201", .should, false, status: 201),
        post("not as an error", .should, false, status: 404),
        post(
            "not with no-store", .must, false, ["Cache-Control": "no-store, max-age=60", "Content-Location": "/a"]),
        post("not with no-store of the request", .must, false, request: ["Cache-Control": "no-store"]),
        post("not for PUT", .must, false, method: .put),
        post("not for PATCH", .must, false, method: .patch),
        CachingCase(
            "HEAD is answered from it", "RFC 9110 §9.3.3", .may,
            [Step(0, .miss, method: .post, origin: .ok(location)), Step(1, .hit, method: .head, status: 200)]),
        CachingCase(
            "POST is never answered from the cache", "RFC 9110 §9.3.3", .must,
            [
                Step(0, .miss, method: .post, origin: .ok(location)),
                Step(1, .miss, method: .post, origin: .ok(location), body: 1),
            ]),
        CachingCase(
            "it takes the place of what was there", "RFC 9111 §4.4", .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60"])),
                Step(1, .miss, method: .post, origin: .ok(location)),
                Step(2, .hit, body: 1),
            ]),
    ]

    private static let invalidating: [CachingCase] =
        [201, 202, 204, 205, 301, 302, 307].map {
            changing("a POST answered with \($0) invalidates", .must, true, path: "/a", status: $0)
        }
        + [400, 403, 409, 412, 429, 501, 503].map {
            changing("a POST answered with \($0) does not", .must, false, path: "/a", status: $0)
        } + [
            changing("PUT of another URL does not", .must, false, method: .put),
            changing(
                "DELETE with Content-Location does", .may, true, method: .delete, fields: ["Content-Location": "/a"]),
            changing(
                "Content-Location of another port does not", .must, false,
                fields: ["Content-Location": "http://example.com:8080/a"]),
            changing(
                "Content-Location of another host does not", .must, false,
                fields: ["Content-Location": "http://example.org/a"]),
            changing("Location with dots does", .may, true, fields: ["Location": "./x/../a"]),
            changing("Location beside an error does not", .must, false, status: 500, fields: ["Location": "/a"]),
            CachingCase(
                "a POST that never arrived does not", "RFC 9111 §4.4", .must,
                [
                    Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60"])),
                    Step(1, .failed, method: .post, origin: .isUnreachable),
                    Step(2, .hit, body: 0),
                ]),
            CachingCase(
                "every variant is invalidated", "RFC 9111 §4.4", .must,
                [
                    Step(0, .miss, ["Foo": "1"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Foo"])),
                    Step(0, .miss, ["Foo": "2"], origin: .ok(["Cache-Control": "max-age=60", "Vary": "Foo"])),
                    Step(1, .miss, method: .delete, origin: .answers(204, [:])),
                    Step(2, .miss, ["Foo": "1"], origin: .ok()), Step(2, .miss, ["Foo": "2"], origin: .ok()),
                ]),
        ]
}

import HTTPModel

extension CachingCase {
    private typealias Step = CachingExchange

    /// Which stored responses a validation or a HEAD is about, and what decoding does to tags.
    public static let selection: [CachingCase] = offers + heads + updates + decoding

    private static func variant(_ tag: String?) -> Step.Origin {
        var fields: HTTPFields = ["Cache-Control": "max-age=60", "Vary": "Foo"]
        fields[.eTag] = tag
        return .ok(fields)
    }

    private static let offers: [CachingCase] = [
        CachingCase(
            "a variant that is missing is asked for with the tags of those that are there", "RFC 9111 §4.3.1", .may,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(
                    1, .validated, ["Foo": "2"], origin: .notModified(["ETag": "\"1\"", "Vary": "Foo"]), body: 0,
                    status: 200, gets: ["Age": "0"], sees: ["If-None-Match": "\"1\"", "Foo": "2"]),
            ]),
        CachingCase(
            "a 304 says which of several variants is right", "RFC 9111 §4.3.4", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(1, .replaced, ["Foo": "2"], origin: variant("\"2\"")),
                Step(
                    2, .validated, ["Foo": "3"], origin: .notModified(["ETag": "\"1\""]), body: 0,
                    sees: ["If-None-Match": "\"2\", \"1\""]),
            ]),
        CachingCase(
            "a 304 that does not say is followed by a plain request", "RFC 9111 §4.3.4", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(1, .replaced, ["Foo": "2"], origin: variant("\"2\"")),
                Step(2, .replaced, ["Foo": "3"], origin: .notModified(), status: 304),
            ]),
        CachingCase(
            "a 304 about a tag that is not stored is followed by a plain request", "RFC 9111 §4.3.4", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(1, .replaced, ["Foo": "2"], origin: .notModified(["ETag": "\"9\""]), status: 304),
            ]),
        CachingCase(
            "a new variant is stored beside the others", "RFC 9111 §4.1", .may,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(1, .replaced, ["Foo": "2"], origin: variant("\"2\""), body: 1),
                Step(2, .hit, ["Foo": "1"], body: 0),
                Step(2, .hit, ["Foo": "2"], body: 1),
            ]),
        CachingCase(
            "variants without tags offer nothing", "RFC 9111 §4.3.1", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant(nil)),
                Step(1, .miss, ["Foo": "2"], origin: variant(nil), body: 1, sees: ["If-None-Match": .none]),
            ]),
        CachingCase(
            "the caller's own tags go with the offer", "RFC 9111 §4.3.2", .may,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(
                    1, .replaced, ["Foo": "2", "If-None-Match": "\"2\""], origin: .notModified(["ETag": "\"2\""]),
                    status: 304, sees: ["If-None-Match": "\"2\", \"1\""]),
            ]),
        CachingCase(
            "an offer that is declined is rescued by nothing", "RFC 9111 §4.1", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(1, .failed, ["Foo": "2"], origin: .isUnreachable),
            ]),
    ]

    private static let whole: HTTPFields = [
        "Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": date(-9), "Content-Length": "10",
    ]

    /// A whole is stored, a HEAD goes by the cache to the origin, and then the whole is asked for.
    private static func head(
        _ name: String, _ kind: Kind, _ answer: Step.Origin, _ then: Step.Outcome, _ stored: HTTPFields = whole,
        fields: HTTPFields = ["Cache-Control": "max-age=0"]
    ) -> CachingCase {
        CachingCase(
            name, "RFC 9111 §4.3.5", kind,
            [
                Step(0, .miss, origin: .ok(stored)),
                Step(1, .replaced, fields, method: .head, origin: answer),
                Step(2, then, origin: .notModified(), body: 0),
            ])
    }

    private static func headFields(_ name: HTTPFieldName, _ value: String) -> Step.Origin {
        var fields = whole
        fields[name] = value
        return .ok(fields)
    }

    private static let heads: [CachingCase] = [
        head("a HEAD that agrees leaves it fresh", .may, .ok(whole), .hit),
        head("a HEAD of another tag says it is stale", .should, headFields(.eTag, "\"b\""), .validated),
        head("a HEAD of another date says it is stale", .should, headFields(.lastModified, date(-8)), .validated),
        head("a HEAD of another length says it is stale", .should, headFields(.contentLength, "11"), .validated),
        head("a HEAD that fails says nothing", .must, .answers(404, [:]), .hit),
        head("a HEAD that breaks says nothing", .must, .answers(500, [:]), .hit),
        CachingCase(
            "a HEAD freshens what it agrees with", "RFC 9111 §4.3.5", .may,
            [
                Step(0, .miss, origin: .ok(whole)),
                Step(
                    60, .replaced, method: .head,
                    origin: .ok([
                        "Cache-Control": "max-age=100", "ETag": "\"a\"", "Last-Modified": date(-9),
                        "Content-Length": "10", "X": "1",
                    ]), sees: ["If-None-Match": "\"a\""]),
                Step(159, .hit, body: 0, gets: ["X": "1", "Age": "99", "Content-Length": "10"]),
            ]),
        CachingCase(
            "a HEAD answered with 304 freshens it", "RFC 9111 §4.3.4", .may,
            [
                Step(0, .miss, origin: .ok(whole)),
                Step(60, .validated, method: .head, origin: .notModified(["ETag": "\"a\""]), status: 200),
                Step(119, .hit, body: 0),
            ]),
        CachingCase(
            "a HEAD of another variant says nothing", "RFC 9111 §4.3.5", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"1\"")),
                Step(1, .replaced, ["Foo": "2"], method: .head, origin: variant("\"2\"")),
                Step(2, .hit, ["Foo": "1"], body: 0),
            ]),
    ]

    private static func updating(
        _ name: String, _ reference: String, _ kind: Kind, _ old: HTTPFields, _ new: HTTPFields,
        gets: [HTTPFieldName: String?], then: CachingExchange? = nil
    ) -> CachingCase {
        var stored = old
        if !stored.contains(.cacheControl) { stored.append(.cacheControl, "max-age=1") }
        stored.append(.eTag, "\"a\"")
        return CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, origin: .ok(stored)),
                Step(10, .validated, origin: .notModified(new), body: 0, gets: gets),
            ] + (then.map { [$0] } ?? []))
    }

    private static let updates: [CachingCase] = [
        updating(
            "a 304 may change Content-Type", "RFC 9111 §3.2", .must, ["Content-Type": "text/plain"],
            ["Content-Type": "text/html"], gets: ["Content-Type": "text/html"]),
        updating(
            "a 304 may change Expires", "RFC 9111 §3.2", .must, ["Expires": date(1)], ["Expires": date(99)],
            gets: ["Expires": date(99)]),
        updating(
            "a 304 does not change Content-Length", "RFC 9111 §3.2", .must, ["Content-Length": "10"],
            ["Content-Length": "99"], gets: ["Content-Length": "10"]),
        updating(
            "a 304 does not change Content-Encoding", "RFC 9111 §3.2", .may, ["Content-Type": "text/plain"],
            ["Content-Encoding": "gzip"], gets: ["Content-Encoding": .none]),
        updating(
            "a 304 brings no hop-by-hop fields", "RFC 9111 §3.1", .must, [:],
            ["Connection": "x", "X": "1", "Keep-Alive": "1", "Proxy-Authenticate": "Basic"],
            gets: ["X": .none, "Keep-Alive": .none, "Proxy-Authenticate": .none]),
        updating(
            "a 304 with the same tag, weak, confirms", "RFC 9110 §8.8.3.2", .must, [:], ["ETag": "W/\"a\""], gets: [:]),
        updating(
            "Age of a 304 counts", "RFC 9111 §4.2.3", .must, [:], ["Age": "30", "Cache-Control": "max-age=60"],
            gets: ["Age": "30"], then: Step(40, .validated, origin: .notModified())),
        updating(
            "a field that no-cache names is not kept from a 304", "RFC 9111 §5.2.2.4", .must,
            ["Cache-Control": "max-age=1, no-cache=\"X\"", "X": "1"], ["X": "2", "Y": "2"],
            gets: ["X": .none, "Y": "2"]),
        CachingCase(
            "a 304 is about every variant with its strong tag", "RFC 9111 §4.3.4", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("\"a\"")),
                Step(0, .replaced, ["Foo": "2"], origin: variant("\"a\"")),
                Step(
                    60, .validated, ["Foo": "1"],
                    origin: .notModified(["ETag": "\"a\"", "X": "1", "Cache-Control": "max-age=60"])),
                Step(61, .hit, ["Foo": "2"], gets: ["X": "1", "Age": "1"]),
            ]),
        CachingCase(
            "a 304 with a weak tag is about one variant", "RFC 9111 §4.3.4", .must,
            [
                Step(0, .miss, ["Foo": "1"], origin: variant("W/\"a\"")),
                Step(0, .replaced, ["Foo": "2"], origin: variant("W/\"a\"")),
                Step(60, .validated, ["Foo": "1"], origin: .notModified(["ETag": "W/\"a\""])),
                Step(61, .validated, ["Foo": "2"], origin: .notModified(["ETag": "W/\"a\""]), body: 1),
            ]),
        CachingCase(
            "a Date is added where the origin left it out", "RFC 9110 §6.6.1", .must,
            [
                Step(
                    0, .miss, origin: .answersUndated(200, ["Cache-Control": "max-age=60"]), gets: ["Date": date(0)]),
                Step(5, .hit, gets: ["Date": date(0), "Age": "5"]),
            ]),
    ]

    /// Why cases about decoded bodies are none of the proxy's.
    static let proxyDecodes = "the proxy passes bodies on in the coding in which they come"

    private static func decoded(_ name: String, _ reference: String, _ kind: Kind, _ second: CachingExchange)
        -> CachingCase
    {
        CachingCase(
            name, reference, kind,
            [
                Step(
                    0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\""]), sends: Step.digits,
                    coding: "gzip", gets: ["ETag": "W/\"a\""]), second,
            ]
        ).except(.proxy, proxyDecodes)
    }

    private static let decoding: [CachingCase] = [
        decoded(
            "the tag of a decoded body is a weak one", "RFC 9110 §8.8.3", .must,
            Step(1, .hit, reads: Step.digits, gets: ["ETag": "W/\"a\"", "Larder-Decoded": .none])),
        decoded(
            "the origin is asked with the tag as it came", "RFC 9111 §4.3.1", .product,
            Step(
                60, .validated, origin: .notModified(["ETag": "\"a\""]), gets: ["ETag": "W/\"a\""],
                sees: ["If-None-Match": "\"a\""])),
        decoded(
            "a caller's weak tag is met by it", "RFC 9110 §13.1.2", .should,
            Step(1, .hit, ["If-None-Match": "W/\"a\""], status: 304)),
        decoded(
            "If-Range is not met by it", "RFC 9110 §13.1.5", .must,
            Step(1, .hit, ["Range": "bytes=0-1", "If-Range": "\"a\""], reads: Step.digits, status: 200)),
        decoded(
            "a part of it may be had all the same", "RFC 9110 §14.2", .may,
            Step(1, .hit, ["Range": "bytes=0-1"], reads: "01", status: 206, gets: ["ETag": "W/\"a\""])),
        CachingCase(
            "an origin cannot set the cache's own mark", "", .product,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": "max-age=60", "ETag": "\"a\"", "Larder-Decoded": "x"])),
                Step(1, .hit, gets: ["ETag": "\"a\"", "Larder-Decoded": .none]),
            ]),
    ]
}

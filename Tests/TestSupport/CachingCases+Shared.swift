import HTTPModel

/// What differs in a cache that several users share, and in one that a field speaks to in particular.
extension CachingCase {
    private typealias Step = CachingExchange

    /// Asked for twice with a time between: is the second answer from the store?
    private static func twice(
        _ name: String, _ reference: String, _ kind: Kind, after seconds: Double = 10, _ isHit: Bool,
        _ fields: HTTPFields, request: HTTPFields = [:]
    ) -> CachingCase {
        CachingCase(
            name, reference, kind,
            [
                Step(0, .miss, request, origin: .ok(fields)),
                Step(seconds, isHit ? .hit : .miss, request, origin: .ok(), body: isHit ? 0 : 1),
            ])
    }

    /// Stored, stale, and then the origin cannot be reached.
    private static func disconnected(_ name: String, _ reference: String, _ control: String) -> CachingCase {
        CachingCase(
            name, reference, .must,
            [
                Step(0, .miss, origin: .ok(["Cache-Control": control])),
                Step(10, .failed, origin: .isUnreachable),
                Step(10, .failed, ["Cache-Control": "max-stale"], origin: .isUnreachable),
            ])
    }

    /// For a cache whose policy says that it is shared.
    public static let shared: [CachingCase] = [
        twice(
            "shared: private is not stored", "RFC 9111 §5.2.2.7", .must, false,
            ["Cache-Control": "private, max-age=60"]),
        twice(
            "shared: nor what is private in part", "RFC 9111 §5.2.2.7", .may, false,
            ["Cache-Control": "private=\"X-One\", max-age=60", "X-One": "1"]),
        twice("shared: the rest is stored", "RFC 9111 §3", .may, true, ["Cache-Control": "max-age=60"]),
        twice(
            "shared: a response to Authorization is not", "RFC 9111 §3.5", .must, false,
            ["Cache-Control": "max-age=60"], request: ["Authorization": "Basic x"]),
        twice(
            "shared: unless it is public", "RFC 9111 §3.5", .may, true, ["Cache-Control": "public, max-age=60"],
            request: ["Authorization": "Basic x"]),
        twice(
            "shared: or must-revalidate", "RFC 9111 §3.5", .may, true,
            ["Cache-Control": "must-revalidate, max-age=60"], request: ["Authorization": "Basic x"]),
        twice(
            "shared: or has s-maxage", "RFC 9111 §3.5", .may, true, ["Cache-Control": "s-maxage=60"],
            request: ["Authorization": "Basic x"]),
        twice("shared: s-maxage is a lifetime", "RFC 9111 §5.2.2.10", .may, true, ["Cache-Control": "s-maxage=60"]),
        twice(
            "shared: a longer s-maxage outweighs max-age", "RFC 9111 §5.2.2.10", .may, true,
            ["Cache-Control": "max-age=1, s-maxage=60"]),
        twice(
            "shared: and Expires", "RFC 9111 §5.2.2.10", .may, true,
            ["Cache-Control": "s-maxage=60", "Expires": date(-9)]),
        twice(
            "shared: a shorter s-maxage outweighs max-age", "RFC 9111 §5.2.2.10", .must, false,
            ["Cache-Control": "s-maxage=1, max-age=60"]),
        twice(
            "shared: an s-maxage that is no number counts as 0", "RFC 9111 §4.2.1", .should, false,
            ["Cache-Control": "s-maxage=x, max-age=60"]),
        disconnected(
            "shared: proxy-revalidate forbids stale use", "RFC 9111 §5.2.2.8", "max-age=1, proxy-revalidate"),
        disconnected("shared: and so does s-maxage", "RFC 9111 §5.2.2.10", "s-maxage=1"),
    ]

    /// For a cache that goes by `Our-Cache-Control`, and where that is missing by `CDN-Cache-Control`.
    public static let targeted: [CachingCase] = [
        twice(
            "targeted: a lifetime", "RFC 9213 §2.2", .may, true, ["CDN-Cache-Control": "max-age=60"]),
        twice(
            "targeted: outweighs a shorter one for all", "RFC 9213 §2.2", .may, true,
            ["CDN-Cache-Control": "max-age=60", "Cache-Control": "max-age=1"]),
        twice(
            "targeted: and a longer one", "RFC 9213 §2.2", .must, false,
            ["CDN-Cache-Control": "max-age=1", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: and Expires", "RFC 9213 §2.2", .must, false,
            ["CDN-Cache-Control": "max-age=0", "Expires": date(60)]),
        twice(
            "targeted: Expires says nothing beside a field without a lifetime", "RFC 9213 §2.2", .must, false,
            ["CDN-Cache-Control": "must-revalidate", "Expires": date(60)]),
        twice(
            "targeted: no-store for all does not count", "RFC 9213 §2.2", .may, true,
            ["CDN-Cache-Control": "max-age=60", "Cache-Control": "no-store"]),
        twice(
            "targeted: its own does", "RFC 9213 §2.2", .must, false,
            ["CDN-Cache-Control": "no-store", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: and its no-cache", "RFC 9213 §2.2", .must, false,
            ["CDN-Cache-Control": "no-cache, max-age=60", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: the first in the cache's list counts", "RFC 9213 §2.2", .must, false,
            ["CDN-Cache-Control": "max-age=60", "Our-Cache-Control": "max-age=1", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: a malformed field is passed over", "RFC 9213 §2.1", .should, true,
            ["Our-Cache-Control": "max-age=1, &&", "CDN-Cache-Control": "max-age=60"]),
        twice(
            "targeted: white space makes it malformed", "RFC 9213 §2.1", .should, false,
            ["CDN-Cache-Control": "max-age =60", "Cache-Control": "max-age=1"]),
        twice(
            "targeted: an empty field is passed over", "RFC 9213 §2.1", .should, true,
            ["CDN-Cache-Control": "", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: a quoted number is none", "RFC 9213 §2.1", .should, false,
            ["CDN-Cache-Control": "max-age=\"60\"", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: a list is no number either", "RFC 9213 §2.1", .should, false,
            ["CDN-Cache-Control": "max-age=(60)", "Cache-Control": "max-age=60"]),
        twice(
            "targeted: a directive that is switched off does not count", "RFC 9213 §2.1", .may, true,
            ["CDN-Cache-Control": "max-age=60, no-store=?0"]),
        twice(
            "targeted: without such a field all is as ever", "RFC 9213 §2.2", .may, true,
            ["Cache-Control": "max-age=60"]),
    ]
}

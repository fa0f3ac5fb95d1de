import Foundation
import HTTPCaching
import HTTPModel
import Testing

/// What a newcomer reads, with its arithmetic.
@Suite struct ReasonTests {
    private func lines(_ decision: CacheDecision) -> [String] { decision.reasons.map(\.description) }

    @Test("a hit says how old it is and how long it is good")
    func hit() {
        let decision = decide(at: 120, stored: [entry(["Cache-Control": "max-age=3600"])])
        #expect(decision.action == .serve(entryID: 1))
        #expect(lines(decision) == ["fresh: 120 s old, good for 3600 s (Cache-Control: max-age) [RFC 9111 §4.2.1]"])
        #expect(decision.ageSeconds == 120 && decision.lifetimeSeconds == 3_600 && decision.remainingSeconds == 3_480)
        #expect(decision.forwardReason == nil && decision.entryID == 1)
    }

    @Test("a validation says what it asks with")
    func validation() {
        let decision = decide(at: 70, stored: [entry(["Cache-Control": "max-age=60", "ETag": "\"a\""])])
        #expect(decision.action == .revalidate(entryID: 1, conditionalFields: ["If-None-Match": "\"a\""]))
        #expect(
            lines(decision) == [
                "stale by 10 s: 70 s old, good for 60 s (Cache-Control: max-age) [RFC 9111 §4.2.1]",
                "the origin is asked whether it has changed since (If-None-Match) [RFC 9111 §4.3.1]",
            ])
        #expect(decision.forwardReason == .stale && decision.remainingSeconds == -10)
    }

    @Test("every step has words, numbers and a section")
    func words() {
        let hour = entry(["Cache-Control": "max-age=3600", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])
        let minute = entry(["Cache-Control": "max-age=60, stale-while-revalidate=30"])
        let rows: [(CacheDecision, [String])] = [
            (decide(at: 0, stored: []), ["nothing is stored for this URL"]),
            (
                decide(at: 9, ["Cache-Control": "no-cache"], stored: [hour]),
                ["the request wants the origin", "If-Modified-Since"]
            ),
            (decide(at: 9, ["Pragma": "no-cache"], stored: [hour]), ["(Pragma: no-cache)"]),
            (
                decide(at: 9, ["Cache-Control": "max-age=5"], stored: [hour]),
                ["nothing 5 s old or older, and it is 9 s old"]
            ),
            (
                decide(at: 9, ["Cache-Control": "min-fresh=3595"], stored: [hour]),
                ["fresh for 3595 s more, and 3591 s are left"]
            ),
            (decide(at: 99, ["Cache-Control": "max-stale=40"], stored: [minute]), ["up to 40 s stale, and it is 39 s"]),
            (decide(at: 99, ["Cache-Control": "max-stale"], stored: [minute]), ["however stale, and it is 39 s"]),
            (
                decide(at: 99, ["Cache-Control": "max-stale=9"], stored: [minute]),
                ["up to 9 s stale only, and it is 39 s", "up to 30 s stale only"]
            ),
            (
                decide(at: 80, stored: [minute]),
                ["up to 30 s stale while it is asked behind the answer, and it is 20 s"]
            ),
            (
                decide(at: 99, stored: [minute]),
                ["up to 30 s stale only, and it is 39 s", "neither ETag nor Last-Modified"]
            ),
            (
                decide(at: 9, stored: [entry(["Cache-Control": "no-cache"])]),
                ["the origin wants to be asked before each use"]
            ),
            (
                decide(at: 9, stored: [entry(["Cache-Control": "no-store, max-age=60"])]),
                ["no longer lets it be stored"]
            ),
            (
                decide(at: 9, stored: [entry(["Cache-Control": "max-age=5, must-revalidate"])]),
                ["the origin forbids stale use"]
            ),
            (
                decide(at: 9, stored: [entry(["Cache-Control": "max-age=60"], isInvalidated: true)]),
                ["a request that changes the resource"]
            ),
            (
                decide(
                    at: 9, ["Cache-Control": "max-age=0"], stored: [entry(["Cache-Control": "max-age=60, immutable"])]),
                ["does not change while it is fresh"]
            ),
            (
                decide(at: 9, stored: [entry(["Vary": "A"], selecting: ["A": "1"])]),
                ["1 stored, but none was made for a request with these fields (Vary)"]
            ),
            (
                decide(at: 9, stored: [hour, entry(["Cache-Control": "max-age=1"], id: 2)]),
                ["2 stored responses suit the request; the newest is taken"]
            ),
            (decide(at: 9, stored: [entry(["Expires": "0"])]), ["its Expires is no date"]),
            (decide(at: 9, stored: [entry(["Cache-Control": "max-age"])]), ["its max-age is no number"]),
            (decide(at: 9, stored: [entry([:])]), ["nothing says how long"]),
            (
                decide(at: 9, stored: [entry(["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"])]),
                ["a guess: a share of the"]
            ),
            (decide(at: 9, method: .post, stored: [hour]), ["only GET and HEAD are answered from the cache, not POST"]),
            (decide(at: 9, ["If-Match": "*"], stored: [hour]), ["a condition that only the origin can judge"]),
            (decide(at: 9, ["Range": "bytes=0-1"], stored: [hour]), ["a part only"]),
            (
                decide(at: 9, ["Cache-Control": "only-if-cached"], stored: []),
                ["nothing is stored", "the request allows only the cache"]
            ),
        ]
        for (decision, parts) in rows {
            let text = lines(decision).joined(separator: "\n")
            for part in parts { #expect(text.contains(part), "\(text)") }
            #expect(decision.reasons.allSatisfy { $0.reference.isEmpty || $0.reference.hasPrefix("RFC ") })
        }
    }

    @Test("the reason for going forward is that of RFC 9211")
    func forwardReasons() {
        let good = entry(["Cache-Control": "max-age=60", "ETag": "\"a\""]),
            bare = entry(["Cache-Control": "max-age=60"])
        #expect(decide(at: 0, stored: []).forwardReason == .uriMiss)
        #expect(decide(at: 0, stored: [entry(["Vary": "*"])]).forwardReason == .varyMiss)
        #expect(decide(at: 0, method: .put, stored: [good]).forwardReason == .method)
        #expect(decide(at: 0, ["Range": "bytes=0-"], stored: [good]).forwardReason == .bypass)
        #expect(decide(at: 0, ["If-Match": "*"], stored: [good]).forwardReason == .bypass)
        for stored in [good, bare] {
            #expect(decide(at: 0, ["Cache-Control": "no-cache"], stored: [stored]).forwardReason == .request)
            #expect(decide(at: 9, ["Cache-Control": "max-age=5"], stored: [stored]).forwardReason == .request)
            #expect(decide(at: 9, ["Cache-Control": "min-fresh=55"], stored: [stored]).forwardReason == .request)
            let both = decide(at: 9, ["Cache-Control": "max-age=5, min-fresh=1, max-stale"], stored: [stored])
            #expect(both.forwardReason == .request && !both.reasons.contains { $0.text.contains("min-fresh") })
            #expect(decide(at: 60, stored: [stored]).forwardReason == .stale)
            #expect(decide(at: 60, ["Cache-Control": "no-cache"], stored: [stored]).forwardReason == .stale)
            #expect(decide(at: 60, ["Cache-Control": "max-age=5"], stored: [stored]).forwardReason == .stale)
        }
        #expect(decide(at: 60, ["Cache-Control": "only-if-cached"], stored: [good]).forwardReason == nil)
    }

    @Test("storing says why, and why not")
    func storage() {
        func decision(_ status: Int, _ fields: HTTPFields, _ asked: HTTPFields = [:], method: HTTPMethod = .get)
            -> StorageDecision
        {
            HTTPCache.mayStore(
                request: request(asked, method: method), response: HTTPResponse(status: status, fields: fields),
                policy: CachingPolicy(), now: start)
        }
        let rows: [(StorageDecision, Bool, String)] = [
            (decision(200, [:]), true, "status 200 may be stored by default"),
            (decision(403, ["Cache-Control": "max-age=1"]), true, "its lifetime is stated"),
            (decision(403, ["Expires": "0"]), true, "its end is stated"),
            (decision(403, ["Cache-Control": "public"]), true, "any cache may store it"),
            (decision(403, ["Cache-Control": "private"]), true, "a user's own cache may store it"),
            (decision(403, [:]), false, "stored only with a stated lifetime"),
            (decision(103, [:]), false, "no final response"),
            (decision(600, ["Cache-Control": "max-age=1"]), false, "no final response"),
            (decision(206, [:]), false, "only a part of what was asked for"),
            (decision(206, [:], ["Range": "bytes=0-1"]), false, "several parts"),
            (
                decision(206, ["Content-Range": "bytes 0-1/3", "Content-Encoding": "br"], ["Range": "bytes=0-1"]),
                false,
                "a part of a coded body"
            ),
            (decision(206, ["Content-Range": "bytes 0-1/3"], ["Range": "bytes=0-1"]), true, "status 206"),
            (decision(416, ["Cache-Control": "max-age=1"]), false, "condition or range of one request"),
            (decision(200, ["Cache-Control": "max-age=1"], method: .post), false, "a response to POST is stored only"),
            (decision(200, ["Cache-Control": "no-store"]), false, "the origin forbids storing"),
            (decision(200, [:], ["Cache-Control": "no-store"]), false, "the request forbids storing"),
            (decision(299, ["Cache-Control": "must-understand"]), false, "not known here"),
            (decision(200, ["Vary": "*"]), false, "it suits no other request"),
            (decision(200, [:], method: .head), false, "only responses to GET and POST are stored, not to HEAD"),
        ]
        for (decision, mayStore, part) in rows {
            #expect(decision.mayStore == mayStore)
            #expect(
                decision.reasons.contains { $0.text.contains(part) && $0.reference.hasPrefix("RFC ") }, "\(decision)")
        }
    }
}

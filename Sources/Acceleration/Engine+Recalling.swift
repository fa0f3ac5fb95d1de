import ContentStore
import HTTPCaching
import HTTPModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers given before.
///
/// What the rules make of a request and the stored responses depends on the clock by the response's age alone, as long as the
/// response is fresh and the request does not speak of ages. So an answer is remembered with the entries that it rests on, and
/// is given again to the same request; when another second of age has come, with that age in it.
extension Engine {
    /// An answer from the store, as it was given.
    private final class Answer: ReadyEntries.Attachment {
        let engineNumber: Int
        let asked: HTTPRequest
        let isProxied: Bool
        let entry: StoreEntry
        let aging: Aging
        let age: Int
        let hop: Hop
        /// Whether the decision may be carried over to another age.
        let mayAge: Bool

        init(
            engineNumber: Int, asked: HTTPRequest, isProxied: Bool, entry: StoreEntry, aging: Aging, age: Int,
            hop: Hop, mayAge: Bool
        ) {
            self.engineNumber = engineNumber
            self.asked = asked
            self.isProxied = isProxied
            self.entry = entry
            self.aging = aging
            self.age = age
            self.hop = hop
            self.mayAge = mayAge
        }

        /// The same answer at another age; `nil` when the rules must be asked.
        func aged(to age: Int) -> Answer? {
            guard mayAge, let decision = hop.decision.aged(to: age),
                let ageField = hop.response.fields.lastIndex(where: { $0.name == .age }),
                let statusField = hop.response.fields.lastIndex(where: { $0.name == .cacheStatus })
            else { return nil }
            var hop = hop
            hop.decision = decision
            hop.cacheStatus = CacheStatus(isHit: true, ttl: Engine.ttl(of: decision)).description
            hop.response.fields.setValue(String(age), at: ageField)
            hop.response.fields.setValue(hop.cacheStatus, at: statusField)
            return Answer(
                engineNumber: engineNumber, asked: asked, isProxied: isProxied, entry: entry,
                aging: aging, age: age, hop: hop, mayAge: true)
        }
    }

    /// Answers a request as it was answered before, if nothing has changed but the age.
    func recall(_ asked: HTTPRequest, options: RequestOptions, now: Date) -> Hop? {
        guard asked.method == .get, !options.bypassesCache, let store = context.store,
            let ready = store.remembered(for: asked.url), var answer = ready.attachment as? Answer,
            answer.engineNumber == number, answer.isProxied == options.isProxied,
            answer.asked.fields == asked.fields
        else { return nil }
        let age = answer.aging.age(at: now)
        if age != answer.age {
            guard let aged = answer.aged(to: age) else { return nil }
            answer = aged
            ready.attachment = aged
        }
        var hop = answer.hop
        if case .none = hop.body {
            guard let body = open(answer.entry, ready) else { return nil }
            hop.body = .stored(body)
        }
        store.touch(answer.entry, in: ready, at: now)
        return hop
    }

    /// Remembers an answer with the whole of a stored body.
    func remember(_ hop: Hop, of entry: StoreEntry, for asked: HTTPRequest, options: RequestOptions, _ lookup: Lookup) {
        guard let ready = lookup.ready, asked.method == .get, case .serve = hop.decision.action,
            hop.metrics == nil, case .stored = hop.body
        else { return }
        let aging = Aging(of: entry.storedResponse)
        guard hop.decision.ageSeconds == aging.age(at: lookup.now) else { return }
        var kept = hop
        // A file must not be held open for as long as the answer is remembered; a body in memory is there all the same.
        kept.body = .none
        ready.attachment = Answer(
            engineNumber: number, asked: asked, isProxied: options.isProxied, entry: entry, aging: aging,
            age: aging.age(at: lookup.now), hop: kept,
            mayAge: !asked.fields.contains(.cacheControl) && !asked.fields.contains(.pragma))
    }
}

import Foundation
import Larder

/// Who in the app is asked about servers: the common delegate, else the service's.
///
/// A delegate whose type has no method for it is found out at the first question; from then on, delegates of that type are not
/// asked, and without another one the engine does without the handshake that a question costs.
package final class ChallengeAskers: Sendable {
    /// The places of delegates, in the order in which they are asked.
    package enum Place: Int, Sendable, Comparable {
        case common, service

        package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
    }

    /// Puts a question to a delegate; `nil` when the delegate is gone.
    package struct Asker: Sendable {
        let type: ObjectIdentifier
        let ask: @Sendable (ServerTrustChallenge, ChallengeAnswer) -> Void
    }

    private struct State {
        var askers: [Place: Asker] = [:]
        var client: LarderClient?
    }

    private static let leavingToSystem = Locked<Set<ObjectIdentifier>>([])
    private let state = Locked(State())

    /// Notes that a type of delegates has no method for challenges.
    package static func noteDefault(of type: Any.Type) {
        leavingToSystem.withLock { _ = $0.insert(ObjectIdentifier(type)) }
    }

    /// Sets who is asked at a place.
    func set(_ asker: Asker?, at place: Place) {
        state.withLock { $0.askers[place] = asker }
        install()
    }

    /// Sets the client whose servers are in question.
    func set(_ client: LarderClient?) {
        state.withLock { $0.client = client }
        if client != nil { install() }
    }

    /// Whether there is anybody to ask.
    var isAsking: Bool { current != nil }

    private var current: Asker? {
        let passed = Self.leavingToSystem.withLock { $0 }
        return state.withLock { state in
            state.askers.filter { !passed.contains($0.value.type) }.min { $0.key < $1.key }?.value
        }
    }

    private func install() {
        guard let client = state.withLock({ $0.client }) else { return }
        guard current != nil else { return client.setTrustEvaluator(nil) }
        client.setTrustEvaluator { [weak self] question in await self?.verdict(over: question) ?? .useSystem }
    }

    private func verdict(over question: TrustQuestion) async -> TrustPolicy.Verdict {
        guard let asker = current, let challenge = ServerTrustChallenge(question) else { return .useSystem }
        let verdict = await withCheckedContinuation { continuation in
            asker.ask(challenge, ChallengeAnswer(continuation))
        }
        if current?.type != asker.type { install() }
        return verdict
    }
}

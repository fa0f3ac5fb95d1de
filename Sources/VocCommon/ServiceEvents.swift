import Foundation
import Larder

/// Turns the status of the SDK into what a delegate is told: a step for each status, in order.
struct ServiceEvents: Sendable {
    enum Event: Sendable, Equatable {
        case didBecomeNotRegistered
        case didFailToRegister(VOCSDKError, String)
        case didRegister
        case didInitialize
    }

    private var isRegistered = false
    private var isInitialized = false
    private var failure: String?

    /// Takes the next status.
    mutating func handle(_ status: Prepositioner.Status) -> [Event] {
        if case .registered = status.registration { return registered(status) }
        if isRegistered {
            isRegistered = false
            failure = status.lastFailure
            return [.didBecomeNotRegistered]
        }
        switch status.registration {
        case .registered, .withdrawn: return []
        case .badCredentials(let reason): return failed(.registerFailedBadCredentials, reason)
        case .notRegistered:
            guard let reason = status.lastFailure else { return [] }
            return failed(.registerFailedOther, reason)
        }
    }

    private mutating func registered(_ status: Prepositioner.Status) -> [Event] {
        var events: [Event] = []
        if !isRegistered { events.append(.didRegister) }
        if !isInitialized, status.releaseVersion != nil {
            events.append(.didInitialize)
            isInitialized = true
        }
        isRegistered = true
        failure = nil
        return events
    }

    /// The same failure again is not told again.
    private mutating func failed(_ code: VOCSDKError, _ reason: String) -> [Event] {
        guard failure != reason else { return [] }
        failure = reason
        return [.didFailToRegister(code, reason)]
    }
}

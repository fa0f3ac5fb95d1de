import Foundation
package import Larder

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif
#if canImport(UIKit)
    public import UIKit
#endif

/// The process's client, which the retired SDK's shared instances are faces of.
package final class SharedClient: Sendable {
    /// How long work in the background goes on: iOS ends an app that takes longer than 30 seconds.
    static let backgroundLimit = Duration.seconds(25)

    private struct State {
        /// Set by the first of several calls, which goes on alone.
        var isConfigured = false
        var client: LarderClient?
        var isDebugging = false
        /// Who waits for the client.
        var waiting: [@Sendable (LarderClient) -> Void] = []
        var preferences = Preferences()
    }

    /// What an app sets for as long as the process runs.
    struct Preferences: Sendable {
        /// Takes the place of the configured server when the SDK is configured.
        var serverURL: URL?
        var usesProductionPush = true
        var tracksProgress = true
    }

    /// The process's own.
    package static let shared = SharedClient()

    private let state = Locked(State())
    let askers = ChallengeAskers()
    /// Where a delegate without a queue of its own is asked; one that takes its time holds up no other question.
    private let challengeQueue = OperationQueue()

    private init() {
        #if canImport(UIKit)
            followApplication()
        #endif
    }

    /// The client, once configured.
    package var client: LarderClient? { state.withLock { $0.client } }

    var preferences: Preferences {
        get { state.withLock { $0.preferences } }
        set { state.withLock { $0.preferences = newValue } }
    }

    /// Whether debug lines are printed, also those of the client.
    package var isDebugging: Bool {
        get { state.withLock { $0.isDebugging } }
        set {
            let client = state.withLock { state in
                state.isDebugging = newValue
                return state.client
            }
            client?.isDebugging = newValue
        }
    }

    /// Calls back with the client, now or when it is configured.
    package func whenConfigured(_ body: @escaping @Sendable (LarderClient) -> Void) {
        let client = state.withLock { state in
            if state.client == nil { state.waiting.append(body) }
            return state.client
        }
        if let client { body(client) }
    }

    /// Starts the client with an app's options and intercepts the shared session; a second call does nothing.
    package func start(_ readOptions: () -> LarderOptions) {
        begin {
            var options = readOptions()
            if let serverURL = preferences.serverURL { options.configuration.serverURL = serverURL.absoluteString }
            return LarderClient(options: options)
        }
    }

    /// Takes a client and intercepts the shared session; a second call does nothing.
    func begin(_ make: () -> LarderClient) {
        let isFirst = state.withLock { state in
            defer { state.isConfigured = true }
            return !state.isConfigured
        }
        guard isFirst else { return }
        let made = make()
        askers.set(made)
        let (waiting, isDebugging) = state.withLock { state in
            state.client = made
            defer { state.waiting = [] }
            return (state.waiting, state.isDebugging)
        }
        if isDebugging { made.isDebugging = true }
        made.intercept(URLSession.shared)
        for body in waiting { body(made) }
    }

    /// Puts the SDK ahead of the protocol classes of a configuration.
    package func intercept(_ configuration: URLSessionConfiguration) { client?.intercept(configuration) }

    /// Ends the client, so that another configuration can begin.
    package func reset() async {
        let client = state.withLock { state in
            state.isConfigured = false
            state.isDebugging = false
            state.preferences = Preferences()
            return state.client.take()
        }
        askers.set(nil)
        await client?.shutDown()
    }

    /// Sets the common delegate, by its type and the way to ask it; `nil` for none.
    package func setChallengeDelegate(
        ofType type: ObjectIdentifier?,
        _ ask:
            @escaping @Sendable (
                ServerTrustChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Void
    ) {
        let asker = type.map { type in
            ChallengeAskers.Asker(type: type) { [challengeQueue] challenge, answer in
                challengeQueue.addOperation { ask(challenge) { answer.give(challenge.verdict($0, $1)) } }
            }
        }
        askers.set(asker, at: .common)
    }

    /// Takes a remote notification when it is for the SDK; the handler is called once then.
    package func takeNotification(
        _ userInfo: [AnyHashable: Any], _ handler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool {
        guard userInfo["mapsdk"] != nil else { return false }
        if !workInBackground(handler) { handler(.failed) }
        return true
    }

    /// Looks for new content; the handler is called once, unless there is no client.
    package func workInBackground(_ handler: @escaping (UIBackgroundFetchResult) -> Void) -> Bool {
        guard let client else { return false }
        let handler = Handler(call: handler)
        // The system calls from a thread that must not wait.
        Task {
            let result = UIBackgroundFetchResult(await client.performBackgroundWork(within: Self.backgroundLimit))
            #if canImport(UIKit)
                DispatchQueue.main.async { handler.call(result) }
            #else
                handler.call(result)
            #endif
        }
        return true
    }
}

/// A handler of the app's on its way to the one call of it.
struct Handler<Value>: @unchecked Sendable {  // called once, and by then nobody else has it
    let call: (Value) -> Void
}

extension UIBackgroundFetchResult {
    init(_ outcome: LarderClient.BackgroundOutcome) {
        switch outcome {
        case .newContent: self = .newData
        case .nothingNew: self = .noData
        case .failed: self = .failed
        }
    }
}

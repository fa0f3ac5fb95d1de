import Dispatch
import Primitives
public import Wire

/// How the device stands with the server.
extension Prepositioner {
    /// Asks the server for a registration now, also when it refused or withdrew one before; with one nobody is asked.
    ///
    /// Returns with the server's answer, while a sync goes on. Where ``run()`` has ended it has to be run again.
    public func register() async -> RegistrationState {
        let generation = answered.generation
        let isRegistered = state.withLock { state in
            if case .registered = state.registration { return true }
            state.registration = .notRegistered
            return false
        }
        guard !isRegistered else { return registration }
        Task { await sync(isAsked: false) }  // goes on when the caller has gone
        await answered.wait(beyond: generation)
        return registration
    }

    /// Keeps where notifications for the device go, and tells the server: now, after a failure, and after another registration.
    /// Performs disk I/O.
    public func setPushToken(_ token: PushTokenRequest) {
        let isNew = work.sync {
            let account = state.withLock { state -> Account? in
                guard !state.isUnregistered, state.account.pushToken != token else { return nil }
                state.account.pushToken = token
                state.account.isPushTokenKnown = false
                return state.account
            }
            guard let account else { return false }
            attempt("the push token cannot be kept") { try journal.save(account) }
            return true
        }
        if isNew { nudge.raise() }
    }

    /// Notes that the server refused the device's token elsewhere, as it does when a device is withdrawn.
    public func noteRefusal(_ reason: String) {
        work.sync { withdraw(reason) }
    }

    /// Forgets registration, subscription and journal, releases what segments hold, and then tells the server.
    ///
    /// What is on the device is forgotten before anybody is asked, and whatever the server says. The pre-positioner is inert
    /// afterwards; a new one with the same API key begins as on a new device. Performs disk I/O.
    public func unregister() async {
        let device = state.withLock { $0.account.registration }
        forget()
        guard let device else { return }
        // Nothing can be done about a server that does not listen, and the device is gone whatever it says.
        _ = try? await server.remove(device)
    }

    /// Ends all work without forgetting anything: another pre-positioner takes the place of this one. Performs disk I/O.
    public func retire() {
        state.withLock { $0.sync }?.task.cancel()
        end()
    }

    private func forget() {
        state.withLock { $0.sync }?.task.cancel()
        work.sync {
            step(.unregistered)
            attempt("the journal cannot be emptied") {
                try journal.forget()
                try surroundings.partials.sweep(keeping: [])
            }
            state.withLock { state in
                state.account = Account()
                state.registration = .notRegistered
            }
            listener.onRelease(nil)
        }
        end()
    }

    private func end() {
        let listeners = work.sync {
            state.withLock { $0.isUnregistered = true }
            publish()
            return state.withLock { state in
                defer { state.listeners = [:] }
                return Array(state.listeners.values)
            }
        }
        for listener in listeners { listener.finish() }
        nudge.raise()
        answered.raise()
    }

    // MARK: - In a sync

    /// - Returns: whether the device is registered now.
    func registerIfNeeded() async throws -> Bool {
        defer { answered.raise() }
        let (registration, account, isUnregistered) = state.withLock {
            ($0.registration, $0.account, $0.isUnregistered)
        }
        guard !isUnregistered else { return false }
        switch registration {
        case .registered: return try await confirmRegistration()
        case .badCredentials, .withdrawn: return false
        case .notRegistered: break
        }
        let request = RegistrationRequest(
            apiKey: configuration.apiKey, bundleID: configuration.bundleID, deviceID: account.deviceID,
            platform: configuration.platform, sdkVersion: configuration.sdkVersion)
        let answer = try await server.register(request)
        guard await onWork({ self.settle(answer) }) else { return false }
        try await sendPushToken()
        return true
    }

    /// Asks whether the device is still wanted, as the release may come from a cache that does not know.
    private func confirmRegistration() async throws -> Bool {
        guard let device = state.withLock({ $0.account.registration }) else { return false }
        if case .withdrawn(let reason) = try await server.standing(of: device) {
            await onWork { self.withdraw(reason) }
            return false
        }
        try await sendPushToken()
        return true
    }

    private func sendPushToken() async throws {
        let (device, token) = state.withLock { state in
            (state.account.registration, state.account.isPushTokenKnown ? nil : state.account.pushToken)
        }
        guard let device, let token else { return }
        switch try await server.send(token, of: device) {
        case .registered: await onWork { self.keepPushToken(token) }
        case .withdrawn(let reason): await onWork { self.withdraw(reason) }
        case .unknown(let reason): await onWork { self.note(failure: reason) }
        }
    }

    private func keepPushToken(_ token: PushTokenRequest) {
        let account = state.withLock { state -> Account? in
            guard !state.isUnregistered, state.account.pushToken == token else { return nil }
            state.account.isPushTokenKnown = true
            return state.account
        }
        guard let account else { return }
        attempt("the push token cannot be kept") { try journal.save(account) }
    }

    private func settle(_ answer: ServerClient.Registration) -> Bool {
        defer { publish() }
        switch answer {
        case .registered(let response):
            let account = state.withLock { state -> Account? in
                guard !state.isUnregistered else { return nil }
                state.account.deviceID = response.deviceID
                state.account.registration = response
                state.account.isPushTokenKnown = false
                // The keys of the first registration stay: a server that was taken over later cannot bring its own.
                if state.account.signingKeys.isEmpty { state.account.signingKeys = response.signingKeys }
                state.registration = .registered(
                    deviceID: response.deviceID, deviceToken: response.deviceToken, appID: response.appID)
                return state.account
            }
            guard let account else { return false }
            attempt("the registration cannot be kept") { try journal.save(account) }
            return true
        case .badCredentials(let reason):
            state.withLock { $0.registration = .badCredentials(reason) }
            note(failure: reason)
            return false
        case .failed(let reason):
            note(failure: reason)
            return false
        }
    }

    func withdraw(_ reason: String) {
        let account = state.withLock { state -> Account? in
            guard !state.isUnregistered else { return nil }
            state.account.registration = nil
            state.registration = .withdrawn
            return state.account
        }
        guard let account else { return }
        note(failure: reason)
        attempt("the withdrawal cannot be kept") { try journal.save(account) }
        publish()
    }
}

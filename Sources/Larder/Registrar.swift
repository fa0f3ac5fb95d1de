import Dispatch
import Foundation
import Prepositioning
import Primitives
import Wire

/// Makes the pre-positioner of the API key in force, lets it run, and replaces it when the app registers and unregisters.
final class Registrar: Sendable {
    /// The API key that the app registered with at run time.
    private struct Kept: Codable, Sendable { var apiKey: String }

    private struct State {
        var prepositioner: Prepositioner?
        var work: Task<Void, Never>?
        var isWorking = false
        var isStarted = false
        var pushToken: PushTokenRequest?
    }

    /// Makes the pre-positioner of an API key. Performs disk I/O.
    typealias Maker = @Sendable (_ apiKey: String, _ initialSegments: Set<String>) throws -> Prepositioner

    /// `nil` when there is no server, or no disk to keep anything on.
    private let make: Maker?
    private let document: KeptDocument<Kept>
    private let log: LogLines
    private let state = Locked(State())
    private let changes = Broadcast<Void>()
    /// Registering and unregistering happen one after the other.
    private let queue = DispatchQueue(label: "larder.registrar")

    /// Takes up the API key of the configuration, or the one that the app registered with. Performs disk I/O.
    init(_ configuration: LarderConfiguration, log: LogLines, make: Maker?) {
        self.make = make
        self.log = log
        document = KeptDocument(path: configuration.resolvedDirectory + "/registration.json")
        guard let make else { return }
        let configured = configuration.apiKey.flatMap { $0.isEmpty ? nil : $0 }
        guard let apiKey = configured ?? document.read(log)?.apiKey else {
            log.write("no segments: the server needs an API key")
            return
        }
        log.hide(apiKey)
        do {
            let made = try make(apiKey, configuration.initialSegments)
            state.withLock { $0.prepositioner = made }
        } catch {
            log.write("no segments: \(error)")
        }
    }

    /// The pre-positioner in use.
    var current: Prepositioner? { state.withLock { $0.prepositioner } }

    /// The status now and after every change, of whichever pre-positioner is in use.
    func statuses() -> AsyncStream<Prepositioner.Status> {
        let changes = changes.stream()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let work = Task { [weak self] in
                var changes = changes.makeAsyncIterator()
                while let statuses = self?.currentStatuses() {
                    for await status in statuses { continuation.yield(status) }
                    guard self?.make != nil, await changes.next() != nil else { break }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }

    private func currentStatuses() -> AsyncStream<Prepositioner.Status> {
        if let current { return current.statuses() }
        return AsyncStream { continuation in
            continuation.yield(Services.statusWithoutServer)
            continuation.finish()
        }
    }

    // MARK: - Registration

    func register(apiKey: String, segments: Set<String>) async throws(RegistrationError) {
        guard !apiKey.isEmpty else { throw .badCredentials("the API key is empty") }
        let prepositioner = try queue.sync { Result { () throws(RegistrationError) in try take(apiKey, segments) } }
            .get()
        let registration = await prepositioner.register()
        run()
        switch registration {
        case .registered: return
        case .badCredentials(let reason):
            document.write(nil, log)
            throw .badCredentials(reason)
        case .notRegistered, .withdrawn:
            throw .failed(prepositioner.status.lastFailure ?? "the registration did not come about")
        }
    }

    /// The pre-positioner of an API key, in place of one whose key never came to anything.
    private func take(_ apiKey: String, _ segments: Set<String>) throws(RegistrationError) -> Prepositioner {
        guard let make else { throw .noServer }
        let before = current
        if let before, before.apiKey == apiKey { return before }
        if let before, case .registered = before.registration { throw .alreadyRegistered }
        before?.retire()
        let made: Prepositioner
        do { made = try make(apiKey, segments) } catch { throw .failed("\(error)") }
        document.write(Kept(apiKey: apiKey), log)
        replace(with: made)
        run()
        return made
    }

    func unregister() async throws(RegistrationError) {
        let before = queue.sync { () -> Prepositioner? in
            defer { document.write(nil, log) }
            return replace(with: nil)
        }
        guard let before else { throw .notRegistered }
        await before.unregister()
        changes.send(())
    }

    func setPushToken(_ token: PushTokenRequest) {
        let prepositioner = state.withLock { state in
            state.pushToken = token
            return state.prepositioner
        }
        prepositioner?.setPushToken(token)
    }

    @discardableResult
    private func replace(with prepositioner: Prepositioner?) -> Prepositioner? {
        let (before, work, token) = state.withLock { state in
            defer {
                state.prepositioner = prepositioner
                state.work = nil
                state.isWorking = false
            }
            return (state.prepositioner, state.work, state.pushToken)
        }
        work?.cancel()
        if let token { prepositioner?.setPushToken(token) }
        if prepositioner != nil { changes.send(()) }
        return before
    }

    // MARK: - Work

    /// Lets the pre-positioner work from now on, and every one that takes its place.
    func start() {
        state.withLock { $0.isStarted = true }
        run()
    }

    private func run() {
        state.withLock { state in
            guard state.isStarted, !state.isWorking, let prepositioner = state.prepositioner else { return }
            state.isWorking = true
            state.work = Task { [weak self] in
                await prepositioner.run()
                self?.noteEnd(of: prepositioner)
            }
        }
    }

    private func noteEnd(of prepositioner: Prepositioner) {
        state.withLock { if $0.prepositioner === prepositioner { $0.isWorking = false } }
    }

    /// Ends all work.
    func stop() {
        let work = state.withLock { state in
            state.isStarted = false
            return state.work
        }
        work?.cancel()
        changes.finish()
    }

    /// Returns when the work has ended that ``stop()`` has told to end.
    func waitUntilStopped() async { await state.withLock { $0.work }?.value }
}

import Cryptography
import HTTPModel
import Primitives

/// Decides how each server is verified: by the system store and pins, or by the hook's verdict over its chain.
///
/// With a hook, the first request to a host and port waits for a handshake and the verdict; what the verdict was about is
/// then pinned, so that a server with another key is asked about again. Other hosts go on meanwhile.
final class TrustKeeper: Sendable {
    /// Shows the chain of a server.
    typealias Handshake = @Sendable () async throws -> ServerTrust

    private struct Place: Hashable {
        var host: String
        var port: Int
    }

    private struct Known {
        var tls: TLSOptions
        /// The server has shown another key since.
        var isOutdated = false
    }

    private struct State {
        var known: [Place: Known] = [:]
        var asking: [Place: Promise<Result<TLSOptions, any Error>>] = [:]
        var verdicts: [ServerTrust: TrustPolicy.Verdict] = [:]
    }

    /// Most places and verdicts remembered; beyond that all are forgotten and asked for again.
    private static let rememberedMax = 512
    /// Most keys of one place, such as of servers behind one name.
    private static let keysMax = 8

    private let pins: [String: [String]]
    private let hook: (@Sendable (ServerTrust) async -> TrustPolicy.Verdict)?
    private let state = Locked(State())

    init(_ policy: TrustPolicy, pins: [String: [String]]) {
        hook = policy.hook
        self.pins = pins
    }

    /// Whether verdicts come from outside.
    var hasHook: Bool { hook != nil }

    /// How to verify the server of a URL. Waits for the hook's verdict when there is none yet.
    /// - Throws: ``TransportError`` when the server is rejected or not reached; `CancellationError`.
    func options(for url: HTTPURL, handshake: @escaping Handshake) async throws -> TLSOptions {
        guard let hook, url.isSecure else { return TLSOptions(pins: pins[url.host] ?? []) }
        let place = Place(host: url.host, port: url.port)
        let (known, promise, isFirst) = state.withLock {
            state -> (TLSOptions?, Promise<Result<TLSOptions, any Error>>?, Bool) in
            if let known = state.known[place], !known.isOutdated { return (known.tls, nil, false) }
            if let promise = state.asking[place] { return (nil, promise, false) }
            let promise = Promise<Result<TLSOptions, any Error>>()
            state.asking[place] = promise
            return (nil, promise, true)
        }
        if let known { return known }
        guard let promise else { return TLSOptions() }
        if isFirst {
            // On its own, because more requests than this one may wait for it.
            Task {
                let result: Result<TLSOptions, any Error>
                do { result = .success(try await ask(hook, about: place, handshake)) } catch {
                    result = .failure(error)
                }
                _ = state.withLock { $0.asking.removeValue(forKey: place) }
                promise.fulfil(result)
            }
        }
        return try await promise.value().get()
    }

    /// A server did not have the key that its options demand: the next request asks again.
    func doubt(_ url: HTTPURL, _ tls: TLSOptions) {
        let place = Place(host: url.host, port: url.port)
        state.withLock { state in
            if state.known[place]?.tls == tls { state.known[place]?.isOutdated = true }
        }
    }

    private func ask(
        _ hook: @Sendable (ServerTrust) async -> TrustPolicy.Verdict, about place: Place, _ handshake: Handshake
    ) async throws -> TLSOptions {
        let trust = try await handshake()
        guard let leaf = trust.certificates.first, let key = PublicKeyDigest.base64(ofCertificate: leaf) else {
            throw TransportError(.tlsFailed, "\(place.host): the server shows no certificate")
        }
        if let pins = pins[place.host], !pins.contains(key) {
            throw TransportError(.pinMismatch, "\(place.host): the server's key is none of the pinned ones")
        }
        switch await verdict(of: hook, over: trust) {
        case .reject:
            throw TransportError(.certificateRejected, "\(place.host): the app rejects the server's certificate")
        case .useSystem:
            if let reason = trust.systemFailure {
                throw TransportError(.certificateRejected, "\(place.host): \(reason)")
            }
            return remember(place, TLSOptions(verifiesChain: true, pins: [key]))
        case .accept: return remember(place, TLSOptions(verifiesChain: false, pins: [key]))
        }
    }

    private func verdict(
        of hook: @Sendable (ServerTrust) async -> TrustPolicy.Verdict, over trust: ServerTrust
    ) async -> TrustPolicy.Verdict {
        if let verdict = state.withLock({ $0.verdicts[trust] }) { return verdict }
        let verdict = await hook(trust)
        state.withLock { state in
            if state.verdicts.count >= Self.rememberedMax { state.verdicts.removeAll() }
            state.verdicts[trust] = verdict
        }
        return verdict
    }

    private func remember(_ place: Place, _ tls: TLSOptions) -> TLSOptions {
        state.withLock { state in
            var tls = tls
            if let known = state.known[place], known.tls.verifiesChain == tls.verifiesChain {
                tls.pins = Array((known.tls.pins.filter { !tls.pins.contains($0) } + tls.pins).suffix(Self.keysMax))
            }
            if state.known.count >= Self.rememberedMax { state.known.removeAll() }
            state.known[place] = Known(tls: tls)
            return tls
        }
    }
}

import Cryptography
import HTTPModel
import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides how each server is verified: by the system store and local pins, by rules about keys anywhere in its chain, and by
/// the evaluator's verdict over it.
///
/// Where a rule or the evaluator must see the chain, the first request to a host and port waits for a handshake and what comes
/// of it; the leaf that was looked at is then pinned, so that a server with another key is looked at again. Other hosts go on
/// meanwhile. ``TrustState`` decides; this type carries out.
final class TrustKeeper: Sendable {
    /// Shows the chain of a server.
    typealias Handshake = @Sendable () async throws -> ServerTrust

    private let pins: [String: [String]]
    private let authorityFile: String?
    private let timekeeper: any Timekeeping
    private let onMismatch: @Sendable (PinMismatch) -> Void
    private let state: Locked<TrustState>

    /// Creates a keeper.
    /// - Parameters:
    ///   - evaluator: who judges chains; `nil` leaves it to the system.
    ///   - pins: local pins of leaf certificates, by host in lower case.
    ///   - authorityFile: the authorities whose keys count for rules although servers do not show them.
    ///   - timekeeper: the clocks.
    ///   - onMismatch: told of chains that break a rule which only reports, once a day for each host.
    init(
        evaluator: TrustPolicy.Evaluator?, pins: [String: [String]], authorityFile: String?,
        timekeeper: any Timekeeping, onMismatch: @escaping @Sendable (PinMismatch) -> Void
    ) {
        self.pins = pins
        self.authorityFile = authorityFile
        self.timekeeper = timekeeper
        self.onMismatch = onMismatch
        state = Locked(TrustState(evaluator: evaluator))
    }

    // MARK: - Changes

    /// Replaces the evaluator; what the one before said is forgotten, and what waits for it asks the new one.
    func setEvaluator(_ evaluator: TrustPolicy.Evaluator?) {
        for look in state.withLock({ $0.setEvaluator(evaluator) }) { end(look, .superseded) }
    }

    /// Replaces the rules; each place that they are about is looked at again with the next request.
    func setRules(_ book: PinBook) { state.withLock { $0.setRules(book) } }

    /// Fails what waits.
    func shutDown() {
        for look in state.withLock({ $0.shutDown() }) { end(look, .failed(TransportError.shutDown)) }
    }

    private func end(_ look: TrustState.Look, _ finding: TrustState.Finding) {
        look.finding.fulfil(finding)
        look.task?.cancel()
    }

    // MARK: - Before a request

    /// How to verify the server of a request. Where its chain must be judged first this waits, for as long as the request may be
    /// idle.
    /// - Throws: ``TransportError`` when the server is refused or not reached; `CancellationError`.
    func options(for request: TransportRequest, handshake: @escaping Handshake) async throws -> TLSOptions {
        let url = request.request.url
        let start = timekeeper.uptime
        while true {
            let now = timekeeper.now
            let finding: Promise<TrustState.Finding>
            switch state.withLock({ $0.step(for: request, localPins: pins[url.host] ?? [], at: now) }) {
            case .use(let tls): return tls
            case .fail(let error): throw error
            case .wait(let promise): finding = promise
            case .look(let inquiry):
                finding = inquiry.finding
                begin(inquiry, at: TrustState.Place(url), handshake)
            }
            switch try await wait(for: finding, since: start, on: request) {
            case .options(let tls, let rules, let era):
                let now = timekeeper.now
                if state.withLock({ $0.isInForce(rules, era: era, for: url.host, at: now) }) { return tls }
            case .failed(let error): throw error
            case .superseded: continue
            }
        }
    }

    /// A server did not have the key that its options demand: the next request looks at it again.
    func doubt(_ url: HTTPURL, _ tls: TLSOptions) { state.withLock { $0.doubt(TrustState.Place(url), tls) } }

    private func wait(
        for finding: Promise<TrustState.Finding>, since start: Duration, on request: TransportRequest
    ) async throws -> TrustState.Finding {
        if let finding = finding.current { return finding }
        let limit = min(request.idleTimeout, request.totalTimeout ?? request.idleTimeout)
        return try await withThrowingTaskGroup(of: TrustState.Finding?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await finding.value() }
            group.addTask { [timekeeper] in
                try await timekeeper.sleep(for: max(.zero, start + limit - timekeeper.uptime))
                return nil
            }
            guard case .some(.some(let found)) = try await group.next() else {
                throw TransportError(
                    .timedOut, "\(request.request.url.host): no verdict about the server's certificate in \(limit)")
            }
            return found
        }
    }

    // MARK: - A look at a server

    /// Looks at a server on a task of its own, because more requests than this one may wait for it.
    private func begin(_ inquiry: TrustState.Inquiry, at place: TrustState.Place, _ handshake: @escaping Handshake) {
        let task = Task { [weak self] in
            let result: Result<TLSOptions, any Error>
            do {
                let trust = try await handshake()
                guard let self else { return }
                result = .success(try await judge(trust, inquiry))
            } catch { result = .failure(error) }
            guard let self else { return }
            inquiry.finding.fulfil(state.withLock { $0.settle(result, inquiry, at: place) })
        }
        if !state.withLock({ $0.keep(task, of: inquiry, at: place) }) { task.cancel() }
    }

    private func judge(_ trust: ServerTrust, _ inquiry: TrustState.Inquiry) async throws -> TLSOptions {
        let host = trust.host
        guard let chain = CertificateChain(trust.certificates), let key = chain.shownDigests.first else {
            throw TransportError(.tlsFailed, "\(host): the server shows no certificate")
        }
        if let pins = pins[host], !pins.contains(key) {
            throw TransportError(.pinMismatch, "\(host): the server's key is none of the pinned ones")
        }
        let broken = inquiry.rules.broken(by: chain, authorityFile: authorityFile)
        if broken.contains(where: \.isReportOnly) { tell(host, chain) }
        guard broken.allSatisfy(\.isReportOnly) else {
            throw TransportError(.pinMismatch, "\(host): no key in the server's chain is one that the release pins")
        }
        switch await verdict(of: inquiry, over: trust) {
        case .cancel: throw TransportError(.cancelled, "\(host): the app cancelled the question about its certificate")
        case .reject: throw TransportError(.certificateRejected, "\(host): the app rejects the server's certificate")
        case .useSystem:
            if let reason = trust.systemFailure { throw TransportError(.certificateRejected, "\(host): \(reason)") }
            return TLSOptions(pins: [key], isJudged: true)
        case .accept: return TLSOptions(verifiesChain: false, pins: [key], isJudged: true)
        }
    }

    private func verdict(of inquiry: TrustState.Inquiry, over trust: ServerTrust) async -> TrustPolicy.Verdict {
        guard let evaluator = inquiry.evaluator else { return .useSystem }
        if let verdict = state.withLock({ $0.verdict(over: trust, era: inquiry.era) }) { return verdict }
        let verdict = await evaluator(inquiry.question(trust))
        // What was cancelled was not judged.
        if case .cancel = verdict { return verdict }
        state.withLock { $0.remember(verdict, over: trust, era: inquiry.era) }
        return verdict
    }

    // MARK: - Rules that only report

    /// Holds the chain of a connection that was made against the rules that only report. Performs disk I/O at times.
    func observe(_ certificates: [Data], of host: String) {
        let now = timekeeper.now
        let rules = state.withLock { $0.rules(for: host, at: now) }
        guard let chain = CertificateChain(certificates),
            !rules.broken(by: chain, authorityFile: authorityFile).isEmpty
        else { return }
        tell(host, chain)
    }

    private func tell(_ host: String, _ chain: CertificateChain) {
        let uptime = timekeeper.uptime
        guard state.withLock({ $0.mayTell(of: host, at: uptime) }) else { return }
        onMismatch(PinMismatch(host: host, shownDigests: chain.shownDigests))
    }
}

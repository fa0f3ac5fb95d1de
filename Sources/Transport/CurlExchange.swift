import CCurl
import HTTPModel
import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One request and its response on the loop thread.
final class CurlExchange: LoopTransfer, @unchecked Sendable {  // `live` is confined to the loop thread
    /// A head that has arrived.
    struct Head: Sendable {
        var response: HTTPResponse
        var interim: [HTTPResponse]
        var decodedFrom: String?
    }

    /// What is known when all is over.
    struct Outcome: Sendable {
        var metrics: TransferMetrics
        var trailers: HTTPFields
    }

    /// What changes while the transfer runs.
    struct Live {
        var parser = HeadParser()
        var hasHead = false
        var isReceivePaused = false
        var isSendPaused = false
        var isConnected = false
        var startedAt = Duration.zero
        var lastActivity = Duration.zero
        var advertisement: String?
        /// What is told of the exchange; `nil` when nobody listens.
        var sighting: ExchangeSighting?
        /// The handle while the transfer runs.
        var handle: EasyHandle?
    }

    let request: TransportRequest
    let tls: TLSOptions
    let settings: CurlSettings
    let feed: UploadFeed?
    let buffer = ReceiveBuffer()
    let head = Promise<Result<Head, any Error>>()
    let outcome = Promise<Outcome>()
    let loop: CurlLoop
    private let timekeeper: any Timekeeping
    /// Shown the server's chain when the transfer has made a connection; leaf first, as DER.
    private let onChain: @Sendable ([Data]) -> Void
    private var live = Live()

    init(
        _ request: TransportRequest, feed: UploadFeed?, tls: TLSOptions, settings: CurlSettings, loop: CurlLoop,
        timekeeper: any Timekeeping, onChain: @escaping @Sendable ([Data]) -> Void
    ) {
        self.loop = loop
        self.onChain = onChain
        // The feed has the body; a second reference would keep its source beyond the end of the transfer.
        var head = request
        head.body = nil
        self.request = head
        self.feed = feed
        self.tls = tls
        self.settings = settings
        self.timekeeper = timekeeper
    }

    var advertisement: String? { live.advertisement }

    func configure(_ handle: EasyHandle) throws(TransportError) {
        live.startedAt = timekeeper.uptime
        live.lastActivity = live.startedAt
        live.sighting = loop.arrivals.map { ExchangeSighting(of: self, on: handle, $0) }
        live.handle = handle
        try handle.setUp(for: self)
    }

    /// Connecting, total and idle time. A transfer that waits for the app, to take
    /// bytes or to give some, is not idle.
    func deadline() -> TransferDeadline {
        let host = request.request.url.host
        let now = timekeeper.uptime
        var deadline: TransferDeadline
        if live.isConnected {
            let isWaitingForApp = live.isReceivePaused || live.isSendPaused
            let due = (isWaitingForApp ? now : live.lastActivity) + request.idleTimeout
            let error = TransportError(.timedOut, "\(host): no byte in \(request.idleTimeout)")
            deadline = TransferDeadline(due: due, lookAt: due, error: error)
        } else {
            let due = live.startedAt + request.connectTimeout
            let error = TransportError(.timedOut, "\(host): no connection in \(request.connectTimeout)")
            // Once it is connected the idle time counts, which may be the shorter one.
            deadline = TransferDeadline(due: due, lookAt: min(due, now + request.idleTimeout), error: error)
        }
        if let total = request.totalTimeout, live.startedAt + total < deadline.due {
            deadline.due = live.startedAt + total
            deadline.lookAt = min(deadline.lookAt, deadline.due)
            deadline.error = TransportError(.timedOut, "\(host): not done in \(total)")
        }
        return deadline
    }

    func end(_ handle: EasyHandle?, _ ending: TransferEnding) {
        feed?.stop()
        live.sighting?.ended()
        live.sighting = nil
        live.handle = nil
        if tls.showsChain, let certificates = handle?.certificates(), !certificates.isEmpty { onChain(certificates) }
        let error: (any Error)?
        switch ending {
        case .completed where isStoppedAtUpgrade(handle):
            error = handle?.effectiveURL.map(UpgradedToTLS.init(url:))
        case .completed(CURLE_OK):
            error = live.hasHead ? nil : TransportError(.malformedResponse, "\(request.request.url.host): no response")
        case .completed(let code): error = failure(code, handle)
        case .failed(let reason): error = reason
        }
        let metrics = handle.map(TransferMetrics.init(of:)) ?? TransferMetrics()
        outcome.fulfil(Outcome(metrics: metrics, trailers: live.parser.trailers))
        if let error { head.fulfil(.failure(error)) }
        buffer.finish(error)
    }

    /// Whether libcurl has moved the request to TLS by itself, where it may not, and nothing of it has gone out.
    private func isStoppedAtUpgrade(_ handle: EasyHandle?) -> Bool {
        tls.stopsAtUpgrade && !live.hasHead && handle?.effectiveURL?.isSecure == true
    }

    private func failure(_ code: CURLcode, _ handle: EasyHandle?) -> TransportError {
        let host = request.request.url.host
        if let failure = feed?.failure {
            if let failure = failure as? TransportError { return failure }
            let reason = "\(failure)".withBareURLs
            return TransportError(.requestBodyFailed, "\(host): the request's body failed: \(reason)")
        }
        let explanation = handle?.explanation(of: code) ?? String(cString: curl_easy_strerror(code))
        return TransportError(code, host: host, explanation: explanation, hasHead: live.hasHead)
    }
}

// MARK: What libcurl calls

extension CurlExchange {
    /// The connection stands and the request is about to go out.
    /// - Returns: whether it may.
    func willSend() -> Bool {
        live.isConnected = true
        let now = timekeeper.uptime
        live.lastActivity = now
        live.sighting?.sent(at: now)
        return !isStoppedAtUpgrade(live.handle)
    }

    /// A line of a head or a trailer.
    func received(line: UnsafeRawBufferPointer) {
        let now = timekeeper.uptime
        live.lastActivity = now
        live.sighting?.received(lineOf: line.count, at: now)
        guard case .final(let response) = live.parser.take(line) else { return }
        live.hasHead = true
        // libcurl learns from TLS alone; a request that it moved there itself brings nothing that it does not know.
        let url = request.request.url
        let memories =
            url.isSecure
            ? response.fields.filter { $0.name == "Alt-Svc" || $0.name == "Strict-Transport-Security" } : []
        if !memories.isEmpty { live.advertisement = ([url.origin] + memories.map(\.value)).joined(separator: " ") }
        let decoded = decoded(response)
        live.sighting?.isCoded = decoded.decodedFrom != nil
        head.fulfil(.success(decoded))
    }

    /// Bytes of the body; returns what libcurl wants to hear.
    func received(body: UnsafeRawBufferPointer) -> Int {
        let now = timekeeper.uptime
        live.lastActivity = now
        switch buffer.offer(body) {
        case .taken:
            live.sighting?.received(bodyOf: body.count, at: now)
            return body.count
        case .full:
            live.isReceivePaused = true
            return LCURL_WRITE_PAUSE
        case .abandoned: return body.isEmpty ? 1 : 0
        }
    }

    /// Room for bytes of the request's body; returns what libcurl wants to hear.
    func send(into room: UnsafeMutableRawBufferPointer) -> Int {
        live.lastActivity = timekeeper.uptime
        let wake: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            loop.withHandle(of: self) { self.resumeSending($0) }
        }
        switch feed?.read(into: room, wake: wake) ?? .end {
        case .bytes(let count): return count
        case .end: return 0
        case .failed: return LCURL_READ_ABORT
        case .wait:
            live.isSendPaused = true
            return LCURL_READ_PAUSE
        }
    }

    /// Whether the body can be sent again from its start, which only an idempotent request may be.
    func rewind() -> Bool { request.request.method.isIdempotent && (feed?.rewind() ?? true) }

    /// The consumer has taken what was held.
    func resumeReceiving(_ handle: EasyHandle) {
        live.isReceivePaused = false
        let now = timekeeper.uptime
        live.lastActivity = now
        live.sighting?.resumed(at: now)
        applyPauses(handle)
    }

    /// The request's body has bytes again.
    func resumeSending(_ handle: EasyHandle) {
        live.isSendPaused = false
        live.lastActivity = timekeeper.uptime
        applyPauses(handle)
    }

    private func applyPauses(_ handle: EasyHandle) {
        // Errors surface as the end of the transfer. The call may deliver bytes, and so pause again, before it returns.
        curl_easy_pause(
            handle.pointer,
            (live.isReceivePaused ? CURLPAUSE_RECV : 0) | (live.isSendPaused ? CURLPAUSE_SEND : 0))
    }

    /// The head as the caller sees it: without the fields that a decoded body makes false.
    private func decoded(_ response: HTTPResponse) -> Head {
        var head = Head(response: response, interim: live.parser.interim)
        guard request.decodesContent, let coding = response.fields[.contentEncoding]?.lowercased(), !coding.isEmpty,
            coding != "identity"
        else { return head }
        head.response.fields.removeAll { $0.name == .contentEncoding || $0.name == .contentLength }
        let hasBody = request.request.method != .head && response.status != 204 && response.status != 304
        head.decodedFrom = hasBody ? coding : nil
        return head
    }
}

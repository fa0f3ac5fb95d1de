import ContentStore
import Cryptography
import HTTPModel
import Primitives
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Brings one item to the device: asks for it, or for the rest of it, yields to the app, and checks size and hash.
struct ItemDownload: Sendable {
    /// What a download needs from around it.
    struct Surroundings: Sendable {
        let store: ContentStore
        let partials: PartialDirectory
        let transport: any HTTPTransport
        let activity: ActivityGate
        let limiter: RateLimiter
        let usage: UsageMeter
        let timekeeper: any Timekeeping
    }

    /// A body that is what the manifest says, ready to be committed.
    struct Arrival: Sendable {
        var draft: EntryDraft
        var body: BodyWriter
        /// Frees the partial file; called once the body is committed, or not wanted.
        var cleanUp: @Sendable () throws -> Void
    }

    /// The longest pause in favour of the app before a chunk moves again: the connection must not die of it.
    static let pauseMax = Duration.seconds(10)
    static let redirectCountMax = 10

    let item: Manifest.Item
    let surroundings: Surroundings
    /// Whether the item is still to be brought to the device.
    let isWanted: @Sendable () -> Bool
    /// Told of the bytes of the body so far.
    let onProgress: @Sendable (Int64) -> Void
    /// Told whenever the origin has answered.
    let onReach: @Sendable () -> Void
    /// Told how each exchange went over the wire, also when it was broken off.
    let onWire: @Sendable (HTTPURL, TransferMetrics) -> Void
    /// Told of what was refused on the way, although the download goes on.
    let onRefusal: @Sendable (String) -> Void

    /// The item does not match its manifest.
    private struct Mismatch: Error { var reason: String }
    /// The server cannot go on where the partial file ends.
    private struct CannotResume: Error {}
    /// Nobody wants the item any more.
    struct Unwanted: Error {}

    /// Downloads; a body that does not match the manifest is asked for once more, past every cache on the way.
    /// - Throws: ``DownloadFailure``; ``Unwanted``; `CancellationError`.
    func run() async throws -> Arrival {
        do {
            return try await attempt(isFresh: false)
        } catch let error as Mismatch {
            onRefusal("\(error.reason); asked for again")
        } catch is CannotResume {
            // The partial file has been emptied: the whole is asked for.
        } catch {
            throw translated(error)
        }
        do {
            return try await attempt(isFresh: true)
        } catch let error as Mismatch {
            throw DownloadFailure(error.reason, isTransient: false)
        } catch is CannotResume {
            throw DownloadFailure("the server refuses the whole body as a range", isTransient: true)
        } catch {
            throw translated(error)
        }
    }

    private func translated(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is Unwanted, is DownloadFailure: error
        case let error as TransportError: failure(error)
        case let error as StoreError: DownloadFailure("\(error)", isTransient: false)
        default: DownloadFailure("\(error)", isTransient: true)
        }
    }

    private func failure(_ error: TransportError) -> DownloadFailure {
        switch error.code {
        case .certificateRejected, .pinMismatch, .cancelled:
            DownloadFailure(error.description, isTransient: false)
        default: DownloadFailure(error.description, isTransient: true, isUnreachable: error.code.isUnreachable)
        }
    }

    private func attempt(isFresh: Bool) async throws -> Arrival {
        guard let url = HTTPURL(item.url) else {
            throw DownloadFailure("the item's URL is not an absolute http or https URL", isTransient: false)
        }
        let isPlain = item.contentEncoding == nil
        let sink = try BodySink(
            for: item, mayResume: isPlain, store: surroundings.store, partials: surroundings.partials)
        do {
            if isFresh { try sink.restart(nil) }
            let partial = try sink.resumption()
            let request = request(url, isFresh: isFresh, partial: partial, offset: sink.byteCount)
            try await yieldToApp()
            return try await counted { try await receive(request, partial, into: sink, $0) }
        } catch {
            if error is Mismatch || error is CannotResume { try sink.remove() } else { sink.abandon() }
            throw error
        }
    }

    private func request(_ url: HTTPURL, isFresh: Bool, partial: Journal.Partial?, offset: Int64) -> HTTPRequest {
        var fields: HTTPFields = [
            .acceptEncoding: item.contentEncoding == nil ? "identity" : StoredFields.acceptEncoding, .priority: "u=7",
        ]
        if isFresh { fields[.cacheControl] = "no-cache" }
        if let partial {
            fields[.range] = "bytes=\(offset)-"
            fields[.ifRange] = partial.validator
        }
        return HTTPRequest(url: url, fields: fields)
    }

    /// Does something with exchanges, and counts what they carried once their bodies have been let go of, whatever ended them.
    private func counted(_ body: (Exchanges) async throws -> Arrival) async throws -> Arrival {
        let exchanges = Exchanges()
        let result: Result<Arrival, any Error>
        do { result = .success(try await body(exchanges)) } catch { result = .failure(error) }
        for exchange in exchanges.all {
            // In a task that is not cancelled: what was broken off counts as well.
            let metrics = await Task { await exchange.metrics() }.value
            exchange.meter.settle(metrics)
            onWire(exchange.url, metrics)
        }
        return try result.get()
    }

    private func receive(
        _ request: HTTPRequest, _ partial: Journal.Partial?, into sink: BodySink, _ exchanges: Exchanges
    ) async throws -> Arrival {
        let requestTime = surroundings.timekeeper.now
        let (answer, meter) = try await exchange(request, exchanges)
        let responseTime = surroundings.timekeeper.now
        try prepare(sink, for: answer, request)
        // What a decoded body took on the wire is known at its end only.
        try await pump(answer.body, into: sink, answer.decodedFrom == nil ? meter : nil)
        let (body, digest) = try sink.finish()
        guard sink.byteCount == item.byteCount, digest == item.sha256 else {
            body.discard()
            throw mismatch(byteCount: sink.byteCount, digest: digest)
        }
        let whole = answer.response.status == 206 ? StoredFields.completed(answer.response, partial) : answer.response
        let response = StoredFields.response(whole, byteCount: item.byteCount)
        let draft = EntryDraft(
            url: request.url, requestFields: StoredFields.selecting(request.fields, for: response), response: response,
            requestTime: requestTime, responseTime: responseTime)
        return Arrival(draft: draft, body: body) { try sink.remove() }
    }

    private func mismatch(byteCount: Int64, digest: SHA256Digest) -> Mismatch {
        byteCount == item.byteCount
            ? Mismatch(reason: "the body's hash is \(digest), not \(item.sha256) as in the manifest")
            : Mismatch(reason: "the body has \(byteCount) bytes, not \(item.byteCount) as in the manifest")
    }

    /// Sends the request and follows redirects, as the app's own request would.
    private func exchange(
        _ request: HTTPRequest, _ exchanges: Exchanges
    ) async throws -> (TransportResponse, ExchangeMeter) {
        var hop = request
        for _ in 0...Self.redirectCountMax {
            var transportRequest = TransportRequest(hop)
            transportRequest.originalRequest = request
            transportRequest.receiveBytesPerSecondMax = surroundings.limiter.bytesPerSecondMax
            transportRequest.idleTimeout = .seconds(120)
            let meter = surroundings.usage.begin()
            let answer = try await surroundings.transport.send(transportRequest)
            onReach()
            exchanges.append(Exchanges.One(url: hop.url, meter: meter, metrics: answer.metrics))
            guard [301, 302, 303, 307, 308].contains(answer.response.status),
                let location = answer.response.fields[.location]
            else { return (answer, meter) }
            guard let next = hop.url.resolving(location), next.isSecure || !hop.url.isSecure else {
                throw DownloadFailure("the redirect to \(location.bareURL) cannot be followed", isTransient: false)
            }
            hop.url = next
        }
        throw DownloadFailure("more than \(Self.redirectCountMax) redirects", isTransient: false)
    }

    /// Makes the sink ready for what the response carries.
    private func prepare(_ sink: BodySink, for answer: TransportResponse, _ request: HTTPRequest) throws {
        let response = answer.response
        switch response.status {
        case 200:
            let isPlain = answer.decodedFrom == nil && response.fields[.contentEncoding] == nil
            let validator = isPlain ? Validator.strong(of: response, now: surroundings.timekeeper.now) : nil
            try sink.restart(validator.map { Journal.Partial(validator: $0, fields: response.fields) })
        case 206:
            guard request.fields.contains(.range), answer.decodedFrom == nil,
                let range = response.fields[.contentRange].flatMap({ ContentRange($0) }),
                range.first == sink.byteCount, range.byteCount == nil || range.byteCount == item.byteCount
            else { throw CannotResume() }
        case 416:
            throw request.fields.contains(.range) ? CannotResume() : rejection(response)
        default:
            throw rejection(response)
        }
    }

    private func rejection(_ response: HTTPResponse) -> any Error {
        DownloadFailure(
            "the origin answered with status \(response.status)",
            isTransient: RetryPolicy.isTransient(status: response.status),
            retryAfter: RetryPolicy.retryAfter(response, now: surroundings.timekeeper.now))
    }

    private func pump(_ body: ByteStream, into sink: BodySink, _ meter: ExchangeMeter?) async throws {
        onProgress(sink.byteCount)
        for try await chunk in body {
            meter?.note(chunk.count)
            guard sink.byteCount + Int64(chunk.count) <= item.byteCount else {
                throw Mismatch(reason: "the body has more than the \(item.byteCount) bytes of the manifest")
            }
            try sink.append(chunk)
            onProgress(sink.byteCount)
            guard sink.byteCount == item.byteCount || isWanted() else { throw Unwanted() }
            try await surroundings.limiter.admit(chunk.count)
            try await yieldToApp()
        }
    }

    /// Waits while requests of the app are in flight, though not for ever.
    private func yieldToApp() async throws {
        guard surroundings.activity.isBusy else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await surroundings.activity.idle() }
            group.addTask {
                // Cancelled as soon as the app is idle, which is the usual way for it to end.
                try? await surroundings.timekeeper.sleep(for: Self.pauseMax)
            }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }
}

import Acceleration
import ContentStore
import HTTPModel
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Requests and their answers.
extension ClientConnection {
    /// Begins to answer a request.
    func begin(_ head: RequestHead) {
        let isLogged = loop.configuration.onAccess != nil
        var exchange = ClientExchange(
            head.line, keepsAlive: head.keepsAlive && !loop.isStopping, started: loop.now,
            date: isLogged ? loop.timekeeper.now : nil, sentBefore: sentByteCount, wasHalfClosed: hasEnded)
        exchange.expectsContinue =
            !head.line.isHTTP10 && head.body != nil && head.fields["Expect"]?.lowercased() == "100-continue"
        self.exchange = exchange
        phase = .exchange
        do throws(ProxyFailure) {
            switch try loop.translator.translate(head) {
            case .exchange(let request): handle(request, body: head.body)
            case .tunnel(let host, let port): dial(host, port, first: nil)
            case .upgrade(let host, let port, let first): dial(host, port, first: first)
            case .answer(let response, let body):
                // A body that nobody reads cannot be told apart from the next request.
                if head.body != nil { self.exchange?.keepsAlive = false }
                answer(response, body: body)
            }
        } catch {
            refuse(error)
        }
    }

    private func handle(_ request: HTTPRequest, body: RequestHead.Body?) {
        if body == nil, request.method == .get || request.method == .head,
            let answer = loop.handler.sendFromStore(request, options: loop.options)
        {
            serve(answer, request)
        } else {
            forward(request, body: body)
        }
    }

    // MARK: - From the store

    /// Answers at once what the store has.
    private func serve(_ answer: AcceleratedResponse, _ request: HTTPRequest) {
        guard let line = exchange?.line else { return }
        let stored = answer.storedBody
        let framing = ResponseFraming(
            of: answer.response, to: line.method, isHTTP10: line.isHTTP10, storedByteCount: stored?.byteCount)
        guard stored != nil || framing == .none else {
            let forwarding = makeForwarding()
            exchange?.forwarding = forwarding
            return forwarding.start(answer)
        }
        loop.scratch.removeAll()
        writeHead(answer.response, framing, into: &loop.scratch)
        guard framing != .none, let stored else {
            sendScratch()
            return finishExchange()
        }
        if stored.byteCount <= Self.inlineByteCountMax {
            guard append(stored) else { return forward(request, body: nil) }
            sendScratch()
            finishExchange()
        } else {
            tail = Tail(body: stored, rest: 0..<stored.byteCount)
            sendScratch(more: true)
            if flush() { finishExchange() }
        }
    }

    /// Appends a stored body to the scratch buffer; `false` when the disk fails.
    private func append(_ stored: StoredBody) -> Bool {
        let byteCount = Int(stored.byteCount)
        let room = UnsafeMutableRawBufferPointer(rebasing: loop.scratch.room(byteCount)[..<byteCount])
        do throws(StoreError) {
            try stored.read(at: 0, into: room)
        } catch {
            return false
        }
        loop.scratch.commit(byteCount)
        return true
    }

    // MARK: - From the network

    private func makeForwarding() -> Forwarding {
        Forwarding(windowByteCount: loop.configuration.windowByteCount, mailbox: loop.mailbox, token: token)
    }

    private func forward(_ request: HTTPRequest, body: RequestHead.Body?) {
        let forwarding = makeForwarding()
        exchange?.forwarding = forwarding
        var requestBody: RequestBody?
        if let body {
            let upload = Upload(
                windowByteCount: loop.configuration.windowByteCount, mailbox: loop.mailbox, token: token)
            exchange?.upload = upload
            let byteCount: Int64? = if case .length(let byteCount) = body { byteCount } else { nil }
            requestBody = .stream(ByteStream(upload), byteCount: byteCount)
        }
        forwarding.start(request, requestBody, loop.options, loop.handler)
    }

    /// Moves the request's body on, and writes what the engine has brought.
    /// - Returns: whether to go on.
    func moveExchange(isFlushed: Bool) -> Bool {
        guard moveUpload() else { return true }
        if let exchange, exchange.upload == nil, hasEnded, !exchange.wasHalfClosed, !(isFlushed && exchange.hasAll) {
            // The client has gone: nobody waits for the answer.
            abort()
            return false
        }
        guard isFlushed, let forwarding = exchange?.forwarding else {
            guard isFlushed, exchange?.forwarding == nil else { return false }
            finishExchange()
            return true
        }
        if let taken = exchange?.takenByteCount, taken > 0 {
            exchange?.takenByteCount = 0
            forwarding.release(taken)
        }
        if exchange?.hasAll == true {
            forwarding.letGo()
            exchange?.forwarding = nil
            finishExchange()
            return true
        }
        let items = forwarding.take()
        for item in items {
            write(item)
            guard case .exchange = phase, exchange != nil else { return true }
        }
        return !items.isEmpty
    }

    private func write(_ item: Forwarding.Item) {
        switch item {
        case .interim(let response):
            // To HTTP/1.0 none goes, and `100` has been answered here (RFC 9110, section 15.2).
            guard exchange?.line.isHTTP10 == false, response.status != 100 else { return }
            ResponseHeadWriter.write(interim: response, into: &output)
        case .head(let response, let stored): writeHead(response, stored)
        case .bytes(let bytes): write(bytes)
        case .end(let trailers): writeEnd(trailers)
        case .failed(let failure): fail(failure)
        }
    }

    private func writeHead(_ response: HTTPResponse, _ stored: StoredBody?) {
        guard let line = exchange?.line else { return }
        let framing = ResponseFraming(
            of: response, to: line.method, isHTTP10: line.isHTTP10, storedByteCount: stored?.byteCount)
        if framing == .close { exchange?.keepsAlive = false }
        writeHead(response, framing, into: &output)
        if let stored, case .length = framing {
            tail = Tail(body: stored, rest: 0..<stored.byteCount)
            exchange?.missingByteCount = 0
        }
    }

    private func writeHead(_ response: HTTPResponse, _ framing: ResponseFraming, into buffer: inout ByteBuffer) {
        guard let exchange else { return }
        loop.headWriter.write(
            response, framing: framing, keepsAlive: exchange.keepsAlive, isHTTP10: exchange.line.isHTTP10,
            now: { self.loop.timekeeper.now }, into: &buffer)
        self.exchange?.hasHead = true
        self.exchange?.framing = framing
        if case .length(let byteCount) = framing { self.exchange?.missingByteCount = byteCount }
        guard exchange.date != nil else { return }
        self.exchange?.status = response.status
        self.exchange?.cacheStatus = response.fields.last { $0.name == .cacheStatus }?.value ?? ""
    }

    private func write(_ bytes: Data) {
        guard let framing = exchange?.framing, !bytes.isEmpty else { return }
        exchange?.takenByteCount += bytes.count
        switch framing {
        case .none: break
        case .length:
            exchange?.missingByteCount -= Int64(bytes.count)
            // More than was declared would be taken for the next answer.
            guard let missing = exchange?.missingByteCount, missing >= 0 else { return cutShort() }
            bytes.withUnsafeBytes { output.append($0) }
        case .chunked:
            output.append(String(bytes.count, radix: 16))
            output.append("\r\n")
            bytes.withUnsafeBytes { output.append($0) }
            output.append("\r\n")
        case .close: bytes.withUnsafeBytes { output.append($0) }
        }
    }

    private func writeEnd(_ trailers: HTTPFields) {
        guard let exchange else { return }
        if case .length = exchange.framing, exchange.missingByteCount > 0 { return cutShort() }
        if exchange.framing == .chunked {
            output.append("0\r\n")
            for trailer in trailers where !HopFields.isForThisHop(trailer.name) {
                ResponseHeadWriter.write(trailer, into: &output)
            }
            output.append("\r\n")
        }
        self.exchange?.forwarding = nil
    }

    /// The engine has no answer, or no rest of one.
    private func fail(_ failure: ProxyFailure?) {
        guard let exchange else { return }
        if exchange.hasHead {
            // What has come goes out as far as the socket takes it.
            _ = flush()
            return cutShort()
        }
        guard let failure else { return abort() }
        self.exchange?.forwarding = nil
        if exchange.upload != nil { return refuse(failure) }
        answer(failure)
    }

    // MARK: - The request's body

    /// Passes on what the client has sent of the body.
    /// - Returns: `false` when that has ended the exchange.
    private func moveUpload() -> Bool {
        guard let upload = exchange?.upload else { return true }
        if exchange?.expectsContinue == true, upload.isWanted || !input.isEmpty, exchange?.hasHead == false {
            exchange?.expectsContinue = false
            if input.isEmpty { output.append("HTTP/1.1 100 Continue\r\n\r\n") }
            _ = flush()
        }
        while upload.hasRoom {
            if input.isEmpty, !fill(room: 64 << 10) {
                if isClosed { return false }
                guard hasEnded, !mayRead else { return true }
                // The body will never be whole.
                upload.finish(TransportError(.requestBodyFailed, "the client went away within the request's body"))
                abort()
                return false
            }
            do throws(ProxyFailure) {
                let (content, byteCount) = try reader.body(in: input.bytes)
                input.drop(byteCount)
                upload.push(content)
            } catch {
                upload.finish(TransportError(.requestBodyFailed, error.sentence))
                exchange?.forwarding?.cancel()
                exchange?.forwarding = nil
                if exchange?.hasHead == true { cutShort() } else { refuse(error) }
                return false
            }
            if reader.isComplete {
                upload.finish()
                exchange?.upload = nil
                return true
            }
        }
        return true
    }

    /// Whether the exchange cannot go on without the client.
    var waitsForClient: Bool {
        if !output.isEmpty || tail != nil { return true }
        guard let upload = exchange?.upload else { return false }
        return upload.isWanted && upload.hasRoom
    }

    // MARK: - Answers of the proxy's own

    func answer(_ failure: ProxyFailure) {
        let isRead = exchange.map { $0.line.method == .get || $0.line.method == .head } ?? true
        let reason: CacheStatus.ForwardReason = loop.configuration.bypassesCache ? .bypass : isRead ? .miss : .method
        let (response, body) = failure.response(name: loop.configuration.name, reason: reason)
        answer(response, body: body)
    }

    func answer(_ response: HTTPResponse, body: String) {
        let line = exchange?.line
        let framing = ResponseFraming(
            of: response, to: line?.method ?? .get, isHTTP10: line?.isHTTP10 ?? false,
            storedByteCount: Int64(body.utf8.count))
        let keepsAlive = exchange?.keepsAlive ?? false
        loop.headWriter.write(
            response, framing: framing, keepsAlive: keepsAlive, isHTTP10: line?.isHTTP10 ?? false,
            now: { self.loop.timekeeper.now }, into: &output)
        if framing != .none { output.append(body) }
        exchange?.hasHead = true
        exchange?.status = response.status
        exchange?.cacheStatus = response.fields[.cacheStatus] ?? ""
    }

    // MARK: - The end

    /// The answer is with the kernel, or on its way there.
    func finishExchange() {
        guard let exchange else { return }
        if isClosed { return }
        end(exchange, isComplete: true)
        self.exchange = nil
        input.shrink(to: Self.idleByteCount)
        output.shrink(to: Self.idleByteCount)
        // A request whose body nobody wanted to the end leaves its rest on the connection.
        phase = exchange.keepsAlive && exchange.upload == nil ? .head : .closing
    }

    /// Lets go of what an exchange holds, and tells of it.
    func end(_ exchange: ClientExchange, isComplete: Bool) {
        exchange.forwarding?.cancel()
        exchange.upload?.finish(TransportError(.requestBodyFailed, "the exchange is over"))
        guard let onAccess = loop.configuration.onAccess, let date = exchange.date else { return }
        onAccess(
            LocalProxy.AccessRecord(
                date: date, client: client.host, method: exchange.line.method.rawValue,
                target: exchange.line.targetWithoutUserInformation, status: exchange.status,
                sentByteCount: sentByteCount - exchange.sentBefore, duration: loop.timekeeper.uptime - exchange.started,
                cacheStatus: exchange.cacheStatus, isComplete: isComplete))
    }
}

import Glibc
import HTTPModel

/// Requests that make a tunnel of the connection.
extension ClientConnection {
    /// Begins to connect to a host.
    /// - Parameter first: the head that the host gets before what the client sends; `nil` for CONNECT, which the proxy answers.
    func dial(_ host: String, _ port: UInt16, first: String?) {
        guard loop.dialCount < loop.configuration.dialsMax else {
            return refuse(ProxyFailure(status: 503, sentence: "too many connections are being made at this moment"))
        }
        let dial = Dial(
            host: host, port: port, timeout: loop.configuration.connectTimeout, timekeeper: loop.timekeeper)
        firstThroughTunnel = first
        phase = .dialing(dial)
        loop.dialCount += 1
        let (mailbox, token, counter) = (loop.mailbox, token, loop.dialToken)
        let hasStarted = dial.start {
            mailbox.put(counter)
            mailbox.put(token)
        }
        guard !hasStarted else { return }
        loop.dialCount -= 1
        refuse(ProxyFailure(status: 503, sentence: "the system has no thread left"))
    }

    /// The connection stands, or it cannot be made.
    func finish(_ dial: Dial) {
        guard let result = dial.result else { return }
        switch result {
        case .failure(let failure):
            phase = .exchange
            refuse(failure)
            run()
        case .success(let far):
            let first = firstThroughTunnel
            if first == nil {
                output.append("HTTP/1.1 200 Connection established\r\nVia: \(loop.headWriter.viaValue)\r\n\r\n")
            }
            exchange?.status = first == nil ? 200 : 101
            guard flush() else {
                Glibc.close(far)
                return abort()
            }
            open(far, first: first)
        }
    }

    private func open(_ far: Int32, first: String?) {
        var ahead = ByteBuffer(capacity: input.count + (first?.utf8.count ?? 0))
        if let first { ahead.append(first) }
        ahead.append(input.bytes)
        input.removeAll()
        guard let tunnel = loop.watch(far, { Tunnel(self, far: far, token: $0, first: ahead.bytes) }) else {
            Glibc.close(far)
            return abort()
        }
        phase = .tunnel(tunnel)
        tunnel.run()
    }

    /// A client that goes away while its tunnel is being made.
    func watchDialing() {
        if hasEnded { abort() }
    }
}

import Foundation
import HTTPCaching
import HTTPModel
import LocalProxy
import TestSupport
import Testing

/// The local proxy as a front, by HTTP/1.1 over a socket.
struct ProxyFront: CachingFront {
    private let origin = CaseOrigin()
    private let world: CachingWorld
    private let proxy: LocalProxy
    private let port: UInt16

    init(_ policy: CachingPolicy) throws {
        world = try CachingWorld(origin, policy: policy)
        proxy = LocalProxy(handler: world.accelerator)
        port = try proxy.start()
    }

    func close() async { await proxy.stop() }

    func send(_ request: HTTPRequest, _ exchange: CachingExchange, position: Int) async throws -> (
        answer: CachingAnswer?, seen: [HTTPRequest]
    ) {
        world.begin(exchange)
        origin.begin(exchange, position: position)
        let answer = try await answer(to: request)
        await world.waitForExchanges(position + 1)
        try await world.end(answer, url: request.url)
        return (answer, origin.requests)
    }

    func pin() throws { try world.pin() }

    private func answer(to request: HTTPRequest) async throws -> CachingAnswer? {
        let client = try RawClient(port: Int(port))
        defer { client.close() }
        var head = "\(request.method) \(request.url) HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n"
        for field in request.fields { head += "\(field.name): \(field.value)\r\n" }
        if !request.method.isSafe { head += "Content-Length: 0\r\n" }
        try await client.send(head + "\r\n")
        // A response that breaks off is a failure for the caller, as one that does not come.
        guard let response = try? await client.response(toHead: request.method == .head) else { return nil }
        var fields = HTTPFields()
        for (name, value) in response.fields { if let name = HTTPFieldName(name) { fields.append(name, value) } }
        // That the connection ends is between this client and the proxy.
        if fields[.connection] == "close" { fields[.connection] = nil }
        let answer = CachingAnswer(HTTPResponse(status: response.status, fields: fields), response.text)
        let isBodyless = request.method == .head || [204, 304].contains(response.status)
        let promised = isBodyless ? nil : fields[.contentLength].flatMap { Int($0) }
        let isBroken = promised.map { $0 != response.body.count } ?? false
        return isBroken || isFailure(answer) ? nil : answer
    }

    /// Whether the proxy itself says that the origin gave nothing.
    private func isFailure(_ answer: CachingAnswer) -> Bool {
        [502, 504].contains(answer.response.status) && answer.cacheStatus?.isHit != true
            && answer.cacheStatus?.forwardStatus == nil && answer.cacheStatus?.detail != "only-if-cached"
    }
}

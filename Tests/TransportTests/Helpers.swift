import Foundation
import HTTPModel
import Primitives
import TestSupport
import Transport

/// Caddy with pages for every kind of question; one for the whole test process.
enum Site {
    static let caddy: Result<CaddyServer, any Error> = Result {
        try CaddyServer(
            site: """
                    encode /coded* zstd gzip
                    header /coded* Content-Type text/plain
                    respond /coded* "{path} {path} {path} {path} {path} {path} \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789 \\
                        0123456789012345678901234567890123456789012345678901234567890123456789"
                    header /hsts Strict-Transport-Security max-age=31536000
                    respond /hsts "{http.request.scheme}"
                    redir /moved /hello 302
                    respond /hello "hello over {http.request.proto}"
                    respond /echo "{http.request.method} {http.request.body}"
                    respond /swallow "{http.request.header.Content-Length}"
                    respond /connection "{http.request.remote.port}"
                    file_server
                """)
    }
}

extension CaddyServer {
    /// The one with ``Site``'s pages.
    static var site: CaddyServer {
        get throws { try Site.caddy.get() }
    }
}

/// A transport that trusts a Caddy.
func transport(
    trusting caddy: CaddyServer, _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
) -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    configuration.trust.authorityFile = caddy.authorityFile
    change(&configuration)
    return CurlTransport(configuration: configuration)
}

func request(
    _ text: String, method: HTTPMethod = .get, fields: HTTPFields = [:], body: RequestBody? = nil,
    version: TransportRequest.Version = .automatic
) -> TransportRequest {
    var request = TransportRequest(
        HTTPRequest(method: method, url: HTTPURL(text)!, fields: fields), body: body)
    request.version = version
    return request
}

extension TransportResponse {
    /// The whole body as text.
    func text() async throws -> String { String(decoding: try await body.collect(), as: UTF8.self) }
}

extension CurlTransport {
    /// Sends and reads to the end.
    func text(_ request: TransportRequest) async throws -> String { try await send(request).text() }
}

/// The code of the error that a closure throws; `nil` when it throws none of the kind.
func code(of body: () async throws -> Void) async -> TransportError.Code? {
    do {
        try await body()
        return nil
    } catch { return (error as? TransportError)?.code }
}

/// A body of so many bytes, produced chunk by chunk as it is read.
final class GeneratedSource: ByteSource {
    private let remaining: Locked<Int>
    private let chunkSize: Int
    let isCancelled = Locked(false)
    init(byteCount: Int, chunkSize: Int = 64 << 10) {
        remaining = Locked(byteCount)
        self.chunkSize = chunkSize
    }
    func next() async throws -> Data? {
        let count = remaining.withLock { remaining in
            let count = min(remaining, chunkSize)
            remaining -= count
            return count
        }
        return count == 0 ? nil : Data(repeating: 7, count: count)
    }
    func cancel() { isCancelled.withLock { $0 = true } }
}

/// Peak resident memory of this process in KiB (Linux); 0 elsewhere.
func residentKilobytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

/// Waits until a condition holds, giving other tasks the processor meanwhile; for states that no event announces.
func eventually(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if await condition() { return true }
        await Task.yield()
    }
    return false
}

import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("Content codings")
    struct CodingTests {
        static let text = "hello, coded world. hello, coded world. hello, coded world."
        static let coded = [
            "gzip": "H4sICHUKAWsAA2IudHh0AMtIzcnJ11FIzk9JTVEozy/KSdFTyCBODACaLLIiOwAAAA==",
            "br": "odABwG+kdPOm9VgZ2psgy0FWcSZHuOgmOY3dPkMA",
            "zstd": "KLUv/SQ71QAAoGhlbGxvLCBjb2RlZCB3b3JsZC4gAQBcOZlB+f7Y",
        ]

        /// A server that answers in one coding, and tells in a field what it was asked for.
        static func server(_ coding: String, status: Int = 200) throws -> RawServer {
            let body = Data(base64Encoded: coded[coding] ?? "") ?? Data()
            return try RawServer { connection in
                while let head = try connection.readHead() {
                    let asked = head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("accept-encoding:") }
                    let value = asked.map { $0.dropFirst("accept-encoding:".count) }.joined(separator: "|")
                    try connection.write(
                        """
                        HTTP/1.1 \(status) OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\
                        X-Asked: \(value)\r\nETag: "e"\r\n\r\n
                        """)
                    if status != 304 && !head.hasPrefix("HEAD") { try connection.write(body) }
                }
            }
        }

        @Test("decodes gzip, br and zstd and says so", arguments: ["gzip", "br", "zstd"])
        func decoded(coding: String) async throws {
            let server = try Self.server(coding)
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin))
            #expect(response.decodedFrom == coding)
            #expect(response.response.fields["X-Asked"] == "gzip, br, zstd")
            #expect(response.response.fields[.contentEncoding] == nil)
            #expect(response.response.fields[.contentLength] == nil)
            #expect(response.response.fields[.eTag] == "\"e\"")
            #expect(try await response.text() == Self.text)
            let count = Int64(Data(base64Encoded: Self.coded[coding]!)!.count)
            let received = await response.metrics().receivedByteCount
            #expect(received > count && received < count + 200)
        }

        @Test("hands over the coded bytes when it is not to decode", arguments: ["gzip", "br", "zstd"])
        func raw(coding: String) async throws {
            let server = try Self.server(coding)
            let transport = CurlTransport()
            var asked = request(server.origin, fields: ["Accept-Encoding": "x, \(coding)"])
            asked.decodesContent = false
            let response = try await transport.send(asked)
            #expect(response.decodedFrom == nil)
            #expect(response.response.fields[.contentEncoding] == coding)
            #expect(response.response.fields["X-Asked"] == "x, \(coding)")
            #expect(try await response.body.collect() == Data(base64Encoded: Self.coded[coding]!))
            asked.request.fields = [:]
            #expect(try await transport.send(asked).response.fields["X-Asked"] == "")
        }

        @Test("asks for exactly what the request says and still decodes")
        func ownAcceptEncoding() async throws {
            let server = try Self.server("br")
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin, fields: ["accept-encoding": "br;q=1"]))
            #expect(response.response.fields["X-Asked"] == "br;q=1")
            #expect(try await response.text() == Self.text)
        }

        @Test("asks for no coding of a range, which could not be decoded")
        func range() async throws {
            let server = try Self.server("identity")
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin, fields: ["Range": "bytes=0-1"]))
            #expect(response.response.fields["X-Asked"] == "identity")
            #expect(response.response.fields[.contentEncoding] == "identity")
        }

        @Test("takes the same fields off responses that have no body")
        func bodiless() async throws {
            let transport = CurlTransport()
            let head = try Self.server("gzip")
            let response = try await transport.send(request(head.origin, method: .head))
            #expect(response.response.fields[.contentLength] == nil && response.decodedFrom == nil)
            let notModified = try Self.server("gzip", status: 304)
            let validation = try await transport.send(request(notModified.origin))
            #expect(validation.response.fields[.contentEncoding] == nil && validation.decodedFrom == nil)
            #expect(try await validation.body.collect().isEmpty)
        }

        @Test("decodes over every version of HTTP", arguments: TransportRequest.Version.allCases)
        func versions(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let transport = transport(trusting: caddy)
            let response = try await transport.send(request(caddy.secureOrigin + "/coded/\(version)", version: version))
            #expect(["gzip", "zstd"].contains(response.decodedFrom))
            #expect(try await response.text().hasPrefix("/coded/\(version) /coded/"))
        }
    }
}

import Acceleration
import Foundation
import HTTPModel
import Primitives
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Translating Foundation's messages")
struct FoundationBridgeTests {
    private func request(_ url: String = "http://example.com/a") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    @Test("method, URL, fields and time limit are taken over")
    func translates() throws {
        var request = try request("HTTP://Example.com:80/a?q=1#top")
        request.httpMethod = "DELETE"
        request.setValue("b", forHTTPHeaderField: "X-A")
        request.setValue("other.example", forHTTPHeaderField: "Host")
        request.timeoutInterval = 7.5
        let translated = try FoundationBridge.translate(request)
        #expect(translated.request.method == .delete)
        #expect(translated.request.url.string == "http://example.com/a?q=1")
        #expect(Array(translated.request.fields) == [.init("X-A", "b")])
        #expect(translated.options.idleTimeout == .milliseconds(7_500))
        #expect(translated.body == nil)
    }

    @Test("time limits that are no numbers leave the default", arguments: [0, -1, .nan, .infinity])
    func oddTimeout(seconds: TimeInterval) throws {
        var request = try request()
        request.timeoutInterval = seconds
        #expect(try FoundationBridge.translate(request).options.idleTimeout == RequestOptions().idleTimeout)
    }

    @Test(
        "cache policies become request directives",
        arguments: [
            (URLRequest.CachePolicy.useProtocolCachePolicy, []),
            (.reloadIgnoringLocalCacheData, ["no-cache"]),
            (.reloadIgnoringLocalAndRemoteCacheData, ["no-cache"]),
            (.reloadRevalidatingCacheData, ["max-age=0"]),
            (.returnCacheDataElseLoad, ["max-stale"]),
            (.returnCacheDataDontLoad, ["only-if-cached", "max-stale"]),
        ])
    func cachePolicies(policy: URLRequest.CachePolicy, directives: [String]) throws {
        var request = try request()
        request.cachePolicy = policy
        #expect(try FoundationBridge.translate(request).request.fields.values(of: .cacheControl) == directives)
    }

    @Test("user information in the URL becomes a credential, unless there is one")
    func userInformation() throws {
        let translated = try FoundationBridge.translate(request("http://me:p%20w@example.com/a"))
        #expect(translated.request.url.string == "http://example.com/a")
        #expect(translated.request.fields[.authorization] == "Basic " + Data("me:p w".utf8).base64EncodedString())
        var own = try request("http://me:pw@example.com/a")
        own.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        #expect(try FoundationBridge.translate(own).request.fields[.authorization] == "Bearer x")
    }

    @Test("what is no http or https URL is refused with a URLError", arguments: ["file:///etc/passwd", "data:,x"])
    func refuses(url: String) throws {
        let request = try request(url)
        let error = #expect(throws: URLError.self) { try FoundationBridge.translate(request) }
        #expect(error?.code == .unsupportedURL)
    }

    @Test("a body stream is read to its end, in chunks")
    func bodyStream() async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        var request = try request()
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: bytes)
        request.setValue("200000", forHTTPHeaderField: "Content-Length")
        let translated = try FoundationBridge.translate(request)
        #expect(translated.request.fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(!translated.request.fields.contains(.contentLength))
        guard case .stream(let stream, let byteCount) = translated.body else {
            Issue.record("the body is no stream")
            return
        }
        #expect(byteCount == 200_000)
        #expect(try await stream.collect() == bytes)
    }

    @Test("a body stream that cannot be opened fails the body of the request")
    func brokenBodyStream() async throws {
        let stream = try #require(InputStream(fileAtPath: "/nowhere/at/all"))
        let error = await #expect(throws: TransportError.self) {
            try await ByteStream(InputStreamSource(stream)).collect()
        }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test("lines of the same name are joined in Foundation's response")
    func response() throws {
        let fields = HTTPFields([
            .init("Content-Type", "text/plain"), .init("X-A", "1"), .init("x-a", "2"), .init("Content-Length", "3"),
        ])
        let url = try #require(HTTPURL("http://example.com/a"))
        let made = try FoundationBridge.response(HTTPResponse(status: 203, fields: fields), url: url)
        #expect(made.statusCode == 203)
        #expect(made.url?.absoluteString == "http://example.com/a")
        #expect(made.value(forHTTPHeaderField: "X-A") == "1, 2")
        #expect(made.mimeType == "text/plain")
        #expect(made.expectedContentLength == 3)
    }

    @Test(
        "every failure of the transport has its URLError, with the failure beneath",
        arguments: TransportError.Code.allCases)
    func errors(code: TransportError.Code) throws {
        let url = URL(string: "http://example.com/a")
        let failure = TransportError(code, "it failed")
        let error = FoundationBridge.urlError(for: failure, url: url)
        #expect(error.code != .badURL)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? TransportError)?.code == code)
        #expect(error.failingURL == url)
        #expect((error.code == .unknown) == (code == .other))
        #expect(FoundationBridge.urlError(for: CancellationError(), url: url).code == .cancelled)
    }
}

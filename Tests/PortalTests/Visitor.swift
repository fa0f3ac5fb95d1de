import ControlModel
import ControlPlane
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

/// A signed-in client: cookies kept by hand, redirects not followed.
final class Visitor: Sendable {
    private let transport = CurlTransport()
    let portal: SeededPortal
    let cookie: String?

    init(_ portal: SeededPortal, signedIn: Bool) async throws {
        self.portal = portal
        var cookie: String?
        if signedIn {
            let (token, _) = try await portal.controlPlane.signIn(name: "ada", password: SeededPortal.password)
            cookie = "larder_session=\(token)"
        }
        self.cookie = cookie
    }

    struct Page {
        var status: Int
        var fields: HTTPFields
        var text: String

        /// The fields of a form as a browser would send them, without its token.
        func fields(ofFormTo path: String) throws -> [String: String] {
            let opening = "<form method=\"post\" action=\"\(path)\">"
            let start = try #require(text.range(of: opening)).upperBound
            let form = text[start...].prefix(upTo: try #require(text[start...].range(of: "</form>")).lowerBound)
            var fields: [String: String] = [:]
            for input in form.matches(of: /<input ([^>]*)>/) {
                let attributes = String(input.output.1)
                guard let name = attributes.firstMatch(of: /name="([^"]*)"/)?.output.1, name != "form_token",
                    !attributes.contains("type=\"checkbox\"") || attributes.hasSuffix(" checked")
                else { continue }
                fields[String(name)] = attributes.firstMatch(of: /value="([^"]*)"/).map { String($0.output.1) } ?? ""
            }
            for select in form.matches(of: /<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/) {
                let chosen = select.output.2.firstMatch(of: /value="([^"]*)" selected/)
                let first = select.output.2.firstMatch(of: /value="([^"]*)"/)
                fields[String(select.output.1)] = (chosen ?? first).map { String($0.output.1) } ?? ""
            }
            for area in form.matches(of: /<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)<\/textarea>/) {
                fields[String(area.output.1)] = String(area.output.2)
            }
            return fields
        }
    }

    func get(_ path: String) async throws -> Page { try await send(.get, path, nil) }

    /// Sends a form with the session's token, unless told another.
    func post(_ path: String, _ form: [String: String] = [:], formToken: String? = nil) async throws -> Page {
        var form = form
        let token = cookie.map { String($0.dropFirst("larder_session=".count)) } ?? ""
        let own = try await portal.controlPlane.session(token: token)?.formToken
        form["form_token"] = formToken ?? own ?? ""
        let allowed = CharacterSet.alphanumerics
        let body = form.map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: allowed)!)" }
        return try await send(.post, path, body.joined(separator: "&"))
    }

    private func send(_ method: HTTPMethod, _ path: String, _ body: String?) async throws -> Page {
        let url = try #require(HTTPURL(portal.base + path))
        var request = HTTPRequest(method: method, url: url)
        if let cookie { request.fields[.cookie] = cookie }
        if body != nil { request.fields[.contentType] = "application/x-www-form-urlencoded" }
        let response = try await transport.send(TransportRequest(request, body: body.map { .data(Data($0.utf8)) }))
        let text = String(decoding: try await response.body.collect(), as: UTF8.self)
        return Page(status: response.response.status, fields: response.response.fields, text: text)
    }

    deinit { transport.shutDown() }
}

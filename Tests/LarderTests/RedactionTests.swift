import Larder
import TestSupport
import Testing

@Suite("Redaction")
struct RedactionTests {
    @Test(
        "takes out what may be a secret, and nothing else",
        arguments: [
            ("https://user:pass@example.com/a?b=c#d", "https://…@example.com/a?…"),
            ("https://example.com:8443/a#top, and more", "https://example.com:8443/a#… and more"),
            ("http://[::1]:80/x is down", "http://[::1]:80/x is down"),
            ("tried http://example.com, again", "tried http://example.com, again"),
            ("http://u:p/w@example.com/a", "http://…"),
            ("http://u:p w@example.com/a b", "http://… b"),
            ("\"http://a.example/?q=1\" and 'b'", "\"http://a.example/?…\" and 'b'"),
            ("GET /a?token=x HTTP/1.1", "GET /a?… HTTP/1.1"),
            ("next?code=1 is relative", "next?… is relative"),
            ("is it there? yes?", "is it there? yes?"),
            ("Authorization: Bearer abc.def\nHost: x", "Authorization: …\nHost: x"),
            ("Set-Cookie: a=b; Path=/", "Set-Cookie: …"),
            ("fields: [(\"Cookie\", \"a=b\"), (\"x\", \"y\")]", "fields: [(\"Cookie\", \"…"),
            ("Proxy-Authorization=Basic dXNlcg==", "Proxy-Authorization=…"),
            ("sent bearer abc, refused", "sent bearer … refused"),
            ("{\"apiKey\": \"k1\", \"name\": \"n\"}", "{\"apiKey\": \"…\", \"name\": \"n\"}"),
            ("api_key=k1&x=2", "api_key=…&x=2"), ("X-Device-Token: t1 (old)", "X-Device-Token: … (old)"),
            ("license: 5", "license: …"), ("the license is missing", "the license is missing"),
            ("the token and the cookie, both", "the token and the cookie, both"),
            ("", ""), ("?", "?"), ("://", "://"), ("a://", "a://"), ("token:", "token:"),
        ])
    func table(text: String, expected: String) {
        #expect(Redaction().redacted(text) == expected)
    }

    @Test("hides values that it knows, wherever they stand")
    func known() {
        var redaction = Redaction()
        for secret in ["abcd", "abcdef", "xyz"] { redaction.hide(secret) }
        #expect(redaction.redacted("in xabcdefy and zabcd, xyz") == "in x…y and z…, xyz")
        #expect(redaction.redacted("/v1/devices/abcdabcd") == "/v1/devices/……")
    }

    /// Whether anything of a marker is left.
    private func leaks(_ text: String) -> Bool { text.contains("SECRET") }

    @Test(
        "leaks no part of a URL's userinfo, query or fragment, whatever they are", arguments: 0..<300 as Range<UInt64>)
    func urls(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func odd(_ characters: String) -> String {
            let pool = Array(characters)
            let noise = { (count: Int) in
                String((0..<count).map { _ in pool[Int.random(in: 0..<pool.count, using: &random)] })
            }
            return noise(Int.random(in: 0...4, using: &random)) + "SECRET"
                + noise(Int.random(in: 0...4, using: &random))
        }
        let inQuery = "abc019-._~!$&'()*+,;=:@/?%é…"
        var url = ["http", "https", "wss", "HTTP"].randomElement(using: &random) ?? ""
        url += "://"
        // A password that begins like a port cannot be told from one, nor what follows a blank after an "@" from a sentence.
        let inPassword = "abc-._~!$&'()*+,;=:%/?é" + (Bool.random(using: &random) ? "@" : " ")
        if Bool.random(using: &random) { url += "u:\(odd(inPassword))@" }
        url += ["example.com", "[2001:db8::1]:8080", "127.0.0.1", "h:1"].randomElement(using: &random) ?? ""
        url += ["", "/", "/a/b.html", "/é"].randomElement(using: &random) ?? ""
        if Bool.random(using: &random) { url += "?" + odd(inQuery) }
        if Bool.random(using: &random) { url += "#" + odd(inQuery) }
        for text in [url, "cannot load \(url): it timed out", "\"\(url)\"", "<\(url)>", "(\(url))", "x=\(url)\n\(url)"]
        {
            let redacted = Redaction().redacted(text)
            #expect(!leaks(redacted), "\(text) → \(redacted)")
        }
    }

    @Test("leaks no value of a field or key that names a secret", arguments: 0..<300 as Range<UInt64>)
    func fields(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names = [
            "Authorization", "authorization", "COOKIE", "Set-Cookie", "Proxy-Authorization", "api_key", "apiKey",
            "X-Api-Key", "license", "deviceToken", "push_token", "access-token", "password", "client_secret",
        ]
        let name = names.randomElement(using: &random) ?? ""
        let values = ["SECRET", "a1.SECRET/+==", "Bearer SECRET", "SECRET; b=SECRET"]
        let isField = name.lowercased().hasSuffix("cookie") || name.lowercased().hasSuffix("authorization")
        let value = (isField ? values : Array(values.prefix(2))).randomElement(using: &random) ?? ""
        let forms = [
            "\(name): \(value)", "\(name)=\(value)", "\"\(name)\": \"\(value)\"", "(\"\(name)\", \"\(value)\")",
            "{'\(name)':'\(value)'}", "\(name) = \"\(value)\"",
        ]
        let text = "before " + (forms.randomElement(using: &random) ?? "")
        let redacted = Redaction().redacted(text)
        #expect(!leaks(redacted), "\(text) → \(redacted)")
        #expect(redacted.hasPrefix("before "))
    }

    @Test("is done once and for all, on any text", arguments: 0..<300 as Range<UInt64>)
    func idempotent(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "http", "://", "@", "?", "#", "=", ":", "/", " ", "\n", "\"", "'", "token", "cookie", "bearer", "a", "é",
            "…", "\u{0}", "[", "]", ",", "x=1", "\u{1F600}",
        ]
        let text = (0..<30).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        let once = Redaction().redacted(text)
        #expect(Redaction().redacted(once) == once, "\(text)")
    }

    @Test("leaves sentences as they are", arguments: 0..<50 as Range<UInt64>)
    func plain(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "the", "store", "failed,", "12", "bytes:", "at", "/var/cache/larder", "(ENOSPC)", "60%", "a.b", "é",
        ]
        let text = (0..<12).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        #expect(Redaction().redacted(text) == text)
    }
}

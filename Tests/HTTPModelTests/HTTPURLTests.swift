import HTTPModel
import TestSupport
import Testing

@Suite struct HTTPURLTests {
    @Test(
        "brings a URL into normal form",
        arguments: [
            ("http://example.com/", "http://example.com/"),
            ("HTTP://EXAMPLE.com", "http://example.com/"),
            ("https://Example.com:443/a?b", "https://example.com/a?b"),
            ("http://example.com:80", "http://example.com/"),
            ("http://example.com:00080/x", "http://example.com/x"),
            ("http://example.com:/x", "http://example.com/x"),
            ("http://example.com:8080", "http://example.com:8080/"),
            ("http://example.com:08080/", "http://example.com:8080/"),
            ("https://example.com:80/", "https://example.com:80/"),
            ("http://example.com?q=1", "http://example.com/?q=1"),
            ("http://example.com#top", "http://example.com/"),
            ("http://example.com/a#b?c", "http://example.com/a"),
            ("http://example.com/A%2fb/../c?X=%7e", "http://example.com/A%2fb/../c?X=%7e"),
            ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
            ("http://[::1]:8080", "http://[::1]:8080/"),
            ("http://127.0.0.1/", "http://127.0.0.1/"),
            ("http://a/b:c@d", "http://a/b:c@d"),
            ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ])
    func normalises(text: String, normal: String) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.string == normal)
        #expect(url.origin + url.target == normal)
        #expect(HTTPURL(url.string) == url)
    }

    @Test(
        "gives nil for what is no absolute http URL, however hostile",
        arguments: [
            "", "http", "http:", "http:/", "http://", "https://", "http:///", "http://?", "http://#", "http://:80",
            "http://:80/", "http://[::1", "http://[", "http://[]", "http://[]/", "http://[1]/", "http://[::1]x/",
            "http://[::g]/", "http://[::1]:99999/", "http://a:99999", "http://a:0/", "http://a:65536/",
            "http://a:123456/", "http://a:-1/", "http://a:+1/", "http://a:8x/", "http://a:80:80/",
            "http://user@example.com/", "http://user:secret@example.com/", "http://@/", "http://a\\b/",
            "http://a\\@b/", "ftp://example.com/", "file:///etc/passwd", "//example.com/", "/path", "example.com",
            " http://example.com/", "http://example.com/ ", "http://exa mple.com/", "http://example.com/a b",
            "http://example.com/\u{0}", "http://example.com/\r\nHost: x", "http://bücher.example/",
            "http://example.com/ü", "http://a\"b/", "http://a<b/", "http://a^b/", "http://a|b/", "httpſ://a/",
            "http://" + String(repeating: "a", count: 65_530),
        ])
    func refuses(text: String) { #expect(HTTPURL(text) == nil) }

    @Test("keeps the longest URL that is allowed")
    func longest() throws {
        let text = "http://a/" + String(repeating: "x", count: HTTPURL.byteCountMax - 9)
        #expect(HTTPURL(text)?.string == text)
        #expect(HTTPURL(text + "x") == nil)
    }

    @Test("takes a URL apart")
    func parts() throws {
        let url = try #require(HTTPURL("https://[2001:db8::1]:8443/a/b?c=d?e"))
        #expect(url.isSecure)
        #expect(url.origin == "https://[2001:db8::1]:8443")
        #expect(url.authority == "[2001:db8::1]:8443")
        #expect(url.host == "[2001:db8::1]")
        #expect(url.port == 8443)
        #expect(url.target == "/a/b?c=d?e")
        #expect(url.path == "/a/b")
        let plain = try #require(HTTPURL("http://example.com"))
        #expect(!plain.isSecure)
        #expect(plain.host == "example.com" && plain.authority == "example.com" && plain.port == 80)
        #expect(plain.path == "/" && plain.target == "/")
        #expect(HTTPURL("https://[::1]/")?.port == 443)
        #expect(HTTPURL("https://[::1]/")?.host == "[::1]")
    }

    @Test("is equal, and hashes alike, in whatever form it was written")
    func equality() throws {
        let set = Set(["http://A", "http://a/", "http://a:80/#x", "HTTP://a/"].compactMap { HTTPURL($0) })
        #expect(set.count == 1)
        #expect(HTTPURL("http://a/")! < HTTPURL("http://b/")!)
        #expect(HTTPURL("http://a/") != HTTPURL("https://a/"))
    }

    @Test(
        "resolves references as RFC 3986, section 5.4 lists them",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("https://x/y", "https://x/y"), ("//x:8080/y", "http://x:8080/y"),
            ("/ü", "http://a/%C3%BC"),
        ])
    func resolves(reference: String, target: String) throws {
        let base = try #require(HTTPURL("http://a/b/c/d;p?q"))
        #expect(base.resolving(reference)?.string == target)
    }

    @Test(
        "resolves nothing to what is no http URL",
        arguments: ["mailto:a@b", "ftp://x/", "http://", "//", "//user@host/", "javascript:alert(1)"])
    func resolvesNothing(reference: String) throws {
        #expect(try #require(HTTPURL("http://a/b")).resolving(reference) == nil)
    }

    @Test("survives random bytes, and what it accepts is in normal form")
    func random() {
        var generator = SeededGenerator(seed: 1)
        let pieces = [
            "http", "https", "HTTP", ":", "//", "/", "?", "#", "@", "[", "]", "::1", "a", "B", ".", "80", "443",
            "99999",
            "\\", "%", "%20", " ", "\u{0}", "é", "..", ":", "x",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...6, using: &generator)
            let rest = (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
            guard let url = HTTPURL((Bool.random(using: &generator) ? "http://" : "") + rest) else { continue }
            accepted += 1
            #expect(HTTPURL(url.string)?.string == url.string)
            #expect(url.origin + url.target == url.string)
            #expect(url.target.hasPrefix("/") && url.target.hasPrefix(url.path))
            #expect(!url.host.isEmpty && url.authority.hasPrefix(url.host) && 1...65_535 ~= url.port)
            #expect(url.host == url.host.lowercased())
        }
        #expect(accepted > 1_000)
    }
}

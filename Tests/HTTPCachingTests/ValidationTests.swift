import HTTPCaching
import HTTPModel
import TestSupport
import Testing

@Suite struct ValidationTests {
    private let tagged = entry(["ETag": "\"a\"", "Last-Modified": CachingCase.date(-100), "Content-Length": "5"])
    private let dated = entry(["Last-Modified": CachingCase.date(-100)])

    private func selects(_ status: Int, _ fields: HTTPFields, _ stored: StoredResponse) -> Bool {
        HTTPCache.selects(HTTPResponse(status: status, fields: fields), stored)
    }

    @Test("a 304 is about the entry when its validators agree with it")
    func notModified() {
        #expect(selects(304, ["ETag": "\"a\""], tagged))
        #expect(selects(304, ["ETag": "W/\"a\""], tagged))
        #expect(!selects(304, ["ETag": "\"b\""], tagged))
        #expect(!selects(304, ["ETag": "\"b\"", "Last-Modified": CachingCase.date(-100)], tagged))
        #expect(selects(304, ["ETag": "\"a\"", "Last-Modified": CachingCase.date(-99)], tagged))
        #expect(selects(304, ["Last-Modified": CachingCase.date(-100)], tagged))
        #expect(!selects(304, ["Last-Modified": CachingCase.date(-99)], dated))
        #expect(selects(304, [:], tagged) && selects(304, [:], dated))
        #expect(!selects(304, ["ETag": "\"a\""], dated))
        #expect(selects(304, ["ETag": "\"a\"", "Last-Modified": CachingCase.date(-100)], dated))
        #expect(selects(304, ["ETag": "abc"], entry(["ETag": "abc"])))
        #expect(!selects(304, ["ETag": "abc"], entry(["ETag": "\"abc\""])))
        #expect(selects(304, ["ETag": "\"a\""], entry(["ETag": "W/\"a\""])))
    }

    @Test("an answer to HEAD is about the entry when status, validators and length agree with it")
    func head() {
        #expect(selects(200, ["ETag": "\"a\"", "Content-Length": "5"], tagged))
        #expect(selects(200, ["ETag": "\"a\""], tagged))
        #expect(!selects(200, ["ETag": "\"a\"", "Content-Length": "6"], tagged))
        #expect(selects(200, ["ETag": "\"a\"", "Content-Length": "3", "Content-Encoding": "gzip"], tagged))
        #expect(!selects(200, ["ETag": "\"b\""], tagged))
        #expect(!selects(200, ["Last-Modified": CachingCase.date(-99)], tagged))
        #expect(!selects(404, ["ETag": "\"a\""], tagged))
        #expect(selects(200, [:], tagged))
    }

    @Test("an update keeps the order, takes lines of one name together and never takes what describes the body")
    func update() {
        let old = HTTPResponse(
            status: 200,
            fields: [
                "A": "1", "Date": CachingCase.date(-9), "B": "2", "Content-Length": "5", "Age": "7",
                "Content-Type": "text/html",
            ])
        let new = HTTPResponse(
            status: 304,
            fields: HTTPFields([
                .init("B", "3"), .init("b", "4"), .init("C", "5"), .init("Content-Length", "0"),
                .init("Content-Encoding", "br"),
                .init("Content-Range", "bytes 0-1/2"), .init("Transfer-Encoding", "chunked"),
                .init("Content-Type", "text/plain"),
                .init("Cache-Control", "no-cache=\"X\""), .init("X", "withheld"),
            ]))
        let fields = HTTPCache.updatedFields(of: old, with: new)
        #expect(fields["A"] == "1" && fields["B"] == "3, 4" && fields["C"] == "5")
        #expect(fields[.contentLength] == "5" && fields[.contentType] == "text/plain")
        for name: HTTPFieldName in [.age, .date, .contentEncoding, .contentRange, .transferEncoding, "X"] {
            #expect(fields[name] == nil, "\(name)")
        }
        #expect(HTTPCache.updatedFields(of: old, with: HTTPResponse(status: 304, fields: ["Age": "1"]))[.age] == "1")
    }

    @Test("the fields that choose a variant are those that Vary nominates, lines and all")
    func selecting() {
        let asked = request(HTTPFields([.init("Foo", "1"), .init("Bar", "2"), .init("foo", "3")]))
        func selecting(_ vary: HTTPFields) -> [String] {
            HTTPCache.selectingFields(of: asked, for: HTTPResponse(status: 200, fields: vary)).map {
                "\($0.name)=\($0.value)"
            }
        }
        #expect(selecting([:]) == [])
        #expect(selecting(["Vary": "FOO, Baz"]) == ["Foo=1", "foo=3"])
        #expect(selecting(["Vary": "*"]) == [])
    }
}

@Suite struct InvalidationTests {
    private func urls(_ method: HTTPMethod, _ status: Int, _ fields: HTTPFields) -> [String] {
        HTTPCache.invalidations(
            request: request(method: method), response: HTTPResponse(status: status, fields: fields)
        ).map(\.string)
    }

    @Test("names the target and what the response points at within the same origin, each once")
    func sameOrigin() {
        #expect(urls(.post, 200, [:]) == ["http://example.com/a"])
        #expect(
            urls(.post, 201, ["Location": "/b#x", "Content-Location": "c?d"])
                == ["http://example.com/a", "http://example.com/b", "http://example.com/c?d"])
        #expect(urls(.post, 201, ["Location": "/a", "Content-Location": ""]) == ["http://example.com/a"])
    }

    @Test(
        "names nothing of another origin, whoever claims it",
        arguments: [
            "https://example.com/b", "http://example.com:8080/b", "http://example.org/b", "//evil/b", "http://",
            "mailto:a",
        ])
    func otherOrigin(location: String) {
        #expect(urls(.put, 200, ["Location": location, "Content-Location": location]) == ["http://example.com/a"])
    }

    @Test("names nothing for safe methods and for errors")
    func nothing() {
        for method in [HTTPMethod.get, .head, .options, .trace] {
            #expect(urls(method, 200, ["Location": "/b"]).isEmpty)
        }
        for status in [100, 199, 400, 404, 500] { #expect(urls(.post, status, ["Location": "/b"]).isEmpty) }
    }
}

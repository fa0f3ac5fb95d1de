import HTTPModel
import Testing

@Suite struct HTTPFieldsTests {
    @Test("finds a field whatever the case of its name")
    func caseInsensitive() throws {
        let fields: HTTPFields = ["Content-Type": "text/html", "X-Long-Custom-Field-Name": "1"]
        #expect(fields["content-type"] == "text/html")
        #expect(fields["CONTENT-TYPE"] == "text/html")
        #expect(fields["x-LONG-custom-field-NAME"] == "1")
        #expect(fields["Content-Typo"] == nil)
        #expect(fields.contains(.contentType) && !fields.contains(.contentLength))
        #expect(fields.first?.name.rawName == "Content-Type")
    }

    @Test("names hash alike and compare by letters, not by the bit that makes case")
    func names() throws {
        let names: Set<HTTPFieldName> = ["ETag", "etag", "ETAG", "Etag"]
        #expect(names.count == 1)
        #expect(HTTPFieldName(String("X@")) == nil)
        // "^" and "~" differ only in that bit, "_" and DEL as well.
        #expect(HTTPFieldName("a^") != HTTPFieldName("a~"))
        #expect(HTTPFieldName("A^") == HTTPFieldName("a^"))
        #expect(HTTPFieldName("ETag").canonicalName == "etag")
        #expect(HTTPFieldName("ETag").description == "ETag")
        #expect(HTTPFieldName("ab") != HTTPFieldName("abc"))
    }

    @Test("a name is a token", arguments: ["", " ", "a b", "a:", "a\r", "ä", "a\u{0}", "(a)", "a,b", "a/b", "a\"b"])
    func invalidNames(text: String) { #expect(HTTPFieldName(text) == nil) }

    @Test("joins lines in order and keeps duplicates")
    func duplicates() {
        var fields: HTTPFields = ["Vary": "Accept", "Set-Cookie": "a=1", "vary": "Cookie"]
        #expect(fields[.vary] == "Accept, Cookie")
        #expect(fields.values(of: .vary) == ["Accept", "Cookie"])
        fields.append(.setCookie, "b=2")
        #expect(fields.values(of: .setCookie) == ["a=1", "b=2"])
        #expect(fields.count == 4)
        #expect(fields.description == "Vary: Accept\nSet-Cookie: a=1\nvary: Cookie\nSet-Cookie: b=2")
    }

    @Test("setting replaces every line of a name at the place of the first")
    func setting() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3", "C": "4", "A": "5"]
        fields["a"] = "9"
        #expect(fields.map(\.value) == ["9", "2", "4"])
        fields["D"] = "7"
        #expect(fields.map(\.value) == ["9", "2", "4", "7"])
        fields["b"] = nil
        fields["nothing"] = nil
        #expect(fields.map(\.value) == ["9", "4", "7"])
        fields.removeAll { $0.value == "4" }
        #expect(fields.map(\.value) == ["9", "7"])
    }

    @Test(
        "no value carries a control character or white space at its ends",
        arguments: [
            ("plain", "plain"), ("", ""), (" padded\t", "padded"), ("a\tb", "a\tb"), ("a\r\nEvil: 1", "a  Evil: 1"),
            ("\r\n", ""), ("a\u{0}b\u{7F}c", "a b c"), ("   ", ""), ("grüße", "grüße"), (" ü ", "ü"), ("a\u{301}", "á"),
        ])
    func sanitises(value: String, clean: String) {
        #expect(HTTPFields.Field("X", value).value == clean)
        var field = HTTPFields.Field("X", "")
        field.value = value
        #expect(field.value == clean)
    }

    @Test("methods are tokens, and know whether they are safe and idempotent")
    func methods() throws {
        #expect(HTTPMethod(rawValue: "") == nil)
        #expect(HTTPMethod(rawValue: "GE T") == nil)
        #expect(HTTPMethod(rawValue: "get") != .get)
        let propfind = try #require(HTTPMethod(rawValue: "PROPFIND"))
        #expect(!propfind.isSafe && !propfind.isIdempotent)
        #expect([HTTPMethod.get, .head, .options, .trace].allSatisfy { $0.isSafe && $0.isIdempotent })
        #expect([HTTPMethod.put, .delete].allSatisfy { !$0.isSafe && $0.isIdempotent })
        #expect([HTTPMethod.post, .patch].allSatisfy { !$0.isSafe && !$0.isIdempotent })
    }
}

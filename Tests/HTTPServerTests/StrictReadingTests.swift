import Foundation
import HTTPModel
import HTTPServer
import Testing
import Wire

@Suite("Strict reading")
struct StrictReadingTests {
    private func request(
        _ body: String, type: String? = "application/json", query: [(name: String, value: String)] = []
    ) -> ServerRequest {
        var request = ServerRequest(method: .post, path: "/", query: query, body: Data(body.utf8))
        request.fields[.contentType] = type
        return request
    }

    private func detail(of body: String) -> String {
        do {
            var reader = try JSONReader(request(body))
            _ = try reader.string("name", characters: 1...5)
            _ = try reader.optionalInteger("count", in: 0...10)
            _ = try reader.optionalBool("flag")
            _ = try reader.optionalStrings("list", count: 1...2, characters: 1...3)
            if var inner = try reader.optionalObject("inner") {
                _ = try inner.optionalString("text", characters: 0...5)
                try inner.finish()
            }
            try reader.finish()
            return "good"
        } catch {
            #expect(error.status == 400)
            return error.detail
        }
    }

    @Test(
        "names the member, what was expected and what was found",
        arguments: [
            (#"{"name":"x"}"#, "good"),
            (#"{"name":"x","count":10,"flag":true,"list":["a","b"],"inner":{"text":""}}"#, "good"),
            (#"{"name":"x","count":null,"inner":null}"#, "good"),
            ("{}", "/name: expected a string of 1 to 5 characters, found nothing."),
            ("", "/name: expected a string of 1 to 5 characters, found nothing."),
            (#"{"name":null}"#, "/name: expected a string of 1 to 5 characters, found nothing."),
            (#"{"name":7}"#, "/name: expected a string of 1 to 5 characters, found the number 7."),
            (#"{"name":"toolong"}"#, #"/name: expected a string of 1 to 5 characters, found the string "toolong"."#),
            (#"{"name":"x","count":11}"#, "/count: expected a whole number from 0 to 10, found the number 11."),
            (#"{"name":"x","count":1.5}"#, "/count: expected a whole number from 0 to 10, found the number 1.5."),
            (#"{"name":"x","count":"1"}"#, #"/count: expected a whole number from 0 to 10, found the string "1"."#),
            (#"{"name":"x","flag":0}"#, "/flag: expected true or false, found the number 0."),
            (#"{"name":"x","list":[]}"#, "/list: expected a list of 1 to 2, found a list of 0."),
            (#"{"name":"x","list":["a",{}]}"#, "/list/1: expected a string of 1 to 3 characters, found an object."),
            (#"{"name":"x","inner":[1]}"#, "/inner: expected an object, found a list of 1."),
            (#"{"name":"x","inner":{"txt":1}}"#, "/inner/txt: unknown member; expected text."),
            (#"{"name":"x","nam":1}"#, "/nam: unknown member; expected name, count, flag, list, inner."),
            ("[]", "The body: expected an object, found a list of 0."),
            ("null", "The body: expected an object, found null."),
        ])
    func members(body: String, expected: String) {
        #expect(detail(of: body) == expected)
    }

    @Test(
        "calls malformed JSON malformed",
        arguments: [
            "{", "{\"name\":}", "{'name':1}", "nonsense", "{\"name\":\"x\"} trailing", "{\"a\":\"\u{1}\"}", "\u{0}",
        ])
    func malformed(body: String) {
        #expect(detail(of: body).hasPrefix("The body is not JSON."))
    }

    @Test("survives JSON that is nested as deep as a body can hold")
    func nested() {
        let deep = String(repeating: "[", count: 400_000)
        #expect(detail(of: deep).hasPrefix("The body is not JSON."))
        let closed = "{\"name\":" + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}"
        #expect(detail(of: closed).hasPrefix("/name: expected a string"))
    }

    @Test("takes no body that says it is something else")
    func mediaTypes() throws {
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
            #expect { _ = try JSONReader(request("{}", type: type)) } throws: { error in
                (error as? ProblemDocument)?.status == 415
            }
        }
        for type in [
            "application/json", "application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json",
            nil,
        ] {
            _ = try JSONReader(request("{}", type: type))
        }
    }

    @Test("holds for queries")
    func queries() throws {
        var reader = QueryReader(
            request("", query: [("limit", "5"), ("from", "2026-01-01T00:00:00Z"), ("name", "a b")]))
        #expect(try reader.integer("limit", in: 1...10, default: 3) == 5)
        #expect(try reader.integer("offset", in: 0...10, default: 3) == 3)
        #expect(try reader.date("from") == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(try reader.string("name") == "a b")
        try reader.finish()
        let cases: [([(name: String, value: String)], String)] = [
            ([("limit", "0")], "limit: expected a whole number from 1 to 10, found \"0\"."),
            ([("limit", "x")], "limit: expected a whole number from 1 to 10, found \"x\"."),
            ([("limit", "1"), ("limit", "2")], "limit: given 2 times."),
            ([("from", "today")], "from: expected a date such as 2026-01-31T12:00:00Z, found \"today\"."),
            ([("limt", "1")], "limt: unknown parameter; this route takes limit, from."),
        ]
        for (query, expected) in cases {
            #expect {
                var reader = QueryReader(request("", query: query))
                _ = try reader.integer("limit", in: 1...10, default: 3)
                _ = try reader.date("from")
                try reader.finish()
            } throws: { error in
                (error as? ProblemDocument)?.detail == expected
            }
        }
    }

    @Test("takes one bearer token and nothing else")
    func bearer() {
        let cases: [(String?, String?)] = [
            ("Bearer abc", "abc"), ("bearer  abc", "abc"), ("Basic abc", nil), ("Bearer", nil), ("Bearer ", nil),
            ("Bearer a b", nil), ("Bearer a, Bearer b", nil), (nil, nil),
        ]
        for (value, token) in cases {
            var request = ServerRequest(method: .get, path: "/")
            request.fields[.authorization] = value
            #expect(request.bearerToken == token)
        }
    }
}

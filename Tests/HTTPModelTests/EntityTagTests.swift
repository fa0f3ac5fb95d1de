import HTTPModel
import Testing

@Suite struct EntityTagTests {
    @Test("compares tags as the table of RFC 9110, section 8.8.3.2")
    func comparison() throws {
        let rows: [(String, String, strong: Bool, weak: Bool)] = [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true), ("\"1\"", "\"2\"", false, false),
        ]
        for (left, right, strong, weak) in rows {
            let left = try #require(EntityTag(left)), right = try #require(EntityTag(right))
            #expect(left.isStronglyEqual(to: right) == strong && right.isStronglyEqual(to: left) == strong)
            #expect(left.isWeaklyEqual(to: right) == weak && right.isWeaklyEqual(to: left) == weak)
        }
    }

    @Test("reads and writes tags", arguments: ["\"\"", "\"a\"", "W/\"a\"", "\"a,b\"", "\"!#~\"", "\"ü\"", "\"a\\\""])
    func reads(text: String) throws {
        #expect(try #require(EntityTag(text)).description == text)
        #expect(EntityTag(" \(text)\t") == EntityTag(text))
    }

    @Test(
        "refuses what is no tag",
        arguments: [
            "", "a", "\"a", "a\"", "w/\"a\"", "W\"a\"", "W/a", "W/", "\"a b\"", "\"a\"b\"", "\"a\u{7F}\"", "*",
            "\"a\", \"b\"",
        ])
    func refuses(text: String) { #expect(EntityTag(text) == nil) }

    @Test("reads conditions")
    func conditions() throws {
        let tag = EntityTag("\"b\"")
        #expect(EntityTagCondition("*") == .any)
        #expect(EntityTagCondition(" * ")?.matchesWeakly(nil) == true)
        let list = try #require(EntityTagCondition("\"a,\", , W/\"b\" ,\"c\""))
        #expect(list == .tags([EntityTag("\"a,\"")!, EntityTag("W/\"b\"")!, EntityTag("\"c\"")!]))
        #expect(list.matchesWeakly(tag))
        #expect(!list.matchesWeakly(EntityTag("\"d\"")))
        #expect(!list.matchesWeakly(nil))
        for text in ["", ",", "a", "\"a\" \"b\"", "\"a\"x", "*, \"a\"", "\"a\", *", "\"a"] {
            #expect(EntityTagCondition(text) == nil, "\(text)")
        }
    }
}

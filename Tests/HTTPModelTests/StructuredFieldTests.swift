import HTTPModel
import TestSupport
import Testing

@Suite struct StructuredFieldTests {
    typealias Item = StructuredField.Item

    @Test(
        "reads items and writes them in canonical form",
        arguments: [
            ("42", "42"), ("-0", "0"), ("00", "0"), ("-17", "-17"), ("999999999999999", "999999999999999"),
            (" 1 ", "1"), ("1.0", "1.0"), ("-1.50", "-1.5"), ("0.125", "0.125"), ("-0.5", "-0.5"), ("00.10", "0.1"),
            ("123456789012.123", "123456789012.123"), (#""a \"b\" \\c""#, #""a \"b\" \\c""#), (#""""#, #""""#),
            ("foo123/456", "foo123/456"), ("*a:b", "*a:b"), ("A!#$%&'*+-.^_`|~:/", "A!#$%&'*+-.^_`|~:/"),
            (":cHJldGVuZCB0aGlz:", ":cHJldGVuZCB0aGlz:"), (":aGVsbG8:", ":aGVsbG8=:"), ("::", "::"),
            ("?1", "?1"), ("?0", "?0"), ("@1659578233", "@1659578233"), ("@-1", "@-1"),
            (#"%"This is intended for display to %c3%bcsers.""#, #"%"This is intended for display to %c3%bcsers.""#),
            (#"%"%25 %22""#, #"%"%25 %22""#), ("text/html;charset=utf-8", "text/html;charset=utf-8"),
            ("1;a;b=?0;c=?1", "1;a;b=?0;c"), ("1; a=1;  b=2;a=3", "1;a=3;b=2"), ("1;*k._-9=x", "1;*k._-9=x"),
        ])
    func items(text: String, canonical: String) throws {
        let item = try #require(StructuredField.parseItem(text))
        #expect(StructuredField.serialize(item) == canonical)
    }

    @Test(
        "refuses malformed items",
        arguments: [
            "", " ", "1 2", "1,2", "-", "--1", "1000000000000000", "1.", ".1", "1.1234", "1234567890123.1", "1.2.3",
            "+1", "0x1", "\"", "\"abc", #""\a""#, #""\"#, "\"é\"", "\"\t\"", "é", "-a", "9a", "(", "(1)", "?", "?2",
            "?true", "@", "@1.5", "@a", ":", ":a", ":a:", ":ab c:", ":a_b=:", ":=:", ":====:", #"%"#, #"%"a"#, #"%a"#,
            #"%"%C3%BC""#, #"%"%c3""#, #"%"%c""#, #"%"%zz""#, "%\"ü\"", "%\"%ff\"", "1;", "1;=1", "1;A", "1;a=",
            "1;a =1", "1; a =1",
            "1;a=(1)", "1\t", "\t1", "a\u{0}", "a;b=é",
        ])
    func malformedItems(text: String) { #expect(StructuredField.parseItem(text) == nil) }

    @Test(
        "reads lists and writes them in canonical form",
        arguments: [
            ("", ""), ("sugar, tea, rum", "sugar, tea, rum"), ("a ,b\t,\t c", "a, b, c"),
            (#"("foo" "bar"), ("baz"), ("bat" "one"), ()"#, #"("foo" "bar"), ("baz"), ("bat" "one"), ()"#),
            (#"("foo"; a=1;b=2);lvl=5, ("bar" "baz");lvl=1"#, #"("foo";a=1;b=2);lvl=5, ("bar" "baz");lvl=1"#),
            ("( 1   2 )", "(1 2)"),
            ("abc;a=1;b=2; cde_456, (ghi;jk=4 l);q=\"9\";r=w", "abc;a=1;b=2;cde_456, (ghi;jk=4 l);q=\"9\";r=w"),
        ])
    func lists(text: String, canonical: String) throws {
        #expect(StructuredField.serialize(try #require(StructuredField.parseList(text))) == canonical)
    }

    @Test(
        "refuses malformed lists",
        arguments: [
            ",", "a,", ",a", "a,,b", "a b", "(", "(a", "(a,b)", "(a)b", "((a))", "(a\tb)", "(\"a\"\"b\")", "a;",
        ])
    func malformedLists(text: String) { #expect(StructuredField.parseList(text) == nil) }

    @Test(
        "reads dictionaries and writes them in canonical form",
        arguments: [
            ("", ""), (#"en="Applepie", da=:w4ZibGV0w6ZydGU=:"#, #"en="Applepie", da=:w4ZibGV0w6ZydGU=:"#),
            ("a=?0, b, c; foo=bar", "a=?0, b, c;foo=bar"), ("a=?1;x=2", "a;x=2"),
            ("rating=1.5, feelings=(joy sadness)", "rating=1.5, feelings=(joy sadness)"),
            ("a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid", "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid"),
            ("a=1,b=2,a=3", "a=3, b=2"),
        ])
    func dictionaries(text: String, canonical: String) throws {
        #expect(StructuredField.serialize(try #require(StructuredField.parseDictionary(text))) == canonical)
    }

    @Test(
        "refuses malformed dictionaries",
        arguments: ["a=", "=1", "A=1", "a=1,", "a=1,,b", "a =1", "a= 1", "a=1 b=2", "1=a", "a=1;", "é=1", "a=(", ","])
    func malformedDictionaries(text: String) { #expect(StructuredField.parseDictionary(text) == nil) }

    @Test("gives values with their types")
    func values() throws {
        let members = try #require(
            StructuredField.parseDictionary(#"i=1, d=2.5, s="x", t=y, b=:AQ==:, n=?0, z=@9, u=%"%e2%82%ac""#))
        func value(_ key: String) -> StructuredField.BareItem? {
            guard case .item(let item) = members[key] else { return nil }
            return item.value
        }
        #expect(value("i") == .integer(1))
        #expect(value("d") == .decimal(StructuredField.Decimal(thousandths: 2_500)))
        #expect(value("s") == .string("x"))
        #expect(value("t") == .token("y"))
        #expect(value("b") == .bytes([1]))
        #expect(value("n") == .boolean(false))
        #expect(value("z") == .date(9))
        #expect(value("u") == .displayString("€"))
        #expect(value("q") == nil)
        #expect(members.map(\.key) == ["i", "d", "s", "t", "b", "n", "z", "u"])
    }

    @Test(
        "writes nothing that could not be read",
        arguments: [
            Item(.integer(1_000_000_000_000_000)), Item(.decimal(.init(thousandths: 1_000_000_000_000_000))),
            Item(.string("é")), Item(.string("a\n")), Item(.token("")), Item(.token("a b")), Item(.token("9")),
            Item(.date(-1_000_000_000_000_000)), Item(.integer(1), ["A": .integer(1)]),
            Item(.integer(1), ["": .integer(1)]),
            Item(.integer(.min)), Item(.decimal(.init(thousandths: .min))), Item(.integer(1), ["a": .token("")]),
        ])
    func unwritable(item: Item) {
        #expect(StructuredField.serialize(item) == nil)
        #expect(StructuredField.serialize([.innerList(.init([item]))]) == nil)
        #expect(StructuredField.serialize(["a": .item(item)]) == nil)
    }

    @Test("keeps the order of keys through changes")
    func pairs() {
        var pairs: StructuredField.Parameters = ["a": .integer(1), "b": .integer(2), "c": .integer(3)]
        pairs["b"] = nil
        pairs["a"] = .integer(9)
        pairs["d"] = .boolean(true)
        pairs["nothing"] = nil
        #expect(pairs.map(\.key) == ["a", "c", "d"])
        #expect(pairs["a"] == .integer(9) && pairs["c"] == .integer(3) && pairs["b"] == nil)
    }

    @Test("takes the sizes the RFC demands, and a bound above them")
    func sizes() throws {
        let list = (0..<1_024).map { "k\($0)" }.joined(separator: ", ")
        #expect(StructuredField.parseList(list)?.count == 1_024)
        #expect(StructuredField.parseDictionary(list)?.count == 1_024)
        #expect(StructuredField.parseItem("1" + (0..<256).map { ";p\($0)" }.joined())?.parameters.count == 256)
        #expect(StructuredField.parseItem("\"" + String(repeating: "x", count: 1_024) + "\"") != nil)
        #expect(StructuredField.parseItem(":" + String(repeating: "AAAA", count: 5_462) + ":") != nil)
        #expect(StructuredField.parseItem(String(repeating: "a", count: StructuredField.byteCountMax)) != nil)
        #expect(StructuredField.parseItem(String(repeating: "a", count: StructuredField.byteCountMax + 1)) == nil)
        #expect(StructuredField.parseList(String(repeating: "(", count: 100_000)) == nil)
    }

    @Test("reads what it writes, for random values")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let members = (0..<Int.random(in: 0...4, using: &generator)).map { _ in randomMember(&generator) }
            let text = try #require(StructuredField.serialize(members))
            #expect(StructuredField.parseList(text) == members)
        }
    }

    @Test("survives random bytes, and what it accepts has one canonical form")
    func randomText() throws {
        var generator = SeededGenerator(seed: 4)
        let alphabet = Array("ab1-.\"\\(); ,=:?@%*09éA\t")
        var accepted = 0
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...8, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! })
            guard let list = StructuredField.parseList(text) else { continue }
            accepted += 1
            let canonical = try #require(StructuredField.serialize(list))
            #expect(StructuredField.parseList(canonical) == list)
        }
        #expect(accepted > 500)
    }

    private func randomMember(_ generator: inout SeededGenerator) -> StructuredField.Member {
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let items = (0..<Int.random(in: 0...3, using: &generator)).map { _ in randomItem(&generator) }
            return .innerList(StructuredField.InnerList(items, randomParameters(&generator)))
        }
        return .item(randomItem(&generator))
    }

    private func randomItem(_ generator: inout SeededGenerator) -> Item {
        Item(randomBareItem(&generator), randomParameters(&generator))
    }

    private func randomParameters(_ generator: inout SeededGenerator) -> StructuredField.Parameters {
        var parameters = StructuredField.Parameters()
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            parameters["k\(Int.random(in: 0..<9, using: &generator))"] = randomBareItem(&generator)
        }
        return parameters
    }

    private func randomBareItem(_ generator: inout SeededGenerator) -> StructuredField.BareItem {
        let limit = 999_999_999_999_999
        func scalars(_ range: ClosedRange<UInt32>) -> String {
            String(
                String.UnicodeScalarView(
                    (0..<5).compactMap { _ in Unicode.Scalar(UInt32.random(in: range, using: &generator)) }))
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .integer(Int.random(in: -limit...limit, using: &generator))
        case 1: return .decimal(.init(thousandths: Int.random(in: -limit...limit, using: &generator)))
        case 2: return .string(scalars(0x20...0x7E))
        case 3: return .token("t" + scalars(0x61...0x7A))
        case 4: return .bytes((0..<7).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        case 5: return .boolean(Bool.random(using: &generator))
        case 6: return .date(Int.random(in: -limit...limit, using: &generator))
        default: return .displayString(scalars(0...0x2FFF))
        }
    }
}

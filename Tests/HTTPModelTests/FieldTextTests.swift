import HTTPModel
import Testing

@Suite struct FieldTextTests {
    @Test("text in UTF-8 is itself", arguments: ["", "a", "\"ü\"", "日本", "\u{F6FF}", "\u{F800}", "\u{FFFD}"])
    func keepsText(text: String) {
        #expect(FieldText.text(of: Array(text.utf8)) == text)
        #expect(FieldText.bytes(of: text) == nil)
        #expect(FieldText.readable(text) == text)
    }

    @Test(
        "other bytes come back as they were",
        arguments: [
            [0xFC], [0x22, 0xFC, 0x22], [0x61, 0x80, 0xFF, 0x7A], [0xC3], [0xED, 0xA0, 0x80],
            Array("\u{F780}".utf8), Array("ü\u{F7FF}".utf8), Array(0x80...0xFF),
        ] as [[UInt8]])
    func keepsBytes(bytes: [UInt8]) throws {
        let text = FieldText.text(of: bytes)
        #expect(try #require(FieldText.bytes(of: text)) == bytes)
        #expect(FieldText.text(of: try #require(FieldText.bytes(of: text))) == text)
    }

    @Test("an app reads them as ISO 8859-1")
    func isReadable() {
        #expect(FieldText.readable(FieldText.text(of: [0x63, 0x61, 0x66, 0xE9])) == "café")
    }

    @Test("a tag of such bytes is a tag, and no other's")
    func isTag() throws {
        let latin = FieldText.text(of: [0x22, 0xFC, 0x22])
        let tag = try #require(EntityTag(latin))
        #expect(tag.description == latin)
        #expect(EntityTag("\"ü\"")?.isWeaklyEqual(to: tag) == false)
    }
}

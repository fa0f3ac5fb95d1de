import Telemetry
import TestSupport
import Testing

@Suite("Names of events")
struct EventNameTests {
    @Test(
        "are kept when they are plain, and cleaned when they are not",
        arguments: [
            ("Event Name", "Event Name"), ("tapped home button", "tapped home button"), ("Éclair 🥧", "Éclair 🥧"),
            ("  spaced \t out  ", "spaced out"), ("two\r\nlines", "two lines"), ("a\u{0}b\u{1B}[31m", "a b [31m"),
            ("right\u{202E}left", "right left"), ("a\u{2028}b", "a b"),
        ])
    func cleaned(name: String, text: String) {
        #expect(EventName(name)?.text == text)
    }

    @Test("are none when nothing is left", arguments: ["", "   ", "\n\t", "\u{0}\u{7}", "\u{200B}"])
    func empty(name: String) {
        #expect(EventName(name) == nil)
    }

    @Test("are cut at whole characters, by their number and by their bytes")
    func bounded() throws {
        #expect(EventName(String(repeating: "x", count: 300))?.text.count == 100)
        let families = try #require(EventName(String(repeating: "👨‍👩‍👧‍👦", count: 100))?.text)
        #expect(families == String(repeating: "👨‍👩‍👧‍👦", count: 256 / "👨‍👩‍👧‍👦".utf8.count))
        #expect(EventName(String(repeating: "x", count: 99) + "  end")?.text.count == 99)
    }

    @Test("stay the same when they are cleaned again, whatever they were")
    func stable() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var raw = ""
            for _ in 0..<Int.random(in: 0...140, using: &random) {
                let value =
                    Bool.random(using: &random)
                    ? UInt32.random(in: 0...0x7F, using: &random) : UInt32.random(in: 0...0x10FFFF, using: &random)
                if let scalar = Unicode.Scalar(value) { raw.unicodeScalars.append(scalar) }
            }
            guard let name = EventName(raw) else { continue }
            #expect(EventName(name.text) == name)
            #expect(name.text.count <= EventName.characterCountMax && name.text.utf8.count <= EventName.byteCountMax)
        }
    }
}

import Cryptography
import Foundation
import TestSupport
import Testing

@Suite struct SHA256Tests {
    @Test(
        "has the digests of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func vectors(text: String, hex: String) { #expect(SHA256Digest.of(Data(text.utf8)).hex == hex) }

    @Test("has the digest of a million times the letter a")
    func millionLetters() {
        let digest = SHA256Digest.of(Data(repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("gives the same digest however the bytes are cut")
    func pieces() {
        var generator = SeededGenerator(seed: 1)
        let data = Data((0..<10_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        for _ in 0..<20 {
            var hasher = SHA256Hasher()
            var rest = data[...]
            while !rest.isEmpty {
                let count = Int.random(in: 0...3_000, using: &generator)
                if count.isMultiple(of: 2) {
                    hasher.update(rest.prefix(count))
                } else {
                    rest.prefix(count).withUnsafeBytes { hasher.update(bytes: $0) }
                }
                rest = rest.dropFirst(count)
            }
            #expect(hasher.finalize() == SHA256Digest.of(data))
        }
    }

    @Test("reads 64 hexadecimal digits and nothing else")
    func reading() {
        let hex = String(repeating: "0aF", count: 21) + "9"
        #expect(SHA256Digest(hex: hex)?.hex == hex.lowercased())
        #expect(SHA256Digest(hex: hex) == SHA256Digest(hex: hex.uppercased()))
        for text in [
            "", String(hex.dropLast()), hex + "0", String(repeating: "g", count: 64), String(repeating: "é", count: 32),
        ] {
            #expect(SHA256Digest(hex: text) == nil)
        }
        #expect(SHA256Digest(hex: String(repeating: "0", count: 64))! < SHA256Digest(hex: hex)!)
    }

    @Test("travels as its digits, and refuses others with a word on what is wrong")
    func coding() throws {
        let digest = SHA256Digest.of(Data("abc".utf8))
        let json = try JSONEncoder().encode([digest])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(digest.hex)\"]")
        #expect(try JSONDecoder().decode([SHA256Digest].self, from: json) == [digest])
        for text in ["[\"abc\"]", "[5]", "[null]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([SHA256Digest].self, from: Data(text.utf8)) }
        }
    }
}

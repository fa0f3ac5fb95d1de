import Cryptography
import Foundation
import Testing

@Suite struct SecretsTests {
    @Test("knows a password that another scrypt implementation has hashed")
    func foreignHash() {
        let stored =
            "scrypt$000102030405060708090a0b0c0d0e0f$6f1ba02f78be2137f0e803dd07945e697f879a900f52c54a6fe795906ce79d98"
        #expect(Secrets.isPassword("correct horse é", matching: stored))
        #expect(!Secrets.isPassword("correct horse e", matching: stored))
    }

    @Test("salts every password anew and knows it again")
    func salts() {
        let first = Secrets.hash(password: "secret"), second = Secrets.hash(password: "secret")
        #expect(first != second)
        #expect(first.hasPrefix("scrypt$") && first.utf8.count == 7 + 32 + 1 + 64)
        #expect(Secrets.isPassword("secret", matching: first))
        #expect(!Secrets.isPassword("", matching: first))
    }

    @Test(
        "takes no password for a stored text that is none",
        arguments: [
            "", "$", "$$", "scrypt", "scrypt$00", "scrypt$zz$00", "bcrypt$00$00", "scrypt$00$00", "scrypt$0$00",
            "scrypt$00$00$00",
        ])
    func malformed(stored: String) {
        #expect(!Secrets.isPassword("", matching: stored))
        #expect(!Secrets.isPassword("00", matching: stored))
    }

    @Test("compares secrets by content and length")
    func equality() {
        #expect(Secrets.areEqual("", "") && Secrets.areEqual("abc", "abc"))
        #expect(!Secrets.areEqual("abc", "abd") && !Secrets.areEqual("abc", "ab") && !Secrets.areEqual("", "a"))
    }

    @Test("makes tokens of the length and letters it says, each another")
    func tokens() {
        let tokens = Set((0..<100).map { _ in Secrets.token() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.count == 40 && $0.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) } })
        // Letters that are easily misread are left out.
        #expect(tokens.allSatisfy { $0.allSatisfy { !"lo01".contains($0) } })
        #expect(Secrets.token(characterCount: 0).isEmpty)
        #expect(Secrets.randomBytes(32).count == 32 && Secrets.randomBytes(32) != Secrets.randomBytes(32))
    }

    @Test("writes and reads hexadecimal digits")
    func hexadecimal() {
        #expect(Data([0x00, 0x0F, 0xFF]).hex == "000fff")
        #expect(Data(hex: "000FfF") == Data([0x00, 0x0F, 0xFF]))
        #expect(Data(hex: "") == Data())
        for text in ["0", "0g", "0x", "é0", " 00", "-1"] { #expect(Data(hex: text) == nil, "\(text)") }
    }
}

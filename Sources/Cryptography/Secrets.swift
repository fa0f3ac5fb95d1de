import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Random secrets and stored passwords.
public enum Secrets {
    /// Unpredictable bytes from the system.
    public static func randomBytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// An unpredictable token of lower-case letters and digits, 5 bits a character.
    public static func token(characterCount: Int = 40) -> String {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        return String(decoding: randomBytes(characterCount).map { alphabet[Int($0) & 31] }, as: UTF8.self)
    }

    /// Compares secrets in time that does not depend on where they differ.
    public static func areEqual(_ left: String, _ right: String) -> Bool {
        let left = Array(left.utf8), right = Array(right.utf8)
        return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// A password as it is stored: `scrypt$<salt hex>$<key hex>` (RFC 7914, N = 2^15, r = 8, p = 1; about 100 ms).
    public static func hash(password: String) -> String {
        hash(password: password, salt: randomBytes(16))
    }

    /// Whether a password is the stored one; costs as much as ``hash(password:)``.
    public static func isPassword(_ password: String, matching stored: String) -> Bool {
        let parts = stored.split(separator: "$")
        guard parts.count == 3, parts[0] == "scrypt", let salt = Data(hex: parts[1]) else { return false }
        return areEqual(hash(password: password, salt: salt), stored)
    }

    private static func hash(password: String, salt: Data) -> String {
        var key = [UInt8](repeating: 0, count: 32)
        let passwordBytes = Array(password.utf8CString)
        let status = EVP_PBE_scrypt(
            passwordBytes, passwordBytes.count - 1, Array(salt), salt.count, 1 << 15, 8, 1, 64 << 20, &key, key.count)
        precondition(status == 1, "scrypt with constant parameters fails only when memory is exhausted")
        return "scrypt$\(salt.hex)$\(Data(key).hex)"
    }
}

extension Data {
    /// Lower-case hexadecimal digits.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Reads hexadecimal digits; `nil` for anything else.
    public init?(hex: some StringProtocol) {
        let nibbles = hex.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard nibbles.count == hex.utf8.count, nibbles.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] })
    }
}

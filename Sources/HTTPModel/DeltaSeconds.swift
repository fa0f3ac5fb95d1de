/// Non-negative whole seconds as HTTP writes them (RFC 9111, section 1.2.2).
public enum DeltaSeconds {
    /// What a number too large to matter is read as: 2^31.
    public static let maximum = 2_147_483_648

    /// Reads decimal digits and nothing else; larger numbers give ``maximum``, anything else `nil`.
    public static func parse(_ text: some StringProtocol) -> Int? { parse(bytes: text.utf8) }

    static func parse(bytes: some Collection<UInt8>) -> Int? {
        guard !bytes.isEmpty else { return nil }
        var seconds = 0
        for byte in bytes {
            guard 0x30...0x39 ~= byte else { return nil }
            seconds = min(seconds * 10 + Int(byte - 0x30), maximum)
        }
        return seconds
    }
}

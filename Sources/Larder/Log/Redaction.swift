/// Takes secrets out of what people read: log lines, listings, the console.
///
/// What goes: the userinfo, the query and the fragment of URLs and paths; the values of `Authorization`, `Cookie` and whatever else
/// is named like a key, a token, a license or a password; credentials after `Bearer` and the like; and the secrets that
/// are known by their value. "…" stands in their place. What is in doubt goes.
package struct Redaction: Sendable {
    private static let mark = Array("…".utf8)
    /// Shorter ones would be found in ordinary words.
    private static let secretByteCountMin = 4

    private var secrets: [[UInt8]] = []

    /// Knows no secret by its value.
    package init() {}

    /// Hides a value wherever it stands from now on. Ones of fewer than four bytes are left to the other rules.
    package mutating func hide(_ secret: String) {
        let bytes = Array(secret.utf8)
        guard bytes.count >= Self.secretByteCountMin, !secrets.contains(bytes) else { return }
        // The longest first: one may be a part of another.
        secrets = (secrets + [bytes]).sorted { $0.count > $1.count }
    }

    /// The text without secrets.
    package func redacted(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for secret in secrets { bytes = Self.replacing(secret, in: bytes) }
        var pass = Pass(bytes)
        return String(decoding: pass.run(), as: UTF8.self)
    }

    private static func replacing(_ secret: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= secret.count else { return bytes }
        var (found, index): ([UInt8], Int) = ([], 0)
        while index < bytes.count {
            if bytes[index] == secret[0], bytes[index...].starts(with: secret) {
                found += mark
                index += secret.count
            } else {
                found.append(bytes[index])
                index += 1
            }
        }
        return found
    }

    /// One way through a text, from its start to its end.
    private struct Pass {
        /// How far the end of a userinfo is looked for in what is no proper URL.
        private static let userinfoByteCountMax = 1_024
        private static let schemes: Set<String> = ["bearer", "basic", "digest", "negotiate", "ntlm"]
        private static let fieldNames = ["authorization", "cookie"]
        private static let keyNames = ["apikey", "license", "token", "secret", "password", "passwd", "credential"]

        private let bytes: [UInt8]
        private var found: [UInt8] = []
        private var index = 0
        /// The word that is being read began here.
        private var tokenStart = 0
        private var isInURL = false
        /// The last "=" of the text.
        private let lastEquals: Int
        /// What has been looked through for the end of a word.
        private var token = 0..<0

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            lastEquals = bytes.lastIndex(of: UInt8(ascii: "=")) ?? -1
            found.reserveCapacity(bytes.count)
        }

        mutating func run() -> [UInt8] {
            while index < bytes.count {
                let byte = bytes[index]
                if byte.endsToken {
                    copy(1)
                    (tokenStart, isInURL) = (index, false)
                } else if byte == UInt8(ascii: ":"), index > 0, bytes[index - 1].isWord, isThere("://") {
                    copyAuthority()
                } else if byte == UInt8(ascii: "?"), hidesQuery() {
                    copyHiding()
                } else if byte == UInt8(ascii: "#"), isInURL, index + 1 < tokenEnd(from: index) {
                    copyHiding()
                } else if byte.isWord, index == 0 || !bytes[index - 1].isWord {
                    copyWord()
                } else {
                    copy(1)
                }
            }
            return found
        }

        // MARK: - Parts of URLs

        /// The userinfo goes; where it is not plain what that is, everything does.
        private mutating func copyAuthority() {
            copy(3)
            isInURL = true
            let end = tokenEnd(from: index)
            let authorityEnd = bytes[index..<end].firstIndex { "/?#".utf8.contains($0) } ?? end
            let authority = bytes[index..<authorityEnd]
            let at = UInt8(ascii: "@")
            if let last = authority.lastIndex(of: at), !bytes[authorityEnd..<end].contains(at) {
                hide(upTo: last)
            } else if authority.contains(at) {
                // The later one may be the end of the userinfo too.
                hide(upTo: end)
            } else if !Self.isHostAndPort(authority) {
                let line = bytes[index...].prefix(Self.userinfoByteCountMax).prefix { $0 != UInt8(ascii: "\n") }
                let last = line.lastIndex(of: at)
                hide(upTo: last.map { tokenEnd(from: $0) } ?? end)
            }
        }

        private static func isHostAndPort(_ authority: ArraySlice<UInt8>) -> Bool {
            let isIPv6 = authority.first == UInt8(ascii: "[")
            let hostEnd =
                isIPv6
                ? authority.lastIndex(of: UInt8(ascii: "]")) : authority.firstIndex(of: UInt8(ascii: ":"))
            guard let hostEnd else { return true }
            let rest = authority[(isIPv6 ? hostEnd + 1 : hostEnd)...]
            let port = rest.dropFirst().prefix { 48...57 ~= $0 }
            // What stands around a URL in a sentence may follow.
            let tail = rest.dropFirst(port.isEmpty ? 0 : 1 + port.count)
            return tail.allSatisfy { ",;.)".utf8.contains($0) } && (rest.isEmpty || !port.isEmpty || isIPv6)
        }

        /// Whether what follows a question mark is a query, and no end of a sentence.
        private mutating func hidesQuery() -> Bool {
            let end = tokenEnd(from: index)
            guard index + 1 < end else { return false }
            return isInURL || bytes[tokenStart] == UInt8(ascii: "/")
                || lastEquals > index && bytes[index..<end].contains(UInt8(ascii: "="))
        }

        // MARK: - Words

        /// A word; when it names a secret, what it names is left out.
        private mutating func copyWord() {
            let end = bytes[index...].firstIndex { !$0.isWord } ?? bytes.count
            let name = String(decoding: bytes[index..<end], as: UTF8.self).lowercased()
            copy(end - index)
            if Self.schemes.contains(name) {
                let value = bytes[index...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.count
                guard value > index, value < bytes.count, !bytes[value].endsToken else { return }
                copy(value - index)
                return hide(upTo: tokenEnd(from: index))
            }
            let plain = name.filter { $0 != "-" && $0 != "_" }
            let isField = Self.fieldNames.contains { plain.hasSuffix($0) }
            guard isField || Self.keyNames.contains(where: { plain.hasSuffix($0) }), let value = valueStart() else {
                return
            }
            let quote = value > index && "\"'".utf8.contains(bytes[value - 1]) ? bytes[value - 1] : nil
            copy(value - index)
            let valueEnd = bytes[index...].firstIndex { byte in
                if isField { return byte == UInt8(ascii: "\n") }
                if let quote { return byte == quote || byte == UInt8(ascii: "\n") }
                return byte.endsToken || ",;&)]}".utf8.contains(byte)
            }
            hide(upTo: valueEnd ?? bytes.count)
        }

        /// Where the value of the name that has just been read begins; `nil` when there is none.
        private func valueStart() -> Int? {
            var (position, isQuoted, separator) = (index, false, false)
            while position < bytes.count {
                let byte = bytes[position]
                if "\"'".utf8.contains(byte) {
                    isQuoted = true
                } else if ":=".utf8.contains(byte) || byte == UInt8(ascii: ",") && isQuoted {
                    separator = true
                } else if !" \t([".utf8.contains(byte) {
                    break
                }
                position += 1
            }
            return separator && position < bytes.count && bytes[position] != UInt8(ascii: "\n") ? position : nil
        }

        // MARK: - Copying

        private func isThere(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

        private mutating func tokenEnd(from start: Int) -> Int {
            if !token.contains(start) { token = start..<(bytes[start...].firstIndex { $0.endsToken } ?? bytes.count) }
            return token.upperBound
        }

        private mutating func copy(_ count: Int) {
            found += bytes[index..<index + count]
            index += count
        }

        /// Copies a byte and leaves out the rest of the word.
        private mutating func copyHiding() {
            let end = tokenEnd(from: index)
            copy(1)
            hide(upTo: end)
        }

        private mutating func hide(upTo end: Int) {
            guard end > index else { return }
            found += Redaction.mark
            index = end
        }
    }
}

extension UInt8 {
    /// Blanks, control characters and what stands around a URL in a text.
    fileprivate var endsToken: Bool { self <= UInt8(ascii: " ") || "\"<>".utf8.contains(self) || self == 0x7F }
    /// What names are made of.
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension CacheControl {
    /// Reads a field that speaks to some caches only, such as `CDN-Cache-Control` (RFC 9213, section 2.1).
    ///
    /// Such a field is a dictionary of structured values: names are in lower case, and a number is a number. An argument of
    /// another type than its directive takes is invalid, which counts as stale.
    /// - Returns: `nil` when the field is absent, empty or malformed; the cache then goes by another.
    public init?(targeted name: HTTPFieldName, in fields: HTTPFields) {
        guard let value = fields[name], let members = StructuredField.parseDictionary(value), !members.isEmpty else {
            return nil
        }
        self.init()
        for member in members {
            let name = member.key
            guard case .item(let item) = member.value else {
                apply(DirectiveTokenizer.Token(name: name, isMalformed: true))
                continue
            }
            switch item.value {
            case .boolean(false): break
            case .boolean(true): apply(DirectiveTokenizer.Token(name: name))
            case .integer(let number): apply(DirectiveTokenizer.Token(name: name, argument: String(number)))
            case .string(let text) where name == "private" || name == "no-cache":
                apply(DirectiveTokenizer.Token(name: name, argument: text))
            default: apply(DirectiveTokenizer.Token(name: name, isMalformed: true))
            }
        }
    }
}

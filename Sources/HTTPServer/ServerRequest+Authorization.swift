import HTTPModel

extension ServerRequest {
    /// The token of `Authorization: Bearer …` (RFC 6750, section 2.1); `nil` for another scheme or none.
    public var bearerToken: String? {
        guard let value = fields[.authorization] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let token = String(parts[1].drop { $0 == " " })
        return token.isEmpty || token.contains(" ") || token.contains(",") ? nil : token
    }
}

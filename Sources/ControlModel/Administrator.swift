/// A person who signs in to the portal.
public struct Administrator: Sendable, Hashable {
    public var name: String
    public var passwordHash: String

    /// Creates a value.
    public init(name: String, passwordHash: String) {
        self.name = name
        self.passwordHash = passwordHash
    }
}

/// Why a proxy could not start.
public struct LocalProxyError: Error, Sendable, CustomStringConvertible {
    /// What failed and what to do, for people.
    public var description: String

    init(_ description: String) { self.description = description }
}

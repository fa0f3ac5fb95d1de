/// The version of the SDK and the server.
public enum Version {
    public static let current = "0.1.0"
}

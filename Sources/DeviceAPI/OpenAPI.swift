/// The description of the API in OpenAPI 3.1.
public enum OpenAPI {
    public static let document = "{}"
}

public import ControlPlane
public import HTTPServer

/// The routes of the AdminAPI; see `openapi.json`.
public enum AdminAPI {
    /// Every route, for the server that carries them.
    public static func routes(_ controlPlane: ControlPlane) -> [Route] { fatalError("stub") }
}

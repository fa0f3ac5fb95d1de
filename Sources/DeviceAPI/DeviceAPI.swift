public import ControlPlane
public import HTTPServer

/// The routes of the DeviceAPI; see `openapi.json`.
public enum DeviceAPI {
    /// Every route, for the server that carries them.
    public static func routes(_ controlPlane: ControlPlane) -> [Route] { fatalError("stub") }
}

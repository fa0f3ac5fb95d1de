public import ControlPlane
public import HTTPServer
public import Primitives

/// The pages of the portal, under `/`.
public enum Portal {
    /// Every route, for the server that carries them.
    public static func routes(_ controlPlane: ControlPlane, timekeeper: any Timekeeping) -> [Route] {
        fatalError("stub")
    }
}

/// Knows the device's conditions and tells when they change.
public protocol ConditionsSource: Sendable {
    /// The conditions now. No I/O.
    var conditions: DeviceConditions { get }
    /// The conditions now and after every change; a slow listener sees the newest only.
    func changes() -> AsyncStream<DeviceConditions>
}

/// Conditions that somebody sets: for tests and simulations.
public final class ManualConditions: ConditionsSource {
    private let hub: ConditionsHub

    /// Starts with conditions: a wired network and external power unless told.
    public init(_ conditions: DeviceConditions = DeviceConditions()) { hub = ConditionsHub(conditions) }

    public var conditions: DeviceConditions { hub.conditions }

    /// Changes the conditions and tells the listeners.
    public func set(_ conditions: DeviceConditions) { hub.set(conditions) }

    public func changes() -> AsyncStream<DeviceConditions> { hub.changes() }
}

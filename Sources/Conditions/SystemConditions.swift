/// The conditions of the device that the process runs on.
///
/// On Linux the kernel's view of routes, interfaces and power supplies is there at once; NetworkManager and UPower refine it
/// where they run, and may come and go. One thread waits for what they and the kernel tell; it ends with the value. What
/// cannot be found out is a network of another kind and external power. `docs/conditions.md` tells what is read from where.
public final class SystemConditions: ConditionsSource {
    /// One source for the whole process.
    public static let shared = SystemConditions()

    private let hub: ConditionsHub
    private let watch: SystemWatch

    /// Looks at the system, which takes less than a millisecond and waits for nobody, and goes on looking.
    public convenience init() { self.init(places: SystemPlaces()) }

    /// The same with the system somewhere else, for tests.
    package init(places: SystemPlaces) {
        let hub = ConditionsHub(DeviceConditions())
        self.hub = hub
        watch = SystemWatch(places: places, hub: hub)
    }

    deinit {
        watch.stop()
        hub.finish()
    }

    public var conditions: DeviceConditions { hub.conditions }

    public func changes() -> AsyncStream<DeviceConditions> { hub.changes() }
}

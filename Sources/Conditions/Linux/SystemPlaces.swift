#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    package import Primitives

    /// Where the system is looked at, and how often where nobody tells of changes.
    package struct SystemPlaces: Sendable {
        /// The kernel's view of devices.
        package var sysfs = "/sys"
        /// The kernel's view of processes and protocols.
        package var procfs = "/proc"
        /// The message bus that NetworkManager and UPower are on; `nil` for none.
        package var busAddress: String? = Self.systemBusAddress
        /// Whether the kernel is asked for the way into the network, and heard when it changes.
        package var asksKernel = true
        /// Time until a bus that cannot be had is tried again; doubles up to 256 times of it.
        package var retryInterval = Duration.seconds(1)
        /// Time that a service has for its answer. After it the kernel's view counts again.
        package var answerInterval = Duration.seconds(5)
        /// Time between looks at the battery while only the kernel knows it: not every driver tells.
        package var batteryInterval = Duration.seconds(60)

        package var timekeeper: any Timekeeping = SystemTimekeeper()

        /// The system of the machine.
        package init() {}

        private static var systemBusAddress: String {
            ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket"
        }
    }
#endif

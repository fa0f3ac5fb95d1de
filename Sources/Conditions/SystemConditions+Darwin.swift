#if canImport(Network)
    import Dispatch
    import Network

    #if canImport(UIKit)
        import UIKit
    #endif

    /// Where the system is looked at; there is one place only on these systems.
    package struct SystemPlaces: Sendable {
        package init() {}
    }

    /// Watches the path to the network and the battery. Neither built nor tested on Linux.
    final class SystemWatch: Sendable {
        private let monitor = NWPathMonitor()

        init(places: SystemPlaces, hub: ConditionsHub) {
            monitor.pathUpdateHandler = { path in
                var conditions = hub.conditions
                conditions.network = Self.network(path)
                hub.set(conditions)
            }
            monitor.start(queue: DispatchQueue(label: "larder.conditions"))
            #if canImport(UIKit) && !os(watchOS) && !os(tvOS)
                Task { @MainActor in Self.watchBattery(hub) }
            #endif
        }

        func stop() { monitor.cancel() }

        private static func network(_ path: NWPath) -> DeviceConditions.Network {
            guard path.status == .satisfied else { return .init(.none) }
            let kinds: [(NWInterface.InterfaceType, DeviceConditions.NetworkKind)] = [
                (.wifi, .wifi), (.cellular, .cellular), (.wiredEthernet, .wired),
            ]
            let kind = kinds.first { path.usesInterfaceType($0.0) }?.1 ?? .other
            return .init(kind, isMetered: path.isExpensive || path.isConstrained)
        }

        #if canImport(UIKit) && !os(watchOS) && !os(tvOS)
            @MainActor private static func watchBattery(_ hub: ConditionsHub) {
                let device = UIDevice.current
                device.isBatteryMonitoringEnabled = true
                let names = [UIDevice.batteryStateDidChangeNotification, UIDevice.batteryLevelDidChangeNotification]
                let tell: @MainActor () -> Void = {
                    var conditions = hub.conditions
                    conditions.power.isExternal = device.batteryState != .unplugged
                    conditions.power.batteryPercent =
                        device.batteryLevel < 0 ? nil : Int((device.batteryLevel * 100).rounded())
                    hub.set(conditions)
                }
                for name in names {
                    NotificationCenter.default.addObserver(forName: name, object: device, queue: .main) { _ in
                        MainActor.assumeIsolated(tell)
                    }
                }
                tell()
            }
        #endif
    }
#endif

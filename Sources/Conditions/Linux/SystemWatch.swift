#if os(Linux)
    import CEpoll
    import Glibc
    import Primitives

    /// Looks at the system, and goes on looking on a thread of its own.
    final class SystemWatch: Sendable {
        private let bell = Bell()

        /// Tells the kernel's view at once, everything else when it comes. Without a thread to be had the view stays as it is.
        init(places: SystemPlaces, hub: ConditionsHub) {
            hub.set(KernelView(places).conditions)
            _ = DetachedThread.start { [bell] in SystemWatchLoop(places, hub, bell).run() }
        }

        /// Ends the thread, soon.
        func stop() { bell.ring() }
    }

    /// Wakes a thread that polls.
    final class Bell: Sendable {
        /// Readable once the bell has been rung; negative when the process has no descriptor left.
        let descriptor = cepoll_eventfd()

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Wakes the thread. Never blocks.
        func ring() {
            var one: UInt64 = 1
            _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
        }
    }

    /// What the kernel alone can tell.
    struct KernelView {
        private let routes: RouteReader?
        private let supplies: PowerReader

        init(_ places: SystemPlaces) {
            let interfaces = InterfaceReader(sysfs: places.sysfs, procfs: places.procfs)
            routes = places.asksKernel ? RouteReader(interfaces: interfaces) : nil
            supplies = PowerReader(sysfs: places.sysfs)
        }

        var network: DeviceConditions.Network { routes?.network() ?? .init(.other) }
        var power: DeviceConditions.Power { supplies.power() }
        var conditions: DeviceConditions { DeviceConditions(network: network, power: power) }
    }
#endif

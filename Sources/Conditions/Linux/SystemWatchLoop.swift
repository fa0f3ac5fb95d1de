#if os(Linux)
    import CNetlink
    import Glibc
    import Primitives

    /// The thread that waits for what the kernel and the bus tell. Everything in it belongs to that thread.
    final class SystemWatchLoop {
        private let places: SystemPlaces
        private let hub: ConditionsHub
        private let bell: Bell
        private let kernel: KernelView
        private let network: NetlinkEars?
        private let devices: NetlinkEars?
        private var kernelConditions: DeviceConditions
        private var bus: BusView?
        private var retry: Duration
        /// The uptime at which the bus is tried again.
        private var nextAttempt = Duration.zero
        /// The uptime since which an answer is outstanding.
        private var waitingSince: Duration?
        /// The uptime at which the power supplies were looked at last.
        private var powerReadAt: Duration

        init(_ places: SystemPlaces, _ hub: ConditionsHub, _ bell: Bell) {
            self.places = places
            self.hub = hub
            self.bell = bell
            // Hearing comes before looking, so that no change falls between the two.
            network = places.asksKernel ? NetlinkEars(NETLINK_ROUTE, groups: cnetlink_network_groups) : nil
            devices = NetlinkEars(NETLINK_KOBJECT_UEVENT, groups: 1)
            kernel = KernelView(places)
            kernelConditions = kernel.conditions
            retry = places.retryInterval
            powerReadAt = places.timekeeper.uptime
        }

        /// Runs until the bell rings.
        func run() {
            guard bell.descriptor >= 0 else { return }
            while true {
                let now = places.timekeeper.uptime
                keepBus(now)
                if isPowerUnheard, now - powerReadAt >= places.batteryInterval { readPower(now) }
                hub.set(
                    DeviceConditions(
                        network: bus?.network ?? kernelConditions.network, power: bus?.power ?? kernelConditions.power))
                if !wait(now) { return }
            }
        }

        // MARK: - The bus

        private func keepBus(_ now: Duration) {
            if let bus {
                if bus.isGreeted { retry = places.retryInterval }
                waitingSince = bus.isWaiting ? waitingSince ?? now : nil
                if let waitingSince, now - waitingSince >= places.answerInterval {
                    bus.giveUp()
                    self.waitingSince = nil
                    // Whoever listens there is no bus.
                    if !bus.isGreeted { dropBus(now) }
                }
                if !bus.isConnected { dropBus(now) }
            } else if let address = places.busAddress, now >= nextAttempt {
                bus = BusView(address: address)
                if bus == nil { dropBus(now) }
            }
        }

        private func dropBus(_ now: Duration) {
            (bus, waitingSince) = (nil, nil)
            nextAttempt = now + retry
            retry = min(retry * 2, places.retryInterval * 256)
        }

        // MARK: - The kernel

        /// Whether the charge of a battery is known from the kernel only.
        private var isPowerUnheard: Bool { bus?.power == nil && kernelConditions.power.batteryPercent != nil }

        private func readPower(_ now: Duration) {
            kernelConditions.power = kernel.power
            powerReadAt = now
        }

        // MARK: - Waiting

        /// The time until something is to be done without anybody telling; `nil` for never.
        private func pause(_ now: Duration) -> Duration? {
            var moments: [Duration] = []
            if bus == nil, places.busAddress != nil { moments.append(nextAttempt) }
            if let bus, bus.isWaiting { moments.append((waitingSince ?? now) + places.answerInterval) }
            if isPowerUnheard { moments.append(powerReadAt + places.batteryInterval) }
            return moments.min().map { max(.zero, $0 - now) }
        }

        /// Waits for news and takes them in.
        /// - Returns: `false` when the bell has rung.
        private func wait(_ now: Duration) -> Bool {
            var descriptors = [bell.descriptor, network?.descriptor ?? -1, devices?.descriptor ?? -1].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let own = descriptors.count
            descriptors += bus?.descriptors ?? []
            let pause = pause(now)
            let milliseconds = pause.map {
                Int32(clamping: $0.components.seconds * 1_000 + $0.components.attoseconds / 1_000_000_000_000_000 + 1)
            }
            guard poll(&descriptors, nfds_t(descriptors.count), milliseconds ?? -1) > 0 else { return true }
            if descriptors[0].revents != 0 { return false }
            if descriptors[1].revents != 0, network?.hear() == true { kernelConditions.network = kernel.network }
            if descriptors[2].revents != 0, devices?.hear(of: "SUBSYSTEM=power_supply") == true {
                readPower(places.timekeeper.uptime)
            }
            bus?.handle(descriptors[own...])
            return true
        }
    }

    /// A netlink socket that hears what the kernel tells everybody.
    private final class NetlinkEars {
        let descriptor: Int32

        init?(_ netlink: Int32, groups: UInt32) {
            descriptor = cnetlink_open(netlink, groups)
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }

        /// Takes in what was told.
        /// - Parameter word: what to look out for.
        /// - Returns: whether it was told, or some of what was told is lost.
        func hear(of word: String = "") -> Bool {
            var isTold = false
            var packet = [UInt8](repeating: 0, count: 16_384)
            // What comes after so many packets is there at the next turn.
            for _ in 0..<256 {
                let count = recv(descriptor, &packet, packet.count, 0)
                if count < 0 { return isTold || errno == ENOBUFS }
                isTold = isTold || word.isEmpty || String(decoding: packet[..<count], as: UTF8.self).contains(word)
            }
            return isTold
        }
    }
#endif

#if os(Linux)
    /// Where the power comes from, as UPower says.
    enum UPowerSubject: BusSubject {
        static let service = "org.freedesktop.UPower"

        private static let manager = BusObject(path: "/org/freedesktop/UPower", interface: service)
        /// All batteries together, as the desktop shows them.
        private static let display = BusObject(
            path: "/org/freedesktop/UPower/devices/DisplayDevice", interface: service + ".Device")

        static func wanted(_ known: BusProperties) -> Set<BusObject> { [manager, display] }

        static func answer(_ known: BusProperties) -> DeviceConditions.Power? {
            guard let onBattery = known[manager]?["OnBattery"]?.truth else { return nil }
            let battery = known[display] ?? [:]
            // 2 is a battery, 3 an uninterruptible power supply.
            guard battery["IsPresent"]?.truth == true, [2, 3].contains(battery["Type"]?.number),
                let percent = battery["Percentage"]?.fraction, percent.isFinite
            else { return .init(isExternal: !onBattery) }
            return .init(isExternal: !onBattery, batteryPercent: Int(min(100, max(0, percent)).rounded()))
        }
    }
#endif

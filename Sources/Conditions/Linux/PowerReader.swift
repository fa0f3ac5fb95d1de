#if os(Linux)
    /// What sysfs tells of power supplies.
    struct PowerReader {
        let sysfs: String

        /// Where the power comes from, by all supplies of the device itself together.
        func power() -> DeviceConditions.Power {
            var lines: [Bool] = []
            var batteries: [Battery] = []
            let supplies = "\(sysfs)/class/power_supply"
            for name in SmallFile.names(in: supplies) {
                let directory = "\(supplies)/\(name)"
                // A mouse or a headset has a battery of its own.
                if SmallFile.text(directory + "/scope") == "Device" { continue }
                switch SmallFile.text(directory + "/type") {
                case "Battery", "UPS": if let battery = Battery(directory) { batteries.append(battery) }
                case nil: continue
                default: if let online = SmallFile.number(directory + "/online") { lines.append(online != 0) }
                }
            }
            guard !batteries.isEmpty else { return .init(isExternal: true) }
            let isExternal = lines.contains(true) || lines.isEmpty && !batteries.contains { $0.isDischarging }
            return .init(isExternal: isExternal, batteryPercent: Battery.percent(of: batteries))
        }

        private struct Battery {
            let percent: Double
            /// How much it holds, in the unit that the driver uses.
            let capacity: Double?
            let isDischarging: Bool

            init?(_ directory: String) {
                if SmallFile.number(directory + "/present") == 0 { return nil }
                guard let percent = SmallFile.number(directory + "/capacity") else { return nil }
                self.percent = Double(min(100, max(0, percent)))
                let full = SmallFile.number(directory + "/energy_full") ?? SmallFile.number(directory + "/charge_full")
                capacity = full.map { Double(max(0, $0)) }
                isDischarging = SmallFile.text(directory + "/status") == "Discharging"
            }

            /// The charge of several batteries as if they were one.
            static func percent(of batteries: [Battery]) -> Int {
                let whole = batteries.compactMap(\.capacity).reduce(0, +)
                guard batteries.allSatisfy({ $0.capacity != nil }), whole > 0 else {
                    return Int((batteries.map(\.percent).reduce(0, +) / Double(batteries.count)).rounded())
                }
                return Int((batteries.map { $0.percent * ($0.capacity ?? 0) }.reduce(0, +) / whole).rounded())
            }
        }
    }
#endif

#if os(Linux)
    /// The network in use, as NetworkManager says.
    enum NetworkManagerSubject: BusSubject {
        static let service = "org.freedesktop.NetworkManager"

        private static let manager = BusObject(path: "/org/freedesktop/NetworkManager", interface: service)
        /// Most active connections that are looked at when none of them is said to be the primary one.
        private static let connectionCountMax = 8

        static func wanted(_ known: BusProperties) -> Set<BusObject> {
            var wanted: Set = [manager]
            guard let properties = known[manager] else { return wanted }
            wanted.formUnion(candidates(properties))
            guard let connection = primary(known), let values = known[connection],
                let device = path(values["Devices"]?.list?.first)
            else { return wanted }
            wanted.insert(.device(device))
            if kind(of: values) == .wifi {
                wanted.insert(.wireless(device))
                if let point = accessPoint(values, known[.wireless(device)]) { wanted.insert(point) }
            }
            return wanted
        }

        static func answer(_ known: BusProperties) -> DeviceConditions.Network? {
            guard let connection = primary(known), let values = known[connection] else { return nil }
            let device = path(values["Devices"]?.list?.first)
            let kind = kind(of: values)
            let metered = [known[manager]?["Metered"], device.flatMap { known[.device($0)]?["Metered"] }]
            var network = DeviceConditions.Network(
                kind, isMetered: metered.lazy.compactMap { $0?.number }.compactMap(isMetered).first,
                id: values["Uuid"]?.text)
            if let device, let point = accessPoint(values, known[.wireless(device)]) {
                network.signalLevel = known[point]?["Strength"]?.number.map {
                    SignalLevel.level(percent: Int(clamping: $0))
                }
            }
            return network
        }

        // MARK: - Parts

        /// The active connections that may be the one in use.
        private static func candidates(_ manager: [String: BusValue]) -> [BusObject] {
            // The primary one is what a tunnel goes through, when a tunnel has the default route.
            if let primary = path(manager["PrimaryConnection"]) { return [.connection(primary)] }
            let active = manager["ActiveConnections"]?.list ?? []
            return active.prefix(connectionCountMax).compactMap { path($0).map(BusObject.connection) }
        }

        private static func primary(_ known: BusProperties) -> BusObject? {
            guard let properties = known[manager] else { return nil }
            let candidates = candidates(properties).filter { isActivated(known[$0] ?? [:]) }
            if path(properties["PrimaryConnection"]) != nil { return candidates.first }
            return candidates.first { known[$0]?["Default"]?.truth == true || known[$0]?["Default6"]?.truth == true }
        }

        private static func isActivated(_ connection: [String: BusValue]) -> Bool { connection["State"]?.number == 2 }

        /// The path of an object; "/" stands for none.
        private static func path(_ value: BusValue?) -> String? {
            value?.text.flatMap { $0.hasPrefix("/") && $0 != "/" ? $0 : nil }
        }

        private static func accessPoint(
            _ connection: [String: BusValue], _ wireless: [String: BusValue]?
        ) -> BusObject? {
            (path(wireless?["ActiveAccessPoint"]) ?? path(connection["SpecificObject"])).map {
                BusObject(path: $0, interface: service + ".AccessPoint")
            }
        }

        private static func kind(of connection: [String: BusValue]) -> DeviceConditions.NetworkKind {
            switch connection["Type"]?.text {
            case "802-11-wireless", "802-11-olpc-mesh", "wifi-p2p": .wifi
            case "gsm", "cdma": .cellular
            case "802-3-ethernet", "pppoe", "adsl", "infiniband", "bridge", "bond", "team", "vlan", "veth": .wired
            default: .other
            }
        }

        /// NMMetered: yes, no, guessed yes, guessed no; `nil` for unknown.
        private static func isMetered(_ number: Int64) -> Bool? {
            switch number {
            case 1, 3: true
            case 2, 4: false
            default: nil
            }
        }
    }

    extension BusObject {
        fileprivate static func connection(_ path: String) -> BusObject {
            BusObject(path: path, interface: NetworkManagerSubject.service + ".Connection.Active")
        }
        fileprivate static func device(_ path: String) -> BusObject {
            BusObject(path: path, interface: NetworkManagerSubject.service + ".Device")
        }
        fileprivate static func wireless(_ path: String) -> BusObject {
            BusObject(path: path, interface: NetworkManagerSubject.service + ".Device.Wireless")
        }
    }
#endif

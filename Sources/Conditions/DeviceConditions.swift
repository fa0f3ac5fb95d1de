/// What a device has at hand: its network and its power.
public struct DeviceConditions: Sendable, Hashable {
    /// A way into the network.
    public enum NetworkKind: String, Sendable, Codable, CaseIterable {
        case none, wifi, cellular, wired
        /// There is a network, and nobody says which.
        case other
    }

    /// The network that requests use.
    public struct Network: Sendable, Hashable {
        public var kind: NetworkKind
        /// Whether its bytes cost; `true` for cellular networks unless the system says otherwise.
        public var isMetered: Bool
        /// Tells networks of one kind apart; never leaves the device. `nil` when the system does not tell.
        public var id: String?
        /// From 0, none, to 4, full; `nil` when the system does not tell.
        public var signalLevel: Int?

        /// Creates a value.
        public init(_ kind: NetworkKind, isMetered: Bool? = nil, id: String? = nil, signalLevel: Int? = nil) {
            self.kind = kind
            self.isMetered = isMetered ?? (kind == .cellular)
            self.id = id
            self.signalLevel = signalLevel
        }
    }

    /// Where the power comes from.
    public struct Power: Sendable, Hashable {
        /// On external power: charging, full, or without a battery.
        public var isExternal: Bool
        /// Charge of the battery in percent; `nil` without a battery.
        public var batteryPercent: Int?

        /// Creates a value.
        public init(isExternal: Bool, batteryPercent: Int? = nil) {
            self.isExternal = isExternal
            self.batteryPercent = batteryPercent
        }
    }

    public var network: Network
    public var power: Power

    /// Creates a value.
    public init(network: Network = Network(.wired), power: Power = Power(isExternal: true)) {
        self.network = network
        self.power = power
    }
}

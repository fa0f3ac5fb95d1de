import Conditions
import Foundation
import Primitives
import TestSupport
import Testing

@Suite(
    "NetworkManager", .enabled(if: MessageBus.isAvailable, "needs dbus and python3-dbusmock"), .timeLimit(.minutes(2)))
struct NetworkManagerTests {
    private let directory: TemporaryDirectory
    private let bus: MessageBus
    private let conditions: SystemConditions
    private let manager = "NM, '/org/freedesktop/NetworkManager'"

    init() async throws {
        directory = try TemporaryDirectory()
        bus = try await MessageBus()
        try await bus.start("networkmanager")
        // What the template lacks of the service.
        try await bus("call(\(manager), 'AddProperty', NM, 'PrimaryConnection', dbus.ObjectPath('/'))")
        try await bus("call(\(manager), 'AddProperty', NM, 'Metered', dbus.UInt32(0))")
        conditions = SystemConditions(places: .bus(bus.address, in: directory))
    }

    /// Joins a Wi-Fi network and returns the connection's uuid.
    private func joinWiFi(strength: Int = 77) async throws -> String {
        let devices = "/org/freedesktop/NetworkManager"
        try await bus("nm('AddWiFiDevice', 'wlan0', 'wlan0', dbus.Int32(100))")
        try await bus(
            "nm('AddAccessPoint', '\(devices)/Devices/wlan0', 'ap', 'home', '00:11:22:33:44:55', dbus.UInt32(2), "
                + "dbus.UInt32(2425), dbus.UInt32(5400), dbus.Byte(\(strength)), dbus.UInt32(0))")
        try await bus("nm('AddWiFiConnection', '\(devices)/Devices/wlan0', 'home', 'home', '')")
        try await bus(
            "nm('AddActiveConnection', ['\(devices)/Devices/wlan0'], '\(devices)/Settings/home', "
                + "'\(devices)/AccessPoint/ap', 'home', dbus.UInt32(2))")
        return try await bus(
            "get(NM, '\(devices)/ActiveConnection/home', 'org.freedesktop.NetworkManager.Connection.Active', 'Uuid')")
    }

    /// Brings up a connection of another type over a device.
    private func connect(_ type: String, _ name: String) async throws {
        try await bus("nm('AddEthernetDevice', '\(name)', '\(name)', dbus.Int32(100))")
        let settings = "{'connection': {'type': '\(type)', 'id': '\(name)', 'uuid': 'uuid-\(name)'}}"
        try await bus(
            "nm('AddActiveConnection', ['/org/freedesktop/NetworkManager/Devices/\(name)'], "
                + "call(NM, '/org/freedesktop/NetworkManager/Settings', 'AddConnection', dbus.Dictionary(\(settings), "
                + "signature='sa{sv}'), interface='org.freedesktop.NetworkManager.Settings'), '/', '\(name)', "
                + "dbus.UInt32(2))")
    }

    @Test("tells the Wi-Fi network with its id and the signal, and when the signal changes")
    func wifi() async throws {
        #expect(conditions.conditions.network == .init(.other))
        let uuid = try await joinWiFi()
        #expect(
            await conditions.when { $0.network.kind == .wifi && $0.network.signalLevel != nil }?.network
                == .init(.wifi, isMetered: false, id: uuid, signalLevel: 3))
        let point = "'/org/freedesktop/NetworkManager/AccessPoint/ap', 'org.freedesktop.NetworkManager.AccessPoint'"
        try await bus("put(NM, \(point), 'Strength', dbus.Byte(7))")
        #expect(await conditions.when { $0.network.signalLevel == 1 }?.network.id == uuid)
    }

    @Test("leaves it to the kernel when no connection is active")
    func disconnected() async throws {
        _ = try await joinWiFi()
        #expect(await conditions.when { $0.network.kind == .wifi } != nil)
        let name = "/org/freedesktop/NetworkManager"
        try await bus("nm('RemoveActiveConnection', '\(name)/Devices/wlan0', '\(name)/ActiveConnection/home')")
        #expect(await conditions.when { $0.network.kind != .wifi }?.network == .init(.other))
    }

    @Test(
        "tells the kind of every type of connection",
        arguments: [
            ("802-3-ethernet", DeviceConditions.NetworkKind.wired), ("bridge", .wired), ("gsm", .cellular),
            ("cdma", .cellular), ("bluetooth", .other),
        ])
    func kinds(type: String, kind: DeviceConditions.NetworkKind) async throws {
        try await connect(type, "net0")
        let network = await conditions.when { $0.network.id != nil }?.network
        #expect(network == .init(kind, isMetered: kind == .cellular, id: "uuid-net0"))
    }

    @Test("tells whether bytes cost, as the manager says, else the device")
    func metering() async throws {
        try await connect("gsm", "net0")
        #expect(await conditions.when { $0.network.kind == .cellular }?.network.isMetered == true)
        let device = "'/org/freedesktop/NetworkManager/Devices/net0', 'org.freedesktop.NetworkManager.Device'"
        try await bus(
            "call(NM, '/org/freedesktop/NetworkManager/Devices/net0', 'AddProperty', "
                + "'org.freedesktop.NetworkManager.Device', 'Metered', dbus.UInt32(0))")
        try await bus("put(NM, \(device), 'Metered', dbus.UInt32(4))")
        #expect(await conditions.when { !$0.network.isMetered } != nil)
        try await bus("put(NM, \(device), 'Metered', dbus.UInt32(1))")
        #expect(await conditions.when { $0.network.isMetered } != nil)
        try await bus("put(\(manager), NM, 'Metered', dbus.UInt32(2))")
        #expect(await conditions.when { !$0.network.isMetered } != nil)
    }

    @Test("tells the network below a tunnel that has the default route")
    func tunnel() async throws {
        try await connect("vpn", "tun0")
        #expect(await conditions.when { $0.network.id == "uuid-tun0" }?.network.kind == .other)
        let uuid = try await joinWiFi()
        let active = "/org/freedesktop/NetworkManager/ActiveConnection/home"
        try await bus("put(\(manager), NM, 'PrimaryConnection', dbus.ObjectPath('\(active)'))")
        #expect(await conditions.when { $0.network.kind == .wifi }?.network.id == uuid)
    }

    @Test("may come late, go and come back")
    func restarts() async throws {
        _ = try await joinWiFi()
        #expect(await conditions.when { $0.network.kind == .wifi } != nil)
        await bus.stop("networkmanager")
        #expect(await conditions.when { $0.network.kind != .wifi }?.network == .init(.other))
        try await bus.start("networkmanager")
        _ = try await joinWiFi()
        #expect(await conditions.when { $0.network.kind == .wifi } != nil)
    }

    @Test("may go with the whole bus, and come back with it")
    func busRestarts() async throws {
        _ = try await joinWiFi()
        #expect(await conditions.when { $0.network.kind == .wifi } != nil)
        await bus.stop()
        #expect(await conditions.when { $0.network.kind != .wifi }?.network == .init(.other))
        try await bus.restart()
        try await bus.start("networkmanager")
        _ = try await joinWiFi()
        #expect(await conditions.when { $0.network.kind == .wifi } != nil)
    }

    @Test("may talk nonsense")
    func nonsense() async throws {
        let nonsense = [
            "'ActiveConnections', 'none'", "'ActiveConnections', dbus.Array([1, 2], signature='i')",
            "'PrimaryConnection', 'no path'", "'PrimaryConnection', '/no//path'", "'PrimaryConnection', \"/a'b\"",
            "'PrimaryConnection', dbus.ObjectPath('/does/not/exist')", "'PrimaryConnection', dbus.Struct((1, 'x'))",
            "'Metered', 'yes'", "'Metered', dbus.UInt64(2**64 - 1)", "'State', dbus.Array([[[[[[[[[[1]]]]]]]]]])",
        ]
        for property in nonsense {
            try await bus("put(\(manager), NM, \(property))")
            #expect(conditions.conditions.network == .init(.other))
        }
        for property in [
            "'PrimaryConnection', dbus.ObjectPath('/')", "'ActiveConnections', dbus.Array([], signature='o')",
            "'Metered', dbus.UInt32(0)",
        ] { try await bus("put(\(manager), NM, \(property))") }
        _ = try await joinWiFi()
        #expect(await conditions.when { $0.network.kind == .wifi } != nil)
    }

    @Test("is not to be impersonated by others on the bus")
    func forged() async throws {
        let uuid = try await joinWiFi()
        #expect(await conditions.when { $0.network.signalLevel == 3 } != nil)
        let seen = Locked<[DeviceConditions]>([])
        let listener = Task { [conditions] in
            for await change in conditions.changes() {
                seen.withLock { $0.append(change) }
                if change.network.signalLevel == 4 { return }
            }
        }
        let forge = """
            [(lambda s: (s.append('org.freedesktop.NetworkManager.AccessPoint', {'Strength': dbus.Byte(1)}, \
            dbus.Array([], signature='s'), signature='sa{sv}as'), s.set_destination(name), bus.send_message(s)))\
            (dbus.lowlevel.SignalMessage('/org/freedesktop/NetworkManager/AccessPoint/ap', \
            'org.freedesktop.DBus.Properties', 'PropertiesChanged')) for name in bus.list_names() if name[0] == ':']
            """
        try await bus(forge)
        let point = "'/org/freedesktop/NetworkManager/AccessPoint/ap', 'org.freedesktop.NetworkManager.AccessPoint'"
        try await bus("put(NM, \(point), 'Strength', dbus.Byte(99))")
        await listener.value
        let levels = Set(seen.withLock { $0.compactMap(\.network.signalLevel) })
        #expect(levels.isSubset(of: [3, 4]))
        #expect(conditions.conditions.network.id == uuid)
    }
}

import Foundation
import TestSupport
import Testing

@testable import Conditions

@Suite("The kernel's view", .timeLimit(.minutes(1)))
struct KernelTests {
    private let directory: TemporaryDirectory
    private let interfaces: InterfaceReader
    private let supplies: PowerReader

    init() throws {
        directory = try TemporaryDirectory()
        interfaces = InterfaceReader(sysfs: directory.path, procfs: directory.path("proc"))
        supplies = PowerReader(sysfs: directory.path)
    }

    /// Writes files of a device: a name that ends in "/" is a directory.
    private func make(_ device: String, _ files: [String: String]) throws {
        for (name, text) in files {
            let path = directory.path("class/\(device)/\(name)")
            let folder = name.hasSuffix("/") ? path : (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if !name.hasSuffix("/") { try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8) }
        }
    }

    @Test("tells what interfaces are for")
    func interfaceKinds() throws {
        try make("net/wlan0", ["type": "1", "wireless/": ""])
        try make("net/wlp2s0", ["type": "1", "phy80211/": "", "uevent": "DEVTYPE=wlan"])
        try make("net/eth0", ["type": "1", "uevent": "INTERFACE=eth0"])
        try make("net/wwan0", ["type": "1"])
        try make("net/wwp0s20", ["type": "65534", "uevent": "DEVTYPE=wwan\nINTERFACE=wwp0s20"])
        try make("net/rmnet0", ["type": "519"])
        try make("net/ppp0", ["type": "512"])
        try make("net/tun0", ["type": "65534", "tun_flags": "0x1001"])
        try make("net/wg0", ["type": "65534", "uevent": "DEVTYPE=wireguard"])
        try make("net/sit0", ["type": "776"])
        try make("net/bnep0", ["type": "1", "uevent": "DEVTYPE=bluetooth"])
        try make("net/br0", ["type": "1", "uevent": "DEVTYPE=bridge", "lower_wwan0/": ""])
        try make("net/br1", ["type": "1", "uevent": "DEVTYPE=bridge", "lower_wlan0/": "", "lower_eth0/": ""])
        try make("net/loop", ["type": "1", "lower_loop/": ""])
        let kinds: [(String, InterfaceReader.Kind)] = [
            ("wlan0", .network(.wifi)), ("wlp2s0", .network(.wifi)), ("eth0", .network(.wired)),
            ("wwan0", .network(.cellular)), ("wwp0s20", .network(.cellular)), ("rmnet0", .network(.cellular)),
            ("ppp0", .network(.cellular)), ("tun0", .tunnel), ("wg0", .tunnel), ("sit0", .tunnel),
            ("bnep0", .network(.other)), ("br0", .network(.cellular)), ("br1", .network(.wired)),
            ("loop", .network(.wired)), ("absent", .network(.other)),
        ]
        for (name, kind) in kinds { #expect(interfaces.kind(of: name) == kind, "\(name)") }
    }

    @Test("tells which interfaces can be used")
    func usable() throws {
        for (state, isUsable) in [("up", true), ("unknown", true), ("down", false), ("lowerlayerdown", false)] {
            try make("net/eth0", ["operstate": state])
            #expect(interfaces.isUsable("eth0") == isUsable, "\(state)")
        }
        #expect(interfaces.isUsable("absent"))
    }

    @Test("tells the signal of Wi-Fi as bars")
    func signal() throws {
        let head =
            "Inter-| sta-|   Quality        |   Discarded packets\n face | tus | link level noise |  nwid  crypt\n"
        try FileManager.default.createDirectory(
            atPath: directory.path("proc/net"), withIntermediateDirectories: true)
        for (level, bars) in [("-50.", 4), ("-60.", 3), ("-70", 2), ("-80.", 1), ("-95.", 0), ("206.", 4)] {
            try (head + " wlan0: 0000   54.  \(level)  -256        0      0      0      0     17        0\n").write(
                toFile: directory.path("proc/net/wireless"), atomically: true, encoding: .utf8)
            #expect(interfaces.signalLevel(of: "wlan0") == bars, "\(level)")
            #expect(interfaces.signalLevel(of: "wlan") == nil)
        }
        #expect([0, 5, 30, 55, 80, 100].map(SignalLevel.level(percent:)) == [0, 1, 2, 3, 4, 4])
    }

    @Test("tells where the power comes from")
    func power() throws {
        #expect(supplies.power() == .init(isExternal: true))
        try make("power_supply/hidpp_battery_0", ["type": "Battery", "scope": "Device", "capacity": "5"])
        #expect(supplies.power() == .init(isExternal: true))
        try make("power_supply/BAT0", ["type": "Battery", "capacity": "40", "status": "Discharging", "present": "1"])
        #expect(supplies.power() == .init(isExternal: false, batteryPercent: 40))
        try make("power_supply/BAT0", ["status": "Charging"])
        #expect(supplies.power() == .init(isExternal: true, batteryPercent: 40))
        try make("power_supply/AC", ["type": "Mains", "online": "0"])
        #expect(supplies.power() == .init(isExternal: false, batteryPercent: 40))
        try make("power_supply/usb", ["type": "USB", "online": "1"])
        #expect(supplies.power() == .init(isExternal: true, batteryPercent: 40))
        try make("power_supply/BAT1", ["type": "Battery", "capacity": "100", "energy_full": "10"])
        #expect(supplies.power().batteryPercent == 70)
        try make("power_supply/BAT0", ["energy_full": "50"])
        #expect(supplies.power().batteryPercent == 50)
    }

    @Test("of power may be nonsense")
    func oddPower() throws {
        try make("power_supply/BAT0", ["type": "Battery", "capacity": "4000", "charge_full": "-7"])
        try make("power_supply/BAT1", ["type": "Battery", "capacity": "many"])
        try make("power_supply/BAT2", ["type/": ""])
        #expect(supplies.power() == .init(isExternal: true, batteryPercent: 100))
    }

    @Test("of a battery is looked at again while nobody tells of it")
    func batteryIsWatched() async throws {
        try make("power_supply/BAT0", ["type": "Battery", "capacity": "40", "status": "Discharging"])
        var places = SystemPlaces.bus(nil, in: directory)
        places.sysfs = directory.path
        places.batteryInterval = .milliseconds(10)
        let conditions = SystemConditions(places: places)
        #expect(conditions.conditions.power == .init(isExternal: false, batteryPercent: 40))
        try make("power_supply/BAT0", ["capacity": "39"])
        #expect(await conditions.when { $0.power.batteryPercent == 39 }?.power.isExternal == false)
    }
}

import Conditions
import Foundation
import TestSupport
import Testing

@Suite("UPower", .enabled(if: MessageBus.isAvailable, "needs dbus and python3-dbusmock"), .timeLimit(.minutes(2)))
struct UPowerTests {
    private let directory: TemporaryDirectory
    private let bus: MessageBus
    private let conditions: SystemConditions
    private let display = "UP, '/org/freedesktop/UPower/devices/DisplayDevice', 'org.freedesktop.UPower.Device'"

    init() async throws {
        directory = try TemporaryDirectory()
        bus = try await MessageBus()
        conditions = SystemConditions(places: .bus(bus.address, in: directory))
    }

    private func setUp(percent: Double) async throws {
        try await bus.start("upower")
        try await bus(
            "up('SetupDisplayDevice', dbus.UInt32(2), dbus.UInt32(2), \(percent), 40.0, 100.0, 5.0, dbus.Int64(1), "
                + "dbus.Int64(0), True, 'battery', dbus.UInt32(1))")
    }

    @Test("tells the battery's charge and where the power comes from")
    func battery() async throws {
        #expect(conditions.conditions.power == .init(isExternal: true))
        try await setUp(percent: 42.4)
        #expect(await conditions.when { $0.power.batteryPercent == 42 }?.power.isExternal == true)
        try await bus("put(UP, '/org/freedesktop/UPower', UP, 'OnBattery', True)")
        #expect(await conditions.when { !$0.power.isExternal }?.power.batteryPercent == 42)
        try await bus("put(\(display), 'Percentage', 9.6)")
        #expect(await conditions.when { $0.power.batteryPercent == 10 }?.power.isExternal == false)
    }

    @Test(
        "may have no battery to tell of, or no number", arguments: ["'Percentage', float('nan')", "'IsPresent', False"])
    func noBattery(property: String) async throws {
        try await setUp(percent: 50)
        #expect(await conditions.when { $0.power.batteryPercent == 50 } != nil)
        try await bus("put(\(display), \(property))")
        #expect(await conditions.when { $0.power.batteryPercent == nil }?.power.isExternal == true)
    }

    @Test("leaves it to the kernel when it goes")
    func goes() async throws {
        try await setUp(percent: 50)
        #expect(await conditions.when { $0.power.batteryPercent == 50 } != nil)
        await bus.stop("upower")
        #expect(await conditions.when { $0.power.batteryPercent == nil } != nil)
    }
}

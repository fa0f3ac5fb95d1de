import Conditions
import Foundation
import Primitives
import TestSupport

/// A message bus of a test's own, with services that are played by python3-dbusmock.
final class MessageBus: Sendable {
    /// Whether the programs are installed; tests that need them are disabled without.
    static let isAvailable =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
        && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbusmock")

    let address: String
    private let directory: TemporaryDirectory
    private let daemon: Locked<OwnedProgram?>
    private let services = Locked<[String: OwnedProgram]>([:])
    private let driver: Locked<OwnedProgram?>

    /// What the driver was told to do and could not.
    struct DriverError: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts a bus without services.
    init() async throws {
        directory = try TemporaryDirectory()
        address = "unix:path=" + directory.path("bus")
        daemon = Locked(try await Self.startDaemon(address))
        driver = Locked(try await Self.startDriver(address))
    }

    private static func startDaemon(_ address: String) async throws -> OwnedProgram {
        let daemon = try OwnedProgram([
            "/usr/bin/dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", "--address=\(address)",
        ])
        try await daemon.line()
        return daemon
    }

    /// A Python that evaluates what it is told, line by line.
    private static func startDriver(_ address: String) async throws -> OwnedProgram {
        let program = """
            import sys, dbus, dbus.bus, dbus.lowlevel
            bus = dbus.bus.BusConnection('\(address)')
            bus.set_exit_on_disconnect(False)
            NM, UP = 'org.freedesktop.NetworkManager', 'org.freedesktop.UPower'
            def call(service, path, method, *args, interface='org.freedesktop.DBus.Mock'):
                return dbus.Interface(bus.get_object(service, path, introspect=False), interface).get_dbus_method(method)(*args)
            def nm(method, *args): return call(NM, '/org/freedesktop', method, *args)
            def up(method, *args): return call(UP, '/org/freedesktop/UPower', method, *args)
            def put(service, path, interface, name, value):
                return call(service, path, 'Set', interface, name, value, interface='org.freedesktop.DBus.Properties')
            def get(service, path, interface, name):
                return call(service, path, 'Get', interface, name, interface='org.freedesktop.DBus.Properties')
            print('ready', flush=True)
            for line in sys.stdin:
                try: print('ok', str(eval(line)).replace(chr(10), ' '), flush=True)
                except Exception as error: print('failed', str(error).replace(chr(10), ' '), flush=True)
            """
        let driver = try OwnedProgram(["/usr/bin/python3", "-c", program], readsInput: true)
        try await driver.line { $0 == "ready" }
        return driver
    }

    /// Ends the bus; its services end with it.
    func stop() async {
        await driver.withLock { $0.take() }?.stop()
        await daemon.withLock { $0.take() }?.stop()
        let services = services.withLock { services in
            defer { services = [:] }
            return Array(services.values)
        }
        for service in services { await service.stop() }
    }

    /// Starts the bus again where it was.
    func restart() async throws {
        let daemon = try await Self.startDaemon(address)
        let driver = try await Self.startDriver(address)
        self.daemon.withLock { $0 = daemon }
        self.driver.withLock { $0 = driver }
    }

    /// Starts a service from a template of dbusmock and returns when it is there.
    func start(_ template: String) async throws {
        let service = try OwnedProgram(
            ["/usr/bin/python3", "-m", "dbusmock", "--session", "-t", template],
            environment: ["DBUS_SESSION_BUS_ADDRESS": address])
        services.withLock { $0[template] = service }
        let name = template == "upower" ? "UP" : "NM"
        // Each look takes a round trip; the service is there within a second or never.
        for _ in 0..<100_000 where try await self("bus.name_has_owner(\(name))") == "True" { return }
        throw DriverError(description: "\(template) does not start")
    }

    /// Ends a service.
    func stop(_ template: String) async { await services.withLock { $0.removeValue(forKey: template) }?.stop() }

    /// Evaluates a Python expression with `nm`, `up`, `put`, `get` and `bus`.
    @discardableResult
    func callAsFunction(_ expression: String) async throws -> String {
        guard let driver = driver.withLock({ $0 }) else { throw DriverError(description: "the bus is stopped") }
        driver.tell(expression)
        let line = try await driver.line()
        guard line.hasPrefix("ok ") else { throw DriverError(description: "\(expression): \(line)") }
        return String(line.dropFirst(3))
    }
}

extension SystemConditions {
    /// Waits until the conditions are as they should be.
    func when(_ isWanted: (DeviceConditions) -> Bool) async -> DeviceConditions? {
        for await conditions in changes() where isWanted(conditions) { return conditions }
        return nil
    }
}

extension SystemPlaces {
    /// An empty machine with a bus.
    static func bus(_ address: String?, in directory: TemporaryDirectory) -> SystemPlaces {
        var places = SystemPlaces()
        places.sysfs = directory.path("sys")
        places.procfs = directory.path("proc")
        places.asksKernel = false
        places.busAddress = address
        places.retryInterval = .milliseconds(10)
        return places
    }
}

import Testing

@testable import Conditions

@Suite("The mirror of a service")
struct ServiceMirrorTests {
    private let service = "org.freedesktop.NetworkManager"
    private let manager = BusObject(
        path: "/org/freedesktop/NetworkManager", interface: "org.freedesktop.NetworkManager")
    private let old = BusObject(path: "/active/1", interface: "org.freedesktop.NetworkManager.Connection.Active")
    private let new = BusObject(path: "/active/2", interface: "org.freedesktop.NetworkManager.Connection.Active")
    private var mirror = ServiceMirror<NetworkManagerSubject>()

    /// A mirror that knows of a wired connection.
    init() {
        _ = mirror.handle(owner: ":1.5")
        _ = mirror.handle(["PrimaryConnection": .text("/active/1")], of: manager)
        _ = mirror.handle(Self.connection("802-3-ethernet"), of: old)
    }

    private static func connection(_ type: String) -> [String: BusValue] {
        ["State": .number(2), "Type": .text(type), "Uuid": .text(type)]
    }

    private var kind: DeviceConditions.NetworkKind? { mirror.answer?.kind }

    @Test("listens to an object before it reads it, and no more to one that does not matter")
    mutating func actions() {
        #expect(kind == .wired)
        let actions = mirror.handle(changed: ["PrimaryConnection": .text("/active/2")], isMore: false, of: manager)
        #expect(actions == [.ignore("/active/1"), .listen("/active/2"), .read(new)])
        #expect(ServiceMirror<UPowerSubject>().answer == nil)
    }

    @Test("says what it said before until all of a change has been read")
    mutating func torn() {
        _ = mirror.handle(changed: ["PrimaryConnection": .text("/active/2")], isMore: false, of: manager)
        #expect(mirror.isWaiting)
        #expect(kind == .wired)
        _ = mirror.handle(Self.connection("gsm"), of: new)
        #expect(!mirror.isWaiting)
        #expect(kind == .cellular)
    }

    @Test("says nothing any more when no answer comes, or the service has gone")
    mutating func silence() {
        _ = mirror.handle(changed: ["PrimaryConnection": .text("/active/2")], isMore: false, of: manager)
        _ = mirror.giveUp()
        #expect(kind == nil)
        _ = mirror.handle(Self.connection("gsm"), of: new)
        #expect(kind == .cellular)
        #expect(mirror.handle(owner: nil) == [.ignore("/active/2"), .ignore("/org/freedesktop/NetworkManager")])
        #expect(kind == nil)
        #expect(!mirror.isWaiting)
    }

    @Test("reads everything anew for a service that has restarted")
    mutating func restart() {
        let actions = mirror.handle(owner: ":1.9")
        #expect(actions.suffix(2) == [.listen(manager.path), .read(manager)])
        #expect(kind == nil)
    }

    @Test("takes no notice of objects that do not matter, and reads again what it is told to")
    mutating func others() {
        let other = BusObject(path: "/active/9", interface: old.interface)
        #expect(mirror.handle(Self.connection("gsm"), of: other) == [])
        #expect(mirror.handle(changed: Self.connection("gsm"), isMore: true, of: other) == [])
        #expect(mirror.handle(changed: [:], isMore: true, of: old) == [.read(old)])
        #expect(kind == .wired)
    }
}

import Foundation
import TestSupport
import Testing

/// Network namespaces of a test's own.
private enum Namespace {
    /// Whether a namespace with a pair of interfaces can be had.
    static func isPermitted() async -> Bool {
        let check = "mount -t sysfs sysfs /sys && ip link add name eth0 type veth peer name far0 && echo yes"
        guard let program = try? OwnedProgram(["unshare", "-rnm", "sh", "-c", check]) else { return false }
        return (try? await program.line()) == "yes"
    }
}

/// The kernel's own answers, in a network namespace made for the test.
@Suite(
    "Routes and interfaces",
    .enabled("this user may not make network namespaces") { await Namespace.isPermitted() }, .timeLimit(.minutes(1)))
struct NamespaceTests {
    private let shell: OwnedProgram

    init() throws {
        let subject = try builtProduct(named: "ConditionsSubject").path
        shell = try OwnedProgram(["unshare", "-rnm", "sh"], readsInput: true)
        for line in [
            "mount -t sysfs sysfs /sys", "ip link set lo up", "ip link add name eth0 type veth peer name far0",
            "ip link add name wwan0 type veth peer name far1", "ip addr add 10.1.1.2/24 dev eth0",
            "ip addr add 10.1.2.2/24 dev wwan0", "trap 'kill $!' EXIT", "\(subject) &",
        ] { shell.tell(line) }
    }

    private func expect(_ line: String, after command: String) async throws {
        shell.tell(command)
        try await shell.line { $0 == line }
    }

    @Test("decide which network is in use, and tell of every change")
    func changes() async throws {
        try await shell.line { $0 == "none free -" }
        shell.tell("ip link set eth0 up; ip link set far0 up")
        try await expect("wired free eth0 10.1.1.1", after: "ip route add default via 10.1.1.1 metric 100")
        shell.tell("ip link set wwan0 up; ip link set far1 up")
        try await expect("cellular metered wwan0 10.1.2.1", after: "ip route add default via 10.1.2.1 metric 50")
        try await expect("wired free eth0 10.1.1.1", after: "ip link set wwan0 down")
        // Its route stays, but nothing leaves by an interface without a carrier.
        try await expect("none free -", after: "ip link set far0 down")
        try await expect("wired free eth0 10.1.1.1", after: "ip link set far0 up")
        try await expect("none free -", after: "ip route del default")
    }

    @Test("look below bridges and tunnels")
    func layers() async throws {
        try await shell.line { $0 == "none free -" }
        for line in [
            "ip link set far1 up", "ip link add name br0 type bridge", "ip addr del 10.1.2.2/24 dev wwan0",
            "ip link set wwan0 master br0 up", "ip addr add 10.1.2.2/24 dev br0", "ip link set br0 up",
        ] { shell.tell(line) }
        try await expect("cellular metered br0 10.1.2.1", after: "ip route add default via 10.1.2.1 metric 100")
        for line in ["ip tuntap add dev tun0 mode tun", "ip addr add 10.1.3.2/24 dev tun0", "ip link set tun0 up"] {
            shell.tell(line)
        }
        // The tunnel has the better route, and goes through what has the next one.
        shell.tell("ip route add 0.0.0.0/1 dev tun0")
        try await expect("none free -", after: "ip route del default metric 100; ip route del 0.0.0.0/1")
    }
}

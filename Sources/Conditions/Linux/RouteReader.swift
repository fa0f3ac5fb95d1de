#if os(Linux)
    import CNetlink
    import Glibc

    /// Asks the kernel which network requests would use.
    struct RouteReader {
        /// Any address outside of the machine's own networks will do: nothing is sent to it.
        private static let outside: [[UInt8]] = [[1, 0, 0, 1], [0x20, 0] + Array(repeating: 0, count: 13) + [1]]
        /// Most packets of answers that are read: on a machine with more routes than that, the first ones count.
        private static let packetCountMax = 1_024

        let interfaces: InterfaceReader

        /// The network in use: of the way to the outside, or of the best way by a device when that one is a tunnel.
        func network() -> DeviceConditions.Network {
            let direct = Self.outside.compactMap { ask(RouteMessages.question(to: $0), wantsDefaults: false).first }
            if let network = physical(direct) { return network }
            let all = [false, true].flatMap { isIPv6 in
                ask(RouteMessages.questionForAll(isIPv6: isIPv6), wantsDefaults: true).sorted { $0.metric < $1.metric }
            }
            if let network = physical(all) { return network }
            // Below a tunnel that is the only way out there is something, and the kernel does not say what.
            return direct.isEmpty ? .init(.none) : isUsable(direct) ? .init(.other) : .init(.none)
        }

        private func isUsable(_ routes: [Route]) -> Bool {
            routes.contains { Self.name(of: $0.interface).map(interfaces.isUsable) == true }
        }

        /// The first of the routes that leads through a usable device.
        private func physical(_ routes: [Route]) -> DeviceConditions.Network? {
            for route in routes {
                guard let name = Self.name(of: route.interface), interfaces.isUsable(name),
                    case .network(let kind) = interfaces.kind(of: name)
                else { continue }
                let gateway = route.gateway.map { String($0) }.joined(separator: ".")
                return .init(
                    kind, id: gateway.isEmpty ? name : "\(name) \(gateway)",
                    signalLevel: kind == .wifi ? interfaces.signalLevel(of: name) : nil)
            }
            return nil
        }

        private static func name(of interface: UInt32) -> String? {
            var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
            return if_indextoname(interface, &buffer).map { String(cString: $0) }
        }

        /// One question and its answers. The kernel has answered by the time the question is sent, so nothing waits.
        private func ask(_ question: [UInt8], wantsDefaults: Bool) -> [Route] {
            let descriptor = cnetlink_open(NETLINK_ROUTE, 0)
            guard descriptor >= 0 else { return [] }
            defer { close(descriptor) }
            guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else { return [] }
            var routes: [Route] = []
            var packet = [UInt8](repeating: 0, count: 65_536)
            for _ in 0..<Self.packetCountMax {
                let count = recv(descriptor, &packet, packet.count, 0)
                guard count > 0 else { break }
                let answer = RouteMessages.parse(packet[..<count], wantsDefaults: wantsDefaults)
                routes += answer.routes
                if answer.isLast { break }
            }
            return routes
        }
    }
#endif

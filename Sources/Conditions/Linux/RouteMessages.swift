#if os(Linux)
    import CNetlink

    /// A way out of the machine.
    struct Route: Equatable {
        /// The kernel's number of the interface.
        var interface: UInt32
        /// The next hop's address; empty when there is none.
        var gateway: [UInt8] = []
        /// Smaller is better.
        var metric: UInt32 = 0
    }

    /// The kernel's messages about routes (rtnetlink), as bytes.
    enum RouteMessages {
        /// A question for the route to an address: four bytes for IPv4, sixteen for IPv6.
        static func question(to address: [UInt8]) -> [UInt8] {
            let family = UInt8(address.count == 4 ? AF_INET : AF_INET6)
            let destination = bytes(UInt16(4 + address.count)) + bytes(UInt16(RTA_DST.rawValue)) + address
            return message(
                family: family, prefix: UInt8(address.count * 8), flags: UInt16(NLM_F_REQUEST), body: destination)
        }

        /// A question for all routes of a family.
        static func questionForAll(isIPv6: Bool) -> [UInt8] {
            message(
                family: UInt8(isIPv6 ? AF_INET6 : AF_INET), prefix: 0,
                flags: UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH),
                body: [])
        }

        private static func message(family: UInt8, prefix: UInt8, flags: UInt16, body: [UInt8]) -> [UInt8] {
            let route: [UInt8] = [family, prefix, 0, 0, 0, 0, 0, 0] + bytes(UInt32(0))
            let head =
                bytes(UInt32(16 + route.count + body.count)) + bytes(UInt16(RTM_GETROUTE)) + bytes(flags)
                + bytes(UInt32(1)) + bytes(UInt32(0))
            return head + route + body
        }

        /// What a packet of answers holds.
        struct Answer: Equatable {
            /// Routes for everything that no better one is for, and those that were asked for by address.
            var routes: [Route] = []
            /// Nothing follows.
            var isLast = false
        }

        /// Reads a packet; what is not understood is left out.
        /// - Parameter wantsDefaults: only the routes for every destination count.
        static func parse(_ packet: ArraySlice<UInt8>, wantsDefaults: Bool) -> Answer {
            var answer = Answer()
            var rest = packet
            while let head = Head(rest) {
                let payload = rest.dropFirst(16).prefix(head.byteCount - 16)
                switch Int32(head.type) {
                case Int32(NLMSG_DONE), Int32(NLMSG_ERROR): answer.isLast = true
                case Int32(RTM_NEWROUTE):
                    if let route = route(payload, wantsDefaults: wantsDefaults) { answer.routes.append(route) }
                default: break
                }
                if head.flags & UInt16(NLM_F_MULTI) == 0 { answer.isLast = true }
                rest = rest.dropFirst(aligned(head.byteCount))
            }
            return answer
        }

        private struct Head {
            let byteCount: Int
            let type: UInt16
            let flags: UInt16

            init?(_ bytes: ArraySlice<UInt8>) {
                guard bytes.count >= 16 else { return nil }
                byteCount = Int(bytes.load(UInt32.self, at: 0))
                type = bytes.load(UInt16.self, at: 4)
                flags = bytes.load(UInt16.self, at: 6)
                guard byteCount >= 16, byteCount <= bytes.count else { return nil }
            }
        }

        private static func route(_ payload: ArraySlice<UInt8>, wantsDefaults: Bool) -> Route? {
            guard payload.count >= 12 else { return nil }
            let (prefix, type) = (payload[payload.startIndex + 1], payload[payload.startIndex + 7])
            guard Int(type) == RTN_UNICAST, !wantsDefaults || prefix == 0 else { return nil }
            var found = Route(interface: 0)
            var rest = payload.dropFirst(12)
            while rest.count >= 4 {
                let byteCount = Int(rest.load(UInt16.self, at: 0))
                guard byteCount >= 4, byteCount <= rest.count else { break }
                let value = rest.dropFirst(4).prefix(byteCount - 4)
                switch UInt32(rest.load(UInt16.self, at: 2)) {
                case RTA_OIF.rawValue where value.count >= 4: found.interface = value.load(UInt32.self, at: 0)
                case RTA_PRIORITY.rawValue where value.count >= 4: found.metric = value.load(UInt32.self, at: 0)
                case RTA_GATEWAY.rawValue: found.gateway = Array(value)
                default: break
                }
                rest = rest.dropFirst(aligned(byteCount))
            }
            return found.interface == 0 ? nil : found
        }

        private static func aligned(_ count: Int) -> Int { (count + 3) & ~3 }

        private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value) { Array($0) }
        }
    }

    extension ArraySlice<UInt8> {
        /// A number in the machine's own order; the bytes must be there.
        fileprivate func load<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
            withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }
    }
#endif

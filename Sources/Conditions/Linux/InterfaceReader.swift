#if os(Linux)
    /// What sysfs and procfs tell of network interfaces.
    struct InterfaceReader {
        let sysfs: String
        let procfs: String

        /// What an interface is for.
        enum Kind: Equatable {
            case network(DeviceConditions.NetworkKind)
            /// Goes through another interface, which is not told.
            case tunnel
        }

        private func directory(_ name: String) -> String { "\(sysfs)/class/net/\(name)" }

        /// Whether packets can leave by it; true for an interface that is not in sysfs.
        func isUsable(_ name: String) -> Bool {
            let state = SmallFile.text(directory(name) + "/operstate")
            return !["down", "lowerlayerdown", "notpresent", "dormant"].contains(state)
        }

        /// What an interface is for.
        func kind(of name: String) -> Kind { kind(of: name, depth: 0) }

        private func kind(of name: String, depth: Int) -> Kind {
            let directory = directory(name)
            if SmallFile.exists(directory + "/wireless") || SmallFile.exists(directory + "/phy80211") {
                return .network(.wifi)
            }
            let type = SmallFile.number(directory + "/type")
            let deviceType = Self.deviceType(SmallFile.text(directory + "/uevent") ?? "")
            if deviceType == "wwan" || name.hasPrefix("wwan") || type == LinkType.ppp || type == LinkType.rawIP {
                return .network(.cellular)
            }
            if SmallFile.exists(directory + "/tun_flags") || deviceType == "wireguard"
                || type.map(LinkType.tunnels.contains) == true
            {
                return .tunnel
            }
            guard type == LinkType.ethernet, deviceType != "bluetooth" else { return .network(.other) }
            return lowerKind(of: directory, depth: depth) ?? .network(.wired)
        }

        /// The kind of what lies below a bridge, a bond or a virtual LAN; a cable outweighs the rest.
        private func lowerKind(of directory: String, depth: Int) -> Kind? {
            guard depth < 4 else { return nil }
            let lower = SmallFile.names(in: directory).filter { $0.hasPrefix("lower_") }.map {
                kind(of: String($0.dropFirst("lower_".count)), depth: depth + 1)
            }
            return lower.contains(.network(.wired)) ? .network(.wired) : lower.first
        }

        private static func deviceType(_ uevent: String) -> String? {
            uevent.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst(8)) }
        }

        /// The strength of a Wi-Fi interface's signal from 0 to 4; `nil` when the kernel does not tell.
        func signalLevel(of name: String) -> Int? {
            // "wlan0: 0000   54.  -56.  -256        0 …": status, quality of the link, level in dBm.
            for line in (SmallFile.text(procfs + "/net/wireless") ?? "").split(separator: "\n") {
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard words.first.map(String.init) == name + ":", words.count > 3 else { continue }
                let digits = words[3].hasSuffix(".") ? words[3].dropLast() : words[3]
                return Int(digits).map(SignalLevel.level(decibelMilliwatts:))
            }
            return nil
        }

        /// The kernel's numbers for kinds of links (`ARPHRD_*`).
        private enum LinkType {
            static let ethernet = 1
            static let ppp = 512
            static let rawIP = 519
            /// IP in IP, IPv6 in IP, GRE, and what has no link layer.
            static let tunnels: Set<Int> = [768, 769, 776, 778, 823, 65_534]
        }
    }

    /// The five steps that signals are shown in.
    enum SignalLevel {
        /// As Android draws the bars of Wi-Fi.
        static func level(decibelMilliwatts level: Int) -> Int {
            // Some drivers tell a level from 0 to 255 instead: there 256 stands for 0.
            let level = level > 0 ? level - 256 : level
            return [-88, -77, -66, -55].filter { level >= $0 }.count
        }

        /// As GNOME draws the bars of NetworkManager's percent.
        static func level(percent: Int) -> Int { [5, 30, 55, 80].filter { percent >= $0 }.count }
    }
#endif

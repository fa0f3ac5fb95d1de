import Conditions
import Wire

/// Everything that decides at one moment whether content may be downloaded ahead of need, besides the rules.
struct PolicySituation: Sendable, Hashable {
    var isRegistered = true
    var conditions = DeviceConditions()
    /// As measured; `nil` when too little is known.
    var quality: QualityClass?
    var usage = DataUsage()
    /// Minutes from local midnight, 0 to 1,439.
    var minute = 0
    /// Connections could not be made over the network in use.
    var isUnreachable = false
    /// The app has asked for the downloads that run.
    var isAsked = false
    /// The server is this device: it can be reached without a network.
    var isServerLocal = false
}

/// The rules of a release with what the app wants otherwise: what stands against downloads in a situation.
struct PolicyRules: Sendable, Hashable {
    /// What "no limit" of downloads at once comes to: each of them needs memory and a stream of a connection.
    static let unlimitedDownloadCount = 256

    var policy = DownloadPolicy()
    var overrides = PolicyOverrides()

    /// How many downloads may run at once.
    var concurrentDownloadsMax: Int {
        guard let count = overrides.concurrentDownloadsMax else { return max(1, policy.concurrentDownloadsMax) }
        return count < 1 ? Self.unlimitedDownloadCount : count
    }

    /// Items of a segment larger than this are not pre-positioned.
    func fileByteCountMax(of segment: String) -> Int64 {
        overrides.fileByteCountMax ?? policy.segments[segment]?.fileByteCountMax ?? policy.fileByteCountMax
    }

    /// Everything that stands against downloads of a segment, or by the rules of the app as a whole.
    func blockers(of segment: String? = nil, in situation: PolicySituation) -> Set<PolicyBlocker> {
        let own = segment.flatMap { policy.segments[$0] }
        let family = Family(situation.conditions.network)
        var blockers: Set<PolicyBlocker> = []
        if !situation.isRegistered { blockers.insert(.notRegistered) }
        if !policy.isEnabled || (overrides.isManual && !situation.isAsked) { blockers.insert(.switchedOff) }
        if situation.conditions.network.kind == .none, !situation.isServerLocal { return blockers.union([.offline]) }
        if situation.isUnreachable { blockers.insert(family.unreachable) }
        if overrides.isForced || own?.isForced == true { return blockers }
        blockers.formUnion(networkBlockers(own, family, situation))
        blockers.formUnion(powerBlockers(own, family, situation.conditions.power))
        return blockers
    }

    /// How long until the time alone may change what stands against downloads of a segment; `nil` when it cannot.
    func nextChange(of segment: String?, in situation: PolicySituation, at time: LocalTime) -> Duration? {
        let blockers = blockers(of: segment, in: situation)
        let family = Family(situation.conditions.network)
        var changes: [Duration] = []
        if blockers.contains(family.hours) {
            let hours = rules(segment.flatMap { policy.segments[$0] }, family).hours
            changes += hours.map { time.duration(untilMinute: $0.startMinute) }
        }
        if blockers.contains(family.quotaUsed) { changes.append(time.durationUntilMidnight) }
        return changes.min()
    }

    private func networkBlockers(
        _ own: SegmentPolicy?, _ family: Family, _ situation: PolicySituation
    ) -> Set<PolicyBlocker> {
        var blockers: Set<PolicyBlocker> = []
        let networks = overrides.networks ?? own?.networks ?? policy.networks
        if networks == .none {
            blockers.insert(.switchedOff)
        } else if !family.isSelected(by: networks) {
            blockers.insert(family.notAllowed)
        }
        let rules = rules(own, family)
        if !rules.hours.isEmpty, !rules.hours.contains(where: { $0.contains(minute: situation.minute) }) {
            blockers.insert(family.hours)
        }
        if let least = rules.qualityMin, situation.quality.map({ $0 < least }) ?? true {
            blockers.insert(family.quality)
        }
        if let limit = family.limit(overrides) ?? rules.dailyByteCountMax, family.used(situation.usage) >= limit {
            blockers.insert(family.quotaUsed)
        }
        return blockers
    }

    private func powerBlockers(
        _ own: SegmentPolicy?, _ family: Family, _ power: DeviceConditions.Power
    ) -> Set<PolicyBlocker> {
        guard !power.isExternal else { return [] }
        var blockers: Set<PolicyBlocker> = []
        if !rules(own, family).isAllowedOnBattery { blockers.insert(family.onBattery) }
        let least = own?.batteryPercentMin ?? policy.batteryPercentMin
        if let charge = power.batteryPercent, charge < least { blockers.insert(.batteryLow) }
        return blockers
    }

    private func rules(_ own: SegmentPolicy?, _ family: Family) -> NetworkRules {
        switch family {
        case .wifi: own?.wifi ?? policy.wifi
        case .cellular: own?.cellular ?? policy.cellular
        }
    }
}

extension PolicyRules {
    /// The two kinds of network that have rules: what costs, and what does not.
    enum Family: Sendable {
        case wifi, cellular

        init(_ network: DeviceConditions.Network) {
            self = network.isMetered || network.kind == .cellular ? .cellular : .wifi
        }

        func isSelected(by networks: NetworkSelection) -> Bool {
            switch networks {
            case .none: false
            case .wifiAndCellular: true
            case .wifiOnly: self == .wifi
            case .cellularOnly: self == .cellular
            }
        }

        func limit(_ overrides: PolicyOverrides) -> Int64? {
            self == .wifi ? overrides.dailyWifiByteCountMax : overrides.dailyCellularByteCountMax
        }

        func used(_ usage: DataUsage) -> Int64 { self == .wifi ? usage.wifiByteCount : usage.cellularByteCount }

        var notAllowed: PolicyBlocker { self == .wifi ? .wifiNotAllowed : .cellularNotAllowed }
        var onBattery: PolicyBlocker { self == .wifi ? .wifiOnBattery : .cellularOnBattery }
        var hours: PolicyBlocker { self == .wifi ? .wifiHours : .cellularHours }
        var quotaUsed: PolicyBlocker { self == .wifi ? .wifiQuotaUsed : .cellularQuotaUsed }
        var quality: PolicyBlocker { self == .wifi ? .wifiQuality : .cellularQuality }
        var unreachable: PolicyBlocker { self == .wifi ? .wifiUnreachable : .cellularUnreachable }
    }
}

extension DayHours {
    /// Whether a minute of the local day is within the span. One that ends where it starts is the whole day.
    func contains(minute: Int) -> Bool {
        if startMinute < endMinute { return startMinute <= minute && minute < endMinute }
        return minute >= startMinute || minute < endMinute
    }
}

import Conditions
import Foundation
import Testing
import Wire

@testable import Prepositioning

/// The rules alone: a situation in, blockers out.
@Suite struct PolicyRulesTests {
    private typealias Network = DeviceConditions.Network

    /// The same rules with other names on the two families of networks.
    private struct Family: Sendable, CustomStringConvertible {
        var description: String
        var network: Network
        var rules: any WritableKeyPath<DownloadPolicy, NetworkRules> & Sendable
        var used: any WritableKeyPath<DataUsage, Int64> & Sendable
        var limit: any WritableKeyPath<PolicyOverrides, Int64?> & Sendable
        var other: NetworkSelection
        var notAllowed, onBattery, hours, quotaUsed, quality, unreachable: PolicyBlocker
    }

    private static func wifi(_ kind: DeviceConditions.NetworkKind) -> Family {
        Family(
            description: kind.rawValue, network: Network(kind), rules: \.wifi, used: \.wifiByteCount,
            limit: \.dailyWifiByteCountMax, other: .cellularOnly, notAllowed: .wifiNotAllowed,
            onBattery: .wifiOnBattery, hours: .wifiHours, quotaUsed: .wifiQuotaUsed, quality: .wifiQuality,
            unreachable: .wifiUnreachable)
    }

    private static func cellular(_ kind: DeviceConditions.NetworkKind, isMetered: Bool) -> Family {
        Family(
            description: "\(kind.rawValue) \(isMetered ? "metered" : "free")",
            network: Network(kind, isMetered: isMetered),
            rules: \.cellular, used: \.cellularByteCount, limit: \.dailyCellularByteCountMax, other: .wifiOnly,
            notAllowed: .cellularNotAllowed, onBattery: .cellularOnBattery, hours: .cellularHours,
            quotaUsed: .cellularQuotaUsed, quality: .cellularQuality, unreachable: .cellularUnreachable)
    }

    private static let families = [
        wifi(.wifi), wifi(.wired), wifi(.other), cellular(.cellular, isMetered: true),
        cellular(.cellular, isMetered: false), cellular(.wifi, isMetered: true), cellular(.wired, isMetered: true),
    ]

    private func situation(_ family: Family) -> PolicySituation {
        var situation = PolicySituation()
        situation.conditions.network = family.network
        return situation
    }

    @Test("has nothing against downloads by default, on any network but none")
    func defaults() {
        for family in Self.families { #expect(PolicyRules().blockers(in: situation(family)).isEmpty) }
        var offline = PolicySituation()
        offline.conditions.network = Network(.none)
        #expect(PolicyRules().blockers(in: offline) == [.offline])
        offline.isServerLocal = true
        #expect(PolicyRules().blockers(in: offline).isEmpty)
    }

    @Test("names the registration and the switches of release and app")
    func switches() {
        var rules = PolicyRules()
        var situation = PolicySituation()
        situation.isRegistered = false
        #expect(rules.blockers(in: situation) == [.notRegistered])
        situation.isRegistered = true
        rules.policy.isEnabled = false
        #expect(rules.blockers(in: situation) == [.switchedOff])
        rules.overrides.isForced = true
        #expect(rules.blockers(in: situation) == [.switchedOff])
        rules = PolicyRules()
        rules.policy.networks = .none
        #expect(rules.blockers(in: situation) == [.switchedOff])
        rules.overrides.networks = .wifiAndCellular
        #expect(rules.blockers(in: situation).isEmpty)
        rules.overrides.isManual = true
        #expect(rules.blockers(in: situation) == [.switchedOff])
        situation.isAsked = true
        #expect(rules.blockers(in: situation).isEmpty)
    }

    @Test("goes by the selection of networks", arguments: families)
    private func selection(family: Family) {
        var rules = PolicyRules()
        rules.policy.networks = family.other
        #expect(rules.blockers(in: situation(family)) == [family.notAllowed])
        rules.policy.networks = family.other == .wifiOnly ? .cellularOnly : .wifiOnly
        #expect(rules.blockers(in: situation(family)).isEmpty)
        rules.overrides.networks = family.other
        #expect(rules.blockers(in: situation(family)) == [family.notAllowed])
    }

    @Test("goes by battery and charge, unless the power comes from outside", arguments: families)
    private func power(family: Family) {
        var rules = PolicyRules()
        var situation = situation(family)
        rules.policy[keyPath: family.rules].isAllowedOnBattery = false
        #expect(rules.blockers(in: situation).isEmpty)
        situation.conditions.power = .init(isExternal: false, batteryPercent: 30)
        #expect(rules.blockers(in: situation) == [family.onBattery])
        rules.policy[keyPath: family.rules].isAllowedOnBattery = true
        rules.policy.batteryPercentMin = 30
        #expect(rules.blockers(in: situation).isEmpty)
        rules.policy.batteryPercentMin = 31
        #expect(rules.blockers(in: situation) == [.batteryLow])
        situation.conditions.power.batteryPercent = nil
        #expect(rules.blockers(in: situation).isEmpty)
        situation.conditions.power = .init(isExternal: true, batteryPercent: 1)
        #expect(rules.blockers(in: situation).isEmpty)
    }

    @Test("goes by the least quality, which an unknown one does not have", arguments: families)
    private func quality(family: Family) {
        var rules = PolicyRules()
        var situation = situation(family)
        rules.policy[keyPath: family.rules].qualityMin = .good
        let expected: [(QualityClass?, Bool)] = [(nil, false), (.poor, false), (.good, true), (.excellent, true)]
        for (quality, isAllowed) in expected {
            situation.quality = quality
            #expect(rules.blockers(in: situation) == (isAllowed ? [] : [family.quality]))
        }
    }

    @Test("goes by the quota of the day, the app's before the release's", arguments: families)
    private func quota(family: Family) {
        var rules = PolicyRules()
        var situation = situation(family)
        rules.policy[keyPath: family.rules].dailyByteCountMax = 1_000
        situation.usage[keyPath: family.used] = 999
        #expect(rules.blockers(in: situation).isEmpty)
        situation.usage[keyPath: family.used] = 1_000
        #expect(rules.blockers(in: situation) == [family.quotaUsed])
        rules.overrides[keyPath: family.limit] = 1_001
        #expect(rules.blockers(in: situation).isEmpty)
        rules.overrides[keyPath: family.limit] = 0
        situation.usage = DataUsage()
        #expect(rules.blockers(in: situation) == [family.quotaUsed])
        // The quota of the other kind of network is none of its business.
        var other = PolicyRules()
        other.overrides.dailyWifiByteCountMax = family.limit == \.dailyWifiByteCountMax ? nil : 0
        other.overrides.dailyCellularByteCountMax = family.limit == \.dailyWifiByteCountMax ? 0 : nil
        #expect(other.blockers(in: situation).isEmpty)
    }

    @Test("goes by the hours of the day", arguments: families)
    private func hours(family: Family) {
        var rules = PolicyRules()
        var situation = situation(family)
        rules.policy[keyPath: family.rules].hours = [
            DayHours(startMinute: 360, endMinute: 480), DayHours(startMinute: 1_320, endMinute: 60),
        ]
        let allowed = (0..<1_440).filter { minute in
            situation.minute = minute
            let blockers = rules.blockers(in: situation)
            #expect(blockers.isEmpty || blockers == [family.hours])
            return blockers.isEmpty
        }
        #expect(allowed == Array(0..<60) + Array(360..<480) + Array(1_320..<1_440))
    }

    @Test(
        "reads odd spans of hours without harm",
        arguments: [(0, 1_440, 1_440), (600, 600, 1_440), (0, 0, 1_440), (1_439, 0, 1), (-5, 5_000, 1_440)])
    func oddHours(start: Int, end: Int, minutes: Int) {
        let span = DayHours(startMinute: start, endMinute: end)
        #expect((0..<1_440).count { span.contains(minute: $0) } == minutes)
    }

    @Test(
        "names everything that stands against downloads, and forced downloads what cannot be forced",
        arguments: families)
    private func several(family: Family) {
        var rules = PolicyRules()
        rules.policy.networks = family.other
        rules.policy.batteryPercentMin = 50
        rules.policy[keyPath: family.rules] = {
            var rules = NetworkRules()
            rules.isAllowedOnBattery = false
            rules.dailyByteCountMax = 0
            rules.hours = [DayHours(startMinute: 60, endMinute: 61)]
            rules.qualityMin = .excellent
            return rules
        }()
        var situation = situation(family)
        situation.isRegistered = false
        situation.isUnreachable = true
        situation.conditions.power = .init(isExternal: false, batteryPercent: 49)
        #expect(
            rules.blockers(in: situation) == [
                .notRegistered, family.notAllowed, family.onBattery, family.hours, family.quotaUsed, family.quality,
                family.unreachable, .batteryLow,
            ])
        rules.overrides.isForced = true
        #expect(rules.blockers(in: situation) == [.notRegistered, family.unreachable])
        situation.conditions.network = Network(.none)
        #expect(rules.blockers(in: situation) == [.notRegistered, .offline])
    }

    @Test("lets a segment have rules of its own, and the app the last word")
    func segments() {
        var rules = PolicyRules()
        rules.policy.networks = .wifiOnly
        rules.policy.batteryPercentMin = 50
        var own = SegmentPolicy()
        own.networks = .wifiAndCellular
        own.batteryPercentMin = 10
        own.fileByteCountMax = 5
        rules.policy.segments["news"] = own
        var forced = SegmentPolicy()
        forced.isForced = true
        rules.policy.segments["alerts"] = forced
        var situation = PolicySituation()
        situation.conditions = DeviceConditions(
            network: Network(.cellular), power: .init(isExternal: false, batteryPercent: 20))
        #expect(rules.blockers(in: situation) == [.cellularNotAllowed, .batteryLow])
        #expect(rules.blockers(of: "other", in: situation) == [.cellularNotAllowed, .batteryLow])
        #expect(rules.blockers(of: "news", in: situation).isEmpty)
        #expect(rules.blockers(of: "alerts", in: situation).isEmpty)
        #expect(rules.fileByteCountMax(of: "news") == 5 && rules.fileByteCountMax(of: "other") == 104_000_000)
        own.cellular = NetworkRules()
        own.cellular?.dailyByteCountMax = 0
        rules.policy.segments["news"] = own
        #expect(rules.blockers(of: "news", in: situation) == [.cellularQuotaUsed])
        rules.overrides.networks = .wifiOnly
        rules.overrides.fileByteCountMax = 7
        #expect(rules.blockers(of: "news", in: situation) == [.cellularNotAllowed, .cellularQuotaUsed])
        #expect(rules.fileByteCountMax(of: "news") == 7)
    }

    @Test(
        "takes the app's number of downloads at once before the release's",
        arguments: [(4, nil, 4), (0, nil, 1), (4, 2, 2), (4, 0, 256), (4, -1, 256)])
    func concurrency(release: Int, app: Int?, expected: Int) {
        var rules = PolicyRules()
        rules.policy.concurrentDownloadsMax = release
        rules.overrides.concurrentDownloadsMax = app
        #expect(rules.concurrentDownloadsMax == expected)
    }

    @Test("knows when the time alone changes the answer: never too late")
    func nextChange() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        var rules = PolicyRules()
        rules.policy.wifi.hours = [
            DayHours(startMinute: 360, endMinute: 480), DayHours(startMinute: 1_320, endMinute: 60),
        ]
        rules.policy.wifi.dailyByteCountMax = 10
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            // 2026 has both changes of the clock.
            let date = Date(timeIntervalSince1970: 1_767_225_600 + .random(in: 0..<31_536_000, using: &generator))
            let time = LocalTime(date, in: zone)
            var situation = PolicySituation()
            situation.minute = time.minute
            situation.usage.wifiByteCount = Bool.random() ? 0 : 10
            let blockers = rules.blockers(in: situation)
            guard let change = rules.nextChange(of: nil, in: situation, at: time) else {
                #expect(blockers.isEmpty)
                continue
            }
            #expect(change > .zero && change <= .seconds(25 * 3_600))
            // A second before nothing has changed, but where the clock on the wall jumps.
            let before = LocalTime(date + Double(change.components.seconds) - 1, in: zone)
            situation.minute = before.minute
            let isJump = zone.secondsFromGMT(for: date) != zone.secondsFromGMT(for: date + 90_000)
            if !isJump, before.day == time.day { #expect(!rules.blockers(in: situation).isEmpty) }
        }
    }
}

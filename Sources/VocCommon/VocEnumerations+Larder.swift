import Larder

extension VOCServiceState {
    /// Where a status stands.
    init(_ status: Prepositioner.Status) {
        guard case .registered = status.registration else {
            self = .notRegistered
            return
        }
        if status.releaseVersion == nil {
            self = .initializing
        } else {
            self = status.isSyncing && !status.items.allSatisfy { $0.state == .ready } ? .downloading : .idle
        }
    }
}

extension VOCConnectionType {
    init(_ kind: DeviceConditions.NetworkKind) {
        switch kind {
        case .none: self = .none
        case .cellular: self = .isCellular
        case .wifi, .wired, .other: self = .isWiFi
        }
    }

    /// The word that the counters use.
    var word: String {
        switch self {
        case .none: "none"
        case .isCellular: "cellular"
        case .isWiFi: "wifi"
        }
    }
}

extension VocNetworkQualityStatus {
    init(_ status: QualityStatus) {
        switch status {
        case .notReady: self = .notReady
        case .unknown: self = .unknown
        case .poor: self = .poor
        case .good: self = .good
        case .excellent: self = .excellent
        }
    }
}

extension VOCNetworkSelection {
    init(_ selection: NetworkSelection) {
        switch selection {
        case .none: self = .none
        case .wifiOnly: self = .wifiOnly
        case .wifiAndCellular: self = .wifiAndCellular
        case .cellularOnly: self = .cellularOnly
        }
    }

    /// `nil` for ``invalid``.
    var selection: NetworkSelection? {
        switch self {
        case .invalid: nil
        case .none: NetworkSelection.none
        case .wifiOnly: .wifiOnly
        case .wifiAndCellular: .wifiAndCellular
        case .cellularOnly: .cellularOnly
        }
    }
}

extension VOCItemState {
    /// Where an item stands after a change.
    init(_ kind: ItemChange.Kind) {
        switch kind {
        case .discovered: self = .discovered
        case .startedDownloading: self = .downloading
        case .downloaded: self = .cached
        case .evicted: self = .deleted
        case .failed: self = .failed
        }
    }
}

extension VOCPolicyStatus {
    /// Everything that stands against downloads, in the options there are: what has no option of its own is told by the one that
    /// says that the network is not allowed.
    init(_ blockers: Set<PolicyBlocker>) { self = blockers.reduce(into: []) { $0.formUnion(Self($1)) } }

    private init(_ blocker: PolicyBlocker) {
        switch blocker {
        case .notRegistered: self = .notRegistered
        case .switchedOff: self = .noDownload
        case .offline: self = [.hostUnreachableViaWifi, .hostUnreachableViaCellular]
        case .wifiOnBattery: self = .wifiDisallowedOnBattery
        case .wifiNotAllowed, .wifiHours, .wifiQuotaUsed, .wifiQuality: self = .wifiNotAllowed
        case .wifiUnreachable: self = .hostUnreachableViaWifi
        case .cellularOnBattery: self = .cellularDisallowedOnBattery
        case .cellularHours: self = .cellularTimeOfDay
        case .cellularNotAllowed, .cellularQuotaUsed, .cellularQuality: self = .cellularNotAllowed
        case .cellularUnreachable: self = .hostUnreachableViaCellular
        case .batteryLow: self = .batteryTooLow
        }
    }
}

import AkaCommon
import AkaMap
import Foundation
import Larder
import Testing
import VocSdk

@testable import VocCommon

/// Raw values and codes are part of the contract: apps store and compare them.
@Suite("The values of the retired names") struct ValueTests {
    @Test("states have their raw values")
    func states() {
        #expect(VOCServiceState.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(VOCServiceState.notRegistered.rawValue == 0)
        #expect(VOCServiceState.initializing.rawValue == 1)
        #expect(VOCServiceState.idle.rawValue == 2)
        #expect(VOCServiceState.downloading.rawValue == 3)
    }

    @Test("qualities have their raw values")
    func qualities() {
        #expect(VocNetworkQualityStatus.poor.rawValue == 0)
        #expect(VocNetworkQualityStatus.good.rawValue == 1)
        #expect(VocNetworkQualityStatus.excellent.rawValue == 2)
        #expect(VocNetworkQualityStatus.unknown.rawValue == -1)
        #expect(VocNetworkQualityStatus.notReady.rawValue == -2)
        #expect(
            QualityStatus.allCases.map { VocNetworkQualityStatus($0) } == [
                .notReady, .unknown, .poor, .good, .excellent,
            ])
    }

    @Test("connection types have their raw values, and networks of every kind have one")
    func connections() {
        #expect(VOCConnectionType.none.rawValue == 0)
        #expect(VOCConnectionType.isCellular.rawValue == 1)
        #expect(VOCConnectionType.isWiFi.rawValue == 2)
        let kinds: [DeviceConditions.NetworkKind] = [.none, .wifi, .cellular, .wired, .other]
        #expect(kinds.map { VOCConnectionType($0) } == [.none, .isWiFi, .isCellular, .isWiFi, .isWiFi])
    }

    @Test("policy states are options with their raw values")
    func policies() {
        #expect(VOCPolicyStatus.inPolicy.rawValue == 0)
        #expect(VOCPolicyStatus.notRegistered.rawValue == 1)
        #expect(VOCPolicyStatus.noDownload.rawValue == 2)
        #expect(VOCPolicyStatus.wifiDisallowedOnBattery.rawValue == 4)
        #expect(VOCPolicyStatus.wifiNotAllowed.rawValue == 8)
        #expect(VOCPolicyStatus.hostUnreachableViaWifi.rawValue == 0x10)
        #expect(VOCPolicyStatus.cellularDisallowedOnBattery.rawValue == 0x20)
        #expect(VOCPolicyStatus.cellularTimeOfDay.rawValue == 0x40)
        #expect(VOCPolicyStatus.cellularNotAllowed.rawValue == 0x80)
        #expect(VOCPolicyStatus.hostUnreachableViaCellular.rawValue == 0x100)
        #expect(VOCPolicyStatus.batteryTooLow.rawValue == 0x200)
        #expect(VOCPolicyStatus.inPolicy == [])
    }

    @Test(
        "every blocker has its option",
        arguments: [
            (PolicyBlocker.notRegistered, VOCPolicyStatus.notRegistered), (.switchedOff, .noDownload),
            (.offline, [.hostUnreachableViaWifi, .hostUnreachableViaCellular]), (.wifiNotAllowed, .wifiNotAllowed),
            (.wifiOnBattery, .wifiDisallowedOnBattery), (.wifiHours, .wifiNotAllowed),
            (.wifiQuotaUsed, .wifiNotAllowed), (.wifiQuality, .wifiNotAllowed),
            (.wifiUnreachable, .hostUnreachableViaWifi), (.cellularNotAllowed, .cellularNotAllowed),
            (.cellularOnBattery, .cellularDisallowedOnBattery), (.cellularHours, .cellularTimeOfDay),
            (.cellularQuotaUsed, .cellularNotAllowed), (.cellularQuality, .cellularNotAllowed),
            (.cellularUnreachable, .hostUnreachableViaCellular), (.batteryLow, .batteryTooLow),
        ] as [(PolicyBlocker, VOCPolicyStatus)])
    func blockers(_ blocker: PolicyBlocker, _ status: VOCPolicyStatus) {
        #expect(VOCPolicyStatus([blocker]) == status)
    }

    @Test("several blockers are told together, and none is in policy")
    func severalBlockers() {
        #expect(VOCPolicyStatus(Set<PolicyBlocker>()) == .inPolicy)
        #expect(VOCPolicyStatus([.cellularHours, .batteryLow, .cellularQuotaUsed]).rawValue == 0x40 | 0x200 | 0x80)
        let all = VOCPolicyStatus(Set(PolicyBlocker.allCases))
        #expect(all.rawValue == 0x3FF)
    }

    @Test("item states have their raw values")
    func itemStates() {
        #expect(VOCItemState.discovered.rawValue == 0)
        #expect(VOCItemState.downloading.rawValue == 1)
        #expect(VOCItemState.cached.rawValue == 2)
        #expect(VOCItemState.deleted.rawValue == 3)
        #expect(VOCItemState.failed.rawValue == 4)
        #expect(VOCItemState.queued.rawValue == 5)
        #expect(VOCItemState.idle.rawValue == 6)
        let kinds = ItemChange.Kind.allCases.map { VOCItemState($0) }
        #expect(Set(kinds) == [.discovered, .downloading, .cached, .deleted, .failed])
    }

    @Test("network selections have their raw values, and the engine's own")
    func selections() {
        #expect(VOCNetworkSelection.invalid.rawValue == -1)
        #expect(VOCNetworkSelection.none.rawValue == 0)
        #expect(VOCNetworkSelection.wifiOnly.rawValue == 100)
        #expect(VOCNetworkSelection.wifiAndCellular.rawValue == 101)
        #expect(VOCNetworkSelection.cellularOnly.rawValue == 102)
        for selection in NetworkSelection.allCases {
            #expect(VOCNetworkSelection(selection).selection == selection)
        }
        #expect(VOCNetworkSelection.invalid.selection == nil)
    }

    @Test("download behaviours have their raw values")
    func behaviours() { #expect(VOCItemDownloadBehavior.allCases.map(\.rawValue) == [0, 1, 2, 3]) }

    @Test(
        "errors have their domain and codes",
        arguments: [
            (VOCSDKError.invalidParam, -1000), (.createService, -1001), (.alreadyRegistered, -1002),
            (.notRegistered, -1003), (.registerFailedBadCredentials, -1004), (.registerFailedOther, -1005),
            (.db, -1006), (.serverApiError, -1010), (.serverApiErrorUnauthorized, -1011),
            (.serverApiErrorRequestFailed, -1012), (.serverApiErrorResponseParse, -1013),
            (.serverApiErrorResponseData, -1014), (.serverApiErrorNotAllowed, -1016), (.cancelled, -3072),
            (.userCancelled, -1100), (.timeOut, -1101), (.backgroundTimeOver, -1102),
            (.downloadAlreadyInProgress, -1104), (.downloadOutOfPolicy, -1105), (.downloadNetworkCongested, -1106),
            (.downloadDailyLimit, -1107), (.downloadCacheLimit, -1108), (.shuttingDown, -1109),
            (.itemNotFound, -1112), (.downloadNetworkError, -1114), (.downloadItemCorrupted, -1115),
            (.downloadHttpError, -1119), (.maxConcurrentDownloadLimit, -1223),
        ] as [(VOCSDKError, Int)])
    func errors(_ code: VOCSDKError, _ value: Int) {
        #expect(code.rawValue == value)
        let error = NSError(code, "why")
        #expect(error.domain == "VOCSDKErrorDomain" && VOCSDKErrorDomain == "VOCSDKErrorDomain")
        #expect(error.code == value)
        #expect(error.localizedDescription == "why")
    }

    @Test("registration errors and blockers have their codes")
    func errorCodes() {
        #expect(NSError(RegistrationError.noServer).code == -1005)
        #expect(NSError(RegistrationError.failed("x")).code == -1005)
        #expect(NSError(RegistrationError.alreadyRegistered).code == -1002)
        #expect(NSError(RegistrationError.notRegistered).code == -1003)
        #expect(NSError(RegistrationError.badCredentials("x")).code == -1004)
        #expect(NSError([.notRegistered, .offline])?.code == -1003)
        #expect(NSError([.offline])?.code == -1114)
        #expect(NSError([.wifiQuotaUsed])?.code == -1107)
        #expect(NSError([.wifiQuotaUsed, .batteryLow])?.code == -1105)
        #expect(NSError(Set<PolicyBlocker>()) == nil)
    }

    @Test("results of background fetches have their raw values")
    func fetchResults() {
        #expect(UIBackgroundFetchResult.newData.rawValue == 0)
        #expect(UIBackgroundFetchResult.noData.rawValue == 1)
        #expect(UIBackgroundFetchResult.failed.rawValue == 2)
        #expect(UIBackgroundFetchResult(.newContent) == .newData)
        #expect(UIBackgroundFetchResult(.nothingNew) == .noData)
        #expect(UIBackgroundFetchResult(.failed) == .failed)
    }
}

package import Foundation
import Larder

/// The error domain of the retired SDK, under the name that apps know.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VOCSDKErrorDomain = "VOCSDKErrorDomain"

/// The codes of ``VOCSDKErrorDomain``.
public enum VOCSDKError: Int, Sendable, CaseIterable {
    case invalidParam = -1000
    case createService = -1001
    case alreadyRegistered = -1002
    case notRegistered = -1003
    /// The server refuses the API key; not tried again before the next start.
    case registerFailedBadCredentials = -1004
    /// The server could not be reached or did not do its part; tried again.
    case registerFailedOther = -1005
    case db = -1006
    case serverApiError = -1010
    case serverApiErrorUnauthorized = -1011
    case serverApiErrorRequestFailed = -1012
    case serverApiErrorResponseParse = -1013
    case serverApiErrorResponseData = -1014
    case serverApiErrorNotAllowed = -1016
    case userCancelled = -1100
    case timeOut = -1101
    case backgroundTimeOver = -1102
    case downloadAlreadyInProgress = -1104
    case downloadOutOfPolicy = -1105
    case downloadNetworkCongested = -1106
    case downloadDailyLimit = -1107
    case downloadCacheLimit = -1108
    case shuttingDown = -1109
    case itemNotFound = -1112
    case downloadNetworkError = -1114
    case downloadItemCorrupted = -1115
    case downloadHttpError = -1119
    case maxConcurrentDownloadLimit = -1223
    case cancelled = -3072
}

extension NSError {
    /// An error of the retired SDK's domain.
    package convenience init(_ code: VOCSDKError, _ description: String) {
        self.init(
            domain: VOCSDKErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: description])
    }

    /// Why a registration did not come about.
    convenience init(_ error: RegistrationError) {
        let code: VOCSDKError =
            switch error {
            case .noServer, .failed: .registerFailedOther
            case .alreadyRegistered: .alreadyRegistered
            case .notRegistered: .notRegistered
            case .badCredentials: .registerFailedBadCredentials
            }
        self.init(code, "\(error)")
    }

    /// What stands against downloads; `nil` when nothing does.
    convenience init?(_ blockers: Set<PolicyBlocker>) {
        guard !blockers.isEmpty else { return nil }
        let quotas: Set<PolicyBlocker> = [.wifiQuotaUsed, .cellularQuotaUsed]
        let code: VOCSDKError =
            if blockers.contains(.notRegistered) {
                .notRegistered
            } else if blockers.contains(.offline) {
                .downloadNetworkError
            } else if blockers.isSubset(of: quotas) {
                .downloadDailyLimit
            } else {
                .downloadOutOfPolicy
            }
        self.init(code, "downloads are held back: \(blockers.map(\.rawValue).sorted().joined(separator: ", "))")
    }
}

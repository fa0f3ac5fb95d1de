import Foundation

/// The error domain of the retired SDK, under the name that apps know.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VOCSDKErrorDomain = "VOCSDKErrorDomain"

/// The codes of ``VOCSDKErrorDomain`` that this SDK gives.
public enum VOCErrorCode: Int, Sendable {
    /// The server refuses the API key; not tried again before the next start.
    case registerFailedBadCredentials = -1004
    /// The server could not be reached or did not do its part; tried again.
    case registerFailedOther = -1005
}

extension NSError {
    /// An error of the retired SDK's domain.
    convenience init(_ code: VOCErrorCode, _ description: String) {
        self.init(
            domain: VOCSDKErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: description])
    }
}

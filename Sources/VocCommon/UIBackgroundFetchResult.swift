#if canImport(UIKit)
    @_exported public import UIKit
#else
    /// What a background fetch came to; UIKit's type, for hosts without it.
    public enum UIBackgroundFetchResult: UInt, Sendable {
        case newData = 0
        case noData = 1
        case failed = 2
    }
#endif

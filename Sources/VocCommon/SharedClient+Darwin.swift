#if canImport(UIKit)
    import Foundation
    import Larder
    import UIKit

    extension SharedClient {
        /// Tells the client of the app's ways to the foreground and back. Elsewhere the app calls the client itself.
        func followApplication() {
            let center = NotificationCenter.default
            _ = center.addObserver(forName: UIApplication.didBecomeActiveNotification, object: nil, queue: nil) {
                [weak self] _ in self?.client?.appDidEnterForeground()
            }
            _ = center.addObserver(forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil) {
                [weak self] _ in self?.client?.appDidEnterBackground()
            }
        }
    }
#endif

// swift-format-ignore-file
// The delegates in the guide of 2020, and its web view.
import AkaCommon
import AkaMap
import Foundation
import FoundationNetworking

// The guide's attribute @UIApplicationMain is UIKit's, and its function lacks the `return` that Swift asks for.
// sample 18
class AppDelegate: UIResponder, UIApplicationDelegate, VocServiceDelegate {

    var mapService: AkaMapProtocol?

    func application(_ application: UIApplication, didFinishLaunchingWithOptions
    launchOptions: [UIApplicationLaunchOptionsKey: Any]?) -> Bool {
        AkaCommon.configure()

        // Optional: set a custom MAP delegate.
        mapService = AkaMap.shared()
        mapService?.setDelegate(self, with: .main)
        // end
        return true
        // sample 18
    }

    // Optional MAP SDK callback
    func vocService(_ vocService: VocService, networkQualityUpdate networkQuality:
    VocNetworkQuality) {
        print("App received network quality update: \(networkQuality.qualityStatus)")
    }

    // Optional pinned certificate handler, didReceiveChallengeForRequest:, described above
}
// end

class PinningDelegate: VocServiceDelegate {
    var decide: (SecTrust?) -> (URLSession.AuthChallengeDisposition, URLCredential?) = { _ in (.performDefaultHandling, nil) }

    // sample 17
    func vocService(_ vocService: VocService, didReceiveChallengeFor originalRequest:
    URLRequest, currentRequest: URLRequest, challenge: URLAuthenticationChallenge,
    modifiedTrust: SecTrust?, completion: @escaping (URLSession.AuthChallengeDisposition,
    URLCredential?) -> Void) {
        // custom pinned certificate handling
        // end
        let (disposition, credential) = decide(modifiedTrust)
        completion(disposition, credential)
        // sample 17
    }
    // end
}

class CacheListener: VocServiceDelegate {
    let heard: (String, Set<AkaCachedFile>) -> Void

    init(heard: @escaping (String, Set<AkaCachedFile>) -> Void) { self.heard = heard }

    // sample 25
    func cacheAdded(_ added: Set<AkaCachedFile>?,
        updated: Set<AkaCachedFile>?,
        removed: Set<AkaCachedFile>?) {
        // end
        if let added = added { heard("added", added) }
        if let updated = updated { heard("updated", updated) }
        if let removed = removed { heard("removed", removed) }
        // sample 25
    }
    // end
}

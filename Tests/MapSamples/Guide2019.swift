// swift-format-ignore-file
// The Objective-C samples of the retired SDK's guide of 2019, in the Swift that its importer makes of their names.
import Foundation
import FoundationNetworking
import VocSdk

final class Guide2019: UIResponder, UIApplicationDelegate, VocServiceDelegate, URLSessionDataDelegate,
    NSURLConnectionDataDelegate, @unchecked Sendable  // called by one test at a time
{
    // 4.1
    var akaService: AkaWebAccelerator?
    var mySession = URLSession.shared
    let heard: (String) -> Void
    var license = "your_license_key_goes_here"
    var decide: (SecTrust?) -> (URLSession.AuthChallengeDisposition, URLCredential?) = { _ in (.performDefaultHandling, nil) }

    init(heard: @escaping (String) -> Void) { self.heard = heard }

    // 4.2
    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplicationLaunchOptionsKey: Any]?, more: [String: Any]) -> Bool {
        var options: [String: Any] = ["license": license, "segments": ["segment_1", "segment_2"]]
        options.merge(more) { $1 }
        do {
            akaService = try VocServiceFactory.createAkaWebAccelerator(with: self, delegateQueue: OperationQueue.main, options: options)
        } catch {
            // error handling - could not start service
            heard("could not start: \((error as NSError).code)")
            return false
        }
        // app initialized
        return true
    }

    // 4.4
    func subscribe() {
        let segments: Set = ["basics", "daily-deals"]
        akaService?.subscribeSegments(segments)
    }

    // 4.5
    func vocService(_ vocService: VocService, didBecomeNotRegistered info: [AnyHashable: Any]) { heard("didBecomeNotRegistered") }
    func vocService(_ vocService: VocService, didFailToRegister error: Error) { heard("didFailToRegister \((error as NSError).code)") }
    func vocService(_ vocService: VocService, didRegister info: [AnyHashable: Any]) { heard("didRegister") }
    func vocService(_ vocService: VocService, didInitialize info: [AnyHashable: Any]) { heard("didInitialize") }
    func vocService(_ vocService: VocService, itemsDiscovered items: [Any]) { tell("discovered", items) }
    func vocService(_ vocService: VocService, itemsStartDownloading items: [Any]) { tell("startDownloading", items) }
    func vocService(_ vocService: VocService, itemsDownloaded items: [Any]) { tell("downloaded", items) }
    func vocService(_ vocService: VocService, itemsEvicted items: [Any]) { tell("evicted", items) }

    private func tell(_ what: String, _ items: [Any]) {
        for case let item as VocItem in items { heard("\(what) \(item.segment) \(item.state.rawValue)") }
    }

    // 5.2
    func connect() -> NSURLConnection? {
        let requestURL = URL(string: "https://www.akamai.com")!
        let request = URLRequest(url: requestURL)
        return NSURLConnection(request: request, delegate: self)
    }

    func connection(_ connection: NSURLConnection, didReceive response: URLResponse) { heard("response") }
    func connection(_ connection: NSURLConnection, didReceive data: Data) { heard("data \(String(decoding: data, as: UTF8.self))") }
    func connectionDidFinishLoading(_ connection: NSURLConnection) { heard("finished") }

    func connectSynchronously(to url: URL) throws -> (Data, URLResponse?) {
        let request = URLRequest(url: url)
        var response: URLResponse?
        let data = try NSURLConnection.sendSynchronousRequest(request, returning: &response)
        return (data, response)
    }

    // 5.4
    func loadInSharedSession() {
        let session = URLSession.shared
        let requestURL = URL(string: "http://www.akamai.com/")!
        session.dataTask(with: requestURL).resume()
    }

    func loadInCustomSession() -> URLSession {
        let sessionConfig = URLSessionConfiguration.default
        // ... modify sessionConfig as required by the app ...
        VocServiceFactory.setupSessionConfiguration(sessionConfig)  // sessionConfig now uses SDK acceleration
        let session = URLSession(configuration: sessionConfig, delegate: self, delegateQueue: nil)
        let requestURL = URL(string: "http://www.akamai.com/")!
        session.dataTask(with: requestURL).resume()
        return session
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        heard("data \(String(decoding: data, as: UTF8.self))")
    }

    // 5.5
    func timeAnEvent() {
        akaService?.startEvent("Event name")
        // activity
        akaService?.stopEvent("Event name")
    }

    func logAnEvent() {
        // instantaneous event
        akaService?.logEvent("tapped home button")
    }

    // 5.6
    func lookAtQuality() {
        guard let networkQuality = akaService?.networkQuality() else { return }
        switch networkQuality.qualityStatus {
        case .poor: heard("Network Quality: Poor")
        case .good: heard("Network Quality: Good")
        case .excellent: heard("Network Quality: Excellent")
        case .unknown: heard("Network Quality: Unknown")
        case .notReady: heard("Network Quality: Not ready")
        }
    }

    // 5.7
    func loadRevalidated() {
        var cacheControlHeaders: [String: String] = [:]
        cacheControlHeaders["Cache-Control"] = "no-cache"
        let requestURL = URL(string: "https://www.akamai.com/some_image.jpg")!
        var mRequest = URLRequest(url: requestURL)
        mRequest.allHTTPHeaderFields = cacheControlHeaders
        let dataTask = mySession.dataTask(with: mRequest)
        dataTask.resume()
    }

    // 5.8
    func debug() {
        // enable real-time extended debug info to Xcode console
        akaService?.setDebugConsoleLog(true)
        // print subscribed segments, followed by each URL with its download status
        akaService?.printManifest()
        // print last received SDK capabilities as configured through the portal
        akaService?.printCurrentCapabilities()
    }

    func sendAnalytics() {
        // Debug only - test analytics upload by sending outside of regular cycle
        akaService?.debugSendAnalytics()
    }

    // 5.9
    func vocService(_ vocService: VocService, didReceiveChallengeFor originalRequest: URLRequest, currentRequest: URLRequest,
        challenge: URLAuthenticationChallenge, modifiedTrust: SecTrust?,
        completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let (disposition, credential) = decide(modifiedTrust)
        completion(disposition, credential)
    }

    // 6.1
    func application(_ application: UIApplication, performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void) {
        if akaService?.application(application, performFetchWithCompletionHandler: completionHandler) != true {
            completionHandler(.noData)
        }
    }

    // 6.2
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data) {
        akaService?.setDevicePushToken(deviceToken)
    }

    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any], fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void) {
        if akaService?.application(application, didReceiveRemoteNotification: userInfo, fetchCompletionHandler: completionHandler) == true {
            // remote notification was for MAP SDK
            return
        }
        // remote notification is not for MAP SDK, handle remote notification
        completionHandler(.noData)
    }

    // 6.5
    func handOverRedirects() { akaService?.config.autoFollowRedirects = false }
}

// swift-format-ignore-file
// The Swift samples of the retired SDK's guide of 2020, as they stand there. A test holds each against the guide's text.
// sample 2
import AkaCommon
// end
// sample 5
import AkaMap
// end
import Foundation
import FoundationNetworking

final class Guide2020: NSObject, URLSessionDataDelegate, NSURLConnectionDataDelegate, @unchecked Sendable {  // called by one test at a time
    // sample 5
    var mapService: AkaMapProtocol?
    // end
    var session = URLSession.shared
    let heard: (String) -> Void

    init(heard: @escaping (String) -> Void) {
        self.heard = heard
        super.init()
    }

    func configure() {
        // sample 2
        AkaCommon.configure()
        // end
    }

    func configureWithPlist() {
        // sample 3
        if let filePath = Bundle.main.path(forResource:"Aka-Info", ofType:"plist") {
            AkaCommon.configure(withPlist: filePath)
        }
        // end
    }

    func shared() -> AkaCommon {
        // sample 4
        let akaCommon = AkaCommon.shared()
        // end
        return akaCommon
    }

    func takeService() {
        // sample 5
        mapService = AkaMap.shared()
        // end
    }

    // sample 6
    func application(_ application: UIApplication, didReceiveRemoteNotification userInfo:
    [AnyHashable : Any], fetchCompletionHandler completionHandler: @escaping
    (UIBackgroundFetchResult) -> Void)
    {
        let akaCommon = AkaCommon.shared()

        let mapHandledNotification = akaCommon.didReceiveRemoteNotification(userInfo,
    fetchCompletionHandler: completionHandler)

        if (mapHandledNotification) {
            // MAP will call completionHandler after processing notification.
        } else {
            // otherwise your app should handle remote notification and call completion
            completionHandler(UIBackgroundFetchResult.noData)
        }
    }
    // end

    func joinTwoSegments() {
        // sample 7
        // Example: join 2 segments, unsubscribing any previous segments.
        let segments = Set(["basics", "banner-images"])
        mapService?.subscribeSegments(segments)
        // end
    }

    func joinAndLeave(joined: () -> Void) {
        // sample 8
        // Join A, B, C.
        var segments = Set(["A", "B", "C"])
        mapService?.subscribeSegments(segments)

        // end
        joined()
        // sample 8
        // Unsubscribe B.
        segments.remove("B")
        mapService?.subscribeSegments(segments) // segments = [A, C]
        // end
    }

    func setCacheSize() {
        // sample 9
        // Change cache size to 1 GB
        mapService?.cacheSize = 1 * 1024 * 1024 * 1024
        // end
    }

    func connect() -> NSURLConnection? {
        // sample 10
        let requestURL = URL(string: "https://www.akamai.com")!
        let request = URLRequest(url: requestURL)
        let connection = NSURLConnection(request: request, delegate: self)
        // ...followed by asynchronous response handlers.
        // end
        return connection
    }

    func connection(_ connection: NSURLConnection, didReceive response: URLResponse) {
        heard("response \((response as! HTTPURLResponse).statusCode)")
    }

    func connection(_ connection: NSURLConnection, didReceive data: Data) {
        heard("data \(String(decoding: data, as: UTF8.self))")
    }

    func connectionDidFinishLoading(_ connection: NSURLConnection) { heard("finished") }

    func connection(_ connection: NSURLConnection, didFailWithError error: Error) { heard("failed \(error)") }

    func loadInSharedSession() {
        // sample 12
        // MAP is used implicitly with the shared session
        let sharedSession = URLSession.shared
        if let requestURL = URL(string: "https://www.akamai.com/") {
            sharedSession.dataTask(with: requestURL).resume()
        }
        // end
    }

    func loadInCustomSession() -> URLSession {
        // sample 13
        // MAP must be added to custom URLSession configurations
        let sessionConfig = URLSessionConfiguration.default

        // Tell sessionConfig to use MAP SDK
        AkaCommon.shared().interceptSessions(with: sessionConfig)

        let customSession = URLSession.init(configuration: sessionConfig, delegate: self,
        delegateQueue: nil)

        if let requestURL = URL(string:"https://www.akamai.com/") {
            customSession.dataTask(with: requestURL).resume()
        }
        // end
        return customSession
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        heard("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        heard(error.map { "failed \($0)" } ?? "finished")
    }

    func timeAnEvent() {
        // sample 14
        // timed user event
        mapService?.startEvent("Event Name")
        // ...perform a measurable activity...
        mapService?.stopEvent("Event Name")
        // end
    }

    func logAnEvent() {
        // sample 15
        // instantaneous event
        mapService?.logEvent("tapped home button")
        // end
    }

    // The guide prints one brace more than it opens: it closes this function.
    func lookAtQuality() {
        // sample 16
        if let netQuality = mapService?.networkQuality()?.qualityStatus {
            switch (netQuality) {
            case .excellent:
                print("Network Quality: Excellent")
            case .good:
                print("Network Quality: Good")
            case .poor:
                print("Network Quality: Poor")
            case .notReady:
                print("Network Quality: Not ready")
            case .unknown:
                print("Network Quality: Unknown")
            }
        }
    }
    // end

    func loadRevalidated() {
        // sample 19
        let cacheControlHeaders = ["Cache-Control": "no-cache"]
        if let requestURL = URL(string:"https://www.akamai.com/some_image.jpg") {
            var request = URLRequest(url: requestURL)
            request.allHTTPHeaderFields = cacheControlHeaders
            let dataTask = session.dataTask(with: request)
            dataTask.resume()
        }
        // end
    }

    func debug() {
        // sample 20
        // enable real-time extended debug info to Xcode console - interception
        AkaCommon.shared().debugConsoleEnabled = true
        mapService?.setDebugConsoleLog(true)

        // print subscribed segments, followed by each URL with its download status
        mapService?.printCache()

        // print last received SDK features as configured through the portal
        mapService?.printCurrentConfiguration()
        // end
    }

    func sendAnalytics() {
        // sample 21
        // Debug only - test analytics upload by sending outside of regular cycle
        mapService?.debugSendAnalytics()
        // end
    }

    func isEnabled() -> Bool? {
        // sample 22
        let mapEnabled = mapService?.enabled()
        // end
        return mapEnabled
    }

    func subscribed() -> Set<String>? {
        // sample 23
        let subscribedSegments = mapService?.subscribedSegments()
        // end
        return subscribedSegments
    }

    func lookAtCache() -> (all: Set<AkaCachedFile>?, single: AkaCachedFile?) {
        // sample 24
        // returns a set of metadata for all cached files.
        let cachedFiles = mapService?.cachedFiles()

        // returns metadata for a single URL, or nil if not cached.
        let singleCachedFile = mapService?.cachedFile(forURL: "https://www.akamai.com/index.html")

        // example of reading header and body data
        let urlString = "https://www.akamai.com/index.html"
        if let url = URL(string: urlString),
            let cachedFile = mapService?.cachedFile(forURL: urlString) {

            let httpResponse = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1",
        headerFields: cachedFile.responseHeaders)

            let httpBodyFilePath = URL(fileURLWithPath: cachedFile.localPath)
            if let httpBody = try? Data(contentsOf: httpBodyFilePath) {
                // now there is both a response and body for caching elsewhere
                // end
                heard("\(httpResponse?.value(forHTTPHeaderField: "Content-Type") ?? "") \(String(decoding: httpBody, as: UTF8.self))")
                // sample 24
            }
        }
        // end
        return (cachedFiles, singleCachedFile)
    }

    func handOverRedirects() {
        // sample 26
        mapService?.config.autoFollowRedirects = false;
        // end
    }
}

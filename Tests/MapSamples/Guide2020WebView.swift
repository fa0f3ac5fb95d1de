// swift-format-ignore-file
// The web view in the guide of 2020. Two closing braces are lost between the guide's pages; they stand outside the marks.
import AkaCommon
import AkaMap
import Foundation
import FoundationNetworking
// sample 11
// Setup your custom handler
import WebKit

class CustomURLSchemeHandler: NSObject, WKURLSchemeHandler {
    let mapService = AkaMap.shared()
    let scheme: String

    init(scheme: String) {
        self.scheme = scheme
    }

    func webView(_ webView: WKWebView, start urlSchemeTask: WKURLSchemeTask) {
        DispatchQueue.global().async {
            let requestUrl = urlSchemeTask.request.url!
            let rewrittenUrl = requestUrl.absoluteString.replacingOccurrences(of: self.scheme,
with: "https")
            let endpoint = URL(string: rewrittenUrl)!

            if let cachedFile = self.mapService.cachedFile(forURL: rewrittenUrl) {
                print("Cache hit. \(rewrittenUrl)");

                let httpResponse = HTTPURLResponse(url: endpoint, statusCode: 200, httpVersion:
"HTTP/1.1", headerFields: cachedFile.responseHeaders)
                urlSchemeTask.didReceive(httpResponse!)

                let httpBodyFilePath = URL(fileURLWithPath: cachedFile.localPath)
                if let httpBody = try? Data(contentsOf: httpBodyFilePath) {
                    urlSchemeTask.didReceive(httpBody)
                }

                urlSchemeTask.didFinish()
            } else {
                print("Cache miss, performing HTTP request to \(rewrittenUrl).");

                URLSession.shared.dataTask(with: endpoint) {(data, response, error) in
                    if let error = error {
                        urlSchemeTask.didFailWithError(error)
                        return
                    }
                    urlSchemeTask.didReceive(response!)
                    urlSchemeTask.didReceive(data!)
                    urlSchemeTask.didFinish()
                }.resume()
            }
        }
        // end
    }

    // sample 11
    func webView(_ webView: WKWebView, stop urlSchemeTask: WKURLSchemeTask) {
    }
    // end
}

func showPage() {
    // sample 11
    // and utilize it with your WKWebView
    let scheme = "my-custom-scheme"
    let configuration = WKWebViewConfiguration()
    configuration.setURLSchemeHandler(CustomURLSchemeHandler(scheme: scheme), forURLScheme:
    scheme)

    let webView = WKWebView(frame: .zero, configuration: configuration)
    let myURL = URL(string: "my-custom-scheme://your-origin.com") // this should be set to my-custom-scheme if you want to cache response to this request
    let myRequest = URLRequest(url: myURL!)
    webView.load(myRequest)
    // end
}

import Foundation
import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let client = LarderClient(configuration: .init(bundleID: "com.example.app"))
let configuration = URLSessionConfiguration.default

client.intercept(URLSession.shared)      // the shared session, or one of your own that exists already
client.intercept(configuration)          // every session made with this configuration from now on

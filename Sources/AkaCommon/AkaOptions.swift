import Foundation
package import Larder

/// The options of an app as the retired SDK spelled them: `com.akamai` → `map` → `api_key`, `segments`.
///
/// This product adds, beside `api_key`, `server_url` (the control plane's address) and `directory` (where the SDK keeps its
/// files; the cache directory of the app without it).
package struct AkaOptions: Sendable {
    package let configuration: LarderConfiguration

    /// Reads a property list; what is missing or of another type counts as not given.
    package init(propertyList: [String: Any]) {
        let vendor = propertyList["com.akamai"] as? [String: Any] ?? [:]
        let options = vendor["map"] as? [String: Any] ?? [:]
        let bundleID =
            propertyList["CFBundleIdentifier"] as? String ?? Bundle.main.bundleIdentifier
            ?? ProcessInfo.processInfo.processName
        var made = LarderConfiguration(
            serverURL: options["server_url"] as? String, apiKey: options["api_key"] as? String, bundleID: bundleID)
        made.initialSegments = Set(options["segments"] as? [String] ?? [])
        made.directory = options["directory"] as? String
        configuration = made
    }
}

import Beacons
import HTTPModel

/// Collects the options of several documents: what the first one tells is not asked of the next.
struct OptionsReader {
    /// The keys of a section, in the spelling of both generations of the retired SDK, and this product's own.
    static let keys = ["api_key", "license", "segments", "server_url", "directory", "custom_metric"]
    static let mPulseKeys = ["api_key", "secret_key", "config_url", "beacon_url"]

    var findings = OptionsFindings()
    private(set) var apiKey: String?
    private(set) var serverURL: String?
    private(set) var directory: String?
    private(set) var segments: [String]?
    private(set) var customMetrics: [String: [String]]?
    private var mPulseKey: String?
    private var secretKey: String?
    private var configURL: String?
    private var beaconURL: String?

    /// Takes what a section tells beyond what is known already.
    mutating func read(_ section: OptionsSection) {
        for key in ["api_key", "license"] {
            let text = section.string(key, noting: &findings)
            apiKey = apiKey ?? text
        }
        let address = section.string("server_url", noting: &findings)
        if let address, HTTPURL(address) == nil {
            findings.add(
                .init(
                    document: section.document, keyPath: section.keyPath + ["server_url"],
                    found: "a string that is no URL", expected: "an http or https URL"))
        } else {
            serverURL = serverURL ?? address
        }
        let place = section.string("directory", noting: &findings)
        directory = directory ?? place
        let names = section.strings("segments", noting: &findings)
        segments = segments ?? names
        let metrics = section.lists("custom_metric", noting: &findings)
        customMetrics = customMetrics ?? metrics
        section.noteKeys(besides: Self.keys, in: &findings)
    }

    /// Takes what a section about mPulse tells.
    mutating func readMPulse(_ section: OptionsSection) {
        mPulseKey = section.string("api_key", noting: &findings)
        secretKey = section.string("secret_key", noting: &findings)
        configURL = section.string("config_url", noting: &findings)
        beaconURL = section.string("beacon_url", noting: &findings)
        section.noteKeys(besides: Self.mPulseKeys, in: &findings)
    }

    /// What mPulse is told; nothing without its key.
    func mPulse(_ customMetrics: [String: [String]]) -> MPulseConfiguration? {
        guard let mPulseKey else { return nil }
        var made = MPulseConfiguration(apiKey: mPulseKey)
        made.secretKey = secretKey
        if let configURL { made.configURL = configURL }
        made.beaconURL = beaconURL
        made.customMetrics = customMetrics
        return made
    }

    /// Takes what stands under `com.akamai` in the app's property list.
    /// - Returns: the key path of the section that is there, or ought to be.
    mutating func readPropertyList(_ list: OptionsSection) -> [String] {
        guard let vendor = list.section("com.akamai", noting: &findings) else { return ["com.akamai", "map"] }
        let sections = ["map", "vocsdk"].compactMap { vendor.section($0, noting: &findings) }
        for section in sections { read(section) }
        if let section = vendor.section("mpulse", noting: &findings) { readMPulse(section) }
        return sections.first?.keyPath ?? ["com.akamai", "map"]
    }

    /// Names what no document has told, though the SDK cannot do without, unless a finding about it stands already.
    mutating func noteMissing(in document: String, at keyPath: [String]) {
        let keyName = keyPath.last == "vocsdk" ? "license" : "api_key"
        if apiKey == nil, !isNoted(["api_key", "license"], within: keyPath) {
            findings.add(
                .init(
                    document: document, keyPath: keyPath + [keyName], found: nil,
                    expected: "the app's API key from the portal"))
        }
        let mPulseKeyPath = ["com.akamai", "mpulse", "api_key"]
        if customMetrics != nil, mPulseKey == nil, !isNoted(["api_key"], within: mPulseKeyPath) {
            findings.add(
                .init(
                    document: document, keyPath: mPulseKeyPath, found: nil,
                    expected: "the app's key at mPulse, which custom_metric needs"))
        }
        if serverURL == nil, !isNoted(["server_url"], within: keyPath) {
            findings.add(
                .init(
                    document: document, keyPath: keyPath + ["server_url"], found: nil,
                    expected: "the server's address, such as https://larder.example.com"))
        }
    }

    /// Whether a finding is about one of these keys, or about something that they would stand in.
    private func isNoted(_ keys: [String], within keyPath: [String]) -> Bool {
        findings.list.contains { finding in
            finding.keyPath.last.map(keys.contains) == true
                || !finding.keyPath.isEmpty && finding.keyPath.count <= keyPath.count
                    && keyPath.starts(with: finding.keyPath)
        }
    }
}

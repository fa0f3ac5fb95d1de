import Beacons
public import Foundation

/// What an app's documents tell the SDK, in the spelling of the retired SDK.
///
/// An options dictionary comes before the app's property list, and that before the configuration file which the list names
/// under `com.akamai.vocsdk.config.file`. In a property list the options stand in `com.akamai` → `map` or `com.akamai` →
/// `vocsdk`, in the other two on the top level: `api_key` or `license`, `segments`, `custom_metric`, `server_url` (the
/// control plane's address) and `directory` (where the SDK keeps its files). `com.akamai` → `mpulse` has `api_key`, `secret_key`,
/// `config_url` and `beacon_url`.
///
/// Whatever a document holds, reading it never fails: what cannot be used is a ``Finding``, and the rest is used.
public struct LarderOptions: Sendable {
    /// Ready for ``LarderClient``; the defaults where nothing is told.
    public var configuration: LarderConfiguration
    /// The names of mPulse's custom metrics, and the prefixes of the URLs that fire them.
    public var customMetrics: [String: [String]]
    /// What cannot be used, and what is missing; at most 100.
    public let findings: [Finding]
    /// How many findings there are beyond those in ``findings``.
    public let untoldFindingCount: Int

    /// Reads an options dictionary and the Info.plist of a bundle. Performs disk I/O.
    public init(_ options: [AnyHashable: Any] = [:], bundle: Bundle = .main) {
        self.init(
            options, propertyList: bundle.infoDictionary ?? [:], named: "Info.plist of \(bundle.bundlePath)",
            directories: [bundle.bundlePath] + [bundle.resourcePath].compactMap { $0 })
    }

    /// Reads an options dictionary and a property list in the format of an Info.plist. Performs disk I/O.
    ///
    /// The path of a configuration file is relative to the list's directory.
    public init(_ options: [AnyHashable: Any] = [:], propertyListPath path: String) {
        var reader = OptionsReader()
        let list = OptionsDocument(path: path).read(noting: &reader.findings)
        self.init(
            options, list ?? OptionsSection(document: path, values: [:]), reader: reader,
            directories: [URL(fileURLWithPath: path).deletingLastPathComponent().path])
    }

    /// Reads an options dictionary and a property list that is in memory.
    /// - Parameters:
    ///   - name: what the findings call the property list.
    ///   - directories: where a configuration file is looked for.
    public init(
        _ options: [AnyHashable: Any] = [:], propertyList: [String: Any], named name: String = "the property list",
        directories: [String] = []
    ) {
        self.init(
            options, OptionsSection(document: name, values: propertyList), reader: OptionsReader(),
            directories: directories)
    }

    /// Returns when there is nothing to find fault with.
    /// - Throws: ``LarderOptionsError`` with every finding.
    public func check() throws(LarderOptionsError) {
        if !findings.isEmpty { throw LarderOptionsError(findings: findings) }
    }

    // MARK: - Parts

    private init(
        _ options: [AnyHashable: Any], _ list: OptionsSection, reader: OptionsReader, directories: [String]
    ) {
        var reader = reader
        let isListRead = reader.findings.list.isEmpty
        var dictionary: [String: Any] = [:]
        for (key, value) in options { dictionary[key.base as? String ?? "\(key.base)"] = value }
        if !dictionary.isEmpty {
            reader.read(OptionsSection(document: "the options dictionary", values: dictionary))
        }
        let keyPath = reader.readPropertyList(list)
        if let path = list.string("com.akamai.vocsdk.config.file", noting: &reader.findings) {
            let file = OptionsDocument(path: Self.place(of: path, in: directories))
            if let section = file.read(noting: &reader.findings) { reader.read(section) }
        }
        // Nobody can tell what a list that cannot be read lacks.
        if isListRead { reader.noteMissing(in: list.document, at: keyPath) }

        let bundleID =
            list.values["CFBundleIdentifier"] as? String ?? Bundle.main.bundleIdentifier
            ?? ProcessInfo.processInfo.processName
        configuration = LarderConfiguration(serverURL: reader.serverURL, apiKey: reader.apiKey, bundleID: bundleID)
        configuration.initialSegments = Set(reader.segments ?? [])
        configuration.directory = reader.directory
        customMetrics = reader.customMetrics ?? [:]
        configuration.mPulse = reader.mPulse(customMetrics)
        findings = reader.findings.list
        untoldFindingCount = reader.findings.untoldCount
    }

    /// The first directory that has the file; the last one's name for it when none has.
    private static func place(of path: String, in directories: [String]) -> String {
        if path.hasPrefix("/") { return path }
        let candidates = directories.map { "\($0)/\(path)" }
        return candidates.first(where: FileManager.default.fileExists) ?? candidates.last ?? path
    }
}

extension LarderClient {
    /// Starts the SDK with an app's options; what cannot be used of them is told, each in a line of the log.
    ///
    /// Performs disk I/O.
    public convenience init(options: LarderOptions) {
        self.init(configuration: options.configuration)
        for finding in options.findings { services.log.write("\(finding)") }
        if options.untoldFindingCount > 0 {
            services.log.write("\(options.untoldFindingCount) more things in the options cannot be used")
        }
    }
}

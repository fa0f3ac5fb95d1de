public import Foundation
import Larder

/// The settings of the service. What an app sets takes effect at once and survives restarts, unless a setting says otherwise;
/// before the SDK is configured there is nothing to set, and the defaults are read.
public final class VocConfig: Sendable {
    private let shared: SharedClient

    init(_ shared: SharedClient) { self.shared = shared }

    private var settings: LarderSettings { shared.client?.settings ?? LarderSettings() }
    private var overrides: PolicyOverrides { settings.downloads }
    private var policy: DownloadPolicy { shared.client?.downloadPolicy ?? DownloadPolicy() }

    private func change(_ body: (inout LarderSettings) -> Void) { shared.client?.changeSettings(body) }

    // MARK: - The server

    /// The API key in use; `nil` without one.
    public var license: String? { shared.client?.apiKey }

    /// The address of the server in use; `nil` without one.
    public var serverHost: URL? { shared.client?.serverURL.flatMap { URL(string: $0) } }

    /// Takes the place of the configured server's address: for tests against another server.
    ///
    /// Set before the SDK is configured it holds for this start alone; set afterwards it is kept, and holds from the next start on.
    public var serverHostOverride: URL? {
        get { settings.serverURL.flatMap { URL(string: $0) } ?? shared.preferences.serverURL }
        set {
            shared.preferences.serverURL = newValue
            change { $0.serverURL = newValue?.absoluteString }
        }
    }

    /// Whether push tokens are those of Apple's production service; `true` unless set. Not kept across restarts.
    public var useProductionApns: Bool {
        get { shared.preferences.usesProductionPush }
        set { shared.preferences.usesProductionPush = newValue }
    }

    // MARK: - Downloads

    /// Larger files, in bytes, are not pre-positioned; 104 MB unless the server or the app says otherwise.
    public var fileSizeMax: Int64 {
        get { overrides.fileByteCountMax ?? policy.fileByteCountMax }
        set { change { $0.downloads.fileByteCountMax = newValue } }
    }

    /// The networks that downloads may use: the app's choice, else the server's.
    public var networkSelection: VOCNetworkSelection {
        overrides.networks.map { VOCNetworkSelection($0) } ?? networkSelectionDefault
    }

    /// The app's choice; ``VOCNetworkSelection/invalid``, the default, leaves it to the server.
    public var networkSelectionOverride: VOCNetworkSelection {
        get { overrides.networks.map { VOCNetworkSelection($0) } ?? .invalid }
        set { change { $0.downloads.networks = newValue.selection } }
    }

    /// The server's choice; Wi-Fi and cellular before it has made one.
    public var networkSelectionDefault: VOCNetworkSelection { VOCNetworkSelection(policy.networks) }

    /// Most bytes a day over Wi-Fi; ``VOCDownloadQuotaUnlimited`` unless the server or the app says otherwise.
    public var dailyWifiQuota: Int64 {
        get { overrides.dailyWifiByteCountMax ?? policy.wifi.dailyByteCountMax ?? VOCDownloadQuotaUnlimited }
        set { change { $0.downloads.dailyWifiByteCountMax = newValue } }
    }

    /// Most bytes a day over cellular networks; ``VOCDownloadQuotaUnlimited`` unless the server or the app says otherwise.
    public var dailyCellularQuota: Int64 {
        get { overrides.dailyCellularByteCountMax ?? policy.cellular.dailyByteCountMax ?? VOCDownloadQuotaUnlimited }
        set { change { $0.downloads.dailyCellularByteCountMax = newValue } }
    }

    /// Bytes on the wire over Wi-Fi since local midnight.
    public var dailyWifiUsed: Int64 { shared.client?.dataUsage.wifiByteCount ?? 0 }

    /// Bytes on the wire over cellular networks since local midnight.
    public var dailyCellularUsed: Int64 { shared.client?.dataUsage.cellularByteCount ?? 0 }

    /// The sum of ``dailyWifiUsed`` and ``dailyCellularUsed``.
    public var dailyDownloadUsed: Int64 { dailyWifiUsed + dailyCellularUsed }

    /// Whether items are downloaded by themselves; ``VOCItemDownloadBehavior/fullAuto`` unless set.
    public var itemDownloadBehavior: VOCItemDownloadBehavior {
        get { overrides.isManual ? .none : .fullAuto }
        set { change { $0.downloads.isManual = [.none, .thumbnailOnly].contains(newValue) } }
    }

    /// Whether content of segments that are no longer subscribed goes at once; `true` unless set.
    public var enableAutoPurge: Bool {
        get { !overrides.keepsDroppedContent }
        set { change { $0.downloads.keepsDroppedContent = !newValue } }
    }

    /// Most downloads at once, -1 for no limit; the server's number unless set.
    public var maxConcurrentDownloads: Int {
        get { overrides.concurrentDownloadsMax.map { $0 < 1 ? -1 : $0 } ?? policy.concurrentDownloadsMax }
        set { change { $0.downloads.concurrentDownloadsMax = newValue < 1 ? -1 : newValue } }
    }

    /// Whether ``VocItem/bytesDownloaded`` counts what has come of a file that is not whole yet; `true` unless set. Not kept
    /// across restarts.
    public var trackFileDownloadProgress: Bool {
        get { shared.preferences.tracksProgress }
        set { shared.preferences.tracksProgress = newValue }
    }

    /// Whether downloads go on whatever the network, the battery, the hour and the quotas; `false` unless set.
    public var forceDownload: Bool {
        get { overrides.isForced }
        set { change { $0.downloads.isForced = newValue } }
    }

    /// Seconds from coming to the foreground to the look for new content; 3 unless set.
    public var foregroundContentCheckDelay: TimeInterval {
        get { settings.foregroundCheckDelay / .seconds(1) }
        set { change { $0.foregroundCheckDelay = .seconds(newValue.isFinite ? max(0, newValue) : 0) } }
    }

    // MARK: - Requests

    /// Whether redirects are followed; `true` unless set. Otherwise the app gets the response with the status 30x.
    public var autoFollowRedirects: Bool {
        get { settings.followsRedirects }
        set { change { $0.followsRedirects = newValue } }
    }

    /// The methods of requests that the SDK leaves alone, in any case; OPTIONS unless set, `nil` for none.
    public var ignoredHTTPMethods: [String]? {
        get { settings.ignoredMethods.isEmpty ? nil : settings.ignoredMethods.sorted() }
        set { change { $0.ignoredMethods = Set((newValue ?? []).map { $0.uppercased() }) } }
    }

    /// Whether the SDK adds its name to the `User-Agent` of the app's requests; `false` unless set.
    public var addUserAgent: Bool {
        get { settings.addsUserAgent }
        set { change { $0.addsUserAgent = newValue } }
    }

    /// The hosts whose requests alone the SDK takes, in place of every list before; `nil` for all hosts.
    public func setWhitelist(_ hosts: [String]?) { change { $0.hosts = hosts.map { .only(Set($0)) } ?? .all } }

    /// The hosts whose requests the SDK leaves alone, in place of every list before; `nil` or none for all hosts.
    public func setBlacklist(_ hosts: [String]?) {
        change { $0.hosts = hosts.flatMap { $0.isEmpty ? nil : .except(Set($0)) } ?? .all }
    }
}

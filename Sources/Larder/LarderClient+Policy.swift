public import Conditions
public import Prepositioning
import Primitives
public import Wire

/// When content may be downloaded ahead of need, and what stands against it.
extension LarderClient {
    /// What the app wants otherwise than the release. Setting performs disk I/O; it takes effect at once and survives restarts.
    public var settings: LarderSettings {
        get { services.settings.withLock { $0 } }
        set { services.settings.withLock { $0 = newValue } }
    }

    /// The download policy of the last release; the defaults before there is one.
    public var downloadPolicy: DownloadPolicy { DownloadPolicy() }

    /// The API key in use; `nil` without one.
    public var apiKey: String? { services.configuration.apiKey }

    /// The address of the server in use; `nil` without one.
    public var serverURL: String? { services.serverURL?.string }

    /// The device's network and power. No I/O.
    public var conditions: DeviceConditions { services.conditions.conditions }

    /// The device's network and power now and after every change.
    public func conditionChanges() -> AsyncStream<DeviceConditions> { services.conditions.changes() }

    /// Everything that stands against downloads now; empty when they may go on.
    public var policyBlockers: Set<PolicyBlocker> { [] }

    /// What downloads ahead of need have moved since local midnight.
    public var dataUsage: DataUsage { DataUsage() }

    /// What happens to the items of subscribed segments from now on. A listener that lags by 1,024 changes loses the oldest.
    public func itemChanges() -> AsyncStream<ItemChange> { AsyncStream { $0.finish() } }
}

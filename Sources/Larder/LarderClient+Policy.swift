public import Conditions
public import Prepositioning
import Primitives
public import Wire

/// When content may be downloaded ahead of need, and what stands against it.
extension LarderClient {
    /// What the app wants otherwise than the release. Setting performs disk I/O; it takes effect at once and survives restarts.
    public var settings: LarderSettings {
        get { services.settings.current }
        set { services.settings.change { $0 = newValue } }
    }

    /// Changes some of the settings, whatever other threads change of them meanwhile. Performs disk I/O.
    public func changeSettings(_ change: (inout LarderSettings) -> Void) { services.settings.change(change) }

    /// The rules of the last release; the defaults before there is one.
    public var downloadPolicy: DownloadPolicy { services.prepositioner?.release?.policy ?? DownloadPolicy() }

    /// The device's network and power. No I/O.
    public var conditions: DeviceConditions { services.conditions.conditions }

    /// The device's network and power now and after every change.
    public func conditionChanges() -> AsyncStream<DeviceConditions> { services.conditions.changes() }

    /// Everything that stands against downloads now, by the rules of the app as a whole; empty when they may go on.
    ///
    /// The release may have other rules for single segments.
    public var policyBlockers: Set<PolicyBlocker> { services.prepositioner?.policyBlockers ?? [.notRegistered] }

    /// The same for a segment.
    public func policyBlockers(ofSegment segment: String) -> Set<PolicyBlocker> {
        services.prepositioner?.policyBlockers(ofSegment: segment) ?? [.notRegistered]
    }

    /// What downloads ahead of need have moved since local midnight: bytes on the wire, both ways, of items, manifests and
    /// releases.
    public var dataUsage: DataUsage { services.prepositioner?.dataUsage ?? DataUsage() }

    /// What happens to the items of subscribed segments from now on. A listener that lags by 1,024 changes loses the oldest.
    public func itemChanges() -> AsyncStream<ItemChange> { services.itemChanges.stream() }
}

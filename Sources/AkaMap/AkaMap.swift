package import AkaCommon
public import Foundation
import Larder
import Prepositioning
import Primitives

/// The retired SDK's shared instance, over the client that `AkaCommon.configure()` starts.
public final class AkaMap: AkaMapProtocol {
    private static let instance = AkaMap(AkaCommon.shared())

    private let common: AkaCommon
    private let listening = Locked<Task<Void, Never>?>(nil)

    package init(_ common: AkaCommon) { self.common = common }

    /// The shared instance.
    public static func shared() -> any AkaMapProtocol { instance }

    public var state: VOCServiceState { common.client.map { VOCServiceState($0.status) } ?? .notRegistered }

    public func subscribeSegments(_ segments: Set<String>) { common.client?.subscribe(to: segments) }

    public func subscribedSegments() -> Set<String>? { common.client?.status.subscribedSegments }

    public var cacheSize: UInt64 {
        get { common.client.map { UInt64(clamping: $0.cacheByteCountMax) } ?? 0 }
        set { common.client?.cacheByteCountMax = Int64(clamping: newValue) }
    }

    public var cacheUsed: UInt64 { common.client.map { UInt64(clamping: $0.cacheByteCount) } ?? 0 }

    public var cacheAvailable: UInt64 {
        let (size, used) = (cacheSize, cacheUsed)
        let unused = size > used ? size - used : 0
        guard let free = common.client?.freeDiskByteCount else { return unused }
        return min(unused, UInt64(clamping: free))
    }

    public func enabled() -> Bool {
        guard let status = common.client?.status, case .registered = status.registration else { return false }
        return status.releaseVersion != nil && status.isEnabled
    }

    public func logEvent(_ name: String) { common.client?.logEvent(name) }

    public func startEvent(_ name: String) { common.client?.startEvent(name) }

    public func stopEvent(_ name: String) { common.client?.stopEvent(name) }

    public func setDelegate(_ delegate: (any VocServiceDelegate)?, with queue: OperationQueue?) {
        let calls = delegate.map { DelegateCalls($0, on: queue ?? .main, service: self) }
        let task = calls.map { calls in
            Task { [common] in
                let configured = AsyncStream<LarderClient> { continuation in
                    common.whenConfigured {
                        continuation.yield($0)
                        continuation.finish()
                    }
                }
                for await client in configured { await calls.run(client) }
            }
        }
        let ended = listening.withLock { listening in
            defer { listening = task }
            return listening
        }
        ended?.cancel()
    }

    public func cachedFiles() -> Set<AkaCachedFile> {
        Set((common.client?.cachedContent() ?? []).map { AkaCachedFile($0) })
    }

    public func cachedFile(forURL url: String) -> AkaCachedFile? {
        common.client?.cachedContent(for: url).map { AkaCachedFile($0) }
    }

    public func setDebugConsoleLog(_ isEnabled: Bool) { common.debugConsoleEnabled = isEnabled }

    public func printCache() {
        guard let status = common.client?.status else { return print("the SDK is not configured") }
        print("subscribed segments: " + status.subscribedSegments.sorted().joined(separator: ", "))
        for item in status.items {
            let failure = item.failure.map { ": \($0)" } ?? ""
            print(
                "\(item.state.rawValue) \(item.bytesReceived)/\(item.byteCount) \(item.segment) \(item.url)\(failure)")
        }
    }

    public func printCurrentConfiguration() {
        guard let status = common.client?.status else { return print("the SDK is not configured") }
        print("release: \(status.releaseVersion.map(String.init) ?? "none received")")
        print("switched on: \(status.isEnabled)")
        for (segment, version) in status.activeVersions.sorted(by: { $0.key < $1.key }) {
            print("segment \(segment): version \(version)")
        }
        if let failure = status.lastFailure { print("last failure: \(failure)") }
    }

    public func debugSendAnalytics() {
        guard let client = common.client else { return }
        Task {
            print(await client.sendTelemetry())
        }
    }
}

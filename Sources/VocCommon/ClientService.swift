package import Foundation
import Larder

/// The service over the process's client.
package final class ClientService: VocService {
    private struct Listening {
        var calls: DelegateCalls?
        var task: Task<Void, Never>?
        /// Those of the client that ``events`` belongs to.
        var client: ObjectIdentifier?
    }

    /// The process's own.
    package static let shared = ClientService(.shared)

    package let config: VocConfig
    let shared: SharedClient
    private let listening = Locked(Listening())
    /// What has been told since the start, to whichever delegate.
    private let events = Locked(ServiceEvents())

    private init(_ shared: SharedClient) {
        self.shared = shared
        config = VocConfig(shared)
    }

    var client: LarderClient? { shared.client }

    // MARK: - State

    package var state: VOCServiceState { client.map { VOCServiceState($0.status) } ?? .notRegistered }

    package var connectionType: VOCConnectionType {
        client.map { VOCConnectionType($0.conditions.network.kind) } ?? .none
    }

    package var downloadAllowed: Bool { client?.policyBlockers.isEmpty ?? false }

    package var lastPolicyStatus: VOCPolicyStatus {
        client.map { VOCPolicyStatus($0.policyBlockers) } ?? .notRegistered
    }

    package func enabled() -> Bool {
        guard let status = client?.status, case .registered = status.registration else { return false }
        return status.releaseVersion != nil && status.isEnabled
    }

    package func networkQuality() -> (any VocNetworkQuality)? { client.map { MeasuredQuality($0.quality) } }

    // MARK: - Segments and the cache

    package func subscribeSegments(_ segments: Set<String>) { client?.subscribe(to: segments) }

    package func subscribedSegments() -> Set<String>? { client?.status.subscribedSegments }

    package var cacheSize: UInt64 {
        get { client.map { UInt64(clamping: $0.cacheByteCountMax) } ?? 0 }
        set { client?.cacheByteCountMax = Int64(clamping: newValue) }
    }

    package var cacheUsed: UInt64 { client.map { UInt64(clamping: $0.cacheByteCount) } ?? 0 }

    package var cacheAvailable: UInt64 {
        let (size, used) = (cacheSize, cacheUsed)
        let unused = size > used ? size - used : 0
        guard let free = client?.freeDiskByteCount else { return unused }
        return min(unused, UInt64(clamping: free))
    }

    package func cachedFiles() -> Set<AkaCachedFile> { Set((client?.cachedContent() ?? []).map { AkaCachedFile($0) }) }

    package func cachedFile(forURL url: String) -> AkaCachedFile? {
        client?.cachedContent(for: url).map { AkaCachedFile($0) }
    }

    package func clearCache(_ completion: (((any Error)?) -> Void)?) {
        let failure = client.map { client -> (any Error)? in
            do { try client.removeCachedContent() } catch { return NSError(.db, "\(error)") }
            return nil
        }
        finish(completion, with: failure ?? NSError(.notRegistered, Self.notConfigured))
    }

    // MARK: - Events

    package func logEvent(_ name: String) { client?.logEvent(name) }

    package func startEvent(_ name: String) { client?.startEvent(name) }

    package func stopEvent(_ name: String) { client?.stopEvent(name) }

    // MARK: - The delegate

    package func setDelegate(_ delegate: (any VocServiceDelegate)?, with queue: OperationQueue?) {
        let calls = delegate.map { DelegateCalls($0, on: queue ?? .main, service: self) }
        let ended = listening.withLock { listening in
            defer { listening = Listening(calls: calls, client: listening.client) }
            return listening
        }
        ended.calls?.end()
        ended.task?.cancel()
        let type = delegate.map { ObjectIdentifier(Swift.type(of: $0)) }
        shared.askers.set(
            calls.flatMap { calls in type.map { .init(type: $0) { [weak calls] in calls?.ask($0, $1) } } }, at: .service
        )
        guard let calls else { return }
        shared.whenConfigured { [weak self] client in self?.listen(calls, to: client) }
    }

    private func listen(_ calls: DelegateCalls, to client: LarderClient) {
        let id = ObjectIdentifier(client)
        let isCurrent = listening.withLock { listening in
            if listening.client != id { events.withLock { $0 = ServiceEvents() } }
            listening.client = id
            return listening.calls === calls
        }
        guard isCurrent else { return }
        let streams = DelegateCalls.Streams(client)
        // Lives until the delegate is replaced, or the client is shut down and its streams end.
        let task = Task { [events] in await calls.run(streams, events) }
        let isKept = listening.withLock { listening in
            guard listening.calls === calls else { return false }
            listening.task = task
            return true
        }
        if !isKept { task.cancel() }
    }

    /// Looks for new content in the background; the handler is called once unless the result is `false`.
    package func performFetch(_ completionHandler: @escaping (UIBackgroundFetchResult) -> Void) -> Bool {
        shared.workInBackground(completionHandler)
    }

    /// Hands a push token of Apple's service to the server.
    package func handOver(pushToken: Data?) {
        guard let pushToken else { return }
        client?.setPushToken(pushToken, service: shared.preferences.usesProductionPush ? "apns" : "apns-sandbox")
    }

    package func didReceiveRemoteNotification(
        _ userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool { shared.takeNotification(userInfo, completionHandler) }

    // MARK: - Lifecycle

    static let notConfigured = "the SDK is not configured"

    /// Starts the client with an options dictionary, the app's Info.plist and the configuration file that it names.
    /// - Throws: ``VOCSDKError/invalidParam`` when the options dictionary holds something else than what belongs there.
    package static func start(options: [AnyHashable: Any]?) throws {
        let options = options ?? [:]
        let findings = LarderOptions(options, propertyList: [:]).findings.filter {
            $0.found != nil && ["license", "api_key", "segments", "server_url"].contains($0.keyPath.first)
        }
        if let finding = findings.first { throw NSError(.invalidParam, "\(finding)") }
        SharedClient.shared.start { LarderOptions(options) }
    }

    package func unregisterService(_ completion: (((any Error)?) -> Void)?) {
        run(completion) { client in
            do throws(RegistrationError) { try await client.unregister() } catch { return NSError(error) }
            return nil
        }
    }

    /// Registers with an API key; segments are joined the first time the key is seen on the device.
    package func register(_ license: String, segments: [String]?, completion: (((any Error)?) -> Void)?) {
        guard !license.isEmpty else {
            return finish(completion, with: NSError(.invalidParam, "the license is an empty string"))
        }
        run(completion) { client in
            do throws(RegistrationError) {
                try await client.register(apiKey: license, segments: Set(segments ?? []))
            } catch {
                return NSError(error)
            }
            return nil
        }
    }

    package func startDownloadUserInitiated(completion: (((any Error)?) -> Void)?) {
        run(completion) { client in
            let report = await client.sync()
            if !report.failures.isEmpty {
                return NSError(.serverApiErrorRequestFailed, report.failures.joined(separator: "; "))
            }
            return NSError(Self.blockers(ofAskedDownloads: client))
        }
    }

    /// What stands against downloads that the app has asked for: not that it wants to ask.
    private static func blockers(ofAskedDownloads client: LarderClient) -> Set<PolicyBlocker> {
        let (blockers, overrides, policy) = (client.policyBlockers, client.settings.downloads, client.downloadPolicy)
        let isOff = !policy.isEnabled || (overrides.networks ?? policy.networks) == NetworkSelection.none
        return overrides.isManual && !isOff ? blockers.subtracting([.switchedOff]) : blockers
    }

    /// Does something with the client, then tells the app what came of it.
    private func run(
        _ completion: (((any Error)?) -> Void)?, _ body: @escaping @Sendable (LarderClient) async -> NSError?
    ) {
        guard let client else { return finish(completion, with: NSError(.notRegistered, Self.notConfigured)) }
        let handler = Handler(call: completion ?? { _ in })
        // The retired call returns at once.
        Task { [self] in finish(handler.call, with: await body(client)) }
    }

    /// Calls a completion on the delegate's queue, or where it is when there is none.
    private func finish(_ completion: (((any Error)?) -> Void)?, with error: (any Error)?) {
        guard let completion else { return }
        guard let queue = listening.withLock({ $0.calls?.queue }) else { return completion(error) }
        let handler = Handler(call: completion)
        queue.addOperation { handler.call(error) }
    }
}

import Acceleration
import Beacons
import Conditions
import ContentStore
import Foundation
import HTTPModel
import Interception
import Prepositioning
import Primitives
import Telemetry
import Transport
import Wire

/// The parts of a client and how they are wired.
struct Services: Sendable {
    static let noServer = "no server is configured, or it cannot be used"

    let configuration: LarderConfiguration
    let log: LogLines
    let timekeeper: any Timekeeping
    let transport: any HTTPTransport
    /// `nil` when the disk is unusable.
    let store: ContentStore?
    /// Most bytes of bodies in the store, as it stands now.
    let cacheByteCountMax: Locked<Int64>
    let accelerator: Accelerator
    let telemetry: TelemetryQueue
    let serverURL: HTTPURL?
    let prepositioner: Prepositioner?
    let exchanges = Broadcast<ExchangeRecord>()
    let timedEvents: TimedEvents
    /// Names whose stop without a start has been told.
    let unmatchedStops = Locked<Set<EventName>>([])
    let meter: ExchangeMeter
    /// `nil` unless mPulse is configured, and usable.
    let mPulse: MPulse?
    let conditions: any ConditionsSource
    let settings = Locked(LarderSettings())

    init(_ configuration: LarderConfiguration, timekeeper: any Timekeeping, transport: (any HTTPTransport)?) {
        let log = LogLines(configuration.log)
        let directory = configuration.resolvedDirectory
        let gate = ActivityGate()
        let transport = transport ?? CurlTransport(configuration: Self.transportConfiguration(configuration))
        let store = Self.store(configuration, timekeeper, log)
        let telemetry = TelemetryQueue(
            configuration: .init(directory: directory + "/telemetry"), timekeeper: timekeeper,
            makeID: { UUID().uuidString.lowercased() })
        let conditions: any ConditionsSource = configuration.conditions ?? ManualConditions()
        let meter = ExchangeMeter(conditions: conditions)
        let mPulse = configuration.mPulse.flatMap {
            Self.mPulse($0, configuration.bundleID, transport: transport, timekeeper: timekeeper, log: log)
        }
        let serverURL = Self.serverURL(configuration, log)
        let prepositioner = Self.prepositioner(
            configuration, serverURL, store: store, transport: transport, gate: gate, timekeeper: timekeeper,
            log: log
        ) { item in
            meter.note(item)
            telemetry.record(item)
        }
        let (exchanges, timedEvents) = (exchanges, TimedEvents(queue: telemetry, timekeeper: timekeeper))
        accelerator = Accelerator(
            store: store, transport: transport, policy: configuration.caching, activity: gate, timekeeper: timekeeper,
            onFault: { log.once($0.code.rawValue, "the store failed, requests go on without it: \($0)") },
            onBegin: {
                timedEvents.beginExchange().map { mark in
                    ExchangeTag(events: mark.names) { mark.end($0) }
                }
            },
            onExchange: { record in
                meter.note(record)
                telemetry.record(.exchange(record))
                prepositioner?.noteExchange(record)
                mPulse?.note(record) { timedEvents.latestName }
                exchanges.send(record)
            })
        self.timedEvents = timedEvents
        self.conditions = conditions
        self.meter = meter
        self.mPulse = mPulse
        self.configuration = configuration
        self.log = log
        self.timekeeper = timekeeper
        self.transport = transport
        self.store = store
        cacheByteCountMax = Locked(configuration.pinnedByteCountMax + configuration.opportunisticByteCountMax)
        self.telemetry = telemetry
        self.serverURL = serverURL
        self.prepositioner = prepositioner
    }

    // MARK: - Parts

    private static func transportConfiguration(_ configuration: LarderConfiguration) -> CurlTransport.Configuration {
        var made = CurlTransport.Configuration()
        made.trust = configuration.trust
        made.stateDirectory = configuration.resolvedDirectory + "/transport"
        made.userAgent = "Larder/\(LarderClient.version)"
        return made
    }

    private static func store(
        _ configuration: LarderConfiguration, _ timekeeper: any Timekeeping, _ log: LogLines
    ) -> ContentStore? {
        var made = ContentStore.Configuration(directory: configuration.storeDirectory)
        made.pinnedByteCountMax = configuration.pinnedByteCountMax
        made.opportunisticByteCountMax = configuration.opportunisticByteCountMax
        do throws(StoreError) {
            return try ContentStore(configuration: made, timekeeper: timekeeper)
        } catch {
            log.write("nothing is stored, every request goes to the network: \(error)")
            return nil
        }
    }

    private static func serverURL(_ configuration: LarderConfiguration, _ log: LogLines) -> HTTPURL? {
        guard let text = configuration.serverURL else { return nil }
        guard let url = HTTPURL(text) else {
            log.write("no segments: the server's address is no http or https URL: \(text)")
            return nil
        }
        return url
    }

    private static func prepositioner(
        _ configuration: LarderConfiguration, _ serverURL: HTTPURL?, store: ContentStore?,
        transport: any HTTPTransport, gate: ActivityGate, timekeeper: any Timekeeping, log: LogLines,
        onTelemetry: @escaping @Sendable (TelemetryItem) -> Void
    ) -> Prepositioner? {
        guard let serverURL, let store else { return nil }
        guard let apiKey = configuration.apiKey, !apiKey.isEmpty else {
            log.write("no segments: the server needs an API key")
            return nil
        }
        var made = Prepositioner.Configuration(
            serverURL: serverURL, apiKey: apiKey, bundleID: configuration.bundleID,
            directory: configuration.resolvedDirectory + "/prepositioning", sdkVersion: LarderClient.version)
        made.initialSegments = configuration.initialSegments
        made.signingKeys = configuration.signingKeys
        do {
            return try Prepositioner(
                configuration: made, store: store, transport: transport, activity: gate, timekeeper: timekeeper,
                onTelemetry: onTelemetry)
        } catch {
            log.write("no segments: \(error)")
            return nil
        }
    }

    private static func mPulse(
        _ configuration: MPulseConfiguration, _ bundleID: String, transport: any HTTPTransport,
        timekeeper: any Timekeeping, log: LogLines
    ) -> MPulse? {
        let sender = MPulse.Sender(version: LarderClient.version, bundleID: bundleID) { UUID().uuidString.lowercased() }
        return MPulse(configuration, sender: sender, transport: transport, timekeeper: timekeeper) { line in
            log.once(line, line)
        }
    }

    static let statusWithoutServer = Prepositioner.Status(
        registration: .notRegistered, subscribedSegments: [], releaseVersion: nil, items: [], activeVersions: [:],
        isSyncing: false, isEnabled: true, lastFailure: noServer)

    // MARK: - Work

    /// Starts what runs for as long as the client lives. The tasks hold the parts they work with, never the client.
    func startBackgroundWork() -> [Task<Void, Never>] {
        let beacons = mPulse.map { mPulse in [Task { await mPulse.run() }] } ?? []
        guard let prepositioner else { return beacons }
        let accelerator = accelerator
        return beacons + [
            Task { await prepositioner.run() },
            Task { for await status in prepositioner.statuses() { accelerator.setEnabled(status.isEnabled) } },
            Task { [self] in
                // Sleeping throws only when the task is cancelled, which ends the loop.
                while (try? await timekeeper.sleep(for: configuration.telemetryInterval)) != nil {
                    _ = await sendTelemetry()
                }
            },
        ]
    }

    /// Sends what waits, which needs a server and a registration.
    func sendTelemetry() async -> TelemetryReport {
        guard let serverURL, let prepositioner else {
            return TelemetryReport(.waiting(Self.noServer), itemsWaiting: telemetry.count)
        }
        guard case .registered(let deviceID, let token, _) = prepositioner.status.registration else {
            return TelemetryReport(.waiting("the device is not registered"), itemsWaiting: telemetry.count)
        }
        let destination = TelemetryQueue.Destination(serverURL: serverURL, deviceID: deviceID, deviceToken: token)
        let report = await telemetry.upload(to: destination, over: transport)
        if report.isRefused { prepositioner.noteRefusal("the server refused the device's telemetry") }
        if let failure = report.failure { log.once("telemetry", "telemetry waits for the server: \(failure)") }
        return TelemetryReport(report, itemsWaiting: telemetry.count)
    }

    /// Ends interception, transfers and streams.
    func stop() {
        Interceptor.uninstall(handler: accelerator)
        accelerator.cancelBackgroundWork()
        (transport as? CurlTransport)?.shutDown()
        exchanges.finish()
    }
}

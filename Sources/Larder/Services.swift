import Acceleration
import Beacons
import Conditions
import ContentStore
import Foundation
import HTTPModel
import Interception
import NetworkQuality
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
    let registrar: Registrar
    let exchanges = Broadcast<ExchangeRecord>()
    let itemChanges = Broadcast<ItemChange>()
    let timedEvents: TimedEvents
    /// Names whose stop without a start has been told.
    let unmatchedStops = Locked<Set<EventName>>([])
    let meter: ExchangeMeter
    /// `nil` unless mPulse is configured, and usable.
    let mPulse: MPulse?
    let conditions: any ConditionsSource
    let quality: QualityMonitor
    let settings: SettingsKeeper
    let receipts: ReleaseReceipts
    /// The release in force; `nil` before there is one.
    let release: Followed<Release?>
    /// How good the network was measured to be, as far as downloads go by it.
    let qualityClass: Locked<QualityClass?>
    let foregroundCheck = ForegroundCheck()

    init(_ configuration: LarderConfiguration, timekeeper: any Timekeeping, transport: (any HTTPTransport)?) {
        let log = LogLines(
            configuration.log, files: LogFiles(directory: configuration.logDirectory, timekeeper: timekeeper))
        for secret in [configuration.apiKey, configuration.mPulse?.apiKey, configuration.mPulse?.secretKey] {
            log.hide(secret)
        }
        let directory = configuration.resolvedDirectory
        let gate = ActivityGate()
        let store = Self.store(configuration, timekeeper, log)
        let telemetry = TelemetryQueue(
            configuration: .init(directory: directory + "/telemetry"), timekeeper: timekeeper,
            makeID: { UUID().uuidString.lowercased() })
        let conditions: any ConditionsSource = configuration.conditions ?? SystemConditions.shared
        let quality = QualityMonitor(
            path: directory + "/networks.json", conditions: conditions, timekeeper: timekeeper,
            onFault: { log.once("networks", $0) })
        let transport =
            transport
            ?? CurlTransport(
                configuration: Self.transportConfiguration(configuration, observer: quality) { mismatch in
                    Self.report(mismatch, at: timekeeper.now, to: telemetry, log)
                })
        let settings = SettingsKeeper(directory: directory, log: log)
        receipts = ReleaseReceipts(directory: directory, timekeeper: timekeeper, log: log)
        let serverURL = Self.serverURL(settings.current.serverURL ?? configuration.serverURL, log)
        let meter = ExchangeMeter(conditions: conditions)
        let mPulse = configuration.mPulse.flatMap {
            Self.mPulse($0, configuration.bundleID, transport: transport, timekeeper: timekeeper, log: log)
        }
        let qualityClass = Locked<QualityClass?>(nil)
        let release = Followed<Release?>(nil)
        let itemChanges = itemChanges
        let registrar = Registrar(
            configuration, log: log,
            make: Self.maker(
                configuration, serverURL, store: store, settings: settings, conditions: conditions,
                qualityClass: qualityClass
            ) { made, store in
                var listener = Prepositioner.Listener()
                listener.onTelemetry = { item in
                    meter.note(item)
                    telemetry.record(item)
                }
                listener.onItemChange = { itemChanges.send($0) }
                listener.onRelease = { release.set($0) }
                return try Prepositioner(
                    configuration: made, store: store, transport: transport, activity: gate, timekeeper: timekeeper,
                    listener: listener)
            })
        settings.follow { [weak registrar] in registrar?.current?.setOverrides($0.downloads) }
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
                registrar.current?.noteExchange(record)
                mPulse?.note(record) { timedEvents.latestName }
                exchanges.send(record)
                if log.isDebugging { log.write(record.debugLine) }
            })
        self.timedEvents = timedEvents
        self.conditions = conditions
        self.quality = quality
        self.meter = meter
        self.mPulse = mPulse
        self.settings = settings
        self.release = release
        self.qualityClass = qualityClass
        self.configuration = configuration
        self.log = log
        self.timekeeper = timekeeper
        self.transport = transport
        self.store = store
        cacheByteCountMax = Locked(configuration.pinnedByteCountMax + configuration.opportunisticByteCountMax)
        self.telemetry = telemetry
        self.serverURL = serverURL
        self.registrar = registrar
        settings.follow { [accelerator] in accelerator.setRules($0.requestRules) }
        release.follow { quality.setThresholds($0?.quality ?? QualityThresholds()) }
        if let transport = transport as? CurlTransport {
            // The server alone can bring better pins, so none may keep the device from it for good.
            release.follow { transport.setPinnedKeys($0?.pinnedKeys ?? [], sparing: serverURL?.host) }
        }
    }

    /// The pre-positioner in use; `nil` without a server or an API key.
    var prepositioner: Prepositioner? { registrar.current }

    // MARK: - Parts

    private static func transportConfiguration(
        _ configuration: LarderConfiguration, observer: any TransferObserver,
        onPinMismatch: @escaping @Sendable (PinMismatch) -> Void
    ) -> CurlTransport.Configuration {
        var made = CurlTransport.Configuration()
        made.trust = configuration.trust
        made.stateDirectory = configuration.resolvedDirectory + "/transport"
        made.userAgent = LarderClient.userAgentToken
        made.onPinMismatch = onPinMismatch
        made.observer = observer
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

    private static func serverURL(_ text: String?, _ log: LogLines) -> HTTPURL? {
        guard let text else { return nil }
        guard let url = HTTPURL(text) else {
            log.write("no segments: the server's address is no http or https URL: \(text)")
            return nil
        }
        return url
    }

    /// Makes pre-positioners; `nil` without a server, or without a disk.
    private static func maker(
        _ configuration: LarderConfiguration, _ serverURL: HTTPURL?, store: ContentStore?, settings: SettingsKeeper,
        conditions: any ConditionsSource, qualityClass: Locked<QualityClass?>,
        make: @escaping @Sendable (Prepositioner.Configuration, ContentStore) throws -> Prepositioner
    ) -> Registrar.Maker? {
        guard let serverURL, let store else { return nil }
        return { apiKey, initialSegments in
            var made = Prepositioner.Configuration(
                serverURL: serverURL, apiKey: apiKey, bundleID: configuration.bundleID,
                directory: configuration.resolvedDirectory + "/prepositioning", sdkVersion: LarderClient.version)
            made.initialSegments = initialSegments
            made.signingKeys = configuration.signingKeys
            made.overrides = settings.current.downloads
            made.conditions = conditions
            made.quality = { qualityClass.withLock { $0 } }
            return try make(made, store)
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

    /// Notes how good the network was measured to be: downloads may have to wait, or may go on.
    func noteQuality(_ quality: QualityClass?) {
        let isOther = qualityClass.withLock { known in
            defer { known = quality }
            return known != quality
        }
        if isOther { prepositioner?.noteQualityChange() }
    }

    /// Starts what runs for as long as the client lives. The tasks hold the parts they work with, never the client.
    func startBackgroundWork() -> [Task<Void, Never>] {
        registrar.start()
        let beacons = mPulse.map { mPulse in [Task { await mPulse.run() }] } ?? []
        let watching = [startWatchingNetwork()] + startWatchingQuality() + beacons
        guard serverURL != nil else { return watching }
        return watching + [
            Task { [registrar, accelerator, receipts, log] in
                for await status in registrar.statuses() {
                    if case .registered(_, let token, _) = status.registration { log.hide(token) }
                    accelerator.setEnabled(status.isEnabled)
                    receipts.note(status.releaseVersion)
                }
            },
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
        guard case .registered(let deviceID, let token, _) = prepositioner.registration else {
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
        foregroundCheck.callOff()
        registrar.stop()
        (transport as? CurlTransport)?.shutDown()
        exchanges.finish()
        itemChanges.finish()
    }
}

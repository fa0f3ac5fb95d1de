import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import Transport

/// The device behind the link: a process of its own, so that it can live in the link's network namespace.
enum BulkClient {
    /// What a sync took, in microseconds.
    struct Result {
        /// From the call to the version being active: release, manifest, every item hashed and durable.
        var sync: Double
        /// The same from the first item's request on.
        var items: Double
    }

    /// The arguments that make this program be the device.
    static func arguments(url: String, authorityFile: String, segment: String, directory: String) -> [String] {
        ["--bulk-client", url, authorityFile, segment, directory]
    }

    /// Registers, begins anew as a process that knows its registration does, brings a segment to the device and prints what
    /// that took.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count == 4, let url = HTTPURL(arguments[0]) else { exit(64) }
        let segment = arguments[2], directory = arguments[3]
        var transportConfiguration = CurlTransport.Configuration()
        transportConfiguration.trust.authorityFile = arguments[1]
        for isTimed in [false, true] {
            let transport = CurlTransport(configuration: transportConfiguration)
            let watch = FirstItem(transport)
            let store = try ContentStore(
                configuration: .init(directory: directory + "/store"), timekeeper: SystemTimekeeper())
            let configuration = Prepositioner.Configuration(
                serverURL: url, apiKey: "bench", bundleID: "bench", directory: directory, sdkVersion: "1")
            let prepositioner = try Prepositioner(
                configuration: configuration, store: store, transport: watch, activity: ActivityGate(),
                timekeeper: SystemTimekeeper())
            if isTimed { prepositioner.subscribe(to: [segment]) }
            let start = ContinuousClock.now
            let report = await prepositioner.sync()
            let end = ContinuousClock.now
            if isTimed {
                guard prepositioner.status.isComplete, let first = watch.date else {
                    print("failed: \(report.failures.prefix(3).joined(separator: "; "))")
                    exit(1)
                }
                print("\((end - start).microseconds) \((end - first).microseconds) \(report.wireByteCount)")
            }
            transport.shutDown()
            try await transport.waitUntilShutDown()
        }
    }

    /// Reads what ``run(_:)`` printed.
    static func result(_ line: String) -> Result? {
        let figures = line.split(separator: " ").compactMap { Double($0) }
        return figures.count == 3 ? Result(sync: figures[0], items: figures[1]) : nil
    }
}

/// Notes when the first item is asked for.
private final class FirstItem: HTTPTransport {
    private let transport: CurlTransport
    private let asked = Locked<ContinuousClock.Instant?>(nil)

    init(_ transport: CurlTransport) { self.transport = transport }

    var date: ContinuousClock.Instant? { asked.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        if request.request.url.path.hasPrefix("/items/") {
            asked.withLock { if $0 == nil { $0 = ContinuousClock.now } }
        }
        return try await transport.send(request)
    }
}

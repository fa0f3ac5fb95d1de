import ControlModel
import Cryptography
import Foundation
import HTTPModel
import HTTPServer
import Primitives
import Wire

/// `larder demo`: the main job on real content, from publication to a phone without network.
enum DemoCommand {
    static let specification = CommandSpecification(
        path: ["demo"], summary: "Show the main job on real content.",
        discussion: """
            Runs the control plane, an origin with the given site, and an emulated mobile link between them and a sample
            app in a process of its own; publishes the site as two segments, loads it cold, pre-positioned and offline,
            prints what each request took, and leaves the portal running.
            """,
        options: [
            .init(name: "--site", value: "SITE", help: "A directory, or the URL of a site with a sitemap."),
            .init(name: "--link", value: "NAME", help: "The emulated link: 4g, 3g or wifi.", fallback: "4g"),
            .init(name: "--port", value: "PORT", help: "The portal's port; 0 takes a free one.", fallback: "0"),
            .init(name: "--exit", value: nil, help: "End after the table instead of waiting for Ctrl-C."),
        ], run: run)

    private static func run(_ arguments: Arguments) async throws -> ExitStatus {
        let link = arguments.value("--link") ?? "4g"
        guard let profile = LinkRelay.Profile.all.first(where: { $0.name == link }) else {
            throw arguments.usageError("--link is one of \(LinkRelay.Profile.all.map(\.name).joined(separator: ", "))")
        }
        let site = try arguments.required("--site")
        let port: UInt16 = try arguments.integer("--port", in: 0...UInt16.max) ?? 0
        let directory = NSTemporaryDirectory() + "larder-demo-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: directory) } catch {
                Console.note("left behind: \(directory) (\(error.localizedDescription))")
            }
        }
        let demo = Demo(directory: directory, profile: profile)
        return try await demo.run(site: site, port: port, exits: arguments.has("--exit"))
    }
}

/// One run of the demo.
private struct Demo {
    let directory: String
    let profile: LinkRelay.Profile
    private let timekeeper = SystemTimekeeper()
    private let bundleID = "org.larder.sample"

    init(directory: String, profile: LinkRelay.Profile) {
        self.directory = directory
        self.profile = profile
    }

    func run(site text: String, port: UInt16, exits: Bool) async throws -> ExitStatus {
        let termination = Termination()
        let site = try await read(text)
        Console.print(
            "1. Content: \(site.pages.count) pages and \(site.assets.count) other files, \(Figures.bytes(site.byteCount))."
        )

        let password = Secrets.token(characterCount: 12)
        let server = try ChildProcess(
            ownPath, ["serve", "--data", directory + "/server", "--port", String(port), "--quiet"],
            environment: ["LARDER_ADMIN_PASSWORD": password], log: directory + "/server.log")
        defer { server.stop() }
        guard let portal = await address(of: server) else {
            throw CommandFailure("the control plane did not start: \(logTail("server.log"))")
        }
        Console.print("2. Control plane: \(portal) (one process, embedded SQLite).")

        let origin = try Origin(site: site, timekeeper: timekeeper)
        let relay = try LinkRelay(to: origin.port, timekeeper: timekeeper)
        defer { relay.stop() }
        let base = "http://127.0.0.1:\(relay.port)"
        let (client, app, key) = try await publish(site, at: base, origin: origin, portal: portal, password: password)

        relay.shape(profile)
        Console.print("4. Sample app, behind an emulated \(profile.name) link: \(profile.summary)")
        Console.print("   (a relay in user space that delays and paces the app's TCP connections; it needs no root).")
        var report = DemoReport(segmentPaths: Set(site.pages + site.assets))
        let script = SampleScript(
            serverURL: portal, apiKey: key, bundleID: bundleID, directory: directory + "/app-cold", segments: [],
            page: base + site.pages[0], others: (site.pages.dropFirst() + site.assets).map { base + $0 },
            loads: ["cold"])
        let cold = try await drive(script, into: &report, relay: relay) { _ in }
        var subscribed = script
        subscribed.directory = directory + "/app"
        subscribed.segments = ["pages", "assets"]
        subscribed.loads = ["pre-positioned", "offline"]
        let second = try await drive(subscribed, into: &report, relay: relay) { load in
            guard load == "offline" else { return }
            relay.stop()
            await origin.stop()
            Console.print("   The origin is stopped: connections to it are refused.")
        }
        Console.print("   The app sent \(cold + second) records and events to the control plane.\n")

        Console.print(report.table)
        let shortcomings = report.shortcomings
        for shortcoming in shortcomings { Console.print("  ✗ \(shortcoming)") }
        if shortcomings.isEmpty {
            let count = report.segmentPaths.count
            Console.print(
                "\n✓ All \(count) segment items came pre-positioned and offline, byte for byte, with 0 bytes on the wire."
            )
        }
        let records = try await client.statistics(appID: app).total.exchanges.values.reduce(0, +)
        Console.print("✓ The portal has \(records) exchanges of this run.")
        Console.print("\nPortal: \(portal)  administrator: admin  password: \(password)")
        if !exits {
            Console.print("Ctrl-C ends the demo.")
            await termination.wait()
        }
        return shortcomings.isEmpty ? .success : .failure
    }

    // MARK: - Steps

    private func read(_ text: String) async throws -> DemoSite {
        guard let url = HTTPURL(text) else { return try DemoSite.reading(text) }
        Console.print("Copying \(url) so that it can be stopped later …")
        return try await DemoSite.mirroring(url, into: directory + "/site", progress: ProgressBar("copying"))
    }

    private func address(of server: ChildProcess) async -> String? {
        for await line in server.lines {
            if let range = line.firstRange(of: "Portal: ") { return String(line[range.upperBound...]) }
        }
        return nil
    }

    private func publish(
        _ site: DemoSite, at base: String, origin: Origin, portal: String, password: String
    ) async throws -> (AdminClient, appID: String, key: String) {
        let client = try AdminClient(server: portal)
        try await client.signIn(name: "admin", password: password)
        let app = try await client.createApp(name: "Sample app", bundleID: bundleID)
        let key = try await client.createAPIKey(appID: app.id, name: "sample app")
        origin.setSitemap(site.sitemap(origin: base))
        try await ingest(.sitemap(base + "/sitemap.xml"), as: "pages", of: app.id, with: client)
        try await ingest(.urls(site.assets.map { base + $0 }), as: "assets", of: app.id, with: client)
        let release = try await client.publish(appID: app.id)
        let segments = release.segments.map {
            "\($0.name)@\($0.version) (\(Figures.plural($0.itemCount, "item")), \(Figures.bytes($0.byteCount)))"
        }
        Console.print("3. Published release \(release.version): \(segments.joined(separator: ", ")).")
        return (client, app.id, key.key)
    }

    private func ingest(_ source: IngestSource, as segment: String, of appID: String, with client: AdminClient)
        async throws
    {
        if case .urls(let urls) = source, urls.isEmpty { return }
        try await client.createSegment(appID: appID, name: segment, note: "")
        let bar = ProgressBar("ingest \(segment)")
        let job = try await client.ingest(appID: appID, segment: segment, source: source, replacesItems: true) { job in
            bar.show(Int64(job.itemsDone), of: Int64(job.itemsTotal), "\(job.itemsDone) of \(job.itemsTotal) URLs")
        }
        bar.finish()
        guard job.state == .succeeded, job.itemsFailed == 0 else {
            throw CommandFailure("ingest of \(segment): \(job.failure ?? "\(job.itemsFailed) URLs failed")")
        }
    }

    /// Runs the sample app with a script; `before` runs before each load.
    /// - Returns: the telemetry items it sent.
    private func drive(
        _ script: SampleScript, into report: inout DemoReport, relay: LinkRelay,
        before: (_ load: String) async -> Void
    ) async throws -> Int {
        let log = "sample-app-\(script.loads[0]).log"
        let app = try ChildProcess(
            (ownPath as NSString).deletingLastPathComponent + "/SampleApp", [], log: directory + "/" + log)
        defer { app.stop() }
        app.send(String(decoding: try WireCoding.encode(script), as: UTF8.self))
        let bar = ProgressBar("pre-position")
        var sent = 0
        // What the link has carried when a load begins: a count that is not the SDK's own.
        var carried: Int64 = 0
        for await line in app.lines {
            switch try JSONDecoder().decode(AppReport.self, from: Data(line.utf8)) {
            case .progress(let done, let total, let items, let itemsTotal):
                if itemsTotal > 0 {
                    bar.show(done, of: total, "\(items) of \(itemsTotal) items, \(Figures.bytes(done))")
                }
            case .waiting(let name):
                bar.finish()
                await before(name)
                carried = relay.byteCount
                app.send("go")
            case .loaded(let name, let requests):
                report.add(requests, phase: name)
                let wire = requests.reduce(0) { $0 + ($1.wireByteCount ?? 0) }
                let link = Figures.bytes(relay.byteCount - carried)
                Console.print(
                    "   Loaded \(requests.count) URLs \(name): the SDK counts \(Figures.bytes(wire)) on the wire, the link \(link)."
                )
            case .sent(let count): sent = count
            }
        }
        guard await app.wait() == 0 else { throw CommandFailure("the sample app failed: \(logTail(log))") }
        return sent
    }

    private var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private func logTail(_ name: String) -> String {
        let text = FileManager.default.contents(atPath: directory + "/" + name).map {
            String(decoding: $0, as: UTF8.self)
        }
        return text.map { String($0.suffix(2_000)) } ?? "no log"
    }
}

/// What the sample app is told; the same line as its own `Script`.
private struct SampleScript: Encodable {
    var serverURL: String
    var apiKey: String
    var bundleID: String
    var directory: String
    var segments: [String]
    var page: String
    var others: [String]
    var loads: [String]
}

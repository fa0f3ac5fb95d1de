import ControlModel
import ControlPlane
import Foundation
import HTTPModel
import Wire

/// `larder admin …`: what the portal does, from the shell.
enum AdminCommands {
    static let connection: [CommandSpecification.Option] = [
        .init(
            name: "--server", value: "URL", help: "The control plane; else LARDER_SERVER.",
            fallback: "http://127.0.0.1:8080"),
        .init(name: "--user", value: "NAME", help: "The administrator.", fallback: "admin"),
        .init(
            name: "--password-file", value: "FILE", help: "A file with the password; else LARDER_ADMIN_PASSWORD."),
        .init(name: "--json", value: nil, help: "Print JSON."),
    ]
    static let app = CommandSpecification.Option(
        name: "--app", value: "ID", help: "The app; may be left out when there is only one.")
    private static let segment = CommandSpecification.Operand(name: "SEGMENT", help: "The segment's name.")

    static let specifications =
        appCommands + SettingsCommands.specifications + segmentCommands + releaseCommands
        + TelemetryCommands.specifications

    private static let appCommands = [
        CommandSpecification(path: ["admin", "apps", "list"], summary: "List the apps.", options: connection) {
            arguments in
            try await withClient(arguments) { client in
                show(try await client.apps(), arguments) { "\($0.id)  \($0.bundleID)  \($0.name)" }
            }
        },
        CommandSpecification(
            path: ["admin", "apps", "create"], summary: "Make an app.",
            operands: [.init(name: "NAME", help: "What people call it.")],
            options: [.init(name: "--bundle-id", value: "ID", help: "The app's bundle identifier.")] + connection
        ) { arguments in
            let bundleID = try arguments.required("--bundle-id")
            return try await withClient(arguments) { client in
                let app = try await client.createApp(name: arguments.operands[0], bundleID: bundleID)
                show([app], arguments) { $0.id }
            }
        },
        CommandSpecification(
            path: ["admin", "keys", "list"], summary: "List an app's API keys.", options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show(try await client.apiKeys(appID: app), arguments) { key in
                    "\(key.key)  \(key.name)\(key.revokedAt == nil ? "" : "  (revoked)")"
                }
            }
        },
        CommandSpecification(
            path: ["admin", "keys", "create"], summary: "Make an API key.",
            operands: [.init(name: "NAME", help: "What the key is for.")], options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show([try await client.createAPIKey(appID: app, name: arguments.operands[0])], arguments) { $0.key }
            }
        },
        CommandSpecification(
            path: ["admin", "keys", "revoke"], summary: "Turn away the devices of an API key.",
            operands: [.init(name: "KEY", help: "The key.")], options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                let key = try await client.revokeAPIKey(appID: app, key: arguments.operands[0])
                show([key], arguments) { "\($0.key) is revoked" }
            }
        },
    ]

    private static let segmentCommands = [
        CommandSpecification(
            path: ["admin", "segments", "list"], summary: "List an app's segments.", options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show(try await client.segments(appID: app), arguments) { segment in
                    let version = segment.publishedVersion == 0 ? "unpublished" : "version \(segment.publishedVersion)"
                    return "\(segment.name)  \(version)  \(segment.note)"
                }
            }
        },
        CommandSpecification(
            path: ["admin", "segments", "create"], summary: "Make a segment.", operands: [segment],
            options: [.init(name: "--note", value: "TEXT", help: "What is in it."), app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                let made = try await client.createSegment(
                    appID: app, name: arguments.operands[0], note: arguments.value("--note") ?? "")
                show([made], arguments) { "segment \($0.name) made" }
            }
        },
        CommandSpecification(
            path: ["admin", "segments", "remove"],
            summary: "Remove a segment; devices drop it with the next release.", operands: [segment],
            options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                try await client.removeSegment(appID: app, name: arguments.operands[0])
                Console.note("segment \(arguments.operands[0]) removed; publish to tell the devices")
            }
        },
        CommandSpecification(
            path: ["admin", "items"], summary: "List a segment's items with what ingest found.", operands: [segment],
            options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                let items = try await client.items(appID: app, segment: arguments.operands[0])
                show(items, arguments) { item in
                    let head =
                        "\(item.state.rawValue.padded(to: 7))  "
                        + Figures.bytes(item.byteCount).padded(to: 8, alignedRight: true) + "  \(item.url)"
                    return ([head] + item.findings.map { "         \($0)" }).joined(separator: "\n")
                }
            }
        },
        CommandSpecification(
            path: ["admin", "ingest"], summary: "Fetch and check the URLs of a segment.", operands: [segment],
            options: [
                .init(name: "--sitemap", value: "URL", help: "Take the URLs of a sitemap."),
                .init(name: "--url", value: "URL", help: "Take this URL; may be given more than once."),
                .init(name: "--urls-file", value: "FILE", help: "Take the URLs of a file, one a line."),
                .init(name: "--replace", value: nil, help: "Drop the segment's items that are not among them."), app,
            ] + connection, run: ingest),
    ]

    private static let releaseCommands = [
        CommandSpecification(
            path: ["admin", "preview"], summary: "Show what publishing would change for the devices.",
            options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show([try await client.preview(appID: app)], arguments, changes)
            }
        },
        CommandSpecification(
            path: ["admin", "publish"], summary: "Make a release of every segment's good items.",
            options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show([try await client.publish(appID: app)], arguments, sentence)
            }
        },
        CommandSpecification(
            path: ["admin", "rollback"], summary: "Publish an earlier release's content again.",
            operands: [.init(name: "VERSION", help: "The release's version.")], options: [app] + connection
        ) { arguments in
            guard let version = Int(arguments.operands[0]), version > 0 else {
                throw arguments.usageError("VERSION is a whole number, not \(arguments.operands[0])")
            }
            return try await withApp(arguments) { client, app in
                show([try await client.rollBack(appID: app, version: version)], arguments, sentence)
            }
        },
        CommandSpecification(
            path: ["admin", "releases"], summary: "List the releases, the newest first.", options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show(try await client.releases(appID: app), arguments, sentence)
            }
        },
        CommandSpecification(
            path: ["admin", "devices"], summary: "List the devices, at most 200.", options: [app] + connection
        ) { arguments in
            try await withApp(arguments) { client, app in
                show(try await client.devices(appID: app), arguments) { device in
                    "\(device.id)  \(device.platform)  SDK \(device.sdkVersion)  seen \(HTTPDate.format(device.lastSeenAt))"
                        + (device.pushService.map { "  push \($0)" } ?? "")
                }
            }
        },
    ]

    // MARK: - Helpers

    @Sendable private static func sentence(_ release: Release) -> String {
        let segments = release.segments.map {
            "\($0.name)@\($0.version) (\(Figures.plural($0.itemCount, "item")), \(Figures.bytes($0.byteCount)))"
        }
        return
            "release \(release.version)  \(HTTPDate.format(release.publishedAt))  \(segments.joined(separator: ", "))"
    }

    @Sendable private static func changes(_ preview: PublicationPreview) -> String {
        let segments = preview.segments.filter(\.isChanged).map { segment in
            "\(segment.name): version \(segment.nextVersion), \(segment.addedCount) added, \(segment.changedCount) changed, "
                + "\(segment.removedCount) removed"
        }
        let settings = preview.settingChanges.map { "\($0.name): \($0.before ?? "–") → \($0.after ?? "–")" }
        let changes = segments + preview.removedSegments.map { "\($0): removed" } + settings
        let head = changes.isEmpty ? "nothing would change" : "release \(preview.nextReleaseVersion)"
        return ([head] + changes.map { "  \($0)" } + preview.blockers).joined(separator: "\n")
    }

    @Sendable private static func ingest(_ arguments: Arguments) async throws -> ExitStatus {
        var urls = arguments.all("--url")
        if let file = arguments.value("--urls-file") {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw CommandFailure("cannot read \(file)")
            }
            urls += String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        }
        let sitemap = arguments.value("--sitemap")
        guard (sitemap == nil) != urls.isEmpty else {
            throw arguments.usageError("give --sitemap, or --url or --urls-file")
        }
        var status = ExitStatus.success
        let ran = try await withApp(arguments) { client, app in
            let bar = ProgressBar("ingest")
            let job = try await client.ingest(
                appID: app, segment: arguments.operands[0], source: sitemap.map { .sitemap($0) } ?? .urls(urls),
                replacesItems: arguments.has("--replace")
            ) { bar.show(Int64($0.itemsDone), of: Int64($0.itemsTotal), "\($0.itemsDone) of \($0.itemsTotal) URLs") }
            bar.finish()
            show([job], arguments) { "\($0.itemsDone) URLs fetched, \($0.itemsFailed) failed" }
            if job.state == .failed { throw CommandFailure("the ingest failed: \(job.failure ?? "no reason told")") }
            if job.itemsFailed > 0 {
                Console.note(
                    "'larder admin items \(arguments.operands[0])' says why; failed items are left out of releases")
                status = .failure
            }
        }
        return ran == .success ? status : ran
    }

    static func show<Value: Encodable>(
        _ values: [Value], _ arguments: Arguments, _ line: (Value) -> String
    ) {
        for value in values {
            if arguments.has("--json") {
                do {
                    Console.print(String(decoding: try WireCoding.encode(value), as: UTF8.self))
                } catch { Console.note("cannot print as JSON: \(error)") }
            } else {
                Console.print(line(value))
            }
        }
    }

    private static func withClient(
        _ arguments: Arguments, _ body: (AdminClient) async throws -> Void
    ) async throws -> ExitStatus {
        let environment = ProcessInfo.processInfo.environment
        let client = try AdminClient(
            server: arguments.value("--server") ?? environment["LARDER_SERVER"] ?? "http://127.0.0.1:8080")
        defer { client.close() }
        var password = environment["LARDER_ADMIN_PASSWORD"]
        if let file = arguments.value("--password-file") {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw CommandFailure("cannot read \(file)")
            }
            password = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let password else {
            throw CommandFailure("no password: set LARDER_ADMIN_PASSWORD or give --password-file", .usage)
        }
        try await client.signIn(name: arguments.value("--user") ?? "admin", password: password)
        try await body(client)
        return .success
    }

    static func withApp(
        _ arguments: Arguments, _ body: (AdminClient, _ appID: String) async throws -> Void
    ) async throws -> ExitStatus {
        try await withClient(arguments) { client in
            if let app = arguments.value("--app") { return try await body(client, app) }
            let apps = try await client.apps()
            guard apps.count == 1 else {
                let which =
                    apps.isEmpty
                    ? "there is no app: 'larder admin apps create'" : "there are \(apps.count) apps: give --app"
                throw CommandFailure(which, .usage)
            }
            try await body(client, apps[0].id)
        }
    }
}

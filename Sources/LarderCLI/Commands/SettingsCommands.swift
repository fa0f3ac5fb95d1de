import ControlModel
import Foundation
import Wire

/// `larder admin settings …` and `larder admin pins …`: what releases tell devices besides segments.
enum SettingsCommands {
    private static let shared = [AdminCommands.app] + AdminCommands.connection
    private static let publishHint =
        "'larder admin preview' shows what devices will notice, 'larder admin publish' tells them"

    static let specifications = [
        CommandSpecification(
            path: ["admin", "settings"], summary: "Show what devices do under an app's settings, and every setting.",
            options: shared
        ) { arguments in
            try await AdminCommands.withApp(arguments) { client, app in
                let settings = try await client.app(id: app).settings
                AdminCommands.show([settings], arguments) { settings in
                    (settings.sentences + [""] + lines(of: settings.facts)).joined(separator: "\n")
                }
            }
        },
        CommandSpecification(
            path: ["admin", "settings", "set"],
            summary: "Change an app's settings; devices hear of it when you publish.",
            discussion: "The value 'default' puts an option's default back.",
            options: SettingOption.all.map(\.option) + [
                .init(
                    name: "--segment", value: "NAME", help: "Change the rules that this segment has of its own."),
                .init(name: "--clear", value: nil, help: "With --segment: take its own rules away."),
                .init(
                    name: "--file", value: "FILE",
                    help: "Apply a JSON document as PATCH of the app takes it: policy, quality, pins."),
            ] + shared, run: set),
        CommandSpecification(
            path: ["admin", "pins", "set"], summary: "Pin a host to keys; replaces the host's rule.",
            operands: [.init(name: "HOST", help: "Such as api.example.com.")],
            options: [
                .init(
                    name: "--key", value: "DIGEST",
                    help: "Base64 SHA-256 of a SubjectPublicKeyInfo; give at least two: the server's and a backup."),
                .init(name: "--subdomains", value: nil, help: "The names below the host as well."),
                .init(name: "--expires", value: "DATE", help: "Until then, such as 2027-01-31T12:00:00Z."),
                .init(name: "--report-only", value: nil, help: "Report mismatches, and let the requests go on."),
            ] + shared, run: setPins),
        CommandSpecification(
            path: ["admin", "pins", "remove"], summary: "Take a host's pins away.",
            operands: [.init(name: "HOST", help: "The rule's host.")], options: shared
        ) { arguments in
            try await AdminCommands.withApp(arguments) { client, app in
                let pins = try await client.app(id: app).pins
                guard pins.contains(where: { $0.host == arguments.operands[0] }) else {
                    let hosts = pins.map(\.host).joined(separator: ", ")
                    throw CommandFailure("no rule is for \(arguments.operands[0]); there are: \(hosts)")
                }
                try await save(pins.filter { $0.host != arguments.operands[0] }, client, app)
            }
        },
    ]

    // MARK: - Settings

    @Sendable private static func set(_ arguments: Arguments) async throws -> ExitStatus {
        var change = PatchValue.object([:])
        let segment = arguments.value("--segment")
        let root = ["policy"] + (segment.map { ["segments", $0] } ?? [])
        if arguments.has("--clear") {
            guard segment != nil else { throw arguments.usageError("--clear needs --segment") }
            change.put(.null, at: root)
        }
        for setting in SettingOption.all {
            guard let text = arguments.value(setting.option.name) else { continue }
            guard segment == nil || setting.isForSegments else {
                throw arguments.usageError("\(setting.option.name) is for the whole app, not for a segment")
            }
            guard segment != nil || setting.option.name != "--forced" else {
                throw arguments.usageError("--forced needs --segment")
            }
            guard let value = text == "default" ? .null : setting.read(text) else {
                throw arguments.usageError(
                    "\(setting.option.name) takes \(setting.option.value ?? "") or default, not \(text)")
            }
            change.put(value, at: root + setting.place)
        }
        let file = try document(arguments)
        guard change != .object([:]) || file != nil else { throw arguments.usageError("nothing to change was given") }
        return try await AdminCommands.withApp(arguments) { [change] client, app in
            var changed: App?
            if let file { changed = try await client.updateApp(id: app, document: file) }
            if change != .object([:]) { changed = try await client.updateApp(id: app, change) }
            AdminCommands.show([changed].compactMap { $0?.settings }, arguments) {
                $0.sentences.joined(separator: "\n")
            }
            Console.note(publishHint)
        }
    }

    private static func document(_ arguments: Arguments) throws -> Data? {
        guard let file = arguments.value("--file") else { return nil }
        guard let data = FileManager.default.contents(atPath: file) else { throw CommandFailure("cannot read \(file)") }
        return data
    }

    private static func lines(of facts: [SettingFact]) -> [String] {
        let width = facts.map(\.name.count).max() ?? 0
        return facts.map { "\($0.name.padded(to: width))  \($0.value)" }
    }

    // MARK: - Pins

    @Sendable private static func setPins(_ arguments: Arguments) async throws -> ExitStatus {
        var expiry: Date?
        if let text = arguments.value("--expires") {
            do {
                expiry = try Date(text, strategy: .iso8601)
            } catch {
                throw arguments.usageError("--expires takes a date such as 2027-01-31T12:00:00Z, not \(text)")
            }
        }
        let rule = PinRule(
            host: arguments.operands[0], includesSubdomains: arguments.has("--subdomains"),
            digests: arguments.all("--key"), expiresAt: expiry, isReportOnly: arguments.has("--report-only"))
        return try await AdminCommands.withApp(arguments) { client, app in
            try await save(try await client.app(id: app).pins.filter { $0.host != rule.host } + [rule], client, app)
        }
    }

    private static func save(_ pins: [PinRule], _ client: AdminClient, _ app: String) async throws {
        struct Change: Encodable { var pins: [PinRule] }
        _ = try await client.updateApp(id: app, Change(pins: pins))
        Console.note(publishHint)
    }
}

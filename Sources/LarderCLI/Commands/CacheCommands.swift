import ContentStore
import Cryptography
import Foundation
import HTTPModel
import Primitives
import Wire

/// `larder cache …`: what is stored in an SDK directory.
enum CacheCommands {
    private static let json = CommandSpecification.Option(
        name: "--json", value: nil, help: "Print JSON.")

    static let specifications = [
        CommandSpecification(
            path: ["cache", "list"], summary: "List the stored responses.", options: [SDKOptions.cache, json],
            run: list),
        CommandSpecification(
            path: ["cache", "show"], summary: "Show everything known of the stored responses of a URL.",
            operands: [.init(name: "URL", help: "An absolute http or https URL.")],
            options: [
                SDKOptions.cache, json, .init(name: "--body", value: nil, help: "Write the body to standard output."),
            ], run: show),
        CommandSpecification(
            path: ["cache", "verify"], summary: "Read and hash every stored body.",
            options: [
                SDKOptions.cache, json,
                .init(name: "--repair", value: nil, help: "Remove what is broken, so that it is fetched anew."),
            ], run: verify),
        CommandSpecification(
            path: ["cache", "clear"], summary: "Remove every stored response.", options: [SDKOptions.cache],
            run: clear),
    ]

    /// An entry as `--json` prints it.
    private struct EntryReport: Encodable {
        var url: String
        var status: Int
        var bodyByteCount: Int64
        var sha256: String
        var holders: [String]
        var isInvalidated: Bool
        var isStaged: Bool
        var storedAt: Date
        var lastUsed: Date
        var fields: [String]
        var bodyPath: String?

        init(_ entry: StoreEntry, bodyPath: String? = nil) {
            url = entry.url.string
            status = entry.response.status
            bodyByteCount = entry.bodyByteCount
            sha256 = entry.bodyDigest.hex
            holders = entry.holders.sorted()
            isInvalidated = entry.isInvalidated
            isStaged = entry.isStaged
            storedAt = entry.responseTime
            lastUsed = entry.lastUsed
            fields = entry.response.fields.map { "\($0.name): \($0.value)" }
            self.bodyPath = bodyPath
        }
    }

    private static func open(_ arguments: Arguments) throws -> ContentStore {
        let directory = SDKOptions.directory(arguments) + "/store"
        guard FileManager.default.fileExists(atPath: directory) else {
            throw CommandFailure(
                "there is no cache at \(directory): give --cache the directory that 'larder fetch' used")
        }
        var configuration = ContentStore.Configuration(directory: directory)
        // Looking must not evict: the SDK's own limits hold when the SDK runs.
        configuration.pinnedByteCountMax = .max
        configuration.opportunisticByteCountMax = .max
        return try ContentStore(configuration: configuration, timekeeper: SystemTimekeeper())
    }

    private static func list(_ arguments: Arguments) async throws -> ExitStatus {
        let store = try open(arguments)
        var last: Int64 = 0
        while true {
            let page = try store.entries(after: last, limit: 500)
            guard let end = page.last else { break }
            last = end.id
            for entry in page {
                if arguments.has("--json") {
                    Console.print(try jsonLine(EntryReport(entry)))
                } else {
                    let held = entry.holders.isEmpty ? "-" : entry.holders.sorted().joined(separator: ",")
                    let size = Figures.bytes(entry.bodyByteCount).padded(to: 8, alignedRight: true)
                    let state =
                        entry.isStaged
                        ? " (staged)" : entry.isInvalidated ? " (invalidated)" : entry.isPart ? " (a part)" : ""
                    Console.print("\(entry.response.status)  \(size)  \(held.padded(to: 16))  \(entry.url)\(state)")
                }
            }
        }
        let usage = try store.usage()
        if !arguments.has("--json") {
            let pinned = Figures.bytes(usage.pinnedByteCount), other = Figures.bytes(usage.opportunisticByteCount)
            Console.note("\(usage.entryCount) responses, \(pinned) held by segments, \(other) stored in passing")
        }
        return .success
    }

    private static func show(_ arguments: Arguments) async throws -> ExitStatus {
        let store = try open(arguments)
        let url = try SDKOptions.request(arguments).url
        let entries = try store.entries(for: url)
        if entries.isEmpty { throw CommandFailure("nothing is stored for \(url)") }
        for entry in entries {
            let body = try store.body(of: entry)
            if arguments.has("--body") {
                for try await chunk in body.stream() { Console.write(bytes: chunk, to: 1) }
            } else if arguments.has("--json") {
                Console.print(try jsonLine(EntryReport(entry, bodyPath: body.path)))
            } else {
                Console.print("\(entry.url)")
                Console.print(
                    "status \(entry.response.status), \(entry.bodyByteCount) bytes, SHA-256 \(entry.bodyDigest)")
                Console.print(
                    "stored \(HTTPDate.format(entry.responseTime)), last used \(HTTPDate.format(entry.lastUsed))")
                Console.print(
                    "held by \(entry.holders.isEmpty ? "no segment" : entry.holders.sorted().joined(separator: ", "))")
                Console.print(body.path.map { "body at \($0)" } ?? "body in the index")
                Console.print(entry.response.fields.description + "\n")
            }
        }
        return .success
    }

    private static func verify(_ arguments: Arguments) async throws -> ExitStatus {
        let report = try open(arguments).verify(repair: arguments.has("--repair"))
        if arguments.has("--json") {
            Console.print(try jsonLine(report))
        } else {
            for problem in report.problems { Console.print(problem) }
            let verdict = report.problems.isEmpty ? "all whole" : "\(report.problems.count) broken"
            let advice = report.problems.isEmpty || report.repaired ? "" : "; --repair removes what is broken"
            Console.print("\(report.entriesChecked) responses, \(report.bodiesChecked) bodies: \(verdict)\(advice)")
        }
        return report.problems.isEmpty || report.repaired ? .success : .failure
    }

    private static func clear(_ arguments: Arguments) async throws -> ExitStatus {
        let store = try open(arguments)
        let usage = try store.usage()
        try store.removeAll()
        Console.print("\(Figures.plural(usage.entryCount, "response")) removed")
        return .success
    }

    private static func jsonLine(_ value: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(value), as: UTF8.self)
    }
}

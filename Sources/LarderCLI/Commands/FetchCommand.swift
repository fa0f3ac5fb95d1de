import Acceleration
import Foundation
import HTTPModel
import Larder
import Primitives
import Transport
import Wire

/// `larder fetch URL`: a request through the SDK.
enum FetchCommand {
    static let specification = CommandSpecification(
        path: ["fetch"], summary: "Fetch a URL through the SDK.",
        discussion: """
            Prints a line for each exchange: status, milliseconds to the first byte and to the end, bytes of the
            body and on the wire, and how the cache handled it (Cache-Status, RFC 9211).
            """,
        operands: [.init(name: "URL", help: "An absolute http or https URL.")],
        options: [
            .init(name: "--repeat", value: "COUNT", help: "Fetch so many times, one after the other.", fallback: "1"),
            .init(name: "--output", value: "FILE", help: "Write the body to a file; - is standard output."),
            .init(name: "--head", value: nil, help: "Ask for the head alone."),
            .init(name: "--include", value: nil, help: "Print the response's fields."),
            .init(name: "--json", value: nil, help: "Print one JSON object for each exchange."),
            SDKOptions.header, SDKOptions.cache, SDKOptions.cacheSize, SDKOptions.authority,
        ], run: run)

    /// One exchange as `--json` prints it.
    private struct Report: Encodable {
        var url: String
        var status: Int
        var outcome: String
        var cacheStatus: String?
        var httpVersion: String
        var firstByteMilliseconds: Double
        var totalMilliseconds: Double
        var bodyByteCount: Int64
        var wireByteCount: Int64
        /// The most memory the program has had so far; `nil` where the system does not tell.
        var peakMemoryByteCount: Int64?
        var network: TransferMetrics?
        var fields: [String]
    }

    private static func run(_ arguments: Arguments) async throws -> ExitStatus {
        let request = try SDKOptions.request(arguments, method: arguments.has("--head") ? .head : .get)
        let count: Int = try arguments.integer("--repeat", in: 1...1_000_000) ?? 1
        let client = try SDKOptions.client(arguments)
        var status = ExitStatus.success
        do {
            for _ in 0..<count {
                let response = try await fetch(request, with: client, arguments)
                if response >= 400 { status = .failure }
            }
        } catch let error as TransportError {
            await client.shutDown()
            throw CommandFailure("\(request.url.host): \(error.description)", .unavailable)
        }
        await client.shutDown()
        return status
    }

    private static func fetch(
        _ request: HTTPRequest, with client: LarderClient, _ arguments: Arguments
    ) async throws -> Int {
        let response = try await client.send(request)
        let output = try arguments.value("--output").map { try Output(path: $0) }
        try await pass(response, to: output)
        try output?.close()
        let record = await response.record()
        let metrics = await response.metrics()
        if arguments.has("--json") {
            let report = Report(
                url: response.url.string, status: response.response.status, outcome: record.outcome.rawValue,
                cacheStatus: response.response.fields[.cacheStatus], httpVersion: record.httpVersion,
                firstByteMilliseconds: Double(record.firstByteMicroseconds) / 1_000,
                totalMilliseconds: Double(record.totalMicroseconds) / 1_000, bodyByteCount: record.bodyByteCount,
                wireByteCount: record.wireByteCount, peakMemoryByteCount: peakMemoryByteCount, network: metrics,
                fields: response.response.fields.map { "\($0.name): \($0.value)" })
            // The body on standard output leaves the report to standard error.
            let line = String(decoding: try WireCoding.encode(report), as: UTF8.self)
            if output?.isStandardOutput == true { Console.note(line) } else { Console.print(line) }
        } else {
            if arguments.has("--include") { Console.note(response.response.fields.description + "\n") }
            let line = [
                String(response.response.status), Figures.milliseconds(record.firstByteMicroseconds),
                Figures.milliseconds(record.totalMicroseconds), "body " + Figures.bytes(record.bodyByteCount),
                "wire " + Figures.bytes(record.wireByteCount), response.response.fields[.cacheStatus] ?? "-",
            ].joined(separator: "  ")
            if output?.isStandardOutput == true { Console.note(line) } else { Console.print(line) }
        }
        return response.response.status
    }

    /// Passes the body on, with a bar on a terminal.
    private static func pass(_ response: AcceleratedResponse, to output: Output?) async throws {
        let total = response.response.fields[.contentLength].flatMap { Int64($0) } ?? 0
        let bar = Console.isInteractive && total > 8 << 20 ? ProgressBar("fetch") : nil
        var done: Int64 = 0
        for try await chunk in response.body {
            try output?.write(chunk)
            done += Int64(chunk.count)
            bar?.show(done, of: total, "\(Figures.bytes(done)) of \(Figures.bytes(total))")
        }
        bar?.finish()
    }

    /// The high-water mark of the resident set, from the proc file system of Linux.
    private static var peakMemoryByteCount: Int64? {
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
        let match = String(decoding: status, as: UTF8.self).firstMatch(of: /VmHWM:\s+(\d+) kB/)
        return match.flatMap { Int64($0.output.1) }.map { $0 * 1_024 }
    }

    /// Where a body goes.
    private struct Output {
        let isStandardOutput: Bool
        private let handle: FileHandle
        private let path: String

        init(path: String) throws {
            self.path = path
            isStandardOutput = path == "-"
            if isStandardOutput {
                handle = .standardOutput
            } else {
                guard FileManager.default.createFile(atPath: path, contents: nil),
                    let handle = FileHandle(forWritingAtPath: path)
                else { throw CommandFailure("cannot write \(path): check that its directory exists and is yours") }
                self.handle = handle
            }
        }

        func write(_ chunk: Data) throws {
            guard Console.write(bytes: chunk, to: handle.fileDescriptor) else {
                throw CommandFailure("cannot write to \(path): is the disk full?")
            }
        }

        func close() throws { if !isStandardOutput { try handle.close() } }
    }
}

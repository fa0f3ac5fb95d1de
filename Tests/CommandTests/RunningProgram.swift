import Foundation
import Glibc
import Primitives
import TestSupport

/// The program `larder` as a user runs it.
enum Program {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
        /// Largest resident set, in bytes.
        var peakByteCount: Int64
    }

    /// Runs a command line to its end.
    static func run(
        _ words: [String], environment: [String: String] = [:], in directory: TemporaryDirectory
    ) async throws -> Result {
        let name = UUID().uuidString
        let (outputPath, errorPath) = (directory.path("\(name).out"), directory.path("\(name).err"))
        let program = try builtProduct(named: "larder").path
        let all = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        // posix_spawn and wait4 rather than Process: they tell the peak of the memory.
        return try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Swift.Result {
                        try spawn(program, words, all, outputPath: outputPath, errorPath: errorPath)
                    })
            }.start()
        }
    }

    private static func spawn(
        _ program: String, _ words: [String], _ environment: [String: String], outputPath: String, errorPath: String
    ) throws -> Result {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, program, &actions, nil, &arguments, &variables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        let text = { (path: String) in
            String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
        return Result(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F), output: text(outputPath),
            errors: text(errorPath), peakByteCount: Int64(usage.ru_maxrss) * 1_024)
    }
}

/// `larder serve` as a process of its own, on a free port.
final class RunningServe: Sendable {
    let base: String
    private let process: Locked<Process>

    /// Starts it and returns once it has told its address.
    init(data: String, password: String) async throws {
        let child = Process()
        child.executableURL = try builtProduct(named: "larder")
        child.arguments = ["serve", "--data", data, "--port", "0"]
        child.environment = ProcessInfo.processInfo.environment.merging(["LARDER_ADMIN_PASSWORD": password]) { $1 }
        let output = Pipe()
        child.standardOutput = output
        child.standardError = FileHandle.nullDevice
        let text = Locked("")
        let found = AsyncStream<String> { continuation in
            output.fileHandleForReading.readabilityHandler = { handle in
                let chunk = handle.availableData
                let all = text.withLock { text in
                    text += String(decoding: chunk, as: UTF8.self)
                    return text
                }
                if let match = all.firstMatch(of: /Portal: (http:\S+)\/\n/) {
                    continuation.yield(String(match.output.1))
                }
                if chunk.isEmpty {
                    handle.readabilityHandler = nil
                    continuation.finish()
                }
            }
        }
        try child.run()
        var address: String?
        for await found in found {
            address = found
            break
        }
        guard let address else { throw POSIXError(.ECHILD) }
        base = address
        process = Locked(child)
    }

    /// Asks it to end as an operator would.
    /// - Returns: its exit status.
    func stop() -> Int32 {
        let process = process.withLock { $0 }
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit { process.withLock { if $0.isRunning { $0.terminate() } } }
}

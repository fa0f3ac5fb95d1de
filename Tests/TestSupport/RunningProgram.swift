import Foundation
import Glibc
import Primitives

/// The program `larder` as a user runs it.
public enum Program {
    public struct Result: Sendable {
        public var status: Int32
        public var output: String
        public var errors: String
    }

    /// Runs a command line to its end.
    public static func run(
        _ words: [String], environment: [String: String] = [:], in directory: TemporaryDirectory
    ) async throws -> Result {
        let name = UUID().uuidString
        let (outputPath, errorPath) = (directory.path("\(name).out"), directory.path("\(name).err"))
        let program = try builtProduct(named: "larder").path
        let all = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        // posix_spawn rather than Process, whose wait spins a run loop on the thread that calls it.
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
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let text = { (path: String) in
            String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        }
        return Result(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F), output: text(outputPath),
            errors: text(errorPath))
    }
}

/// A command that runs until it is told to stop, as a process of its own, on a free port.
public final class RunningProgram: Sendable {
    /// The address it has told, without the slash at its end.
    public let base: String
    private let process: Locked<Process>

    /// Starts it and returns once it has told its address.
    public init(_ words: [String], environment: [String: String] = [:]) async throws {
        let child = Process()
        child.executableURL = try builtProduct(named: "larder")
        child.arguments = words
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        child.standardOutput = output
        child.standardError = FileHandle.nullDevice
        try child.run()
        let address = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: Self.address(in: output.fileHandleForReading.fileDescriptor)) }
                .start()
        }
        guard let address else { throw POSIXError(.ECHILD) }
        base = address
        process = Locked(child)
    }

    /// Reads up to the line that tells the address; `nil` when the program ends before.
    private static func address(in descriptor: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let match = text.firstMatch(of: /(?:Portal|Proxy): (http:[^ ]+?)\/(?: for \S+)?\n/) {
                return String(match.output.1)
            }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// The most memory it has had so far, in bytes.
    public var peakMemoryByteCount: Int {
        let path = process.withLock { "/proc/\($0.processIdentifier)/status" }
        let status = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return (status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.output.1) } ?? 0) << 10
    }

    /// Asks it to end as an operator would.
    /// - Returns: its exit status.
    public func stop() async -> Int32 {
        await withCheckedContinuation { continuation in
            // The handler of the end runs on a thread of Foundation's: nothing here blocks.
            process.withLock { process in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                process.terminate()
            }
        }
    }

    deinit { process.withLock { if $0.isRunning { $0.terminate() } } }
}

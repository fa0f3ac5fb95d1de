import Foundation
import Primitives

/// A program run beside the demo: lines in, lines out.
final class ChildProcess: Sendable {
    private let process: Locked<Process>
    private let input: FileHandle
    /// The lines of its standard output.
    let lines: AsyncStream<String>

    /// Starts a program; its standard error goes to a file.
    /// - Throws: ``CommandFailure`` when it cannot be run.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:], log: String) throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: path)
        child.arguments = arguments
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let inputPipe = Pipe(), outputPipe = Pipe()
        child.standardInput = inputPipe
        child.standardOutput = outputPipe
        guard FileManager.default.createFile(atPath: log, contents: nil), let file = FileHandle(forWritingAtPath: log)
        else { throw CommandFailure("cannot write \(log)") }
        child.standardError = file
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let rest = Locked(Data())
        outputPipe.fileHandleForReading.readabilityHandler = { handle in
            let chunk = handle.availableData
            let found = rest.withLock { rest in
                rest.append(chunk)
                var pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = Data(pieces.popLast() ?? Data())
                return pieces.map { String(decoding: $0, as: UTF8.self) }
            }
            for line in found { continuation.yield(line) }
            if chunk.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
            }
        }
        do { try child.run() } catch {
            throw CommandFailure("cannot run \(path): \(error.localizedDescription)")
        }
        self.lines = lines
        input = inputPipe.fileHandleForWriting
        process = Locked(child)
    }

    /// Writes a line to its standard input.
    func send(_ line: String) { Console.write(line + "\n", to: input.fileDescriptor) }

    /// Asks it to end, and waits until it has.
    func stop() {
        let process = process.withLock { process -> Process in
            if process.isRunning { process.terminate() }
            return process
        }
        process.waitUntilExit()
    }

    /// The exit status, once it has ended.
    func wait() -> Int32 {
        let process = process.withLock { $0 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}

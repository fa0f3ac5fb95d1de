import Foundation
import Glibc
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
        do { try child.run() } catch {
            throw CommandFailure("cannot run \(path): \(error.localizedDescription)")
        }
        self.lines = lines
        input = inputPipe.fileHandleForWriting
        process = Locked(child)
        // A thread that reads: FileHandle's readability handler can miss the end of a pipe on a busy machine.
        let output = outputPipe.fileHandleForReading
        Thread { Self.readLines(of: output, into: continuation) }.start()
    }

    private static func readLines(of output: FileHandle, into continuation: AsyncStream<String>.Continuation) {
        var rest = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output.fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest.append(contentsOf: buffer[..<count])
            var pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Data(pieces.popLast() ?? Data())
            for piece in pieces { continuation.yield(String(decoding: piece, as: UTF8.self)) }
        }
        continuation.finish()
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
    func wait() async -> Int32 {
        let process = process.withLock { $0 }
        return await withCheckedContinuation { continuation in
            Thread {
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }.start()
        }
    }
}

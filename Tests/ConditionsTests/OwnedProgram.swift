import Foundation
import Primitives

/// A program that dies with its owner, even when the test process is killed; what it prints can be waited for.
final class OwnedProgram: Sendable {
    private let input = Pipe()
    private let output = Pipe()
    private let process: Locked<Process>
    private let unread = Locked<[UInt8]>([])

    /// What the program did not say before it ended.
    struct Silence: Error {}

    /// Starts it.
    /// - Parameter readsInput: whether it is a shell that is told by ``tell(_:)``; it ends at the end of its input by itself.
    init(_ words: [String], readsInput: Bool = false, environment: [String: String] = [:]) throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/bin/sh")
        let guarded = #""$@" </dev/null & exec >/dev/null 2>&1; cat; kill -9 $!"#
        child.arguments = ["-c", readsInput ? #"exec "$@""# : guarded, "sh"] + words
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        child.standardInput = input
        child.standardOutput = output
        child.standardError = FileHandle.nullDevice
        try child.run()
        process = Locked(child)
    }

    deinit { close() }

    /// Writes a line to its input.
    func tell(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// The next line that it prints and that is as it should be; others are left out.
    /// - Throws: ``Silence`` when it ends before.
    @discardableResult
    func line(where isWanted: @escaping @Sendable (String) -> Bool = { _ in true }) async throws -> String {
        try await onThread { [self] in
            while true {
                let line = try nextLine()
                if isWanted(line) { return line }
            }
        }
    }

    /// Ends it and returns when it has gone. A second call does nothing.
    func stop() async {
        close()
        // Everybody who has the other end of the pipe is gone when the pipe ends.
        do { _ = try await line { _ in false } } catch {}
    }

    /// Reading blocks: not on a thread that other tests need.
    private func onThread(_ work: @escaping @Sendable () throws -> String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
        }
    }

    private func nextLine() throws -> String {
        try unread.withLock { unread in
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread.removeSubrange(...end) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { throw Silence() }
                unread += more
            }
        }
    }

    private func close() {
        // Closed already is closed.
        process.withLock { _ in try? input.fileHandleForWriting.close() }
    }
}

public import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program whose output goes to a file, and which may be killed. Waits on threads of its own: a test that blocks the
/// tasks' threads would hold other tests up.
public struct KillableProcess: Sendable {
    private let identifier: pid_t
    private let outputPath: String

    /// A program that the system does not start.
    public struct CannotStart: Error, CustomStringConvertible {
        public let description: String
    }

    /// Starts a program.
    /// - Parameter outputPath: the file of its output, made anew.
    public init(_ executable: URL, _ arguments: [String], outputPath: String) throws {
        self.outputPath = outputPath
        #if canImport(Glibc)
            var actions = posix_spawn_file_actions_t()
        #else
            var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var words: [UnsafeMutablePointer<CChar>?] = ([executable.path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, executable.path, &actions, nil, words, environ)
        guard code == 0 else {
            throw CannotStart(description: "cannot start \(executable.path): \(String(cString: strerror(code)))")
        }
        self.identifier = identifier
    }

    /// Kills the program after a time, if it still runs then.
    /// - Parameter start: the time counts from when the program has printed this, or from half a minute on.
    /// - Returns: what it printed.
    public func kill(after pause: DispatchTimeInterval, since start: String = "") async -> String {
        await onThread {
            let limit = DispatchTime.now() + 30
            while !start.isEmpty, !output.contains(start), .now() < limit {
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
            }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pause)
            _ = systemKill(identifier, SIGKILL)
            return (waitForEnd(), output).1
        }
    }

    /// Waits for the program's own end.
    /// - Returns: its exit status, `nil` when a signal ended it, and what it printed.
    public func end() async -> (status: Int32?, output: String) {
        await onThread { (waitForEnd(), output) }
    }

    private var output: String {
        String(decoding: FileManager.default.contents(atPath: outputPath) ?? Data(), as: UTF8.self)
    }

    private func waitForEnd() -> Int32? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}

private func systemKill(_ identifier: pid_t, _ signal: Int32) -> Int32 { kill(identifier, signal) }

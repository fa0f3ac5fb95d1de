import Foundation
import Glibc

/// A program beside this one, spoken to in lines: one asked, one answered. It ends with its input.
///
/// `Process` is not used, because waiting for it can hang a thread of Swift's pool on Linux.
final class Companion {
    /// Why a program is of no use.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private var unread = Data()
    private var isOver = false

    /// Starts a program by its path or its name in the search path.
    /// - Parameter environment: added to the environment of this program.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        var toProgram: [Int32] = [-1, -1], fromProgram: [Int32] = [-1, -1]
        guard pipe(&toProgram) == 0, pipe(&fromProgram) == 0 else {
            throw Failure(description: "no pipe for \(arguments[0])")
        }
        for end in toProgram + fromProgram { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toProgram[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromProgram[1], 1)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, arguments[0], &actions, nil, &words, &settings)
        close(toProgram[0])
        close(fromProgram[1])
        self.identifier = identifier
        input = toProgram[1]
        output = fromProgram[0]
        guard code == 0 else {
            isOver = true
            throw Failure(description: "\(arguments[0]) does not start: \(String(cString: strerror(code)))")
        }
    }

    deinit {
        finish()
        close(output)
    }

    /// Sends a line and waits for the answer.
    func ask(_ line: String) throws -> String {
        let bytes = Array((line + "\n").utf8)
        guard write(input, bytes, bytes.count) == bytes.count else { throw Failure(description: "it takes no input") }
        guard let answer = readLine() else { throw Failure(description: "it ended before it answered \(line)") }
        return answer
    }

    /// The next line of the program's output; `nil` at the end.
    func readLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            unread.append(contentsOf: buffer[..<count])
        }
    }

    /// Closes the program's input and waits for its end.
    /// - Returns: its exit status, or 128 and the signal that ended it.
    @discardableResult
    func finish() -> Int32 {
        guard !isOver else { return 0 }
        isOver = true
        close(input)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// Runs a program to its end.
    /// - Returns: what it printed and its exit status.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (
        output: String, status: Int32
    ) {
        let program = try Companion(arguments, environment: environment)
        var lines: [String] = []
        while let line = program.readLine() { lines.append(line) }
        return (lines.joined(separator: "\n"), program.finish())
    }
}

import Foundation
import Glibc
import Primitives
import TestSupport
import Testing

/// The samples' app as a process of its own, in a directory with its property lists, that does what it is told line by line.
final class AppProcess: Sendable {
    private let hearing = Hearing()
    private let process: Locked<Process>
    private let input: FileHandle

    /// Everything it has told so far.
    var lines: [String] { hearing.lines }

    /// Puts the app and its files into a directory and starts it there. Caches go into the directory as well.
    static func install(in directory: TemporaryDirectory, _ files: [String: Any]) throws {
        let home = URL(fileURLWithPath: directory.path("app"))
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let program = home.appendingPathComponent("MapSamples")
        if !FileManager.default.fileExists(atPath: program.path) {
            // A link: a file that was just written cannot be run while another test starts a process.
            try FileManager.default.linkItem(at: builtProduct(named: "MapSamples"), to: program)
        }
        for (name, content) in files {
            try PropertyListSerialization.data(fromPropertyList: content, format: .xml, options: 0)
                .write(to: home.appendingPathComponent(name))
        }
    }

    init(in directory: TemporaryDirectory) throws {
        signal(SIGPIPE, SIG_IGN)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: directory.path("app/MapSamples"))
        child.environment = ProcessInfo.processInfo.environment.merging([
            "XDG_CACHE_HOME": directory.path("caches")
        ]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        child.standardInput = input
        child.standardOutput = output
        child.standardError = output
        try child.run()
        self.input = input.fileHandleForWriting
        process = Locked(child)
        let (descriptor, hearing) = (output.fileHandleForReading.fileDescriptor, hearing)
        Thread.detachNewThread {
            withExtendedLifetime(output) { Self.read(descriptor, hearing) }
        }
    }

    private static func read(_ descriptor: Int32, _ hearing: Hearing) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var line: [UInt8] = []
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            for byte in buffer[..<count] {
                if byte == UInt8(ascii: "\n") {
                    hearing.hear(String(decoding: line, as: UTF8.self))
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
        hearing.hear("the end")
    }

    /// Tells it to do something.
    /// - Returns: what it told meanwhile.
    @discardableResult
    func tell(_ words: String) async throws -> [String] {
        let before = lines.count
        let done = "done \(words.split(separator: " ").first ?? "")"
        try input.write(contentsOf: Data("\(words)\n".utf8))
        await hearing.wait { $0[before...].contains { $0 == done || $0 == "the end" } }
        return lines[before...].filter { $0 != done }
    }

    /// Returns once it has told a line, or has ended.
    func wait(for line: String) async { await hearing.wait { $0.contains(line) || $0.last == "the end" } }

    /// Returns once it has told such a line, or has ended.
    func waitForLine(_ isWanted: @escaping @Sendable (String) -> Bool) async {
        await hearing.wait { $0.contains(where: isWanted) || $0.last == "the end" }
    }

    /// Returns once it has told a line so many times, or has ended.
    func wait(for line: String, count: Int) async {
        await hearing.wait { lines in lines.count(where: { $0 == line }) >= count || lines.last == "the end" }
    }

    /// Ends its input, and with it the app.
    func end() async throws {
        try input.close()
        await hearing.wait { $0.last == "the end" }
    }

    deinit { process.withLock { if $0.isRunning { $0.terminate() } } }
}

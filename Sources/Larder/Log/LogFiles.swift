import Dispatch
import Foundation
import Primitives

/// Log lines in files of a directory, one file and more for each day: `2026-01-31_com.akamai.akasdk.log`, then
/// `2026-01-31-2_com.akamai.akasdk.log`. Dates and times are in UTC.
///
/// Callers never wait for the disk: a serial queue writes what waits. Each piece is appended by one call of the system, so that
/// several processes may write to the same files. Lines that the disk does not take are lost, and counted.
final class LogFiles: Sendable {
    /// The bounds; at each of them the oldest goes, or what is new is counted and dropped.
    struct Bounds {
        var waitingLineCountMax = 1_000
        var waitingByteCountMax = 1 << 20
        var fileByteCountMax = 1 << 20
        var fileCountMax = 14
        var byteCountMax = 8 << 20
    }

    private struct State {
        var lines: [(date: Date, text: String)] = []
        var byteCount = 0
        /// Lines that found no room, or that the disk did not take.
        var lostCount = 0
        var isScheduled = false

        /// What is to be written now; `nil` when nothing is.
        mutating func take() -> (lines: [(date: Date, text: String)], lostCount: Int)? {
            isScheduled = !lines.isEmpty
            guard isScheduled else { return nil }
            defer { (lines, byteCount, lostCount) = ([], 0, 0) }
            return (lines, lostCount)
        }
    }

    private static let suffix = "_com.akamai.akasdk.log"

    private let directory: String
    private let timekeeper: any Timekeeping
    private let bounds: Bounds
    private let append: @Sendable (String, [UInt8]) -> Bool
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "larder.log", qos: .utility)

    /// Writes into a directory, which is made with the first line.
    /// - Parameter append: adds bytes to the end of a file; `false` when the disk does not take them.
    init(
        directory: String, timekeeper: any Timekeeping, bounds: Bounds = Bounds(),
        append: (@Sendable (_ path: String, _ bytes: [UInt8]) -> Bool)? = nil
    ) {
        self.directory = directory
        self.timekeeper = timekeeper
        self.bounds = bounds
        self.append = append ?? { addToFile($0, $1) }
    }

    /// Adds a line, soon. Never blocks.
    func append(_ line: String) {
        let date = timekeeper.now
        let isFirst = state.withLock { state in
            let byteCount = state.byteCount + line.utf8.count
            guard state.lines.count < bounds.waitingLineCountMax, byteCount <= bounds.waitingByteCountMax else {
                state.lostCount += 1
                return false
            }
            state.lines.append((date, line))
            state.byteCount = byteCount
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.async { self.writeWaiting() } }
    }

    /// The files, the newest first, with everything in them that was added before. Performs disk I/O.
    func paths() -> [String] {
        queue.sync {
            writeWaiting()
            return files().map { "\(directory)/\($0.name)" }
        }
    }

    /// Returns when everything that was added before is in the files.
    func flush() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.writeWaiting()
                continuation.resume()
            }
        }
    }

    // MARK: - On the queue

    private func writeWaiting() {
        while let (lines, lostCount) = state.withLock({ $0.take() }) {
            write(lines, lostCount: lostCount)
        }
    }

    private func write(_ lines: [(date: Date, text: String)], lostCount: Int) {
        var rest = lines[...]
        var lost = lostCount
        while let first = rest.first {
            let day = Self.day(of: first.date)
            guard let (name, room) = current(day) else { break }
            var (piece, count): ([UInt8], Int) = ([], 0)
            if lost > 0 { piece += Self.bytes(first.date, "\(lost) lines were lost") }
            for line in rest where Self.day(of: line.date) == day {
                let bytes = Self.bytes(line.date, line.text)
                if count > 0, piece.count + bytes.count > room { break }
                piece += bytes
                count += 1
            }
            guard append("\(directory)/\(name)", piece) else { break }
            lost = 0
            rest = rest.dropFirst(count)
        }
        if lost > 0 || !rest.isEmpty { state.withLock { $0.lostCount += lost + rest.count } }
    }

    /// The file that is written to, and how many bytes it may still take; `nil` when there can be none.
    private func current(_ day: String) -> (name: String, room: Int)? {
        let all = files()
        let last = all.first { $0.day == day }
        if let last, last.byteCount < bounds.fileByteCountMax {
            return (last.name, bounds.fileByteCountMax - last.byteCount)
        }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            return nil
        }
        makeRoom(all)
        let number = (last?.number ?? 0) + 1
        let name = number == 1 ? day + Self.suffix : "\(day)-\(number)\(Self.suffix)"
        return (name, bounds.fileByteCountMax)
    }

    /// Removes the oldest files, so that one more fits.
    private func makeRoom(_ files: [File]) {
        var byteCount = bounds.fileByteCountMax
        for (index, file) in files.enumerated() {
            byteCount += file.byteCount
            if index + 2 > bounds.fileCountMax || byteCount > bounds.byteCountMax {
                // What another process has removed already is gone as well.
                try? FileManager.default.removeItem(atPath: "\(directory)/\(file.name)")
            }
        }
    }

    private struct File {
        var name: String
        var day: String
        var number: Int
        var byteCount: Int
    }

    /// The files that are there, the newest first.
    private func files() -> [File] {
        // Without a directory there are none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let files = names.compactMap { name -> File? in
            guard let match = name.wholeMatch(of: /(\d{4}-\d\d-\d\d)(?:-(\d{1,9}))?_com\.akamai\.akasdk\.log/) else {
                return nil
            }
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
            return File(
                name: name, day: String(match.output.1), number: match.output.2.flatMap { Int($0) } ?? 1,
                byteCount: (attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
        return files.sorted { ($0.day, $0.number) > ($1.day, $1.number) }
    }

    private static func day(of date: Date) -> String { String(stamp(date).prefix(10)) }

    private static func stamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func bytes(_ date: Date, _ text: String) -> [UInt8] { Array("\(stamp(date)) \(text)\n".utf8) }
}

/// Adds bytes to the end of a file by one call of the system. Performs disk I/O.
private func addToFile(_ path: String, _ bytes: [UInt8]) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return write(descriptor, bytes, bytes.count) == bytes.count
}

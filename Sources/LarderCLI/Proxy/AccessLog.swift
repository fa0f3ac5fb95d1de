import Dispatch
import Foundation
import LocalProxy
import Primitives

/// The proxy's log: lines are kept in memory and written by a queue of their own, so that a slow disk or terminal holds no
/// request up. What does not fit in memory is dropped, and counted in the log.
///
/// A line has nine fields, with a space between: the date (UTC, milliseconds), the client's address, the method, the target
/// in quotation marks, the status (0 without an answer), the bytes sent, the milliseconds taken, `whole` or `cut`, and the
/// cache's member of `Cache-Status` in quotation marks (or `-`). Quotation marks and backslashes within have a backslash.
final class AccessLog: Sendable {
    private struct State {
        var text = ""
        var droppedCount = 0
        var isScheduled = false
        /// The last second's date as text, made once a second.
        var second = Int.min
        var secondText = ""
    }

    /// Most text that waits to be written.
    private static let byteCountMax = 4 << 20

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "larder.access-log")
    private let state = Locked(State())

    /// Opens a file to append to.
    /// - Throws: ``CommandFailure`` when it cannot be written.
    init(path: String) throws {
        if path == "-" {
            descriptor = dup(1)
        } else {
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            throw CommandFailure("cannot write \(path): check that its directory exists and is yours")
        }
    }

    deinit { Foundation.close(descriptor) }

    /// Adds a line; never blocks on the disk.
    func write(_ record: LocalProxy.AccessRecord) {
        let line = Self.line(record)
        let schedules = state.withLock { state in
            let seconds = Int(record.date.timeIntervalSince1970)
            if seconds != state.second {
                (state.second, state.secondText) = (seconds, Self.text(ofSecond: seconds))
            }
            guard state.text.utf8.count < Self.byteCountMax else {
                state.droppedCount += 1
                return false
            }
            let fraction = record.date.timeIntervalSince1970 - Double(seconds)
            let milliseconds = String(1_000 + min(999, max(0, Int(fraction * 1_000)))).dropFirst()
            state.text += "\(state.secondText).\(milliseconds)Z \(line)\n"
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { queue.async { [self] in flush() } }
    }

    /// Writes what waits, and returns when it is written.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                flush()
                continuation.resume()
            }
        }
    }

    private func flush() {
        while true {
            let text = state.withLock { state -> String? in
                if state.droppedCount > 0 {
                    state.text += "# \(Figures.plural(state.droppedCount, "line")) dropped: the log is too slow\n"
                    state.droppedCount = 0
                }
                guard !state.text.isEmpty else {
                    state.isScheduled = false
                    return nil
                }
                defer { state.text = "" }
                return state.text
            }
            guard let text else { return }
            Console.write(text, to: descriptor)
        }
    }

    private static func line(_ record: LocalProxy.AccessRecord) -> String {
        let (seconds, attoseconds) = record.duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let fraction = String(1_000 + microseconds % 1_000).dropFirst()
        let cacheStatus = record.cacheStatus.isEmpty ? "-" : quoted(record.cacheStatus)
        return "\(record.client) \(record.method) \(quoted(record.target)) \(record.status) \(record.sentByteCount) "
            + "\(microseconds / 1_000).\(fraction) \(record.isComplete ? "whole" : "cut") \(cacheStatus)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "\""
    }

    private static func text(ofSecond seconds: Int) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: .gmt)
        return String(Date(timeIntervalSince1970: Double(seconds)).formatted(style).dropLast())
    }
}

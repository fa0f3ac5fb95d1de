import Foundation
import Glibc
import Primitives

/// The terminal: results on standard output, everything else on standard error.
enum Console {
    /// One line of result.
    static func print(_ line: String) { write(line + "\n", to: 1) }
    /// One line for the person at the terminal.
    static func note(_ line: String) { write(line + "\n", to: 2) }

    /// Whether standard error is a terminal, so that a line can be drawn over.
    static var isInteractive: Bool { isatty(2) == 1 }

    /// Writes all of a text; a closed pipe ends the matter quietly, as its reader has gone.
    static func write(_ text: String, to descriptor: Int32) {
        write(bytes: Data(text.utf8), to: descriptor)
    }

    /// Writes all of some bytes.
    /// - Returns: whether they were taken.
    @discardableResult
    static func write(bytes: Data, to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
            }
            return true
        }
    }
}

/// A progress bar on standard error; a line now and then when that is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var lastPercent = -1
        var isDrawn = false
    }

    private let title: String
    private let state = Locked(State())

    /// Creates a bar; nothing is drawn yet.
    init(_ title: String) { self.title = title }

    /// Draws the bar at a share of the whole, with a word on what is going on.
    func show(_ done: Int64, of total: Int64, _ detail: String) {
        let percent = total > 0 ? Int(min(100, max(0, 100 * done / total))) : 0
        let step = Console.isInteractive ? 1 : 25
        let draws = state.withLock { state in
            guard percent / step != state.lastPercent / step || state.lastPercent < 0 else { return false }
            state.lastPercent = percent
            state.isDrawn = true
            return true
        }
        guard draws else { return }
        let filled = percent * 24 / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
        let line = "  \(title) \(bar) \(String(percent).padded(to: 3, alignedRight: true)) %  \(detail)"
        Console.write(Console.isInteractive ? "\r\u{1B}[2K" + line : line + "\n", to: 2)
    }

    /// Ends the line.
    func finish() {
        if state.withLock({ $0.isDrawn }), Console.isInteractive { Console.write("\n", to: 2) }
    }
}

/// Numbers as people read them.
enum Figures {
    /// "1.4 MB": powers of 1000, three digits.
    static func bytes(_ count: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = Double(count)
        var unit = 0
        while abs(value) >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return unit == 0 || value >= 99.95
            ? "\(Int(value.rounded())) \(units[unit])" : "\(fixed(value, 1)) \(units[unit])"
    }

    /// "1 item", "2 items".
    static func plural(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// "12.3 ms" from microseconds.
    static func milliseconds(_ microseconds: Int64) -> String {
        let value = Double(microseconds) / 1_000
        return value >= 99.95 ? "\(Int(value.rounded())) ms" : "\(fixed(value, 1)) ms"
    }

    /// A number with so many digits behind the point.
    static func fixed(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}

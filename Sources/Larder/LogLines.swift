import Foundation
import Primitives

/// The client's log: one line for each thing that went wrong.
final class LogLines: Sendable {
    private let sink: @Sendable (String) -> Void
    private let told = Locked<Set<String>>([])

    /// Writes to a sink, or to standard error.
    init(_ sink: (@Sendable (String) -> Void)?) {
        self.sink = sink ?? { line in FileHandle.standardError.write(Data("larder: \(line)\n".utf8)) }
    }

    /// Writes a line.
    func write(_ line: String) { sink(line) }

    /// Writes a line the first time something of its kind happens.
    func once(_ kind: String, _ line: @autoclosure () -> String) {
        if told.withLock({ $0.insert(kind).inserted }) { sink(line()) }
    }
}

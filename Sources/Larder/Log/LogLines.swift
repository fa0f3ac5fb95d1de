import Foundation
import Primitives
import Synchronization

/// The client's log: one line for each thing that went wrong, for the app's own log and for the files on the device.
final class LogLines: Sendable {
    private static let inputByteCountMax = 16_384
    private static let lineByteCountMax = 8_192

    let files: LogFiles
    private let sink: @Sendable (String) -> Void
    private let told = Locked<Set<String>>([])
    private let redaction = Locked(Redaction())
    private let debugs = Atomic(false)

    /// Writes to a sink, or to standard error, and to files.
    init(_ sink: (@Sendable (String) -> Void)?, files: LogFiles) {
        self.sink = sink ?? Self.writeToStandardError
        self.files = files
    }

    /// An app that has closed its standard error loses the line, nothing else.
    private static func writeToStandardError(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("larder: \(line)\n".utf8))
    }

    /// Whether every exchange is told.
    var isDebugging: Bool {
        get { debugs.load(ordering: .relaxed) }
        set { debugs.store(newValue, ordering: .relaxed) }
    }

    /// Keeps a value out of everything that is written from now on.
    func hide(_ secret: String?) {
        if let secret { redaction.withLock { $0.hide(secret) } }
    }

    /// Writes a line, without its secrets.
    func write(_ line: String) {
        let clean = clean(line)
        sink(clean)
        files.append(clean)
    }

    /// Writes a line the first time something of its kind happens.
    func once(_ kind: String, _ line: @autoclosure () -> String) {
        if told.withLock({ $0.insert(kind).inserted }) { write(line()) }
    }

    /// One line of bounded length without secrets.
    func clean(_ line: String) -> String {
        let bounded = String(decoding: line.utf8.prefix(Self.inputByteCountMax), as: UTF8.self)
        let redaction = redaction.withLock { $0 }
        var redacted = redaction.redacted(bounded)
        if redacted.utf8.contains(where: { $0 < 32 || $0 == 127 }) {
            // Nobody forges a second line by way of a text from elsewhere.
            redacted = String(decoding: redacted.utf8.map { $0 < 32 || $0 == 127 ? 32 : $0 }, as: UTF8.self)
        }
        guard redacted.utf8.count > Self.lineByteCountMax else { return redacted }
        return String(decoding: redacted.utf8.prefix(Self.lineByteCountMax), as: UTF8.self) + "…"
    }
}

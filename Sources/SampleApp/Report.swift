import Cryptography
import Foundation

/// What the app tells the demo: one line of JSON each.
enum Report: Codable {
    case progress(done: Int64, total: Int64, items: Int, itemsTotal: Int)
    /// Ready for the next load; goes on after a line on standard input.
    case waiting(String)
    case loaded(String, [RequestReport])
    /// Telemetry items delivered.
    case sent(Int)

    /// Prints a report.
    static func say(_ report: Report) {
        do {
            FileHandle.standardOutput.write(try JSONEncoder().encode(report) + Data("\n".utf8))
        } catch {
            FileHandle.standardError.write(Data("sample-app: \(error)\n".utf8))
        }
    }

    /// SHA-256 of a body, to compare loads byte for byte.
    static func digest(of body: Data) -> String { SHA256Digest.of(body).hex }
}

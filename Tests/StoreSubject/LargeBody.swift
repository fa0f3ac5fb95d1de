import ContentStore
import Foundation
import HTTPModel
import Primitives

/// A body much larger than the memory that storing and streaming it may take.
struct LargeBody {
    var directory: String
    var mebibyteCount: Int

    /// Stores and streams the body.
    /// - Returns: by how many KiB the most memory held grew.
    func memoryGrowth() async throws -> Int {
        var configuration = ContentStore.Configuration(directory: directory)
        configuration.opportunisticByteCountMax = Int64(mebibyteCount) << 20
        let store = try ContentStore(configuration: configuration, timekeeper: SystemTimekeeper())
        let before = try peakKibibyteCount()
        guard let url = HTTPURL("https://example.org/large") else { throw Failure(description: "bad URL") }
        let writer = try store.beginBody(expectedByteCount: Int64(mebibyteCount) << 20)
        let chunk = Data(repeating: 7, count: 256 << 10)
        for _ in 0..<(mebibyteCount * 4) { try writer.append(chunk) }
        let draft = EntryDraft(
            url: url, requestFields: [:], response: HTTPResponse(status: 200), requestTime: Date(),
            responseTime: Date())
        let entry = try store.commit(draft, body: writer)
        var count = 0
        for try await chunk in try store.body(of: entry).stream() { count += chunk.count }
        guard count == mebibyteCount << 20 else { throw Failure(description: "streamed \(count) bytes") }
        return try peakKibibyteCount() - before
    }

    /// The most resident memory so far.
    private func peakKibibyteCount() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard
            let count = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) })
        else { throw Failure(description: "no VmHWM in /proc/self/status") }
        return count
    }
}

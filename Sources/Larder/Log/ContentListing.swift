import Prepositioning

/// What is on the device and what is on its way, as lines for people.
struct ContentListing {
    let status: Prepositioner.Status
    let content: [CachedContent]

    var lines: [String] {
        let segments = status.subscribedSegments.sorted()
        var lines = ["subscribed segments: " + (segments.isEmpty ? "none" : segments.joined(separator: ", "))]
        let items = status.items.sorted { ($0.url, $0.segment) < ($1.url, $1.segment) }
        for item in items { lines.append("\(item.url) \(Self.state(of: item)), segment \(item.segment)") }
        let told = Set(items.filter { $0.state == .ready }.map(\.url))
        for entry in content.sorted(by: { $0.url < $1.url }) where !entry.isPinned || !told.contains(entry.url) {
            let holder = entry.isPinned ? "held by a segment" : "passed by"
            lines.append("\(entry.url) cached, \(entry.byteCount) bytes, \(holder)")
        }
        return lines
    }

    private static func state(of item: Prepositioner.ItemStatus) -> String {
        switch item.state {
        case .ready: "cached, \(item.byteCount) bytes"
        case .downloading: "downloading, \(item.bytesReceived) of \(item.byteCount) bytes"
        case .queued: "queued, \(item.byteCount) bytes" + (item.failure.map { ", failed before: \($0)" } ?? "")
        case .failed: "failed: \(item.failure ?? "no reason is known")"
        }
    }
}

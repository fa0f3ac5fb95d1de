import ContentStore
import Foundation
import HTTPModel
import Primitives

/// One random hand on a store.
struct Worker {
    /// Items of every version of the segment: either all of them are visible or none.
    static let itemCount = 5

    private let store: ContentStore
    private let segment: String
    private var generator: XorShift

    init(directory: String, seed: UInt64, segment: String, disk: DiskCalls) throws {
        var configuration = ContentStore.Configuration(directory: directory)
        configuration.pinnedByteCountMax = 2 << 20
        configuration.opportunisticByteCountMax = 300_000
        configuration.inlineByteCountMax = 20_000
        store = try ContentStore(configuration: configuration, timekeeper: SystemTimekeeper(), disk: disk)
        generator = XorShift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        self.segment = segment
    }

    mutating func step() throws {
        do {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<9: try commit("/page/\(Int.random(in: 0..<40, using: &generator))", holder: nil)
            case 9..<12: try publish()
            case 12..<15: try readSomething()
            case 15: try store.remove(url("/page/\(Int.random(in: 0..<40, using: &generator))"))
            case 16: try store.invalidate(url("/page/\(Int.random(in: 0..<40, using: &generator))"))
            case 17: _ = try unfinishedBody()
            case 18: try store.setBudgets(pinnedByteCountMax: 2 << 20, opportunisticByteCountMax: 300_000)
            default: if Int.random(in: 0..<10, using: &generator) == 0 { try store.removeAll() }
            }
        } catch let error as StoreError where error.code == .notFound || error.code == .overBudget {
            // The other process was faster, or holds too much: as it should be.
        }
    }

    private func url(_ path: String) throws -> HTTPURL {
        guard let url = HTTPURL("https://example.org" + path) else { throw Failure(description: "bad path \(path)") }
        return url
    }

    private mutating func unfinishedBody() throws -> BodyWriter {
        let writer = try store.beginBody()
        // Few different bodies, so that entries share them; a body's bytes tell its length and kind.
        let count = Int.random(in: 0..<12, using: &generator) * 5_000
        let byte = UInt8.random(in: 0..<3, using: &generator)
        for _ in 0..<(count / 5_000) { try writer.append(Data(repeating: byte, count: 5_000)) }
        return writer
    }

    private mutating func commit(_ path: String, holder: String?, version: Int = 0) throws {
        let writer = try unfinishedBody()
        let draft = EntryDraft(
            url: try url(path), requestFields: [:],
            response: HTTPResponse(status: 200, fields: ["Version": "\(version)"]),
            requestTime: Date(), responseTime: Date())
        try store.commit(draft, body: writer, holder: holder, isStaged: holder != nil)
    }

    /// Stages a whole version of the segment and activates it, or gives it up.
    private mutating func publish() throws {
        let old = try store.holders().filter { $0.hasPrefix(segment + "@") }
        let version = (old.compactMap { Int($0.dropFirst(segment.count + 1)) }.max() ?? 0) + 1
        let holder = "\(segment)@\(version)"
        for item in 0..<Self.itemCount { try commit("/\(segment)/\(item)", holder: holder, version: version) }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            try store.release(holders: [holder])
        } else {
            try store.activate(holder: holder, replacing: old)
        }
    }

    private mutating func readSomething() throws {
        for entry in try store.entries(after: Int64.random(in: 0..<200, using: &generator), limit: 10) {
            store.touch(entryID: entry.id)
            let data = try store.body(of: entry).data()
            guard data.count == Int(entry.bodyByteCount), Set(data).count <= 1 else {
                throw Failure(description: "\(entry.url) has another body than was stored")
            }
        }
    }
}

/// Random numbers that are the same for the same seed.
struct XorShift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

import Cryptography
import Foundation
import HTTPModel
import TestSupport

@testable import ContentStore

/// A store in a directory of its own, with short ways to fill it. Every body is a file unless told.
struct StoreFixture {
    let directory: TemporaryDirectory
    let timekeeper = ManualTimekeeper()
    let store: ContentStore
    var configuration: ContentStore.Configuration

    init(
        in directory: TemporaryDirectory? = nil, pinned: Int64 = 1 << 20, opportunistic: Int64 = 1 << 20,
        inline: Int = -1, disk: DiskCalls = DiskCalls()
    ) throws {
        self.directory = try directory ?? TemporaryDirectory()
        configuration = ContentStore.Configuration(directory: self.directory.path("store"))
        configuration.pinnedByteCountMax = pinned
        configuration.opportunisticByteCountMax = opportunistic
        configuration.inlineByteCountMax = inline
        store = try ContentStore(configuration: configuration, timekeeper: timekeeper, disk: disk)
    }

    init(allowsUnnamed: Bool) throws {
        var disk = DiskCalls()
        disk.allowsUnnamedFiles = allowsUnnamed
        try self.init(disk: disk)
    }

    /// A second store on the same directory, as another process would have it.
    func reopened() throws -> ContentStore { try ContentStore(configuration: configuration, timekeeper: timekeeper) }

    @discardableResult
    func add(
        _ path: String, _ body: Data, holder: String? = nil, isStaged: Bool = false, fields: HTTPFields = HTTPFields(),
        to other: ContentStore? = nil
    ) throws -> StoreEntry {
        let store = other ?? store
        timekeeper.advance(by: .seconds(1))
        let writer = try store.beginBody(isPinned: holder != nil)
        try writer.append(body)
        _ = try writer.finish()
        return try store.commit(draft(path, fields: fields), body: writer, holder: holder, isStaged: isStaged)
    }

    @discardableResult
    func add(_ path: String, _ text: String, holder: String? = nil, isStaged: Bool = false, fields: HTTPFields = [:])
        throws -> StoreEntry
    {
        try add(path, Data(text.utf8), holder: holder, isStaged: isStaged, fields: fields)
    }

    func draft(_ path: String, fields: HTTPFields = HTTPFields()) -> EntryDraft {
        EntryDraft(
            url: url(path), requestFields: fields,
            response: HTTPResponse(status: 200, fields: ["Content-Type": "text/plain", "Set-Cookie": "a=1"]),
            requestTime: timekeeper.now - 1, responseTime: timekeeper.now)
    }

    func url(_ path: String) -> HTTPURL { HTTPURL("https://example.org" + path)! }

    /// The bodies that the store answers a path with.
    func texts(_ path: String) throws -> [String] {
        try store.entries(for: url(path)).map { entry in
            String(decoding: try store.body(of: entry).data(), as: UTF8.self)
        }
    }

    /// Every file of the store, its index aside, relative to its directory.
    func files() -> [String] {
        let all = FileManager.default.enumerator(atPath: configuration.directory)?.compactMap { $0 as? String } ?? []
        return all.filter { !$0.hasPrefix("index.sqlite") && !["lock", "generations"].contains($0) }
            .filter { name in
                var isDirectory: ObjCBool = false
                let exists = FileManager.default.fileExists(atPath: absolute(name), isDirectory: &isDirectory)
                return exists && !isDirectory.boolValue
            }.sorted()
    }

    func bodyPath(_ text: String) -> String { bodyPath(Data(text.utf8)) }

    func bodyPath(_ data: Data) -> String {
        let hex = SHA256Digest.of(data).hex
        return "bodies/\(hex.prefix(2))/\(hex)"
    }

    func absolute(_ name: String) -> String { configuration.directory + "/" + name }
}

/// Bytes without a pattern that compresses or repeats, the same each time.
func sampleBytes(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return Data(
        (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state)
        })
}

import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import ContentStore

@Suite struct BodyTests {
    @Test(
        "bodies of every size come back whole, by data, by range and as a stream",
        arguments: [1, 65_535, 65_536, 300_001])
    func sizes(count: Int) async throws {
        let fixture = try StoreFixture()
        let bytes = sampleBytes(count)
        let entry = try fixture.add("/a", bytes)
        let body = try fixture.store.body(of: entry)
        #expect(body.byteCount == Int64(count))
        #expect(try body.data() == bytes)
        #expect(try body.read(at: Int64(count / 2), byteCount: count) == bytes.suffix(from: count / 2))
        #expect(try body.read(at: Int64(count), byteCount: 1) == Data())
        #expect(try body.read(at: -1, byteCount: 1) == Data())
        #expect(try await body.stream().collect() == bytes)
        let range = Int64(count / 3)..<Int64(count - count / 4)
        #expect(try await body.stream(range: range).collect() == bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        #expect(try await body.stream(range: -5..<Int64.max).collect() == bytes)
        #expect(try await body.stream(range: Int64(count)..<Int64(count + 9)).collect() == Data())
        #expect(try Data(contentsOf: URL(fileURLWithPath: #require(body.path))) == bytes)
    }

    @Test("a stream comes in chunks of bounded size and ends when cancelled")
    func chunks() async throws {
        let fixture = try StoreFixture()
        let entry = try fixture.add("/a", sampleBytes(500_000))
        let stream = try fixture.store.body(of: entry).stream()
        var sizes: [Int] = []
        for try await chunk in stream { sizes.append(chunk.count) }
        #expect(sizes == [131_072, 131_072, 131_072, 106_784])
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.store.body(of: entry).stream().collect()
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test("an open body stays readable when its entry is evicted")
    func outlivesItsEntry() async throws {
        let fixture = try StoreFixture()
        let bytes = sampleBytes(200_000)
        let body = try fixture.store.body(of: fixture.add("/a", bytes))
        let data = try body.data()
        try fixture.store.removeAll()
        #expect(fixture.files() == [])
        #expect(data == bytes)
        #expect(try await body.stream().collect() == bytes)
    }

    @Test("a body that is missing or has another size is noticed, and its entries go")
    func broken() throws {
        let fixture = try StoreFixture()
        for (path, text) in [("/a", "missing"), ("/b", "missing"), ("/c", "truncated")] {
            try fixture.add(path, text, holder: "n@1")
        }
        try FileManager.default.removeItem(atPath: fixture.absolute(fixture.bodyPath("missing")))
        #expect(truncate(fixture.absolute(fixture.bodyPath("truncated")), 3) == 0)
        for path in ["/a", "/c"] {
            let entry = try fixture.store.entries(for: fixture.url(path))[0]
            let error = #expect(throws: StoreError.self) { try fixture.store.body(of: entry) }
            #expect(error?.code == .notFound)
        }
        #expect(try fixture.store.usage() == StoreUsage())
        #expect(fixture.files() == [])
    }

    @Test("storing a body again mends a file that was cut short")
    func mendsOnCommit() throws {
        let fixture = try StoreFixture()
        try fixture.add("/a", "truncated")
        #expect(truncate(fixture.absolute(fixture.bodyPath("truncated")), 3) == 0)
        try fixture.add("/b", "truncated")
        #expect(try fixture.texts("/a") == ["truncated"])
        #expect(try fixture.texts("/b") == ["truncated"])
    }

    @Test("a body cut short while it is open is an error, not a crash")
    func cutWhileOpen() throws {
        let fixture = try StoreFixture()
        let body = try fixture.store.body(of: fixture.add("/a", sampleBytes(100_000)))
        #expect(try truncate(#require(body.path), 10) == 0)
        #expect(throws: StoreError.self) { try body.data() }
        #expect(throws: StoreError.self) { try body.read(at: 0, byteCount: 100) }
        #expect(try body.read(at: 0, byteCount: 10).count == 10)
    }

    @Test("a body without a commit leaves no file", arguments: [true, false])
    func letGo(allowsUnnamed: Bool) throws {
        let fixture = try StoreFixture(allowsUnnamed: allowsUnnamed)
        var writer: BodyWriter? = try fixture.store.beginBody()
        try writer?.append(sampleBytes(1_000))
        #expect(fixture.files().count == (allowsUnnamed ? 0 : 1))
        _ = try writer?.finish()
        writer = nil
        let discarded = try fixture.store.beginBody()
        try discarded.append(sampleBytes(1_000))
        discarded.discard()
        #expect(fixture.files() == [])
        #expect(throws: StoreError.self) { try discarded.append(Data([1])) }
        #expect(throws: StoreError.self) { try discarded.read(at: 0, byteCount: 1) }
        #expect(throws: StoreError.self) { try discarded.finish() }
        #expect(throws: StoreError.self) { try fixture.store.commit(fixture.draft("/a"), body: discarded) }
    }

    @Test(
        "a writer's bytes can be read while it writes, and one body may serve several entries",
        arguments: [true, false])
    func readsBack(allowsUnnamed: Bool) throws {
        let fixture = try StoreFixture(allowsUnnamed: allowsUnnamed)
        let bytes = sampleBytes(100_000)
        let writer = try fixture.store.beginBody(expectedByteCount: 100_000)
        try writer.append(bytes.prefix(60_000))
        #expect(try writer.read(at: 50_000, byteCount: 20_000) == bytes[50_000..<60_000])
        #expect(try writer.read(at: 60_000, byteCount: 1) == Data())
        try writer.append(Data())
        try writer.append(bytes.suffix(40_000))
        #expect(writer.byteCount == 100_000)
        let digest = try writer.finish()
        #expect(digest == SHA256Digest.of(bytes))
        #expect(try writer.finish() == digest)
        #expect(throws: StoreError.self) { try writer.append(Data([1])) }
        try fixture.store.commit(fixture.draft("/a"), body: writer)
        try fixture.store.commit(fixture.draft("/b"), body: writer)
        #expect(try writer.read(at: 0, byteCount: 100_000) == bytes)
        writer.discard()
        #expect(fixture.files() == [fixture.bodyPath(bytes)])
        for path in ["/a", "/b"] {
            let entry = try fixture.store.entries(for: fixture.url(path))[0]
            #expect(try fixture.store.body(of: entry).data() == bytes)
        }
    }
}

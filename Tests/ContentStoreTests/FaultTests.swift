import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import ContentStore

#if canImport(Glibc)
    import Glibc
#endif

/// Disks that fail.
@Suite struct FaultTests {
    /// System calls that fail when their number has come.
    private final class FailingDisk: Sendable {
        let calls = Locked(0)
        /// The number of the call that fails, and all after it; `nil` for none.
        let failing = Locked<Int?>(nil)

        func disk() -> DiskCalls {
            var disk = DiskCalls()
            disk.write = { [self] descriptor, bytes, count, offset in
                if shallFail() {
                    errno = ENOSPC
                    return -1
                }
                // As a disk that is nearly full may do: less than was asked for.
                return pwrite(descriptor, bytes, max(1, count / 2), off_t(offset))
            }
            disk.synchronize = { [self] descriptor in
                if shallFail() {
                    errno = EIO
                    return -1
                }
                return fdatasync(descriptor)
            }
            return disk
        }

        private func shallFail() -> Bool {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            return failing.withLock { $0.map { number >= $0 } ?? false }
        }
    }

    @Test("whichever write fails, the store answers as before and holds no stray file")
    func everyWrite() throws {
        let failing = FailingDisk()
        let fixture = try StoreFixture(disk: failing.disk())
        try fixture.add("/kept", "kept", holder: "n@1")
        let before = fixture.files()
        var failureCount = 0
        for number in 1..<200 {
            failing.calls.withLock { $0 = 0 }
            failing.failing.withLock { $0 = number }
            do {
                try fixture.add("/new", sampleBytes(1_000))
            } catch let error as StoreError {
                #expect(error.code == .writeFailed)
                #expect(fixture.files() == before)
                #expect(try fixture.store.entries(for: fixture.url("/new")) == [])
                #expect(try fixture.texts("/kept") == ["kept"])
                failureCount += 1
                continue
            }
            break
        }
        // 1,000 bytes take eleven writes that each do half; then the flush.
        #expect(failureCount == 12)
        #expect(try fixture.store.entries(for: fixture.url("/new")).count == 1)
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("a write that failed can be tried again")
    func triesAgain() throws {
        let failing = FailingDisk()
        let fixture = try StoreFixture(opportunistic: 16 << 20, disk: failing.disk())
        let bytes = sampleBytes(BodyWriter.pieceByteCount + 1_000)
        let writer = try fixture.store.beginBody()
        try writer.append(bytes.prefix(300))
        failing.failing.withLock { $0 = 0 }
        #expect(throws: StoreError.self) { try writer.append(bytes.dropFirst(300)) }
        #expect(writer.byteCount == 300)
        #expect(throws: StoreError.self) { try writer.finish() }
        failing.failing.withLock { $0 = nil }
        try writer.append(bytes.dropFirst(300))
        let entry = try fixture.store.commit(fixture.draft("/a"), body: writer)
        #expect(try fixture.store.body(of: entry).data() == bytes)
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("a body that cannot get its name is an error, and the entry it was to replace stays")
    func cannotLink() throws {
        let fixture = try StoreFixture()
        try fixture.add("/a", "old")
        let place = (fixture.absolute(fixture.bodyPath("new")) as NSString).deletingLastPathComponent
        try Data().write(to: URL(fileURLWithPath: place))
        let error = #expect(throws: StoreError.self) { try fixture.add("/a", "new") }
        #expect(error?.code == .writeFailed)
        #expect(try fixture.texts("/a") == ["old"])
        #expect(try fixture.store.usage().opportunisticByteCount == 3)
        try FileManager.default.removeItem(atPath: place)
        try fixture.add("/a", "new")
        #expect(try fixture.texts("/a") == ["new"])
    }

    @Test("a directory that vanished is an error, not a crash")
    func vanishedDirectory() throws {
        let fixture = try StoreFixture()
        try FileManager.default.removeItem(atPath: fixture.absolute("incoming"))
        let error = #expect(throws: StoreError.self) { try fixture.store.beginBody() }
        #expect(error?.code == .writeFailed)
    }

    @Test("many threads of two stores on one directory commit, read and evict the same bodies")
    func manyThreads() async throws {
        let fixture = try StoreFixture(opportunistic: 4_000)
        let stores = [fixture.store, try fixture.reopened()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for step in 0..<40 {
                        // Twelve bodies of which eight fit: every one is evicted and stored again many times.
                        let bytes = sampleBytes(500, seed: UInt64((step * 7 + worker) % 12))
                        let entry = try fixture.add("/\(worker)/\(step % 20)", bytes, to: stores[worker % 2])
                        do {
                            let body = try stores[(worker + 1) % 2].body(of: entry).data()
                            #expect(body == bytes)
                        } catch let error as StoreError {
                            #expect(error.code == .notFound)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.store.verify(repair: false).problems == [])
        let entries = try fixture.store.entries(after: 0, limit: .max)
        #expect(
            Set(fixture.files()) == Set(entries.map { "bodies/\($0.bodyDigest.hex.prefix(2))/\($0.bodyDigest.hex)" }))
        #expect(try fixture.store.usage().opportunisticByteCount <= 4_000)
    }
}

import Foundation
import Testing

@testable import ContentStore

/// What is done to several entries at once.
@Suite struct BatchTests {
    @Test("holds all entries of a batch, or none when one is gone")
    func holds() throws {
        let fixture = try StoreFixture()
        let first = try fixture.add("/a", "one"), second = try fixture.add("/b", "two")
        #expect(throws: StoreError.self) { try fixture.store.hold([(first.id, "news@1"), (99, "news@1")]) }
        #expect(try fixture.store.entries(heldBy: "news@1").isEmpty)
        try fixture.store.hold([(first.id, "news@1"), (second.id, "news@1")])
        #expect(try fixture.store.entries(heldBy: "news@1").map(\.id) == [first.id, second.id])
    }

    @Test("flushes the index when asked to, and says so when the disk refuses")
    func synchronizes() throws {
        let fixture = try StoreFixture(inline: 1_024)
        try fixture.add("/a", "one", holder: "news@1")
        try fixture.store.synchronize()
        var disk = DiskCalls()
        disk.synchronize = { _ in
            errno = EIO
            return -1
        }
        let failing = try StoreFixture(inline: 1_024, disk: disk)
        try failing.add("/a", "one", holder: "news@1")
        #expect(throws: StoreError.self) { try failing.store.synchronize() }
    }
}

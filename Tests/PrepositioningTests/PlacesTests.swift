import Cryptography
import Foundation
import HTTPModel
import Testing
import Wire

@testable import Prepositioning

/// How many downloads run at once, and in which order failed ones come again.
@Suite struct PlacesTests {
    private func item(_ number: Int, byteCount: Int64) -> Manifest.Item {
        Manifest.Item(url: "https://origin.test/\(number)", byteCount: byteCount, sha256: .of(Data("\(number)".utf8)))
    }

    private func key(_ item: Manifest.Item) -> ItemKey { ItemKey(segment: "news", version: 1, url: item.url) }

    /// Takes items until one does not fit.
    private func fill(_ places: inout DownloadPlaces, byteCount: Int64, placeCount: Int) -> Int {
        var count = 0
        while case let next = item(count, byteCount: byteCount), places.fits(next, placeCount: placeCount) {
            places.take(key(next), next)
            count += 1
        }
        return count
    }

    @Test("gives each download a place of its own until the origin is known to carry many at once")
    func single() {
        var places = DownloadPlaces()
        let placesCount = fill(&places, byteCount: 8 << 10, placeCount: 4)
        #expect(placesCount == 4)
        places.note(HTTPURL("https://origin.test/0")!, httpVersion: "1.1")
        #expect(!places.fits(item(9, byteCount: 1), placeCount: 4))
    }

    @Test("lets small bodies share places over HTTP/2 and 3, and large ones not", arguments: ["2", "3"])
    func shared(version: String) {
        var places = DownloadPlaces()
        places.note(HTTPURL("https://origin.test/0")!, httpVersion: version)
        var small = places, tiny = places, large = places
        let smallCount = fill(&small, byteCount: 8 << 10, placeCount: 4)
        #expect(smallCount == 32)
        let tinyCount = fill(&tiny, byteCount: 1, placeCount: 4)
        #expect(tinyCount == 64)
        let largeCount = fill(&large, byteCount: 1 << 20, placeCount: 4)
        #expect(largeCount == 4)
        places.note(HTTPURL("https://origin.test/0")!, httpVersion: "1.1")
        let placesCount = fill(&places, byteCount: 8 << 10, placeCount: 4)
        #expect(placesCount == 4)
    }

    @Test("gives a place back as a large body nears its end, and all of it at the end")
    func ends() {
        var places = DownloadPlaces()
        places.note(HTTPURL("https://origin.test/0")!, httpVersion: "2")
        let large = item(1, byteCount: 1 << 20), next = item(2, byteCount: 1 << 20)
        places.take(key(large), large)
        let atBeginning = places.progress(key(large), large, bytesReceived: 100)
        #expect(!atBeginning)
        #expect(!places.fits(next, placeCount: 1))
        let nearEnd = places.progress(key(large), large, bytesReceived: (1 << 20) - 1_000)
        #expect(nearEnd)
        #expect(places.fits(item(3, byteCount: 4_096), placeCount: 1) && !places.fits(next, placeCount: 1))
        let atEnd = places.progress(key(large), large, bytesReceived: 1 << 20)
        #expect(atEnd)
        #expect(places.fits(next, placeCount: 1))
        places.free(key(large))
        places.free(key(large))
        #expect(places.fits(next, placeCount: 1))
    }

    @Test("brings the earliest retry first, whatever the order they came in")
    func retries() {
        var generator = SystemRandomNumberGenerator()
        let dues = (0..<200).map { _ in Int.random(in: 0..<50, using: &generator) }
        var queue = RetryQueue()
        for (position, due) in dues.enumerated() { queue.insert(.init(due: .seconds(due), position: position)) }
        var found: [Duration] = []
        while let first = queue.first {
            found.append(first.due)
            queue.removeFirst()
        }
        #expect(found == dues.sorted().map { .seconds($0) })
    }

    @Test("keeps its counts and its next item right through any history")
    func counts() throws {
        let items = (0..<40).map { item($0, byteCount: Int64($0)) }
        let manifest = Manifest(app: "app", segment: "news", version: 1, createdAt: Date(), items: items)
        var version = SegmentVersion(manifest, digest: .of(Data()), isActive: false)
        for step in 0..<2_000 {
            let uptime = Duration.seconds(step)
            let url = try #require(items.randomElement()?.url)
            version.update(url) { item in
                item.state = Prepositioner.ItemState.allCases.randomElement() ?? .queued
                item.notBefore = Bool.random() ? uptime + .seconds(Int.random(in: 1..<50)) : nil
            }
            for state in Prepositioner.ItemState.allCases {
                #expect(version.count(state) == version.items.values.count { $0.state == state })
            }
            #expect(version.isWhole == !version.items.values.contains { $0.isAwaited })
            let expected = version.order.first { url in
                version.items[url].map { $0.state == .queued && $0.notBefore ?? .zero <= uptime } == true
            }
            let next = version.nextQueued(at: uptime, except: { _ in false })
            #expect(next?.item.url == expected)
            let waiting = version.items.values.filter { $0.state == .queued }.compactMap(\.notBefore)
            let due = version.nextRetryDue()
            #expect(due == waiting.min())
        }
    }
}

import ControlModel
import ControlPlane
import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("Ingest")
struct IngestTests {
    private static let a = "https://example.com/a", b = "https://example.com/b", c = "https://example.com/c"

    @Test("a URL list becomes items with size, hash, validators, type and coding")
    func urlList() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        var answer = ScriptedOrigin.Answer()
        answer.fields = [
            "ETag": "\"v1\"", "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "Content-Type": "text/css",
            "Cache-Control": "max-age=60",
        ]
        answer.chunks = ["one ", "two ", "three"].map { Data($0.utf8) }
        answer.decodedFrom = "br"
        server.origin[Self.a] = answer
        let job = try await server.ingest([" \(Self.a) ", "HTTPS://Example.com/a#top", ""], into: app)
        #expect(job.state == .succeeded && job.itemsTotal == 1 && job.itemsDone == 1 && job.itemsFailed == 0)
        #expect(job.endedAt == server.timekeeper.now && job.failure == nil)
        let item = try await server.item(Self.a, of: app)
        #expect(item.state == .ready && item.findings.isEmpty)
        #expect(item.byteCount == 13 && item.sha256 == SHA256Digest.of(Data("one two three".utf8)))
        #expect(item.eTag == "\"v1\"" && item.lastModified == "Thu, 01 Jan 2026 00:00:00 GMT")
        #expect(item.contentType == "text/css" && item.contentEncoding == "br")
        #expect(item.checkedAt == server.timekeeper.now)
    }

    @Test("what cannot be fetched or kept is a failed item with a sentence, and the job goes on")
    func failures() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.serve(Self.a)
        server.origin[Self.b] = ScriptedOrigin.Answer(status: 500)
        var refused = ScriptedOrigin.Answer()
        refused.error = TransportError(.tlsFailed, "certificate expired")
        server.origin["https://example.com/tls"] = refused
        let cut = "https://example.com/cut"
        server.origin.serve(cut, fields: ["ETag": "\"\(String(repeating: "e", count: 2_000))\""])
        server.origin[cut]?.chunks = [Data(count: 10)]
        server.origin[cut]?.chunkError = TransportError(.bodyTruncated, "10 of 20 bytes came")
        let job = try await server.ingest([Self.a, Self.b, Self.c, "https://example.com/tls", cut], into: app)
        #expect(job.state == .succeeded && job.itemsDone == 5 && job.itemsFailed == 4)
        #expect(try await server.item(Self.a, of: app).state == .ready)
        for (url, text) in [
            (Self.b, "status 500"), (Self.c, "could not be reached: no route"),
            ("https://example.com/tls", "certificate expired"), (cut, "damaged: 10 of 20"),
        ] {
            let item = try await server.item(url, of: app)
            #expect(item.state == .failed && item.sha256 == nil && item.byteCount == 0 && (item.eTag ?? "").count < 9)
            #expect(item.findings.first?.contains(text) == true, "\(item.findings)")
        }
    }

    @Test("redirects are followed; the item keeps the URL that the app asks for")
    func redirects() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin[Self.a] = ScriptedOrigin.Answer(status: 301, fields: ["Location": "/b"])
        server.origin.serve(Self.b, "target")
        let loop = "https://example.com/loop"
        server.origin[loop] = ScriptedOrigin.Answer(status: 302, fields: ["Location": "loop"])
        let bad = "https://example.com/bad"
        server.origin[bad] = ScriptedOrigin.Answer(status: 302, fields: ["Location": "mailto:a@example.com"])
        try await server.ingest([Self.a, loop, bad], into: app)
        let item = try await server.item(Self.a, of: app)
        #expect(item.state == .warning && item.byteCount == 6)
        #expect(item.findings.first?.contains("(301) to \(Self.b)") == true)
        #expect(try await server.item(loop, of: app).findings.first?.contains("more than 5 times") == true)
        #expect(server.origin.requestedURLs.count { $0 == loop } == 6)
        #expect(try await server.item(bad, of: app).state == .failed)
    }

    @Test("a body over the limit fails without being read to its end")
    func oversize() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        var policy = app.policy
        policy.fileByteCountMax = 10
        _ = try await server.plane.updateApp(
            id: app.id, name: "News", bundleID: app.bundleID, settings: AppSettings(policy: policy))
        var streamed = ScriptedOrigin.Answer()
        streamed.chunks = Array(repeating: Data(count: 4), count: 100)
        server.origin[Self.a] = streamed
        var declared = ScriptedOrigin.Answer(fields: ["Content-Length": "400", "ETag": "\"1\""])
        declared.body = Data(count: 400)
        server.origin[Self.b] = declared
        server.origin.serve(Self.c, "0123456789")
        try await server.ingest([Self.a, Self.b, Self.c], into: app)
        for (url, count) in [(Self.a, 12), (Self.b, 400)] {
            let item = try await server.item(url, of: app)
            #expect(item.state == .failed && item.byteCount == count && item.sha256 == nil)
            #expect(item.findings.first?.contains("download policy") == true)
        }
        #expect(try await server.item(Self.c, of: app).state == .ready)
    }

    @Test("an empty body is a warning; equal bodies are noted on the later URL")
    func emptyAndTwins() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.serve(Self.a, "same")
        server.origin.serve(Self.b, "same")
        server.origin.serve(Self.c, "")
        try await server.ingest([Self.a, Self.b, Self.c], into: app)
        #expect(try await server.item(Self.a, of: app).findings.isEmpty)
        let twin = try await server.item(Self.b, of: app)
        #expect(twin.state == .ready)
        #expect(twin.findings.map { $0.contains("same as those of \(Self.a)") } == [true])
        #expect(try await server.item(Self.c, of: app).state == .warning)
    }

    @Test("adding keeps the other items, replacing drops them")
    func replacing() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        for url in [Self.a, Self.b, Self.c] { server.origin.serve(url, url) }
        try await server.ingest([Self.a], into: app)
        try await server.ingest([Self.b], into: app)
        #expect(try await server.plane.items(appID: app.id, segment: "news").map(\.url) == [Self.a, Self.b])
        try await server.ingest([Self.c], into: app, replacing: true)
        #expect(try await server.plane.items(appID: app.id, segment: "news").map(\.url) == [Self.c])
    }

    @Test("sitemaps are followed through indexes and gzip; what is no URL becomes a failed item")
    func sitemap() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let root = "https://example.com/sitemap.xml", packed = "https://example.com/pages.xml.gz"
        server.origin.serve(
            root,
            """
            <sitemapindex><sitemap><loc>\(packed)</loc></sitemap><sitemap><loc>\(root)</loc></sitemap></sitemapindex>
            """)
        var answer = ScriptedOrigin.Answer()
        answer.body = try gzipped(
            Data(
                """
                <urlset><url><loc>\(Self.a)</loc></url><url><loc>\(Self.a)#again</loc></url>
                <url><loc>/relative</loc></url><url><loc>https://example.com/grün</loc></url></urlset>
                """.utf8))
        server.origin[packed] = answer
        server.origin.serve(Self.a)
        server.origin.serve("https://example.com/gr%C3%BCn", "green")
        let job = try await server.ingest(.sitemap(root), into: app)
        #expect(job.state == .succeeded && job.itemsTotal == 3 && job.itemsFailed == 1)
        #expect(try await server.item(Self.a, of: app).state == .ready)
        #expect(try await server.item("https://example.com/gr%C3%BCn", of: app).state == .ready)
        #expect(try await server.item("/relative", of: app).state == .failed)
    }

    @Test("a sitemap that cannot be read fails the job and leaves the items as they were")
    func badSitemap() async throws {
        var configuration = ControlPlane.Configuration()
        configuration.itemsPerSegmentMax = 2
        let server = try await TestServer(configuration: configuration)
        let app = try await server.makeApp()
        server.origin.serve(Self.a)
        try await server.ingest([Self.a], into: app)
        let map = "https://example.com/sitemap.xml"
        func fails(_ text: String) async throws {
            let job = try await server.ingest(.sitemap(map), into: app, replacing: true)
            #expect(job.state == .failed)
            #expect(job.failure?.contains(text) == true, "\(job.failure ?? "")")
            #expect(try await server.item(Self.a, of: app).state == .ready)
        }
        try await fails("could not be fetched: no route")
        server.origin[map] = ScriptedOrigin.Answer(status: 404)
        try await fails("status 404")
        server.origin.serve(map, "<html/>")
        try await fails("root element is \"html\"")
        server.origin.serve(map, "<urlset/>")
        try await fails("lists no URL")
        let many = (0..<3).map { "<url><loc>https://example.com/\($0)</loc></url>" }.joined()
        server.origin.serve(map, "<urlset>\(many)</urlset>")
        try await fails("more than 2 URLs")
        for level in 0..<4 {
            server.origin.serve(
                level == 0 ? map : "https://example.com/\(level).xml",
                "<sitemapindex><sitemap><loc>https://example.com/\(level + 1).xml</loc></sitemap></sitemapindex>")
        }
        try await fails("deeper than 3 levels")
    }

    @Test("URLs that are none, and too many, are refused before anything starts")
    func refused() async throws {
        var configuration = ControlPlane.Configuration()
        configuration.itemsPerSegmentMax = 2
        let server = try await TestServer(configuration: configuration)
        let app = try await server.makeApp()
        for urls in [[], [" "], ["/relative"], ["ftp://example.com/"], [Self.a, Self.b, Self.c]] {
            await expectProblem(422, "invalid-urls") { try await server.ingest(urls, into: app) }
        }
        await expectProblem(422, "invalid-sitemap") { try await server.ingest(.sitemap("sitemap.xml"), into: app) }
        await expectProblem(404, "unknown-segment") { try await server.ingest([Self.a], into: app, segment: "none") }
        #expect(try await server.plane.ingestJobs(appID: app.id, limit: 10).isEmpty)
        await expectProblem(404, "unknown-ingest") { try await server.plane.waitForIngest(id: "ing_none") }
    }

    @Test("a number of fetches run at a time, and no more")
    func concurrency() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let urls = (0..<20).map { "https://example.com/\($0)" }
        for url in urls { server.origin.serve(url, url) }
        server.origin.hold()
        let job = try await server.plane.startIngest(
            appID: app.id, segment: "news", source: .urls(urls), replacesItems: false)
        await server.origin.waitForRequests(6)
        // While it runs the items are waiting, are not to be edited, and no second ingest starts.
        #expect(
            try await server.plane.items(appID: app.id, segment: "news").map(\.state)
                == Array(repeating: .pending, count: 20))
        await expectProblem(409, "ingest-running") {
            try await server.plane.removeItem(appID: app.id, segment: "news", url: urls[0])
        }
        await expectProblem(409, "ingest-running") { try await server.ingest([Self.a], into: app) }
        #expect(try await server.plane.ingestJob(id: job.id).itemsTotal == 20)
        server.origin.release()
        #expect(try await server.plane.waitForIngest(id: job.id).itemsDone == 20)
        #expect(server.origin.inFlightMax == 6)
    }

    @Test("progress is saved while an ingest runs")
    func progress() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let held = HoldingOrigin(served: 60)
        let plane = try await ControlPlane(
            repository: server.repository, transport: held, timekeeper: server.timekeeper)
        let urls = (0..<100).map { "https://example.com/\($0)" }
        let job = try await plane.startIngest(
            appID: app.id, segment: "news", source: .urls(urls), replacesItems: false)
        await held.waitUntilHolding(6)
        // The save after 50 items happens before the next results are taken in.
        #expect(try await plane.ingestJob(id: job.id).itemsDone == 50)
        await plane.shutDown()
    }

    @Test("who reads that an ingest has ended can publish and ingest again at once")
    func freeOnceEnded() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        for round in 1...20 {
            server.origin.serve(Self.a, "round \(round)")
            let job = try await server.plane.startIngest(
                appID: app.id, segment: "news", source: .urls([Self.a]), replacesItems: false)
            while try await server.plane.ingestJob(id: job.id).state == .running { await Task.yield() }
            #expect(try await server.plane.publish(appID: app.id, by: "ada").release.version == round)
        }
    }

    @Test("the number of ingests at a time is bounded")
    func ingestCount() async throws {
        var configuration = ControlPlane.Configuration()
        configuration.concurrentIngestsMax = 1
        let server = try await TestServer(configuration: configuration)
        let app = try await server.makeApp()
        _ = try await server.plane.createSegment(appID: app.id, name: "sport", note: "")
        server.origin.serve(Self.a)
        server.origin.hold()
        let job = try await server.plane.startIngest(
            appID: app.id, segment: "news", source: .urls([Self.a]), replacesItems: false)
        await expectProblem(429, "too-many-ingests") { try await server.ingest([Self.a], into: app, segment: "sport") }
        server.origin.release()
        _ = try await server.plane.waitForIngest(id: job.id)
        #expect(try await server.ingest([Self.a], into: app, segment: "sport").state == .succeeded)
    }

    @Test("removing a segment ends its ingest")
    func removedMeanwhile() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.serve(Self.a)
        server.origin.hold()
        let job = try await server.plane.startIngest(
            appID: app.id, segment: "news", source: .urls([Self.a]), replacesItems: false)
        await server.origin.waitForRequests(1)
        try await server.plane.removeSegment(appID: app.id, name: "news")
        #expect(try await server.plane.ingestJob(id: job.id).state == .failed)
        #expect(try await server.repository.items(appID: app.id, segment: "news").isEmpty)
    }

    @Test("shutting down ends the ingests and lets no other start")
    func shutDown() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.hold()
        let job = try await server.plane.startIngest(
            appID: app.id, segment: "news", source: .urls([Self.a]), replacesItems: false)
        await server.origin.waitForRequests(1)
        await server.plane.shutDown()
        let ended = try await server.plane.ingestJob(id: job.id)
        #expect(ended.state == .failed && ended.failure?.contains("Start it again") == true)
        await expectProblem(503, "shutting-down") { try await server.ingest([Self.a], into: app) }
    }

    @Test("an ingest that a restart interrupted is marked as failed")
    func interrupted() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        try await server.repository.save(
            IngestJob(
                id: "ing_1", appID: app.id, segment: "news", source: .urls([Self.a]), replacesItems: false,
                startedAt: server.timekeeper.now))
        let again = try await ControlPlane(
            repository: server.repository, transport: server.origin, timekeeper: server.timekeeper)
        let job = try await again.ingestJob(id: "ing_1")
        #expect(job.state == .failed && job.endedAt != nil && job.failure?.contains("server was stopped") == true)
    }
}

/// Serves so many requests and holds the others until they are cancelled.
private final class HoldingOrigin: HTTPTransport {
    private struct State {
        var left: Int
        var held = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let state: Locked<State>
    private let clock = ManualTimekeeper()

    init(served: Int) { state = Locked(State(left: served)) }

    func waitUntilHolding(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.held >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (isServed, woken) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
            state.left -= 1
            if state.left >= 0 { return (true, []) }
            state.held += 1
            let due = state.waiters.filter { $0.count <= state.held }.map(\.continuation)
            state.waiters.removeAll { $0.count <= state.held }
            return (false, due)
        }
        for waiter in woken { waiter.resume() }
        if !isServed { try await clock.sleep(for: .seconds(1)) }
        return TransportResponse(
            response: HTTPResponse(status: 200, fields: ["ETag": "\"1\""]),
            body: ByteStream(Data(request.request.url.string.utf8)), metrics: { TransferMetrics() })
    }
}

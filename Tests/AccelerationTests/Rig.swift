import Acceleration
import ContentStore
import Foundation
import HTTPCaching
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

/// An engine on a real store in a directory of its own, with a scripted network and a clock moved by hand.
final class Rig: Sendable {
    let directory: TemporaryDirectory
    let store: ContentStore
    let transport: FakeTransport
    let time = ManualTimekeeper()
    let gate = ActivityGate()
    let accelerator: Accelerator
    /// What every exchange that begins from now on is tagged with.
    let tag = Locked<ExchangeTag?>(nil)
    private let recorded = Locked<[ExchangeRecord]>([])
    private let faulted = Locked<[StoreError]>([])

    /// - Parameter inline: the largest body that the store keeps in its index; -1 for none.
    init(
        budget: Int64 = 64 << 20, inline: Int = 64 << 10, memory: Int = 8 << 20,
        _ script: @escaping FakeTransport.Script
    ) throws {
        directory = try TemporaryDirectory()
        var configuration = ContentStore.Configuration(directory: directory.path("store"))
        configuration.opportunisticByteCountMax = budget
        configuration.inlineByteCountMax = inline
        configuration.memoryByteCountMax = memory
        store = try ContentStore(configuration: configuration, timekeeper: time)
        transport = FakeTransport(script)
        let (recorded, faulted, tag) = (recorded, faulted, tag)
        accelerator = Accelerator(
            store: store, transport: transport, activity: gate, timekeeper: time,
            onFault: { error in faulted.withLock { $0.append(error) } },
            onBegin: { tag.withLock { $0 } }, onExchange: { record in recorded.withLock { $0.append(record) } })
    }

    /// The records told so far.
    var records: [ExchangeRecord] { recorded.withLock { $0 } }
    var faults: [StoreError] { faulted.withLock { $0 } }

    func send(
        _ url: String = "http://example.com/a", _ method: HTTPMethod = .get, _ fields: HTTPFields = [:],
        body: RequestBody? = nil, options: RequestOptions = RequestOptions()
    ) async throws -> AcceleratedResponse {
        let request = HTTPRequest(method: method, url: try #require(HTTPURL(url)), fields: fields)
        return try await accelerator.send(request, body: body, options: options)
    }

    /// Sends, reads the body and waits for the record.
    func get(_ url: String = "http://example.com/a", _ fields: HTTPFields = [:]) async throws -> Got {
        try await Got(send(url, .get, fields))
    }

    /// Fills the store through the engine.
    func fill(_ text: String, at url: String = "http://example.com/a", _ fields: HTTPFields) async throws {
        transport.answer { _ in .text(text, fields) }
        _ = try await get(url)
        #expect(try store.entries(for: #require(HTTPURL(url))).count == 1)
    }

    /// Puts an entry into the store that a segment version holds.
    func pin(_ url: String, _ text: String, holder: String, _ fields: HTTPFields = [:]) throws {
        let body = try store.beginBody(isPinned: true)
        try body.append(Data(text.utf8))
        _ = try body.finish()
        let draft = EntryDraft(
            url: try #require(HTTPURL(url)), requestFields: [:], response: HTTPResponse(status: 200, fields: fields),
            requestTime: time.now, responseTime: time.now)
        try store.commit(draft, body: body, holder: holder)
    }
}

/// An answer read to its end.
struct Got: Sendable {
    var response: HTTPResponse
    var text: String
    var record: ExchangeRecord
    var redirects: [HTTPResponse]

    init(_ answer: AcceleratedResponse) async throws {
        response = answer.response
        redirects = answer.redirects
        text = String(decoding: try await answer.body.collect(), as: UTF8.self)
        record = await answer.record()
    }

    var cacheStatus: String { response.fields[.cacheStatus] ?? "" }
}

/// Lets other tasks run until something has become true.
func eventually(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: () throws -> Bool)
    async rethrows
{
    for _ in 0..<2_000_000 {
        if try isTrue() { return }
        await Task.yield()
    }
    Issue.record(what, sourceLocation: sourceLocation)
}

import AdminAPI
import DeviceAPI
import Foundation
import HTTPServer
import TestSupport
import Testing
import Wire

@Suite("The API's description")
struct OpenAPITests {
    @Test("has every route, and every path of it is a route, with the same parameters")
    func routes() async throws {
        let api = try await APIServer()
        let routes = DeviceAPI.routes(api.plane) + AdminAPI.routes(api.plane)
        let described = Set(api.contract.operations.map { "\($0.method) \($0.path)" })
        #expect(Set(routes.map { "\($0.method) \($0.pattern)" }) == described)
        #expect(routes.count == described.count)
        for operation in api.contract.operations {
            var named: [String] = []
            if case .array(let parameters) = operation.definition["parameters"] {
                for parameter in parameters where parameter["in"] == .string("path") {
                    #expect(parameter["required"] == .bool(true))
                    if case .string(let name) = parameter["name"] { named.append(name) }
                }
            }
            let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            #expect(named == inPath, "\(operation.path)")
        }
        await api.stop()
    }

    @Test("refers to nothing that is not there, names operations once, and says what needs a session")
    func consistency() throws {
        let contract = try Contract()
        #expect(contract.document["openapi"] == .string("3.1.0"))
        var references: Set<String> = []
        func collect(_ value: JSONValue) {
            switch value {
            case .object(let members):
                if case .string(let reference)? = members["$ref"] { references.insert(reference) }
                for member in members.values { collect(member) }
            case .array(let values): for value in values { collect(value) }
            default: break
            }
        }
        collect(contract.document)
        for reference in references { #expect(contract.resolve(reference) != .null, "\(reference)") }
        for name in contract.document["components"]["schemas"].members.keys {
            #expect(references.contains("#/components/schemas/\(name)"), "\(name) is not used")
        }
        let names = contract.operations.map { $0.definition["operationId"] }
        #expect(Set(names).count == names.count)
        for operation in contract.operations {
            let isOpen = operation.definition["security"] == .array([])
            let needsSession = operation.path.hasPrefix("/v1/admin/") && operation.path != "/v1/admin/sessions"
            let needsDevice = operation.path.hasPrefix("/v1/batches") || operation.path.hasPrefix("/v1/devices/")
            #expect(isOpen == !(needsSession || needsDevice), "\(operation.path)")
        }
    }

    @Test("is true of every operation, from the first sign-in to the statistics")
    func everyOperation() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        try await api.call("GET", "/v1/admin/sessions/current", token: token)
        let (app, key) = try await api.makeApp(token: token)
        let root = "/v1/admin/apps/\(app)"
        try await api.makeSegment("news", of: app, token: token)
        for target in [
            "/v1/admin/apps", root, "\(root)/keys", "\(root)/segments", "\(root)/segments/news",
            "\(root)/segments/news/items",
            "\(root)/ingests?limit=5",
        ] {
            #expect(try await api.call("GET", target, token: token).status == 200, "\(target)")
        }
        let ingests = try await api.call("GET", "\(root)/ingests", token: token).json
        guard case .array(let jobs) = ingests["ingests"], case .string(let job)? = jobs.first?["id"] else {
            Issue.record("no ingest listed")
            return
        }
        let ingest = try await api.call("GET", "/v1/admin/ingests/\(job)", token: token).json
        #expect(ingest["state"] == .string("succeeded"))
        #expect(ingest["source"] == .object(["sitemap": .string("\(api.originURL)/sitemap.xml")]))

        let item = "\(root)/segments/news/items?url=http%3A%2F%2F127.0.0.1%3A\(api.origin.port)%2Fone.html"
        let changed = try await api.call("PATCH", item, json: #"{"priority":3,"isEssential":false}"#, token: token)
        #expect(try changed.json["priority"] == .integer(3))
        let policy = #"{"name":"Papers","policy":{"syncIntervalSeconds":60,"bytesPerSecondMax":100000}}"#
        let patched = try await api.call("PATCH", root, json: policy, token: token).json
        #expect(patched["name"] == .string("Papers"))
        #expect(patched["bundleID"] == .string("com.example.news"))
        #expect(patched["policy"]["bytesPerSecondMax"] == .integer(100_000))
        let unlimited = try await api.call(
            "PATCH", root, json: #"{"policy":{"bytesPerSecondMax":null}}"#, token: token
        ).json
        #expect(unlimited["policy"]["bytesPerSecondMax"] == .null)
        #expect(unlimited["policy"]["syncIntervalSeconds"] == .integer(60))

        #expect(try await api.call("GET", "\(root)/preview", token: token).json["nextReleaseVersion"] == .integer(1))
        let first = try await api.call("POST", "\(root)/releases", token: token)
        #expect(first.status == 201)
        #expect(try first.json["publishedBy"] == .string("ada"))
        #expect(try await api.call("DELETE", item, token: token).status == 204)
        #expect(try await api.call("POST", "\(root)/releases", json: "{}", token: token).status == 201)
        let back = try await api.call("POST", "\(root)/rollbacks", json: #"{"version":1}"#, token: token)
        #expect(back.status == 201)
        #expect(try back.json["version"] == .integer(3))
        try await api.call("GET", "\(root)/releases", token: token)

        let device = try await api.register(key: key)
        let release = try await api.call("GET", "/v1/apps/\(app)/release")
        let document = try WireCoding.decode(SignedDocument.self, from: release.body)
        let payload = try document.verifiedPayload(label: SignedDocument.releaseLabel, keys: device.signingKeys)
        let segments = try WireCoding.decode(Release.self, from: payload).segments
        #expect(segments.map(\.name) == ["news"])
        let manifest = try await api.call("GET", "/v1/manifests/\(segments[0].manifest)")
        let list = try WireCoding.decode(SignedDocument.self, from: manifest.body)
            .verifiedPayload(label: SignedDocument.manifestLabel, keys: device.signingKeys)
        #expect(try WireCoding.decode(Manifest.self, from: list).items.count == 2)

        let now = api.timekeeper.now
        let progress = SegmentProgress(
            segment: "news", version: 1, itemsReady: 1, itemsFailed: 0, itemsTotal: 2, isActive: false, date: now)
        let exchange = ExchangeRecord(
            date: now, method: "GET", url: "\(api.originURL)/one.html", status: 200, outcome: .pinnedHit,
            cacheStatus: "larder; hit", firstByteMicroseconds: 5, totalMicroseconds: 9, bodyByteCount: 10,
            wireByteCount: 0)
        let outcome = ItemOutcome(
            segment: "news", version: 1, url: "\(api.originURL)/one.html", outcome: .used, byteCount: 10, date: now)
        let batch = TelemetryBatch(
            id: "batch-1", deviceID: device.deviceID, createdAt: now,
            items: [
                .progress(progress), .exchange(exchange), .outcome(outcome),
                .event(AppEvent(name: "start", date: now, durationMicroseconds: 7, traffic: EventTraffic())),
                .pinFailure(PinFailure(host: "example.com", shownDigests: ["leaf"], date: now)),
            ],
            losses: ["queueFull": 2])
        let body = try #require(WireCoding.compress(try WireCoding.encode(batch)))
        for _ in 0..<2 {
            let stored = try await api.call(
                "POST", "/v1/batches/batch-1", body: body, token: device.deviceToken,
                fields: ["Larder-Device": device.deviceID, "Content-Encoding": "zstd"])
            #expect(stored.status == 204)
        }
        api.timekeeper.advance(by: .seconds(1))
        let own = ["Larder-Device": device.deviceID, "Content-Type": "application/json"]
        let pushToken = try await api.call(
            "PUT", "/v1/devices/\(device.deviceID)/push-token", body: Data(#"{"service":"fcm","token":"secret"}"#.utf8),
            token: device.deviceToken, fields: own)
        #expect(pushToken.status == 204)
        let state = try await api.call(
            "GET", "/v1/devices/\(device.deviceID)", token: device.deviceToken, fields: own)
        #expect(state.status == 204 && state.fields["cache-control"] == "no-store")
        let devices = try await api.call("GET", "\(root)/devices?limit=1&offset=0", token: token)
        #expect(try devices.json["total"] == .integer(1))
        #expect(!devices.text.contains("oken") && !devices.text.contains("secret"))
        #expect(devices.text.contains(#""pushService":"fcm""#))
        let events = try await api.call("GET", "\(root)/events", token: token).json
        guard case .array(let names) = events["events"] else { return }
        #expect(names.map { $0["name"] } == [.string("start")])
        let timeline = try await api.call("GET", "\(root)/devices/\(device.deviceID)/timeline", token: token)
        #expect(timeline.text.contains(#""outcome":"pinnedHit""#) && timeline.text.contains(#""exchangeCount":0"#))
        let pins = try await api.call("GET", "\(root)/pin-failures?from=2020-01-01T00:00:00Z", token: token)
        #expect(pins.status == 422)
        #expect(try await api.call("GET", "\(root)/pin-failures", token: token).text.contains("example.com"))
        let lines = try await api.call("GET", "\(root)/progress", token: token)
        #expect(lines.text.contains(device.deviceID))
        let statistics = try await api.call("GET", "\(root)/statistics?slices=4", token: token).json
        #expect(statistics["total"]["exchanges"]["pinnedHit"] == .integer(1))
        #expect(statistics["events"]["start"] == .integer(1))
        #expect(statistics["losses"]["queueFull"] == .integer(2))

        let gone = try await api.call(
            "DELETE", "/v1/devices/\(device.deviceID)", token: device.deviceToken, fields: own)
        #expect(gone.status == 204)
        let second = try await api.register(key: key).deviceID
        #expect(try await api.call("DELETE", "\(root)/devices/\(second)", token: token).status == 204)

        try await api.call("GET", "/v1/health")
        #expect(try await api.call("GET", "/v1/openapi.json").text == OpenAPI.document)
        #expect(try await api.call("DELETE", "\(root)/keys/\(key)", token: token).status == 200)
        #expect(try await api.call("DELETE", "\(root)/segments/news", token: token).status == 204)
        #expect(try await api.call("DELETE", "/v1/admin/sessions/current", token: token).status == 204)
        #expect(try await api.call("GET", "/v1/admin/sessions/current", token: token).status == 401)
        #expect(api.contract.uncovered == [])
        await api.stop()
    }
}

import Foundation
import HTTPServer
import Primitives
import TestSupport
import Testing
import Wire

@Suite("The API refuses")
struct RefusalTests {
    @Test("bad bodies with a problem that names the fault, and stays up")
    func bodies() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let cases: [(body: String, status: Int, type: String, detail: String)] = [
            ("{\"name\":", 400, "malformed-json", "not JSON"),
            ("{\"name\":\"x\",\"bundleID\":\"y\",\"extra\":1}", 400, "invalid-body", "/extra: unknown member"),
            ("{\"name\":\"x\"}", 400, "invalid-body", "/bundleID: expected a string"),
            (
                "{\"name\":7,\"bundleID\":\"y\"}", 400, "invalid-body",
                "/name: expected a string of 1 to 200 characters, found the"
            ),
            ("[]", 400, "invalid-body", "expected an object"),
            (String(repeating: "x", count: 70_000), 413, "body-too-long", "65536 bytes"),
        ]
        for (body, status, type, detail) in cases {
            let response = try await api.call("POST", "/v1/admin/apps", json: body, token: token)
            #expect(response.status == status, "\(body.prefix(40))")
            #expect(try response.problem.type == "/problems/\(type)")
            #expect(try response.problem.detail.contains(detail))
        }
        let form = try await api.call(
            "POST", "/v1/admin/apps", body: Data("name=x".utf8), token: token,
            fields: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(form.status == 415)
        let (app, _) = try await api.makeApp(token: token)
        let root = "/v1/admin/apps/\(app)"
        for policy in [
            #"{"policy":{"isEnabled":1}}"#, #"{"policy":{"rate":1}}"#, #"{"policy":{"concurrentDownloadsMax":0}}"#,
        ] {
            let response = try await api.call("PATCH", root, json: policy, token: token)
            #expect(response.status == 400)
            #expect(try response.problem.detail.hasPrefix("/policy/"))
        }
        for source in [
            "{}", #"{"source":{}}"#, #"{"source":{"urls":["http://a/"],"sitemap":"http://a/"}}"#,
            #"{"source":{"urls":[]}}"#,
            #"{"source":{"urls":[7]}}"#, #"{"source":"http://a/"}"#,
        ] {
            let response = try await api.call("POST", "\(root)/segments/news/ingests", json: source, token: token)
            #expect(response.status == 400, "\(source)")
            #expect(try response.problem.detail.hasPrefix("/source"))
        }
        #expect(try await api.call("GET", "/v1/health").status == 200)
        await api.stop()
    }

    @Test("who is not signed in, with the scheme to use")
    func sessions() async throws {
        let api = try await APIServer()
        for fields in [[:], ["Authorization": "Bearer nonsense"], ["Authorization": "Basic YTpi"]] {
            let response = try await api.call("GET", "/v1/admin/apps", fields: fields)
            #expect(response.status == 401)
            #expect(response.fields["www-authenticate"]?.hasPrefix("Bearer") == true)
            _ = try response.problem
        }
        let wrong = try await api.call(
            "POST", "/v1/admin/sessions", json: #"{"name":"ada","password":"wrong horse"}"#)
        #expect(wrong.status == 401)
        let token = try await api.signIn()
        #expect(try await api.call("GET", "/v1/admin/apps", token: token).status == 200)
        api.timekeeper.advance(by: .seconds(13 * 3_600))
        let late = try await api.call("GET", "/v1/admin/apps", token: token)
        #expect(try late.problem.type == "/problems/session-ended")
        await api.stop()
    }

    @Test("unknown things with 404, other methods with 405, bad queries with 400")
    func paths() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let (app, _) = try await api.makeApp(token: token)
        let root = "/v1/admin/apps/\(app)"
        for target in [
            "/v1/admin/apps/app_none", "/v1/admin/apps/app_none/keys", "\(root)/segments/none",
            "/v1/admin/ingests/none",
            "/v1/admin/nothing", "/v1/apps/\(app)/release", "/v1/apps/none/release", "/v1/manifests/zz",
            "/v1/manifests/\(String(repeating: "0", count: 64))",
        ] {
            let response = try await api.call("GET", target, token: token)
            #expect(response.status == 404, "\(target)")
            _ = try response.problem
        }
        let put = try await api.call("PUT", root, token: token)
        #expect(put.status == 405)
        #expect(put.fields["allow"] == "GET, HEAD, PATCH")
        for query in [
            "devices?limit=0", "devices?limt=5", "devices?limit=1&limit=2", "statistics?from=now", "releases?limit=x",
        ] {
            let response = try await api.call("GET", "\(root)/\(query)", token: token)
            #expect(try response.problem.type == "/problems/invalid-query", "\(query)")
        }
        let reversed = "\(root)/statistics?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"
        #expect(try await api.call("GET", reversed, token: token).status == 400)
        #expect(try await api.call("DELETE", "\(root)/segments/none/items", token: token).status == 400)
        await api.stop()
    }

    @Test("devices with a key that is unknown, revoked or of another app")
    func registrations() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let (app, key) = try await api.makeApp(token: token)
        func register(_ key: String, bundle: String = "com.example.news", extra: String = "") async throws
            -> RawResponse
        {
            try await api.call(
                "POST", "/v1/devices",
                json: #"{"apiKey":"\#(key)","bundleID":"\#(bundle)","platform":"Linux","sdkVersion":"1"\#(extra)}"#)
        }
        #expect(try await register(key, extra: #","newerMember":{"a":1}"#).status == 201)
        #expect(try await register("lk_unknown").status == 401)
        #expect(try await register(key, bundle: "com.example.other").status == 403)
        _ = try await api.call("DELETE", "/v1/admin/apps/\(app)/keys/\(key)", token: token)
        let revoked = try await register(key)
        #expect(revoked.status == 403)
        #expect(try revoked.problem.type == "/problems/key-revoked")
        await api.stop()
    }

    @Test("batches that are not the device's own, or not what they say")
    func batches() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let (_, key) = try await api.makeApp(token: token)
        let device = try await api.register(key: key), other = try await api.register(key: key)
        let now = api.timekeeper.now
        func batch(_ id: String, of device: String) throws -> Data {
            try WireCoding.encode(TelemetryBatch(id: id, deviceID: device, createdAt: now, items: [], losses: [:]))
        }
        func send(
            _ id: String, _ body: Data, token: String? = device.deviceToken, coding: String? = nil
        ) async throws -> RawResponse {
            var fields = ["Larder-Device": device.deviceID]
            fields["Content-Encoding"] = coding
            return try await api.call("POST", "/v1/batches/\(id)", body: body, token: token, fields: fields)
        }
        let good = try batch("a", of: device.deviceID)
        #expect(try await send("a", good).status == 204)
        #expect(try await send("a", good, coding: "identity").status == 204)
        #expect(try await send("b", good).status == 400)
        #expect(try await send("a", good, token: "nonsense").status == 401)
        #expect(try await send("a", good, token: nil).status == 401)
        #expect(try await send("c", try batch("c", of: other.deviceID)).status == 403)
        #expect(try await send("a", good, coding: "zstd").status == 400)
        let gzip = try await send("a", good, coding: "gzip")
        #expect(gzip.status == 415)
        #expect(gzip.fields["accept-encoding"] == "zstd, identity")
        let missing = try await send("a", Data(#"{"id":"a","deviceID":"d","items":[],"losses":{}}"#.utf8))
        #expect(try missing.problem.detail.contains("/createdAt: missing"))
        // Little on the wire and far more than the bound once decompressed.
        let bomb = try #require(WireCoding.compress(Data(count: 64 << 20)))
        #expect(bomb.count < 100_000)
        #expect(try await send("a", bomb, coding: "zstd").status == 400)
        #expect(try await api.call("GET", "/v1/health").status == 200)
        await api.stop()
    }

    @Test("devices that do not say who they are, speak for another, or were turned away")
    func ownState() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let (app, key) = try await api.makeApp(token: token)
        let device = try await api.register(key: key), other = try await api.register(key: key)
        let path = "/v1/devices/\(device.deviceID)"
        func call(
            _ method: String, _ path: String, _ fields: [String: String] = [:], token: String? = device.deviceToken,
            body: String? = nil
        ) async throws -> RawResponse {
            let own = ["Larder-Device": device.deviceID].merging(fields) { $1 }
            return try await api.call(method, path, body: body.map { Data($0.utf8) }, token: token, fields: own)
        }
        let good = #"{"service":"apns","token":"00ff","newerMember":1}"#
        #expect(try await call("HEAD", path).status == 204)
        #expect(try await call("PUT", "\(path)/push-token", body: good).status == 204)
        for (method, target) in [("GET", path), ("DELETE", path), ("PUT", "\(path)/push-token")] {
            let body = method == "PUT" ? good : nil
            let strange = try await call(method, target, token: nil, body: body)
            #expect(try strange.status == 401 && strange.problem.type == "/problems/device-not-named")
            let wrong = try await call(method, target, token: other.deviceToken, body: body)
            #expect(try wrong.status == 401 && wrong.problem.type == "/problems/unknown-device")
            let foreign = try await call(method, target, ["Larder-Device": other.deviceID], body: body)
            #expect(try foreign.status == 403 && foreign.problem.type == "/problems/wrong-device")
        }
        for (body, status) in [
            ("{}", 400), (#"{"service":"apns","token":7}"#, 400), ("x", 400), (#"{"service":"APNS","token":"t"}"#, 422),
            (#"{"service":"apns","token":"a b"}"#, 422),
        ] {
            #expect(try await call("PUT", "\(path)/push-token", body: body).status == status, "\(body)")
        }
        _ = try await api.call("DELETE", "/v1/admin/apps/\(app)/keys/\(key)", token: token)
        let revoked = try await call("GET", path)
        #expect(try revoked.status == 403 && revoked.problem.type == "/problems/key-revoked")
        #expect(try await call("PUT", "\(path)/push-token", body: good).status == 403)
        #expect(try await call("DELETE", path).status == 204)
        #expect(try await call("GET", path).status == 401)
        await api.stop()
    }

    @Test("to send what a device has already")
    func conditions() async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let (app, _) = try await api.makeApp(token: token)
        try await api.makeSegment("news", of: app, token: token)
        let published = try await api.call("POST", "/v1/admin/apps/\(app)/releases", token: token).json
        guard case .array(let segments) = published["segments"], case .string(let digest)? = segments.first?["manifest"]
        else {
            Issue.record("nothing published")
            return
        }
        for target in ["/v1/apps/\(app)/release", "/v1/manifests/\(digest)", "/v1/openapi.json"] {
            let first = try await api.call("GET", target)
            let tag = try #require(first.fields["etag"])
            #expect(first.fields["cache-control"]?.hasPrefix("public, max-age=") == true)
            let second = try await api.call("GET", target, fields: ["If-None-Match": tag])
            #expect(second.status == 304)
            #expect(second.fields["etag"] == tag)
            let head = try await api.call("HEAD", target)
            #expect(head.fields["content-length"] == "\(first.body.count)")
        }
        let manifest = try await api.call("GET", "/v1/manifests/\(digest)")
        #expect(manifest.fields["etag"] == "\"\(digest)\"")
        #expect(manifest.fields["cache-control"]?.contains("immutable") == true)
        await api.stop()
    }
}

import Foundation
import HTTPServer
import TestSupport
import Testing
import Wire

@Suite("Changing an app's settings over the API")
struct SettingsPatchTests {
    private static let keys = [1, 2].map { Data(repeating: $0, count: 32).base64EncodedString() }

    private func withApp(_ body: (APIServer, _ root: String, _ token: String) async throws -> Void) async throws {
        let api = try await APIServer()
        let token = try await api.signIn()
        let (app, _) = try await api.makeApp(token: token)
        try await api.makeSegment("news", of: app, token: token)
        try await body(api, "/v1/admin/apps/\(app)", token)
        await api.stop()
    }

    @Test("merges objects, replaces lists, and puts back the default for null")
    func merges() async throws {
        try await withApp { api, root, token in
            func patch(_ json: String) async throws -> JSONValue {
                let response = try await api.call("PATCH", root, json: json, token: token)
                #expect(response.status == 200, "\(response.text)")
                return try response.json
            }
            var app = try await patch(
                """
                {"policy":{"networks":"cellularOnly","batteryPercentMin":20,
                    "wifi":{"isAllowedOnBattery":false,"dailyByteCountMax":5000000,"qualityMin":"good",
                        "hours":[{"startMinute":1320,"endMinute":360},{"startMinute":0,"endMinute":60}]},
                    "segments":{"news":{"isForced":true,"wifi":{"dailyByteCountMax":7000000}}}}}
                """)
            #expect(app["policy"]["networks"] == .string("cellularOnly"))
            #expect(app["policy"]["wifi"]["dailyByteCountMax"] == .integer(5_000_000))
            #expect(app["policy"]["segments"]["news"]["wifi"]["dailyByteCountMax"] == .integer(7_000_000))
            #expect(app["policy"]["syncIntervalSeconds"] == .integer(900))

            app = try await patch(
                """
                {"policy":{"networks":null,"wifi":{"dailyByteCountMax":null,"hours":[{"startMinute":5,"endMinute":6}]},
                    "segments":{"news":{"networks":"wifiOnly","isForced":null}}}}
                """)
            #expect(app["policy"]["networks"] == .string("wifiAndCellular"))
            #expect(app["policy"]["wifi"]["isAllowedOnBattery"] == .bool(false))
            #expect(app["policy"]["wifi"]["dailyByteCountMax"] == .null)
            #expect(app["policy"]["wifi"]["qualityMin"] == .string("good"))
            #expect(app["policy"]["segments"]["news"]["isForced"] == .null)
            #expect(app["policy"]["segments"]["news"]["networks"] == .string("wifiOnly"))
            #expect(app["policy"]["batteryPercentMin"] == .integer(20))

            app = try await patch(#"{"policy":{"wifi":null,"segments":{"news":null}},"name":"Papers"}"#)
            #expect(app["policy"]["wifi"] == .object(["hours": .array([]), "isAllowedOnBattery": .bool(true)]))
            #expect(app["policy"]["segments"] == .object([:]) && app["name"] == .string("Papers"))
            #expect(try await patch(#"{"policy":null}"#)["policy"]["batteryPercentMin"] == .integer(0))
        }
    }

    @Test("takes thresholds and pins, tells them before publication, and sends them with the release")
    func qualityAndPins() async throws {
        try await withApp { api, root, token in
            _ = try await api.call("POST", "\(root)/releases", token: token)
            let expiry = api.timekeeper.now.addingTimeInterval(86_400).formatted(.iso8601)
            let change = """
                {"quality":{"cellular":{"excellent":{"kilobitsPerSecondMin":5000}}},
                 "pins":[{"host":"api.example.com","digests":["\(Self.keys[0])","\(Self.keys[1])"],
                    "includesSubdomains":true,"expiresAt":"\(expiry)","isReportOnly":true},
                    {"host":"example.org","digests":["\(Self.keys[1])","\(Self.keys[0])"]}]}
                """
            let app = try await api.call("PATCH", root, json: change, token: token).json
            #expect(app["quality"]["cellular"]["excellent"]["kilobitsPerSecondMin"] == .integer(5_000))
            #expect(app["quality"]["cellular"]["excellent"]["roundTripMillisecondsMax"] == .integer(272))
            let preview = try await api.call("GET", "\(root)/preview", token: token)
            #expect(preview.text.contains("Pins of api.example.com") && preview.text.contains("from 5000 kbit"))
            let release = try await api.call("POST", "\(root)/releases", token: token).json
            #expect(release["pins"] == app["pins"] && release["quality"] == app["quality"])
            let cleared = try await api.call(
                "PATCH", root, json: #"{"pins":null,"quality":{"cellular":null}}"#, token: token
            ).json
            #expect(cleared["pins"] == .array([]))
            #expect(cleared["quality"]["cellular"] == cleared["quality"]["wifi"])
        }
    }

    @Test("refuses what it cannot take, with the place and what is allowed")
    func refusals() async throws {
        try await withApp { api, root, token in
            for (json, status, detail) in [
                (#"{"policy":{"networks":"wifi"}}"#, 400, "/policy/networks: expected one of none, wifiOnly"),
                (#"{"policy":{"wifi":7}}"#, 400, "/policy/wifi: expected an object"),
                (
                    #"{"policy":{"wifi":{"hour":[]}}}"#, 400,
                    "/policy/wifi/hour: unknown member; expected isAllowedOnBattery"
                ),
                (
                    #"{"policy":{"wifi":{"hours":[{"startMinute":0,"endMinute":9},{"startMinute":1440,"endMinute":9}]}}}"#,
                    400, "/policy/wifi/hours/1/startMinute: expected a whole number from 0 to 1439"
                ),
                (#"{"policy":{"wifi":{"hours":["22:00"]}}}"#, 400, "/policy/wifi/hours/0: expected an object"),
                (#"{"policy":{"segments":{"news":{"forced":true}}}}"#, 400, "/policy/segments/news/forced: unknown"),
                (
                    #"{"policy":{"segments":{"none":{}}}}"#, 422,
                    "/policy/segments/none: The app has no segment \"none\""
                ),
                (#"{"policy":{"wifi":{"dailyByteCountMax":5}}}"#, 422, "/policy/wifi/dailyByteCountMax: A daily limit"),
                (
                    #"{"policy":{"segments":{"\#(String(repeating: "n", count: 9_000))":{}}}}"#, 400,
                    "nnn…: expected a segment's name"
                ),
                (#"{"quality":{"wifi":{"great":{}}}}"#, 400, "/quality/wifi/great: unknown member; expected good"),
                (
                    #"{"quality":{"wifi":{"good":{"roundTripMillisecondsMax":1}}}}"#, 422,
                    "/quality/wifi/excellent/roundTripMillisecondsMax: Excellent must not allow"
                ),
                (#"{"pins":{}}"#, 400, "/pins: expected a list"),
                (#"{"pins":[{"digests":[]}]}"#, 400, "/pins/0/host: expected a string"),
                (#"{"pins":[{"host":"a.example"}]}"#, 400, "/pins/0/digests: expected a list"),
                (
                    #"{"pins":[{"host":"a.example","digests":[],"expiresAt":"soon"}]}"#, 400,
                    "/pins/0/expiresAt: expected a date such as"
                ),
                (
                    #"{"pins":[{"host":"a.example","digests":["\#(Self.keys[0])"]}]}"#, 422,
                    "/pins/0/digests: A rule has 2"
                ),
            ] {
                let response = try await api.call("PATCH", root, json: json, token: token)
                #expect(response.status == status, "\(json)")
                let found = try response.problem.detail
                #expect(found.contains(detail), "\(found)")
            }
            let app = try await api.call("GET", root, token: token).json
            #expect(app["policy"]["segments"] == .object([:]) && app["pins"] == .array([]))
        }
    }
}

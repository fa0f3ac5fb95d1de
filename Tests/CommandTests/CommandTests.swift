import Foundation
import HTTPModel
import TestSupport
import Testing

/// The program from the outside.
@Suite("The program larder", .serialized)
struct CommandTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// An origin that answers each path once by network: `/stored` may be kept for an hour.
    private func origin() throws -> RawServer {
        try RawServer { connection in
            while try connection.readHead() != nil {
                try connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: max-age=3600\r\nContent-Length: 5\r\n\r\nhello"
                )
            }
        }
    }

    @Test("explains itself, and every command does")
    func explainsItself() async throws {
        let help = try await Program.run(["--help"], in: directory)
        #expect(help.status == 0)
        let commands = help.output.matches(of: #/(?m)^\x20\x20([a-z]+(?:\x20[a-z]+)*)\x20\x20/#).map {
            String($0.output.1)
        }
        #expect(commands.count >= 20)
        for command in commands {
            let page = try await Program.run(command.split(separator: " ").map(String.init) + ["--help"], in: directory)
            #expect(page.status == 0 && page.output.hasPrefix("Usage: larder \(command)"), "\(command)")
        }
    }

    @Test(
        "says what is wrong with a command line, and where to read on",
        arguments: [
            (["fly"], "there is no command 'fly'"), (["fetch"], "URL is missing"),
            (["fetch", "ftp://x"], "is not an absolute http or https URL"),
            (["fetch", "http://x", "--wings"], "unknown option --wings"),
            (["fetch", "http://x", "--repeat", "many"], "--repeat takes a whole number"),
            (["fetch", "http://x", "--cache-size", "big"], "--cache-size takes a number of bytes"),
            (["proxy", "--targeted-field", "a b"], "--targeted-field takes the name of a field"),
            (["serve", "--port", "99999"], "--port takes a whole number from 0 to 65535"),
            (["proxy", "--listen", "8888"], "--listen takes HOST:PORT"),
            (["proxy", "--listen", "0.0.0.0:0"], "add --allow-remote"),
            (["proxy", "--origin", "example.com"], "--origin takes an http or https URL"),
            (["proxy", "--connect-ports", "443,all"], "--connect-ports takes ports"),
            (["demo"], "--site is missing"), (["cache", "list", "now"], "one argument too many: now"),
            (["admin", "rollback", "zero"], "VERSION is a whole number"),
            (["admin", "settings", "set"], "nothing to change was given"),
            (["admin", "settings", "set", "--wifi-hours", "22-6"], "--wifi-hours takes SPANS or default, not 22-6"),
            (["admin", "settings", "set", "--enabled", "maybe"], "--enabled takes yes|no or default"),
            (["admin", "settings", "set", "--file-mb", "-1"], "--file-mb takes N or default"),
            (["admin", "settings", "set", "--segment", "a", "--downloads", "2"], "--downloads is for the whole app"),
            (["admin", "settings", "set", "--forced", "yes"], "--forced needs --segment"),
            (["admin", "settings", "set", "--clear"], "--clear needs --segment"),
            (["admin", "pins", "set", "a.example", "--expires", "soon"], "--expires takes a date"),
        ])
    func refusesWrongUsage(_ words: [String], _ sentence: String) async throws {
        let result = try await Program.run(words, in: directory)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.errors.contains("--help"))
    }

    @Test("fetches once over the network and then from the device")
    func fetchesOnce() async throws {
        let origin = try origin()
        let cache = directory.path("cache")
        let result = try await Program.run(
            ["fetch", "\(origin.origin)/stored", "--repeat", "3", "--json", "--cache", cache], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        let reports = try result.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(reports.map { $0["outcome"] as? String } == ["miss", "cacheHit", "cacheHit"])
        #expect(reports.dropFirst().allSatisfy { ($0["wireByteCount"] as? Int) == 0 })
        #expect((reports[1]["cacheStatus"] as? String)?.hasPrefix("Larder; hit; ttl=") == true)

        let list = try await Program.run(["cache", "list", "--cache", cache], in: directory)
        #expect(list.output.contains("\(origin.origin)/stored"))
        let show = try await Program.run(
            ["cache", "show", "\(origin.origin)/stored", "--body", "--cache", cache], in: directory)
        #expect(show.output == "hello")
        let explain = try await Program.run(["explain", "\(origin.origin)/stored", "--cache", cache], in: directory)
        #expect(explain.output.contains("Answer from the device") && explain.output.contains("lifetime 3600 s"))
        let verify = try await Program.run(["cache", "verify", "--cache", cache], in: directory)
        #expect(verify.status == 0 && verify.output.contains("all whole"))
        let clear = try await Program.run(["cache", "clear", "--cache", cache], in: directory)
        #expect(clear.output == "1 response removed\n")
        origin.stop()
    }

    @Test("finds and removes a body that was damaged on the disk")
    func repairsTheCache() async throws {
        let origin = try origin()
        let cache = directory.path("cache")
        _ = try await Program.run(["fetch", "\(origin.origin)/stored", "--cache", cache], in: directory)
        let show = try await Program.run(["cache", "show", "\(origin.origin)/stored", "--cache", cache], in: directory)
        #expect(show.output.contains("body in the index"))
        // In place, with as many bytes: only the hash can tell.
        let index = cache + "/store/index.sqlite"
        let place = try #require(try Data(contentsOf: URL(fileURLWithPath: index)).firstRange(of: Data("hello".utf8)))
        let handle = try #require(FileHandle(forWritingAtPath: index))
        try handle.seek(toOffset: UInt64(place.lowerBound))
        try handle.write(contentsOf: Data("HELLO".utf8))
        try handle.close()
        let broken = try await Program.run(["cache", "verify", "--cache", cache], in: directory)
        #expect(broken.status == 1 && broken.output.contains("--repair"))
        let repaired = try await Program.run(["cache", "verify", "--repair", "--cache", cache], in: directory)
        #expect(repaired.status == 0)
        #expect(
            try await Program.run(["cache", "verify", "--cache", cache], in: directory).output.contains("all whole"))
        origin.stop()
    }

    @Test("says which host cannot be reached, and exits with 69")
    func tellsUnreachableHosts() async throws {
        let origin = try origin()
        origin.stop()
        let result = try await Program.run(
            ["fetch", "\(origin.origin)/secret?token=1", "--cache", directory.path("c")], in: directory)
        #expect(result.status == 69)
        #expect(result.errors.contains("127.0.0.1") && !result.errors.contains("token"))
    }

    @Test("serves, administers, and ends in order")
    func servesAndAdministers() async throws {
        let serve = try await RunningProgram(
            ["serve", "--data", directory.path("data"), "--port", "0"],
            environment: ["LARDER_ADMIN_PASSWORD": "a long password"])
        let environment = ["LARDER_SERVER": serve.base, "LARDER_ADMIN_PASSWORD": "a long password"]
        func admin(_ words: String...) async throws -> Program.Result {
            try await Program.run(["admin"] + words, environment: environment, in: directory)
        }
        #expect(try await admin("apps", "create", "News", "--bundle-id", "com.example.news").status == 0)
        let key = try await admin("keys", "create", "first").output.trimmingCharacters(in: .newlines)
        #expect(key.hasPrefix("lk_"))
        #expect(try await admin("segments", "create", "style").status == 0)
        let ingest = try await admin(
            "ingest", "style", "--url", "\(serve.base)/assets/portal.css", "--url", "\(serve.base)/none")
        #expect(ingest.status == 1 && ingest.output.contains("2 URLs fetched, 1 failed"), "\(ingest.errors)")
        #expect(try await admin("items", "style").output.contains("status 404"))
        #expect(try await admin("publish").output.hasPrefix("release 1"))
        let again = try await admin("publish")
        #expect(again.status == 1 && again.errors.contains("larder: "))
        #expect(try await admin("keys", "revoke", key).output.contains("is revoked"))
        let wrong = try await Program.run(
            ["admin", "apps", "list"], environment: environment.merging(["LARDER_ADMIN_PASSWORD": "wrong"]) { $1 },
            in: directory)
        #expect(wrong.status == 1)
        #expect(await serve.stop() == 0)
    }

    @Test("sets what devices do, shows it before publication, and refuses with the server's sentence")
    func setsSettings() async throws {
        let serve = try await RunningProgram(
            ["serve", "--data", directory.path("data"), "--port", "0"],
            environment: ["LARDER_ADMIN_PASSWORD": "a long password"])
        let environment = ["LARDER_SERVER": serve.base, "LARDER_ADMIN_PASSWORD": "a long password"]
        func admin(_ words: String...) async throws -> Program.Result {
            try await Program.run(["admin"] + words, environment: environment, in: directory)
        }
        _ = try await admin("apps", "create", "News", "--bundle-id", "com.example.news")
        _ = try await admin("segments", "create", "style")
        _ = try await admin("ingest", "style", "--url", "\(serve.base)/assets/portal.css")
        #expect(try await admin("publish").output.hasPrefix("release 1"))
        let set = try await admin(
            "settings", "set", "--cellular-hours", "22:00-06:00", "--cellular-daily-mb", "50", "--wifi-quality", "good",
            "--rate-kbits", "800", "--battery-percent", "20")
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.contains("on cellular from 22:00 to 06:00, up to 50 MB a day"))
        let forced = try await admin("settings", "set", "--segment", "style", "--forced", "yes", "--file-mb", "1.5")
        #expect(forced.output.contains("The segment style downloads whatever the network"))
        let keys = [1, 2].map { Data(repeating: $0, count: 32).base64EncodedString() }
        #expect(try await admin("pins", "set", "api.example.com", "--key", keys[0], "--key", keys[1]).status == 0)
        let refused = try await admin("pins", "set", "example.org", "--key", keys[0])
        #expect(refused.status == 1 && refused.errors.contains("/pins/1/digests: A rule has 2 to 10 different keys"))
        let preview = try await admin("preview").output
        #expect(preview.contains("release 2") && preview.contains("Speed limit: none → 800 kbit/s"))
        #expect(preview.contains("Pins of api.example.com: – → enforced, for good, \(keys[0]) \(keys[1])"))
        #expect(try await admin("publish").output.hasPrefix("release 2"))
        #expect(try await admin("preview").output == "nothing would change\n")

        let file = directory.path("change.json")
        try Data(#"{"quality":{"wifi":{"good":{"kilobitsPerSecondMin":300}}}}"#.utf8).write(
            to: URL(fileURLWithPath: file))
        #expect(try await admin("settings", "set", "--file", file, "--rate-kbits", "default").status == 0)
        _ = try await admin("settings", "set", "--segment", "style", "--clear")
        #expect(try await admin("pins", "remove", "api.example.com").status == 0)
        let settings = try await admin("settings").output
        #expect(settings.contains("from 300 kbit/s") && settings.contains(/Speed limit +none/))
        #expect(!settings.contains("style") && !settings.contains("Pins of"))
        #expect(try await admin("pins", "remove", "api.example.com").errors.contains("no rule is for api.example.com"))
        #expect(try await admin("events").status == 0)
        let unknown = try await admin("forget", "dev_none")
        #expect(unknown.status == 1 && unknown.errors.contains("There is no device \"dev_none\""))
        #expect(await serve.stop() == 0)
    }

    @Test(
        "keeps its memory small around a body of 1 GiB: uncached, cached, and served again",
        .enabled(if: CaddyServer.isAvailable))
    func keepsItsMemorySmall() async throws {
        let caddy = try CaddyServer(site: "header Cache-Control max-age=3600\nfile_server")
        let file = caddy.root.appendingPathComponent("large.bin").path
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 1 << 30)
        try handle.close()
        let url = "\(caddy.origin)/large.bin"
        let limit: Int64 = 64 << 20
        for (words, outcome) in [
            (["--header", "Cache-Control: no-store"], "\"outcome\":\"passedThrough\""), ([], "\"outcome\":\"miss\""),
            ([], "\"outcome\":\"cacheHit\""),
        ] {
            let result = try await Program.run(
                ["fetch", url, "--json", "--cache", directory.path("large")] + words, in: directory)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains(outcome), "\(result.output)")
            #expect(result.output.contains("\"bodyByteCount\":1073741824"))
            let peak = try #require(result.output.firstMatch(of: /"peakMemoryByteCount":(\d+)/)).output.1
            #expect(try #require(Int64(peak)) < limit, "\(peak) bytes")
        }
        caddy.stop()
    }

    @Test("shows the main job: every segment item pre-positioned and offline with no byte on the wire")
    func showsTheMainJob() async throws {
        let site = directory.path("site")
        try FileManager.default.createDirectory(atPath: site + "/img", withIntermediateDirectories: true)
        try Data("<html><link rel=\"stylesheet\" href=\"a.css\"><img src=\"img/b.svg\"></html>".utf8)
            .write(to: URL(fileURLWithPath: site + "/index.html"))
        try Data("<html>two</html>".utf8).write(to: URL(fileURLWithPath: site + "/two.html"))
        try Data("body { color: red }".utf8).write(to: URL(fileURLWithPath: site + "/a.css"))
        try Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8).write(
            to: URL(fileURLWithPath: site + "/img/b.svg"))
        let result = try await Program.run(["demo", "--site", site, "--link", "wifi", "--exit"], in: directory)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(result.output.contains("✓ All 4 segment items came pre-positioned and offline"))
        #expect(result.output.contains("Loaded 4 URLs pre-positioned: the SDK counts 0 B on the wire, the link 0 B."))
        #expect(result.output.contains("administrator: admin  password: "))
    }
}

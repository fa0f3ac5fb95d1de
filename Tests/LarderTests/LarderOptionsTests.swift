import Foundation
import Larder
import Primitives
import TestSupport
import Testing

@Suite("An app's options")
struct LarderOptionsTests {
    private func write(_ text: String, to name: String, in directory: TemporaryDirectory) throws -> String {
        let path = directory.path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func list(_ body: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>\(body)</dict></plist>"
    }

    @Test("are read from an Info.plist as apps of 21.80 have it")
    func map() throws {
        let directory = try TemporaryDirectory()
        let path = try write(
            Self.list(
                """
                <key>CFBundleIdentifier</key><string>com.example.news</string>
                <key>com.akamai</key><dict><key>map</key><dict>
                <key>api_key</key><string>123456ABCDEF</string>
                <key>segments</key><array><string>banner_images</string><string>core_files</string></array>
                <key>server_url</key><string>https://larder.example.com</string>
                <key>directory</key><string>/var/cache/news</string>
                </dict></dict>
                """), to: "Aka-Info.plist", in: directory)

        let options = LarderOptions(propertyListPath: path)

        #expect(options.findings == [])
        #expect(options.configuration.apiKey == "123456ABCDEF")
        #expect(options.configuration.initialSegments == ["banner_images", "core_files"])
        #expect(options.configuration.serverURL == "https://larder.example.com")
        #expect(options.configuration.directory == "/var/cache/news")
        #expect(options.configuration.bundleID == "com.example.news")
    }

    @Test("are read from an Info.plist as apps of 2019 have it")
    func vocsdk() throws {
        let options = LarderOptions(propertyList: [
            "com.akamai": [
                "vocsdk": [
                    "license": "L", "segments": ["segment_1"], "server_url": "http://s",
                    "custom_metric": ["ShoppingCart": ["https://a.example/cart/", "https://b.example/cart/"]],
                ],
                "mpulse": [
                    "api_key": "M", "secret_key": "S", "config_url": "https://c.example",
                    "beacon_url": "https://b.example",
                ],
            ]
        ])
        #expect(options.findings == [])
        #expect(options.configuration.apiKey == "L")
        #expect(options.configuration.initialSegments == ["segment_1"])
        #expect(options.customMetrics == ["ShoppingCart": ["https://a.example/cart/", "https://b.example/cart/"]])
        var mPulse = MPulseConfiguration(apiKey: "M")
        (mPulse.secretKey, mPulse.configURL) = ("S", "https://c.example")
        (mPulse.beaconURL, mPulse.customMetrics) = ("https://b.example", options.customMetrics)
        #expect(options.configuration.mPulse == mPulse)
        #expect(LarderOptions(propertyList: [:]).configuration.mPulse == nil)
    }

    @Test("are read from a configuration file beside the list", arguments: ["config.plist", "config.json"])
    func configurationFile(name: String) throws {
        let directory = try TemporaryDirectory()
        _ = try write(
            Self.list("<key>license</key><string>L</string><key>segments</key><array><string>s</string></array>"),
            to: "config.plist", in: directory)
        _ = try write(
            #" { "license": "L", "segments": ["s"], "directory": "/<x>" } "#, to: "config.json", in: directory)
        let path = try write(
            Self.list("<key>com.akamai.vocsdk.config.file</key><string>\(name)</string>"), to: "Info.plist",
            in: directory)
        let options = LarderOptions(["server_url": "http://s"], propertyListPath: path)
        #expect(options.findings == [])
        #expect(options.configuration.apiKey == "L")
        #expect(options.configuration.initialSegments == ["s"])
    }

    @Test("come from the dictionary, then the list, then the file, each key for itself")
    func precedence() throws {
        let directory = try TemporaryDirectory()
        _ = try write(
            #"{"license": "file", "segments": ["file"], "directory": "/file", "server_url": "http://file"}"#,
            to: "config.json", in: directory)
        let list: [String: Any] = [
            "com.akamai.vocsdk.config.file": "config.json",
            "com.akamai": [
                "map": ["api_key": "map", "segments": ["map"], "server_url": "http://map"],
                "vocsdk": ["license": "voc", "custom_metric": ["m": ["http://p"]]],
                "mpulse": ["api_key": "M"],
            ],
        ]
        let options = LarderOptions(
            ["license": "dictionary"], propertyList: list, directories: ["/nowhere", directory.path])
        #expect(options.findings == [])
        #expect(options.configuration.apiKey == "dictionary")
        #expect(options.configuration.initialSegments == ["map"])
        #expect(options.configuration.serverURL == "http://map")
        #expect(options.configuration.directory == "/file")
        #expect(options.customMetrics == ["m": ["http://p"]])
        #expect(LarderOptions(propertyList: list).configuration.apiKey == "map")
    }

    @Test("take sets and lists that Objective-C made")
    func bridged() {
        let options = LarderOptions(
            [
                "api_key": NSString("K"), "segments": NSSet(array: ["a", "b"]), "server_url": "http://s",
                "custom_metric": NSDictionary(dictionary: ["m": NSArray(array: ["http://p"])]),
            ], propertyList: ["com.akamai": ["mpulse": ["api_key": "M"]]])
        #expect(options.findings == [])
        #expect(options.configuration.apiKey == "K")
        #expect(options.configuration.initialSegments == ["a", "b"])
        #expect(options.customMetrics == ["m": ["http://p"]])
    }

    @Test("name every key that is mistyped, and use the rest")
    func mistyped() {
        let options = LarderOptions(
            ["license": 5, 7: "x"],
            propertyList: [
                "com.akamai": [
                    "map": [
                        "api_key": true, "segments": ["a", 1, "", ["b"], "c"], "server_url": "ftp://s",
                        "directory": Data(), "custom_metric": ["m": "http://p", "n": ["http://n", NSNull()]],
                        "apikey": "K",
                    ],
                    "vocsdk": "L", "mpulse": ["api_key": Date(timeIntervalSince1970: 0)],
                ],
                "com.akamai.vocsdk.config.file": 1.5,
            ])
        let map = "the property list: com.akamai → map →"
        let mPulseKey = "the property list: com.akamai → mpulse → api_key"
        let file = "the property list: com.akamai.vocsdk.config.file"
        let string = "expected a string with at least one character"
        let keys = "one of api_key, license, segments, server_url, directory, custom_metric"
        #expect(
            options.findings.map(\.description) == [
                "the options dictionary: license is a number, expected a string with at least one character",
                "the options dictionary: 7 is not a key that is known, expected \(keys)",
                "the property list: com.akamai → vocsdk is a string, expected a dictionary",
                "\(map) api_key is true or false, expected a string with at least one character",
                "\(map) server_url is a string that is no URL, expected an http or https URL",
                "\(map) directory is data, expected a string with at least one character",
                "\(map) segments → item 1 is a number, expected a string with at least one character",
                "\(map) segments → item 2 is an empty string, expected a string with at least one character",
                "\(map) segments → item 3 is an array, expected a string with at least one character",
                "\(map) custom_metric → m is a string, expected an array of strings",
                "\(map) custom_metric → n → item 1 is null, expected a string with at least one character",
                "\(map) apikey is not a key that is known, expected \(keys)",
                "\(mPulseKey) is a date, \(string)",
                "\(file) is a number, \(string)",
            ])
        #expect(options.configuration.initialSegments == ["a", "c"])
        #expect(options.customMetrics == ["n": ["http://n"]])
        #expect(throws: LarderOptionsError(findings: options.findings)) { try options.check() }
    }

    @Test("name what is missing where it belongs")
    func missing() {
        func lines(_ options: [AnyHashable: Any], _ list: [String: Any]) -> [String] {
            LarderOptions(options, propertyList: list).findings.map(\.description)
        }
        let key = "is missing, expected the app's API key from the portal"
        let address = "is missing, expected the server's address, such as https://larder.example.com"
        #expect(
            lines([:], [:]) == [
                "the property list: com.akamai → map → api_key \(key)",
                "the property list: com.akamai → map → server_url \(address)",
            ])
        #expect(
            lines([:], ["com.akamai": ["vocsdk": ["segments": ["s"]]]]) == [
                "the property list: com.akamai → vocsdk → license \(key)",
                "the property list: com.akamai → vocsdk → server_url \(address)",
            ])
        #expect(
            lines(["license": "L"], [:]) == ["the property list: com.akamai → map → server_url \(address)"])
        #expect(
            lines(["license": "L", "server_url": "http://s", "custom_metric": ["m": ["http://p"]]], [:]) == [
                "the property list: com.akamai → mpulse → api_key is missing, "
                    + "expected the app's key at mPulse, which custom_metric needs"
            ])
        #expect(
            lines([:], ["com.akamai": 5]) == ["the property list: com.akamai is a number, expected a dictionary"])
        #expect(
            lines([:], ["com.akamai": ["map": ["api_key": "", "server_url": "http://s"]]]) == [
                "the property list: com.akamai → map → api_key is an empty string, "
                    + "expected a string with at least one character"
            ])
    }

    @Test("of a file that cannot be read are none, in one finding")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        let expected = "a property list or a JSON object of at most 1048576 bytes"
        func line(_ path: String) throws -> String {
            let options = LarderOptions(propertyListPath: path)
            #expect(options.findings.count == 1)
            #expect(options.configuration.apiKey == nil)
            return try #require(options.findings.first).description
        }
        let absent = directory.path("absent.plist")
        #expect(try line(absent) == "\(absent) is missing, expected \(expected)")
        #expect(try line(directory.path) == "\(directory.path) is no file, expected \(expected)")
        #expect(try line("/dev/zero") == "/dev/zero is no file, expected \(expected)")
        let huge = try write(String(repeating: "<", count: 1 << 20 + 1), to: "huge", in: directory)
        #expect(try line(huge) == "\(huge) is a file of 1048577 bytes, expected \(expected)")
        let array = try write("[1]", to: "array", in: directory)
        #expect(try line(array) == "\(array) is no dictionary, expected \(expected)")
        for text in ["", "{", "<plist", String(repeating: "[", count: 1 << 20)] {
            let broken = try write(text, to: "broken", in: directory)
            #expect(try line(broken).hasPrefix("\(broken) is not readable ("))
        }
        let naming = LarderOptions(
            propertyList: ["com.akamai.vocsdk.config.file": "absent.json"], directories: [directory.path])
        #expect(
            naming.findings.first?.description == "\(directory.path)/absent.json is missing, expected \(expected)")
    }

    @Test("have bounded findings")
    func bounded() {
        let segments: [Any] = Array(repeating: 5, count: 1_000)
        let options = LarderOptions(["api_key": "K", "server_url": "http://s", "segments": segments])
        #expect(options.findings.count == 100)
        #expect(options.untoldFindingCount == 900)
    }

    @Test("never trap, whatever bytes the documents hold", arguments: 0..<40 as Range<UInt64>)
    func fuzzed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let list: [String: Any] = [
            "com.akamai": [
                "map": [
                    "api_key": "K", "segments": ["a", "b"], "server_url": "http://s", "custom_metric": ["m": ["p"]],
                ]
            ], "com.akamai.vocsdk.config.file": "options",
        ]
        var documents = [try JSONSerialization.data(withJSONObject: list)]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            documents.append(try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
        }
        for document in documents {
            var bytes = [UInt8](document)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[..<index], at: index)
                }
            }
            let path = directory.path("options")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let options = LarderOptions(propertyListPath: path)
            // Either everything was understood, or something is said about what was not.
            #expect(options.configuration.apiKey != nil || !options.findings.isEmpty)
        }
    }

    @Test("tell a client's log what cannot be used, one line each")
    func logged() throws {
        let directory = try TemporaryDirectory()
        let lines = Locked<[String]>([])
        var options = LarderOptions(["license": 5, "directory": directory.path("larder")])
        options.configuration.log = { line in lines.withLock { $0.append(line) } }
        let client = LarderClient(options: options)
        #expect(client.status.registration == .notRegistered)
        let logged = lines.withLock { $0 }
        for finding in options.findings { #expect(logged.filter { $0 == finding.description }.count == 1) }
    }
}

// swift-tools-version: 6.2
import PackageDescription

/// The one settings array of the house; every Swift target is built with it.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], resources: resources,
        swiftSettings: settings)
}

/// Floors from the bottom up; `ARCHITECTURE.md` has the same table and a test holds the import lines against it.
let package = Package(
    name: "larder",
    products: [
        .library(
            name: "Larder",
            targets: [
                "Larder", "Acceleration", "Prepositioning", "NetworkQuality", "Conditions", "Beacons", "ContentStore",
                "Transport", "HTTPCaching", "HTTPModel", "Wire", "Primitives",
            ]),
        .library(name: "AkaCommon", targets: ["AkaCommon"]),
        .library(name: "AkaMap", targets: ["AkaMap"]),
        .library(name: "VocSdk", targets: ["VocSdk"]),
        .executable(name: "larder", targets: ["LarderCLI"]),
    ],
    targets: [
        // System libraries
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CDispatchQueue"),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CNetlink"),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        // Compiles the sources that Debian's package node-llhttp installs.
        .target(name: "CLlhttp"),

        // Floor 0
        module("Primitives"),
        module("HTTPModel"),
        module("Cryptography", ["COpenSSL"]),
        module("SQLiteDatabase", ["CSQLite", "Primitives"]),
        module(
            "Conditions",
            [
                "Primitives", .target(name: "CEpoll", condition: .when(platforms: [.linux])),
                .target(name: "CNetlink", condition: .when(platforms: [.linux])),
                .target(name: "CDBus", condition: .when(platforms: [.linux])),
            ]),

        // Floor 1
        module("HTTPCaching", ["HTTPModel"]),
        module("Wire", ["Cryptography", "CZstd"]),
        module("ContentStore", ["HTTPModel", "Primitives", "Cryptography", "SQLiteDatabase"]),
        module("Transport", ["HTTPModel", "Primitives", "Cryptography", "CCurl"]),
        module("ControlModel", ["Wire", "Cryptography"]),

        // Floor 2
        module(
            "Acceleration",
            ["HTTPModel", "HTTPCaching", "ContentStore", "Transport", "Wire", "Primitives"]),
        module("Beacons", ["Transport", "Wire", "Cryptography", "HTTPModel", "Primitives"]),
        module("Telemetry", ["HTTPModel", "Wire", "Transport", "SQLiteDatabase", "Primitives"]),
        module(
            "Prepositioning",
            [
                "Conditions", "HTTPModel", "Wire", "ContentStore", "Transport", "Cryptography", "SQLiteDatabase",
                "Primitives",
            ]),
        module("NetworkQuality", ["Conditions", "Transport", "Wire", "Cryptography", "Primitives"]),
        module("HTTPServer", ["HTTPModel", "Wire", "Primitives", "CMicroHTTPD", "CZlib"]),
        module("SQLiteRepository", ["ControlModel", "Wire", "SQLiteDatabase", "Cryptography"]),

        // Floor 3
        module(
            "Interception",
            ["Acceleration", "ContentStore", "HTTPModel", "Transport", "Primitives", "CDispatchQueue"]),
        module(
            "LocalProxy", ["Acceleration", "ContentStore", "HTTPModel", "Transport", "Primitives", "CEpoll", "CLlhttp"]),
        module(
            "ControlPlane",
            ["ControlModel", "HTTPModel", "Wire", "Transport", "Cryptography", "Primitives", "CZlib"]),

        // Floor 4
        module(
            "Larder",
            [
                .target(name: "LocalProxy", condition: .when(platforms: [.linux])), "Interception", "Acceleration",
                "Prepositioning", "NetworkQuality", "Conditions", "Telemetry", "Beacons", "ContentStore", "Transport",
                "HTTPCaching",
                "HTTPModel", "Wire", "Primitives",
            ]),
        module(
            "DeviceAPI",
            ["ControlPlane", "ControlModel", "HTTPServer", "HTTPModel", "Wire", "Cryptography"]),
        module("AdminAPI", ["ControlPlane", "ControlModel", "HTTPServer", "HTTPModel", "Wire", "Primitives"]),
        module(
            "Portal",
            ["ControlPlane", "ControlModel", "HTTPServer", "HTTPModel", "Wire", "Cryptography", "Primitives"]),

        // Floor 5
        module("VocCommon", ["Larder"]),
        module("AkaCommon", ["VocCommon", "Larder"]),
        module("AkaMap", ["VocCommon"]),
        module("VocSdk", ["VocCommon"]),

        // Floor 6: the only place that wires both wings
        .executableTarget(
            name: "LarderCLI",
            dependencies: [
                "Larder", "Portal", "AdminAPI", "DeviceAPI", "ControlPlane", "SQLiteRepository", "HTTPServer",
                "ControlModel", "LocalProxy", "Acceleration", "ContentStore", "Transport", "HTTPCaching", "HTTPModel",
                "Wire", "Cryptography", "Primitives",
            ], swiftSettings: settings),
        .executableTarget(
            name: "SampleApp", dependencies: ["Larder", "Cryptography", "Wire"], swiftSettings: settings),

        // Tests
        .target(
            name: "TestSupport", dependencies: ["Primitives", "HTTPModel"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // A control plane and an origin in memory.
        .target(
            name: "WorldSupport", dependencies: ["Transport", "Cryptography", "HTTPModel", "Wire", "Primitives"],
            path: "Tests/WorldSupport", swiftSettings: settings),
        // Programs that tests kill at random instants.
        .executableTarget(
            name: "StoreSubject", dependencies: ["ContentStore", "HTTPModel", "Primitives"], path: "Tests/StoreSubject",
            swiftSettings: settings),
        .executableTarget(
            name: "PrepositioningSubject",
            dependencies: [
                "Prepositioning", "Telemetry", "ContentStore", "Transport", "HTTPModel", "Wire", "Primitives",
            ],
            path: "Tests/PrepositioningSubject", swiftSettings: settings),
        // A device that a test puts behind an emulated link.
        .executableTarget(
            name: "QualitySubject",
            dependencies: ["NetworkQuality", "Conditions", "Transport", "HTTPModel", "Primitives"],
            path: "Tests/QualitySubject", swiftSettings: settings),
        // The samples of the retired SDK's guides, compiled as an app of their time is: the one exception to the settings of
        // the house. `WebKit` stands in for Apple's.
        .target(name: "WebKit", path: "Tests/WebKit", swiftSettings: settings),
        .executableTarget(
            name: "MapSamples", dependencies: ["AkaCommon", "AkaMap", "VocSdk", "WebKit"], path: "Tests/MapSamples",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // Looks at the network of a namespace that a test makes.
        .executableTarget(
            name: "ConditionsSubject", dependencies: ["Conditions"], path: "Tests/ConditionsSubject",
            swiftSettings: settings),
        .executableTarget(
            name: "TelemetrySubject", dependencies: ["Telemetry", "Primitives", "Wire"],
            path: "Tests/TelemetrySubject", swiftSettings: settings),
        tests("House", []),
        tests("Primitives", ["Primitives"]),
        tests("Conditions", ["Conditions", "ConditionsSubject", "Primitives"]),
        tests("HTTPModel", ["HTTPModel"]),
        tests("Cryptography", ["Cryptography"]),
        tests("HTTPCaching", ["HTTPCaching", "HTTPModel"]),
        tests("SQLiteDatabase", ["SQLiteDatabase", "Primitives"]),
        tests(
            "ContentStore",
            ["ContentStore", "StoreSubject", "SQLiteDatabase", "Cryptography", "HTTPModel", "Primitives"]),
        tests("Wire", ["Wire", "Cryptography"]),
        tests("Transport", ["Transport", "Cryptography", "HTTPModel", "Primitives"]),
        tests(
            "Acceleration",
            ["Acceleration", "ContentStore", "Transport", "HTTPCaching", "HTTPModel", "Wire", "Primitives"]),
        tests(
            "CachingSuite",
            [
                "LocalProxy", "Interception", "Acceleration", "ContentStore", "Transport", "HTTPCaching", "HTTPModel",
                "Primitives",
            ]),
        tests(
            "NetworkQuality",
            ["NetworkQuality", "QualitySubject", "Conditions", "Transport", "HTTPModel", "Wire", "Primitives"]),
        tests("Beacons", ["Beacons", "Transport", "Cryptography", "HTTPModel", "Wire", "Primitives"]),
        tests(
            "Telemetry",
            ["Telemetry", "TelemetrySubject", "SQLiteDatabase", "Transport", "HTTPModel", "Wire", "Primitives"]),
        tests(
            "Prepositioning",
            [
                "Prepositioning", "PrepositioningSubject", "WorldSupport", "Conditions", "Telemetry", "ContentStore",
                "Transport",
                "Cryptography", "HTTPModel", "Wire", "Primitives",
            ]),
        tests(
            "Interception",
            [
                "HTTPCaching", "Interception", "Acceleration", "ContentStore", "Transport", "HTTPModel", "Primitives",
                "Wire",
            ]),
        tests(
            "LocalProxy", ["LocalProxy", "Acceleration", "ContentStore", "Transport", "HTTPModel", "Primitives"]),
        tests("HTTPServer", ["HTTPServer", "HTTPModel", "Transport", "Wire", "Primitives"]),
        tests(
            "ControlPlane",
            [
                "ControlPlane", "SQLiteRepository", "SQLiteDatabase", "ControlModel", "Transport", "Cryptography",
                "HTTPModel", "Wire", "Primitives", "CZlib",
            ]),
        tests(
            "ServerAPI",
            [
                "DeviceAPI", "AdminAPI", "ControlPlane", "SQLiteRepository", "HTTPServer", "Transport",
                "Wire", "Primitives",
            ]),
        tests(
            "Portal",
            [
                "Cryptography",
                "Portal", "ControlPlane", "SQLiteRepository", "HTTPServer", "ControlModel", "Transport", "HTTPModel",
                "Wire", "Primitives",
            ]),
        tests(
            "Larder",
            [
                "Larder", "WorldSupport", "Prepositioning", "Conditions", "Transport", "Cryptography", "HTTPModel",
                "Wire", "Primitives",
            ]),
        tests(
            "MapAPI",
            ["MapSamples", "WebKit", "AkaCommon", "AkaMap", "VocSdk", "VocCommon", "Larder", "LarderCLI", "Primitives"]),
        tests("Command", ["LarderCLI", "SampleApp", "HTTPModel", "Wire", "Primitives"]),
    ]
)

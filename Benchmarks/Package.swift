// swift-tools-version: 6.2
import PackageDescription

/// Measures the hot paths against their peers; a package of its own, so that nobody who uses Larder builds it.
let package = Package(
    name: "larder-benchmarks",
    dependencies: [.package(name: "larder", path: "..")],
    targets: [
        .executableTarget(
            name: "LarderBench", dependencies: [.product(name: "Larder", package: "larder"), "BareCurl"],
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error),
            ]),
        .target(name: "BareCurl", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "LinkEmulator"),
    ]
)

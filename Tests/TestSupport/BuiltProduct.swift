public import Foundation

/// The file of an executable of this package, built beside the running test bundle.
public func builtProduct(named name: String) throws -> URL {
    // The test bundle is an executable in the build directory; so are the package's programs.
    let candidates = [CommandLine.arguments[0], "/proc/self/exe"].map {
        URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent()
    }
    for directory in candidates + Bundle.allBundles.map({ $0.bundleURL.deletingLastPathComponent() }) {
        let url = directory.appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: url.path) { return url }
    }
    throw BuiltProductError(name: name, searched: candidates.map(\.path))
}

/// A program that tests need has not been built.
public struct BuiltProductError: Error, CustomStringConvertible {
    var name: String
    var searched: [String]

    public var description: String { "no executable \(name) in \(searched); is it a dependency of the test target?" }
}

import Conditions
import Cryptography

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is remembered of the networks that the device has used, across restarts.
///
/// A network is named by a digest of its id and a secret of the file, so that nobody can tell from the file where the device was.
struct NetworkMemory: Sendable, Codable, Equatable {
    /// Networks remembered; the one used longest ago gives way.
    static let networkCountMax = 32
    /// Files beyond this are not read.
    private static let byteCountMax = 64 << 10

    private var secret: Data
    private(set) var networks: [String: QualityEstimator.Memory] = [:]

    init(secret: Data = Secrets.randomBytes(16)) { self.secret = secret }

    /// Reads a file; `nil` when there is none.
    /// - Throws: when there is one and it cannot be used.
    static func read(_ path: String) throws -> NetworkMemory? {
        let url = URL(fileURLWithPath: path)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data = try Data(contentsOf: url)
        guard data.count <= byteCountMax else { throw CocoaError(.fileReadTooLarge) }
        return try JSONDecoder().decode(NetworkMemory.self, from: data)
    }

    /// Writes the file, whole or not at all. Makes its directory when it is not there.
    func write(_ path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    subscript(network: DeviceConditions.Network) -> QualityEstimator.Memory? {
        get { networks[name(of: network)] }
        set {
            networks[name(of: network)] = newValue
            guard networks.count > Self.networkCountMax,
                let oldest = networks.min(by: { $0.value.date < $1.value.date })?.key
            else { return }
            networks[oldest] = nil
        }
    }

    private func name(of network: DeviceConditions.Network) -> String {
        let text = "\(network.kind.rawValue)\n\(network.id ?? "")"
        return String(SHA256Digest.of(secret + Data(text.utf8)).hex.prefix(32))
    }
}

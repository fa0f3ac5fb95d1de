#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The one PEM file that libcurl verifies servers with.
///
/// libcurl's GnuTLS flavour caches a parsed bundle when it is a file and the only source. A directory of authorities would be
/// read for every connection, on the loop thread, so none is used.
final class AuthorityBundle: Sendable {
    /// Where systems keep their bundle, the most usual place first.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    let path: String
    /// A file of ours to remove at the end.
    private let ownDirectory: String?

    /// Finds the system's bundle (`SSL_CERT_FILE`, else the usual places) and adds an authority to it when there is one.
    /// Reads and writes files.
    init(authorityFile: String?, environment: [String: String]) throws(TransportError) {
        let files = FileManager.default
        let named = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let system = named ?? Self.systemFiles.first { files.isReadableFile(atPath: $0) }
        guard let authorityFile else {
            guard let system else { throw TransportError(.tlsFailed, "the system has no bundle of authorities") }
            path = system
            ownDirectory = nil
            return
        }
        let directory = files.temporaryDirectory.appendingPathComponent("larder-authorities-\(UUID().uuidString)")
        do {
            var bundle = try Data(contentsOf: URL(fileURLWithPath: authorityFile))
            // A system without a bundle leaves the configured authority alone to trust.
            if let system { bundle += Data("\n".utf8) + (try Data(contentsOf: URL(fileURLWithPath: system))) }
            try files.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let file = directory.appendingPathComponent("bundle.pem")
            try bundle.write(to: file)
            path = file.path
            ownDirectory = directory.path
        } catch {
            throw TransportError(.tlsFailed, "the authorities to trust cannot be read: \(error)")
        }
    }

    deinit {
        // Left behind in the temporary directory when it cannot be removed; it holds public certificates only.
        if let ownDirectory { try? FileManager.default.removeItem(atPath: ownDirectory) }
    }
}

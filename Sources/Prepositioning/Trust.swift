import Cryptography
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decides which documents of the server are believed: signed by a trusted key, and about what was asked for.
struct Trust: Sendable {
    let keys: [SigningKey]

    /// Reads a release.
    /// - Throws: ``DownloadFailure`` with the reason for the refusal.
    func release(_ document: Data, app: String, versionSeen: Int) throws(DownloadFailure) -> (Release, payload: Data) {
        let payload = try payload(document, label: SignedDocument.releaseLabel, name: "release")
        let release = try decode(Release.self, payload, name: "release")
        guard release.app == app else {
            throw refusal("the release is for the app \(release.app), not for \(app)")
        }
        guard release.version >= versionSeen else {
            throw refusal("release \(release.version) is older than release \(versionSeen), which was seen before")
        }
        return (release, payload)
    }

    /// Reads the manifest that a release lists.
    /// - Throws: ``DownloadFailure`` with the reason for the refusal.
    func manifest(
        _ document: Data, of segment: Release.Segment, app: String
    ) throws(DownloadFailure) -> (Manifest, payload: Data) {
        let payload = try payload(document, label: SignedDocument.manifestLabel, name: "manifest")
        let manifest = try decode(Manifest.self, payload, name: "manifest")
        guard manifest.app == app, manifest.segment == segment.name, manifest.version == segment.version else {
            throw refusal(
                "the manifest is for \(manifest.app)/\(manifest.segment)@\(manifest.version), "
                    + "not for \(app)/\(segment.holder)")
        }
        return (manifest, payload)
    }

    private func payload(_ document: Data, label: String, name: String) throws(DownloadFailure) -> Data {
        let signed = try decode(SignedDocument.self, document, name: name)
        do throws(SignedDocumentError) {
            return try signed.verifiedPayload(label: label, keys: keys)
        } catch {
            throw refusal("the \(name) is refused: \(error)")
        }
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, _ data: Data, name: String
    ) throws(DownloadFailure) -> Value {
        do {
            return try WireCoding.decode(type, from: data)
        } catch {
            throw refusal("the \(name) is malformed")
        }
    }

    private func refusal(_ reason: String) -> DownloadFailure { DownloadFailure(reason, isTransient: false) }
}

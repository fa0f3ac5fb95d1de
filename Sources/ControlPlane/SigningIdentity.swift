import ControlModel
import Cryptography
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server's Ed25519 key, with which it signs releases and manifests.
struct SigningIdentity: Sendable {
    /// The setting that holds the 32-byte seed.
    static let settingName = "signing-key"

    private let privateKey: Ed25519PrivateKey
    /// What devices are told to trust.
    let publicKey: SigningKey

    /// Takes a seed; `nil` unless it has 32 bytes.
    init?(seed: Data) {
        guard let key = Ed25519PrivateKey(seed: seed) else { return nil }
        privateKey = key
        let digest = SHA256Digest.of(key.publicKey.rawBytes)
        publicKey = SigningKey(id: String(digest.hex.prefix(16)), publicKey: key.publicKey.rawBytes)
    }

    /// Loads the key from the repository and makes it the first time.
    /// - Throws: ``RepositoryError/unusable(_:)`` when what is stored is no key.
    static func load(from repository: any Repository) async throws -> SigningIdentity {
        if let seed = try await repository.setting(settingName) {
            guard let identity = SigningIdentity(seed: seed) else {
                throw RepositoryError.unusable(
                    "the setting \"\(settingName)\" holds \(seed.count) bytes and no Ed25519 key; restore it from a backup"
                )
            }
            return identity
        }
        let seed = Secrets.randomBytes(32)
        guard let identity = SigningIdentity(seed: seed) else {
            throw RepositoryError.unusable("the cryptography library could not make an Ed25519 key")
        }
        try await repository.setSetting(settingName, to: seed)
        return identity
    }

    /// Encodes and signs a document; the bytes are what devices get.
    func sign(_ document: some Encodable, label: String) throws -> Data {
        let payload = try WireCoding.encode(document)
        guard
            let signed = SignedDocument.signing(payload, label: label, keyID: publicKey.id, key: privateKey)
        else { throw RepositoryError.unusable("the cryptography library could not sign a document") }
        return try WireCoding.encode(signed)
    }
}

import Cryptography
import Foundation
import Testing
import Wire

@Suite struct SignedDocumentTests {
    private let key = Ed25519PrivateKey(seed: Data(repeating: 1, count: 32))!
    private let other = Ed25519PrivateKey(seed: Data(repeating: 2, count: 32))!
    private let payload = Data(#"{"app":"a"}"#.utf8)

    private var trusted: [SigningKey] { [SigningKey(id: "k1", publicKey: key.publicKey.rawBytes)] }

    private func signed(label: String = SignedDocument.manifestLabel) throws -> SignedDocument {
        try #require(SignedDocument.signing(payload, label: label, keyID: "k1", key: key))
    }

    @Test("gives the payload that a trusted key has signed, also after a journey")
    func valid() throws {
        let document = try signed()
        #expect(try document.verifiedPayload(label: SignedDocument.manifestLabel, keys: trusted) == payload)
        let arrived = try WireCoding.decode(SignedDocument.self, from: WireCoding.encode(document))
        #expect(arrived == document)
        #expect(try arrived.verifiedPayload(label: SignedDocument.manifestLabel, keys: trusted) == payload)
    }

    @Test("refuses a payload, a label, a key, an id or a signature that is not the one signed")
    func tampering() throws {
        let document = try signed()
        func refused(_ change: (inout SignedDocument) -> Void, keys: [SigningKey]? = nil) {
            var changed = document
            change(&changed)
            #expect(throws: SignedDocumentError.untrusted(keyIDs: changed.signatures.map(\.keyID))) {
                try changed.verifiedPayload(label: changed.label, keys: keys ?? trusted)
            }
        }
        refused { $0.payload.append(0x20) }
        refused { $0.payload = Data() }
        refused { $0.label = SignedDocument.releaseLabel }
        refused { $0.signatures[0].keyID = "k2" }
        refused { $0.signatures[0].algorithm = "none" }
        refused { $0.signatures[0].value[0] ^= 1 }
        refused { $0.signatures[0].value = Data() }
        refused { $0.signatures = [] }
        refused({ _ in }, keys: [])
        refused({ _ in }, keys: [SigningKey(id: "k1", publicKey: other.publicKey.rawBytes)])
        refused({ _ in }, keys: [SigningKey(id: "k1", publicKey: Data())])
    }

    @Test("takes no document of one kind for another")
    func kinds() throws {
        let document = try signed(label: SignedDocument.releaseLabel)
        #expect(
            throws: SignedDocumentError.wrongKind(
                expected: SignedDocument.manifestLabel, found: SignedDocument.releaseLabel)
        ) {
            try document.verifiedPayload(label: SignedDocument.manifestLabel, keys: trusted)
        }
        #expect("\(SignedDocumentError.wrongKind(expected: "a", found: "b"))" == "a a document was expected and b came")
    }

    @Test("one good signature among others is enough, so that keys can be changed")
    func several() throws {
        var document = try signed()
        let foreign = try #require(SignedDocument.signing(payload, label: document.label, keyID: "k0", key: other))
        document.signatures = foreign.signatures + document.signatures
        #expect(try document.verifiedPayload(label: document.label, keys: trusted) == payload)
    }

    @Test("a label cannot take over the start of the payload")
    func labelBoundary() throws {
        let document = try #require(SignedDocument.signing(Data("b\nc".utf8), label: "a", keyID: "k1", key: key))
        var shifted = document
        shifted.label = "a\nb"
        shifted.payload = Data("c".utf8)
        #expect(throws: SignedDocumentError.self) {
            try shifted.verifiedPayload(label: SignedDocument.manifestLabel, keys: trusted)
        }
    }
}

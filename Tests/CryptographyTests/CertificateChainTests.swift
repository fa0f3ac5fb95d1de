import Cryptography
import Foundation
import TestSupport
import Testing

@Suite struct CertificateChainTests {
    private static let authority = Result { try TestAuthority() }

    @Test("the keys that vouch are those that have signed their way down to the leaf")
    func vouching() throws {
        let authority = try Self.authority.get()
        let identity = try authority.identity("vouching")
        let shown = try TestAuthority.certificates(inFile: identity.chainFile)
        #expect(shown.count == 2)
        let chain = try #require(CertificateChain(shown))
        #expect(chain.shownDigests == [identity.digest, authority.intermediateDigest])
        #expect(chain.vouchingDigests() == [identity.digest, authority.intermediateDigest])
        #expect(
            chain.vouchingDigests(authorityFile: authority.rootFile)
                == [identity.digest, authority.intermediateDigest, authority.rootDigest])
        #expect(chain.vouchingDigests(authorityFile: "/nowhere") == chain.vouchingDigests())
    }

    @Test("a certificate that is merely shown vouches for nothing")
    func strangers() throws {
        let authority = try Self.authority.get()
        let other = try TestAuthority()
        let identity = try authority.identity("shown")
        let stranger = try other.identity("stranger")
        let leaf = try TestAuthority.certificates(inFile: identity.chainFile)[0]
        let shown = [leaf] + (try TestAuthority.certificates(inFile: stranger.chainFile))
        let chain = try #require(CertificateChain(shown))
        #expect(chain.shownDigests == [identity.digest, stranger.digest, other.intermediateDigest])
        #expect(chain.vouchingDigests(authorityFile: other.rootFile) == [identity.digest])
    }

    @Test("a server's own certificate signs no other one")
    func noAuthority() throws {
        let authority = try Self.authority.get()
        let identity = try authority.identity("signer")
        let forged = try authority.identity("forged", signedBy: identity)
        let shown =
            try TestAuthority.certificates(inFile: forged.chainFile).prefix(1)
            + TestAuthority.certificates(inFile: identity.chainFile)
        let chain = try #require(CertificateChain(Array(shown)))
        #expect(chain.vouchingDigests(authorityFile: authority.rootFile) == [forged.digest])
    }

    @Test("bytes that are no certificate are no chain, and are left out of one")
    func malformed() throws {
        let identity = try Self.authority.get().identity("malformed")
        let leaf = try TestAuthority.certificates(inFile: identity.chainFile)[0]
        #expect(CertificateChain([]) == nil)
        #expect(CertificateChain([Data("leaf".utf8), leaf]) == nil)
        let chain = try #require(CertificateChain([leaf, Data(), Data(repeating: 0x30, count: 5_000)]))
        #expect(chain.vouchingDigests() == [identity.digest])
        for count in stride(from: 0, to: leaf.count, by: 11) { #expect(CertificateChain([leaf.prefix(count)]) == nil) }
    }
}

import Cryptography
import Foundation
import Testing

@Suite struct PublicKeyDigestTests {
    /// A self-signed Ed25519 certificate; the pin beside it was made by the openssl command.
    private static let certificate =
        "MIIBRDCB96ADAgECAhRa1p1fzlLq02wbpSwNu4dwgoy1ezAFBgMrZXAwFzEVMBMGA1UEAwwMZXhhbXBsZS50ZXN0MCAXDTI2"
        + "MTEyMTAzMTYzNFoYDzIxMjYxMDI4MDMxNjM0WjAXMRUwEwYDVQQDDAxleGFtcGxlLnRlc3QwKjAFBgMrZXADIQAad0VH0GXy"
        + "0gKUPdFNDcLByuBc9aj3+WwFIHnYRNTXgaNTMFEwHQYDVR0OBBYEFDdRyqEdIUXRm00QeGYmSTU8zAIvMB8GA1UdIwQYMBaA"
        + "FDdRyqEdIUXRm00QeGYmSTU8zAIvMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EARjYnCOrzN70H/6wkgzOHbmL4kuqUc22J"
        + "cr6qSSIIH9mrK0dYDGIzUsI3L0FUeluiJUAyxQAt90ujKutmZvv+CQ=="
    private static let pin = "gBHqpuDgKhueVk8vSwh4gnvwqFCihKLlq1PK/Jh53fo="

    @Test("is the pin of a certificate's public key")
    func pin() throws {
        let der = try #require(Data(base64Encoded: Self.certificate))
        #expect(PublicKeyDigest.base64(ofCertificate: der) == Self.pin)
    }

    @Test("is nothing for what is no certificate, or not all of one")
    func malformed() throws {
        let der = try #require(Data(base64Encoded: Self.certificate))
        #expect(PublicKeyDigest.base64(ofCertificate: Data()) == nil)
        #expect(PublicKeyDigest.base64(ofCertificate: Data("certificate".utf8)) == nil)
        for count in stride(from: 1, to: der.count, by: 7) {
            #expect(PublicKeyDigest.base64(ofCertificate: der.prefix(count)) == nil)
        }
    }
}

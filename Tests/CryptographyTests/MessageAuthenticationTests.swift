import Cryptography
import Foundation
import Testing

@Suite struct MessageAuthenticationTests {
    @Test(
        "gives the codes of RFC 4231",
        arguments: [
            (
                String(repeating: "0b", count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                "4a656665", "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                String(repeating: "aa", count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ])
    func codes(key: String, message: String, code: String) throws {
        let key = try #require(Data(hex: key))
        #expect(MessageAuthentication.hmacSHA256(of: Data(message.utf8), key: key).hex == code)
    }

    @Test("takes an empty key and an empty message")
    func empty() {
        #expect(
            MessageAuthentication.hmacSHA256(of: Data(), key: Data()).hex
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}

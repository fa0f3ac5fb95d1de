#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Certificates as text (RFC 7468).
enum PEM {
    /// The DER bytes of the first certificate in a text; `nil` when there is none.
    static func firstCertificate(in text: String) -> Data? {
        guard let start = text.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let end = text[start.upperBound...].firstRange(of: "-----END CERTIFICATE-----")
        else { return nil }
        return Data(
            base64Encoded: String(text[start.upperBound..<end.lowerBound]), options: .ignoreUnknownCharacters)
    }
}

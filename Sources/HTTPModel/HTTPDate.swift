#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
public enum HTTPDate {
    /// Reads an IMF-fixdate, an RFC 850 date or an asctime date.
    /// - Parameters:
    ///   - text: the field value.
    ///   - now: where a two-digit year is counted from: one more than 50 years ahead is taken as the past century.
    /// - Returns: `nil` for anything else.
    public static func parse(_ text: String, now: Date) -> Date? { fatalError("stub") }

    /// Writes an IMF-fixdate.
    public static func format(_ date: Date) -> String { fatalError("stub") }
}

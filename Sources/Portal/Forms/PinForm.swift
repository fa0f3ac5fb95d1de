import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A pin rule as a form holds it: digests one a line, the last day of the rule.
struct PinForm {
    var host = ""
    var includesSubdomains = false
    var digests = ""
    /// "2027-01-31": the rule ends with that day, UTC; empty for never.
    var expiryDay = ""
    var isReportOnly = true

    /// A rule to be: it begins with report only.
    init() {}

    init(_ rule: PinRule) {
        host = rule.host
        includesSubdomains = rule.includesSubdomains
        digests = rule.digests.joined(separator: "\n")
        expiryDay = rule.expiresAt.map(Self.lastDay) ?? ""
        isReportOnly = rule.isReportOnly
    }

    static var fields: [FormField<PinForm>] {
        [
            .plain("host", \.host), .flag("includesSubdomains", \.includesSubdomains), .plain("digests", \.digests),
            FormField(name: "expiresAt", text: \.expiryDay) { text, form in
                form.expiryDay = text
                return text.isEmpty || Format.endOfDay(text) != nil
                    ? nil : "A day such as 2027-01-31, please. Empty for never."
            },
            .flag("isReportOnly", \.isReportOnly),
        ]
    }

    /// The rule; an expiry that its day does not change stays as it was.
    func rule(replacing stored: PinRule?) -> PinRule {
        let isSameDay = stored?.expiresAt.map(Self.lastDay) == expiryDay
        return PinRule(
            host: host.lowercased(), includesSubdomains: includesSubdomains,
            digests: digests.split(whereSeparator: \.isWhitespace).map(String.init),
            expiresAt: isSameDay ? stored?.expiresAt : Format.endOfDay(expiryDay), isReportOnly: isReportOnly)
    }

    /// The day within which a rule ends: midnight ends the day before it.
    private static func lastDay(_ date: Date) -> String { Format.day(date.addingTimeInterval(-1)) }
}

import Wire

extension ExchangeRecord {
    /// One line for people: what was asked, how it was answered, how long it took.
    var debugLine: String {
        let outcome = [outcome.analyticsName, outcome.rawValue].compactMap { $0 }.joined(separator: " ")
        let failure = errorCode.map { ", \($0)" } ?? ""
        return "\(method) \(url) \(status) \(outcome) \(totalMicroseconds / 1_000) ms "
            + "\(wireByteCount) bytes on the wire\(failure)"
    }
}

/// Counts as people write them in a larger unit, without loss: 1,500,000 bytes are "1.5" megabytes.
public enum UnitText {
    /// The count in units of `unit`, a product of twos and fives, with as many decimals as it takes.
    public static func text(_ count: Int64, per unit: Int64) -> String {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: unit)
        var decimals = "", remainder = rest.magnitude
        while remainder > 0, decimals.count < 18 {
            let (digit, next) = (remainder * 10).quotientAndRemainder(dividingBy: unit.magnitude)
            decimals += String(digit)
            remainder = next
        }
        let sign = count < 0 && whole == 0 ? "-" : ""
        return "\(sign)\(whole)\(decimals.isEmpty ? "" : ".")\(decimals)"
    }

    /// The count that a text in units of `unit` tells; `nil` unless it is a plain decimal number of whole counts that fits.
    public static func count(_ text: String, per unit: Int64) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let whole = Int64(parts[0])
        else { return nil }
        let (scaled, overflows) = whole.multipliedReportingOverflow(by: unit)
        guard !overflows else { return nil }
        guard parts.count == 2 else { return scaled }
        guard (1...9).contains(parts[1].count), let decimals = Int64(parts[1]) else { return nil }
        let scale = parts[1].reduce(into: Int64(1)) { scale, _ in scale *= 10 }
        let (product, tooLarge) = decimals.multipliedReportingOverflow(by: unit)
        guard !tooLarge, product.isMultiple(of: scale) else { return nil }
        let (sum, exceeds) = scaled.addingReportingOverflow(product / scale)
        return exceeds ? nil : sum
    }
}

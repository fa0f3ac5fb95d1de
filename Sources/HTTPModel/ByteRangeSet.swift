/// The value of `Range` with any number of ranges of bytes (RFC 9110, section 14.2).
public struct ByteRangeSet: Sendable, Hashable {
    /// More ranges than anybody needs are an attack (RFC 9110, section 17.15).
    private static let countMax = 100

    /// The ranges as they were asked for, at least one.
    public let ranges: [ByteRange]

    /// Reads a field value; `nil` when it is malformed, has another unit or more than 100 ranges, all of which a recipient
    /// may ignore. Empty list members are passed over.
    public init?(_ text: String) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let unit = text[..<equals], list = text[text.utf8.index(after: equals)...].utf8
        var ranges: [ByteRange] = []
        for member in list.split(separator: UInt8(ascii: ",")) {
            let spec = member.trimmingOptionalWhitespace()
            if spec.isEmpty { continue }
            guard ranges.count < Self.countMax, let range = ByteRange("\(unit)=\(Substring(spec))") else { return nil }
            ranges.append(range)
        }
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
    }

    /// The offsets named in a body of some length, in order, those that overlap or touch as one (RFC 9110,
    /// section 15.3.7.2); empty when none is within the body (416).
    public func resolved(in byteCount: Int64) -> [Range<Int64>] {
        var merged: [Range<Int64>] = []
        for range in ranges.compactMap({ $0.resolved(in: byteCount) }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}

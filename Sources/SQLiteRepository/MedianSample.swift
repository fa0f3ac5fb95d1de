/// The middle of a series in bounded memory: exact up to so many values, beyond that over every second, fourth … value.
struct MedianSample {
    let countMax: Int

    private var values: [Int64] = []
    private var seen = 0
    private var stride = 1

    init(countMax: Int = 100_000) { self.countMax = countMax }

    mutating func add(_ value: Int64) {
        defer { seen += 1 }
        guard seen % stride == 0 else { return }
        if values.count == countMax {
            values = Swift.stride(from: 0, to: values.count, by: 2).map { values[$0] }
            stride *= 2
            guard seen % stride == 0 else { return }
        }
        values.append(value)
    }

    /// The middle value, or the mean of the two in the middle; `nil` without any.
    var median: Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? Double(sorted[middle]) : Double(sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The least value that so many of a hundred stay within; `nil` without any.
    func percentile(_ percent: Int) -> Int64? {
        guard !values.isEmpty else { return nil }
        let rank = (values.count * percent + 99) / 100
        return values.sorted()[min(max(rank, 1), values.count) - 1]
    }
}

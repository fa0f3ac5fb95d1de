import Foundation

/// Samples of one quantity and what they say together: their weighted median.
///
/// A median moves only when half of the samples are new. So that a changed network shows at once, the window watches for a run
/// of samples that are all on one side of it, further off the more convincing (a CUSUM of logarithms): such a run makes what
/// was before it void.
struct SampleWindow: Sendable {
    /// What a sample is that is no measurement but a limit.
    enum Bound: Sendable { case atMost, atLeast }

    private struct Sample {
        var value: Double
        var weight: Double
        var at: Duration
        var signalLevel: Int?
    }

    /// Evidence against the present estimate in one direction.
    private struct Run {
        var evidence = 0.0
        var sampleCount = 0

        mutating func add(_ step: Double) {
            evidence = max(0, evidence + step)
            sampleCount = evidence > 0 ? sampleCount + 1 : 0
        }
    }

    /// Deviations below this, a fifth, are no evidence.
    private static let ignoredDeviation = 0.2
    /// A single sample is never enough: two that are off by a factor of five are, or six that are off by two.
    private static let stepMax = 1.5
    private static let evidenceMax = 2.5
    /// Senders that lose packets or wait make rates look lower than they are: of low rates four times as much is asked for, and
    /// of high ones half more.
    private static let rateEvidenceMax = (rise: 3.75, fall: 10.0)
    /// Where samples vary more than this from one to the next, evidence counts less.
    private static let usualSpread = 0.25
    /// Old samples that weigh less than this no longer outweigh a limit.
    private static let outdatedWeight = 0.5
    private static let discount = 0.02

    private let bound: Bound
    private let parameters: QualityParameters
    private var samples: [Sample] = []
    /// The median as the last change left it, for one signal level.
    private var center: (value: Double?, signalLevel: Int?) = (nil, nil)
    private var rise = Run()
    private var fall = Run()
    /// The tightest limit, for as long as there are no samples.
    private var limit: Double?

    init(_ bound: Bound, _ parameters: QualityParameters) {
        self.bound = bound
        self.parameters = parameters
    }

    /// Adds a measurement. Values that are no positive number are ignored.
    /// - Returns: whether it made what was before it void.
    @discardableResult
    mutating func add(_ value: Double, weight: Double = 1, at uptime: Duration, signalLevel: Int?) -> Bool {
        guard value > 0, value.isFinite, weight > 0, weight.isFinite else { return false }
        var isNewRegime = false
        if let center = median(signalLevel: signalLevel), self.weight(at: samples.last?.at ?? uptime) >= 1.5 {
            isNewRegime = watch(log(value / center))
        }
        samples.append(Sample(value: value, weight: weight, at: uptime, signalLevel: signalLevel))
        if samples.count > parameters.sampleCountMax { samples.removeFirst() }
        center = (Self.median(of: weighted(signalLevel)), signalLevel)
        return isNewRegime
    }

    /// Lets what is known count next to nothing beside what comes: another quantity says that the network has changed.
    mutating func discount() {
        for index in samples.indices { samples[index].weight *= Self.discount }
    }

    /// Adds a limit: the quantity is at most, or at least, the value. It counts as a measurement when it contradicts them.
    /// - Parameter standsIn: whether it stands in for measurements while there are none.
    mutating func add(limit value: Double, standsIn: Bool = true, at uptime: Duration, signalLevel: Int?) {
        guard value > 0, value.isFinite else { return }
        guard let center = median(signalLevel: signalLevel) else {
            guard standsIn else { return }
            limit = limit.map { bound == .atMost ? min($0, value) : max($0, value) } ?? value
            return
        }
        let contradicts = bound == .atMost ? value < center : value > center
        if contradicts || standsIn && weight(at: uptime) < Self.outdatedWeight {
            add(value, at: uptime, signalLevel: signalLevel)
        }
    }

    /// The weighted median, or the tightest limit without samples.
    func estimate(signalLevel: Int?) -> Double? { median(signalLevel: signalLevel) ?? limit }

    /// How many new samples those at hand are worth at a time.
    func weight(at uptime: Duration) -> Double {
        samples.reduce(0) { $0 + $1.weight * aged(uptime - $1.at) }
    }

    /// How far samples are from the median, as the standard deviation of their logarithms would say it.
    func spread(signalLevel: Int?) -> Double {
        guard let center = median(signalLevel: signalLevel) else { return 0 }
        let deviations = weighted(signalLevel).map { (abs(log($0.value / center)), $0.weight) }
        return 1.4826 * (Self.median(of: deviations) ?? 0)
    }

    // MARK: - What the samples say

    private mutating func watch(_ deviation: Double) -> Bool {
        // What is no evidence anyway need not be held against the spread, which takes two sorts.
        let isSmall = abs(deviation) <= Self.ignoredDeviation
        let scale = isSmall ? 1 : max(1, spread(signalLevel: nil) / Self.usualSpread)
        let step = min(max(deviation / scale, -Self.stepMax), Self.stepMax)
        rise.add(step - Self.ignoredDeviation)
        fall.add(-step - Self.ignoredDeviation)
        let isRise = rise.evidence > fall.evidence
        let run = isRise ? rise : fall
        let rateEvidenceMax = isRise ? Self.rateEvidenceMax.rise : Self.rateEvidenceMax.fall
        guard run.evidence > (bound == .atMost ? Self.evidenceMax : rateEvidenceMax) else { return false }
        // The run's last sample is about to be added.
        samples.removeFirst(max(0, samples.count - (run.sampleCount - 1)))
        (rise, fall) = (Run(), Run())
        return true
    }

    private func median(signalLevel: Int?) -> Double? {
        center.signalLevel == signalLevel ? center.value : Self.median(of: weighted(signalLevel))
    }

    private func weighted(_ signalLevel: Int?) -> [(value: Double, weight: Double)] {
        guard let newest = samples.last?.at else { return [] }
        return samples.map { sample in
            var weight = sample.weight * aged(newest - sample.at)
            if let signalLevel, let then = sample.signalLevel {
                weight *= pow(parameters.signalFactor, Double(abs(signalLevel - then)))
            }
            return (sample.value, weight)
        }
    }

    private func aged(_ age: Duration) -> Double { exp2(-max(0, age / parameters.halfLife)) }

    /// The first value whose weight, with that of all smaller ones, is half of the whole.
    private static func median(of values: [(value: Double, weight: Double)]) -> Double? {
        let half = values.reduce(0) { $0 + $1.weight } / 2
        var sum = 0.0
        let sorted = values.sorted { $0.value < $1.value }
        for (value, weight) in sorted {
            sum += weight
            if sum >= half { return value }
        }
        return sorted.last?.value
    }
}

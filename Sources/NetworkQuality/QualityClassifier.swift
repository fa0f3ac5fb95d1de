import Wire

/// Puts numbers into classes, and leaves a class only when they are clearly outside of it.
struct QualityClassifier: Sendable {
    /// The class in force.
    private(set) var current: QualityClass?
    private let margin: Double

    init(margin: Double) { self.margin = margin }

    /// The class of a network: the best one whose limits it meets. Those of better classes than the one in force are narrower by
    /// the margin, those of the others wider.
    /// - Parameter bytesPerSecond: `nil` when not known, in which case round trips alone decide.
    mutating func classify(
        roundTrip: Duration, bytesPerSecond: Double?, _ classes: QualityThresholds.Classes
    ) -> QualityClass {
        let fits = { [self] (quality: QualityClass, limits: QualityThresholds.Limits) in
            let slack = current.map { quality > $0 ? 1 / margin : margin } ?? 1
            return roundTrip / .milliseconds(1) <= Double(limits.roundTripMillisecondsMax) * slack
                && (bytesPerSecond.map { $0 / 125 >= Double(limits.kilobitsPerSecondMin) / slack } ?? true)
        }
        let found: QualityClass =
            fits(.excellent, classes.excellent) ? .excellent : fits(.good, classes.good) ? .good : .poor
        current = found
        return found
    }

    /// Forgets the class in force: the next one is decided without a margin.
    mutating func reset() { current = nil }
}

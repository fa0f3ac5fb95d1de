import TestSupport
import Testing
import Wire

@testable import NetworkQuality

@Suite("Classes of quality")
struct QualityClassifierTests {
    private static let classes = QualityThresholds.Classes()

    private func fresh(_ milliseconds: Int, _ kilobits: Double?) -> QualityClass {
        var classifier = QualityClassifier(margin: 1.2)
        return classifier.classify(
            roundTrip: .milliseconds(milliseconds), bytesPerSecond: kilobits.map { $0 * 125 }, Self.classes)
    }

    @Test("the best class whose two limits are met; round trips alone decide where nothing else is known")
    func limits() {
        #expect(fresh(272, 2_000) == .excellent)
        #expect(fresh(273, 2_000) == .good)
        #expect(fresh(272, 1_999) == .good)
        #expect(fresh(1_420, 150) == .good)
        #expect(fresh(1_421, 150_000) == .poor)
        #expect(fresh(1, 149) == .poor)
        #expect(fresh(272, nil) == .excellent)
        #expect(fresh(1_421, nil) == .poor)
    }

    @Test("a class is left only for numbers a fifth outside of it")
    func margin() {
        var classifier = QualityClassifier(margin: 1.2)
        var found: [QualityClass] = []
        for milliseconds in [272, 300, 326, 327, 300, 272, 230, 227, 226, 300] {
            found.append(
                classifier.classify(
                    roundTrip: .milliseconds(milliseconds), bytesPerSecond: 1e6, Self.classes))
        }
        #expect(
            found.map(\.rawValue).joined(separator: " ")
                == "excellent excellent excellent good good good good good excellent excellent")
        found = []
        classifier.reset()
        for kilobits in [2_000, 1_700, 1_660, 2_100, 2_390, 2_410, 1_700] as [Double] {
            found.append(
                classifier.classify(roundTrip: .zero, bytesPerSecond: kilobits * 125, Self.classes))
        }
        #expect(
            found.map(\.rawValue).joined(separator: " ")
                == "excellent excellent good good good excellent excellent")
    }

    @Test("better numbers are never in a worse class, with any limits and any class in force")
    func monotony() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            var classes = QualityThresholds.Classes()
            for path in [\QualityThresholds.Classes.good, \.excellent] {
                classes[keyPath: path] = .init(
                    roundTripMillisecondsMax: .random(in: -10...3_000, using: &generator),
                    kilobitsPerSecondMin: .random(in: -10...3_000, using: &generator))
            }
            var classifier = QualityClassifier(margin: 1.2)
            _ = classifier.classify(
                roundTrip: .milliseconds(Int.random(in: 0...3_000, using: &generator)),
                bytesPerSecond: .random(in: 0...400_000, using: &generator), classes)
            let milliseconds = Int.random(in: 0...3_000, using: &generator)
            let rate = Double.random(in: 0...400_000, using: &generator)
            var (worse, better) = (classifier, classifier)
            let low = worse.classify(roundTrip: .milliseconds(milliseconds), bytesPerSecond: rate, classes)
            let high = better.classify(
                roundTrip: .milliseconds(milliseconds) * Double.random(in: 0...1, using: &generator),
                bytesPerSecond: rate * .random(in: 1...9, using: &generator), classes)
            #expect(high >= low)
        }
    }
}

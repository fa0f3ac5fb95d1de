import Testing

@testable import NetworkQuality

@Suite("The window of samples")
struct SampleWindowTests {
    private func window(_ bound: SampleWindow.Bound = .atMost, _ values: [Double] = []) -> SampleWindow {
        var window = SampleWindow(bound, QualityParameters())
        for (index, value) in values.enumerated() { window.add(value, at: .seconds(index), signalLevel: nil) }
        return window
    }

    @Test("it says the median, whatever a few outliers say")
    func median() {
        #expect(window().estimate(signalLevel: nil) == nil)
        #expect(window(.atMost, [5]).estimate(signalLevel: nil) == 5)
        #expect(window(.atMost, [5, 6, 500, 5, 6, 4, 900, 5]).estimate(signalLevel: nil) == 5)
    }

    @Test("after its half-life a sample counts half")
    func recency() {
        var window = window()
        for _ in 0..<3 { window.add(10, at: .zero, signalLevel: nil) }
        window.add(11, at: .seconds(120), signalLevel: nil)
        window.add(11, at: .seconds(120), signalLevel: nil)
        #expect(window.estimate(signalLevel: nil) == 11)
        #expect(abs(window.weight(at: .seconds(120)) - 2.75) < 1e-9)
        #expect(abs(window.weight(at: .seconds(180)) - 1.375) < 1e-9)
    }

    @Test("samples of the present signal level count more")
    func signal() {
        var window = window()
        for _ in 0..<3 { window.add(10, at: .zero, signalLevel: 4) }
        for _ in 0..<2 { window.add(11, at: .zero, signalLevel: 1) }
        #expect(window.estimate(signalLevel: 4) == 10)
        #expect(window.estimate(signalLevel: 1) == 11)
        #expect(window.estimate(signalLevel: nil) == 10)
    }

    @Test(
        "the further off a run of samples, the sooner it takes over",
        arguments: [(10.0, 2), (5.6, 2), (3.0, 3), (2.0, 6), (1.5, 13)])
    func changes(factor: Double, count: Int) {
        for direction in [factor, 1 / factor] {
            // Half of the window would take a hundred samples.
            var window = SampleWindow(.atMost, QualityParameters())
            for _ in 0..<100 { window.add(1, at: .zero, signalLevel: nil) }
            var needed = 0
            while window.estimate(signalLevel: nil) == 1, needed < 100 {
                window.add(direction, at: .zero, signalLevel: nil)
                needed += 1
            }
            #expect(needed == count, "\(direction)")
        }
    }

    @Test("no single sample changes anything, and deviations of a fifth never count as a change")
    func steadiness() {
        var window = window(.atMost, Array(repeating: 1, count: 30))
        window.add(1e9, at: .seconds(31), signalLevel: nil)
        window.add(1, at: .seconds(32), signalLevel: nil)
        window.add(1e-9, at: .seconds(33), signalLevel: nil)
        #expect(window.estimate(signalLevel: nil) == 1)
        var other = SampleWindow(.atMost, QualityParameters())
        for _ in 0..<100 { other.add(1, at: .zero, signalLevel: nil) }
        for _ in 0..<40 { other.add(1.2, at: .zero, signalLevel: nil) }
        #expect(other.estimate(signalLevel: nil) == 1)
    }

    @Test("a limit stands in for samples, and counts among them only where it contradicts them")
    func limits() {
        var trips = window(.atMost)
        trips.add(limit: 9, at: .zero, signalLevel: nil)
        trips.add(limit: 7, at: .zero, signalLevel: nil)
        trips.add(limit: 8, at: .zero, signalLevel: nil)
        #expect(trips.estimate(signalLevel: nil) == 7)
        trips.add(3, at: .zero, signalLevel: nil)
        trips.add(limit: 8, at: .zero, signalLevel: nil)
        #expect(trips.estimate(signalLevel: nil) == 3)
        #expect(trips.weight(at: .zero) == 1)
        trips.add(limit: 2, at: .zero, signalLevel: nil)
        #expect(trips.weight(at: .zero) == 2)
        var rates = window(.atLeast)
        rates.add(limit: 9, at: .zero, signalLevel: nil)
        rates.add(limit: 11, at: .zero, signalLevel: nil)
        #expect(rates.estimate(signalLevel: nil) == 11)
        rates.add(20, at: .zero, signalLevel: nil)
        rates.add(limit: 11, at: .zero, signalLevel: nil)
        #expect(rates.weight(at: .zero) == 1)
    }

    @Test("samples that are no positive number are ignored")
    func nonsense() {
        var window = window(.atMost, [5])
        for value in [0, -1, Double.nan, Double.infinity, -Double.infinity] {
            window.add(value, at: .zero, signalLevel: nil)
            window.add(limit: value, at: .zero, signalLevel: nil)
            window.add(1, weight: value, at: .zero, signalLevel: nil)
        }
        #expect(window.estimate(signalLevel: nil) == 5)
    }
}

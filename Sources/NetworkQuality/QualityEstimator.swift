public import Conditions
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Estimates a network's quality from what the device's own exchanges show; a pure value.
///
/// Round trips are the waits for responses, without the origin's own work as far as the connection tells; throughput is the rate
/// at which bytes came while they came. `docs/network-quality.md` has the whole.
public struct QualityEstimator: Sendable {
    /// What is known of a network for the next time that it is used.
    public struct Memory: Sendable, Hashable, Codable {
        public var roundTripSeconds: Double
        public var bytesPerSecond: Double?
        public var date: Date

        /// Creates a value.
        public init(roundTripSeconds: Double, bytesPerSecond: Double?, date: Date) {
            self.roundTripSeconds = roundTripSeconds
            self.bytesPerSecond = bytesPerSecond
            self.date = date
        }
    }

    /// What it hears.
    public enum Event: Sendable {
        case answered(TransferAnswer)
        case arrived(TransferArrival)
        /// No response is on its way any more.
        case fellSilent
        /// Another network is used from now on; or the first one.
        case entered(DeviceConditions.Network, remembered: Memory?)
        /// The network is the same, its signal is not.
        case signalChanged(Int?)
        case thresholdsChanged(QualityThresholds)
    }

    private let parameters: QualityParameters
    private var thresholds = QualityThresholds()
    private var network = DeviceConditions.Network(.other)
    private var enteredAt = Duration.zero
    private var roundTrips: SampleWindow
    private var throughputs: SampleWindow
    private var trains = ArrivalTrains()
    private var classifier: QualityClassifier
    private var answerCount = 0
    private var isRemembered = false
    private var hasMeasured = false
    private var lastSampleAt: Duration?
    private var latestRoundTrip: Duration?

    /// Starts without knowing anything.
    public init(parameters: QualityParameters = QualityParameters()) {
        self.parameters = parameters
        roundTrips = SampleWindow(.atMost, parameters)
        throughputs = SampleWindow(.atLeast, parameters)
        classifier = QualityClassifier(margin: parameters.margin)
    }

    /// What is worth remembering of the network in use; `nil` when nothing was measured in it.
    public func memory(date: Date) -> Memory? {
        guard answerCount > 0, network.kind != .none, let roundTrip else { return nil }
        return Memory(roundTripSeconds: roundTrip / .seconds(1), bytesPerSecond: bytesPerSecond, date: date)
    }

    /// Takes what happened; any order and any values will do.
    public mutating func handle(_ event: Event, at uptime: Duration) {
        switch event {
        case .answered(let answer): take(answer)
        case .arrived(let arrival):
            guard arrival.uptime >= enteredAt else { return }
            // The latest one shows sooner than the estimate that a link has become slower.
            let longest = [roundTrip, latestRoundTrip].compactMap(\.self).max()
            take(trains.take(arrival, roundTrip: longest), at: arrival.uptime)
        case .fellSilent: take(trains.end(), at: uptime)
        case .entered(let network, let memory): enter(network, memory, at: uptime)
        case .signalChanged(let level): network.signalLevel = level
        case .thresholdsChanged(let thresholds):
            guard thresholds != self.thresholds else { return }
            self.thresholds = thresholds
            classifier.reset()
        }
    }

    /// The estimate as it stands.
    public mutating func estimate(at uptime: Duration, date: Date) -> QualityEstimate {
        let age = lastSampleAt.map { max(.zero, uptime - $0) } ?? .zero
        return QualityEstimate(
            status: status(), date: date.addingTimeInterval(-(age / .seconds(1))), roundTrip: roundTrip,
            bytesPerSecond: bytesPerSecond, confidence: confidence(at: uptime))
    }

    // MARK: - Samples

    private mutating func take(_ answer: TransferAnswer) {
        // What began on another network says nothing of this one.
        guard answer.sentAt >= enteredAt, answer.wait > .zero else { return }
        let seconds = min(answer.wait, answer.way.longestRoundTrip ?? answer.wait) / .seconds(1)
        let end = answer.sentAt + answer.wait
        if isLoaded(answer) {
            roundTrips.add(limit: seconds, at: end, signalLevel: network.signalLevel)
        } else {
            let isOtherLink = roundTrips.add(seconds, at: end, signalLevel: network.signalLevel)
            if isOtherLink { throughputs.discount() }
        }
        latestRoundTrip = .seconds(seconds)
        answerCount += 1
        noteSample(at: end)
    }

    private mutating func take(_ rate: ArrivalTrains.Rate?, at uptime: Duration) {
        guard let rate else { return }
        if rate.isLimit {
            throughputs.add(
                limit: rate.bytesPerSecond, standsIn: rate.isTelling, at: uptime, signalLevel: network.signalLevel)
        } else {
            throughputs.add(rate.bytesPerSecond, weight: rate.weight, at: uptime, signalLevel: network.signalLevel)
        }
        noteSample(at: uptime)
    }

    private mutating func noteSample(at uptime: Duration) {
        lastSampleAt = max(lastSampleAt ?? uptime, uptime)
        hasMeasured = true
    }

    private func isLoaded(_ answer: TransferAnswer) -> Bool {
        guard answer.otherByteCount > 0 else { return false }
        guard let bytesPerSecond else { return answer.otherByteCount > parameters.loadedByteCount }
        return Double(answer.otherByteCount) > parameters.loadedShare * bytesPerSecond * (answer.wait / .seconds(1))
    }

    private mutating func enter(_ network: DeviceConditions.Network, _ memory: Memory?, at uptime: Duration) {
        self.network = network
        enteredAt = uptime
        roundTrips = SampleWindow(.atMost, parameters)
        throughputs = SampleWindow(.atLeast, parameters)
        trains = ArrivalTrains()
        classifier.reset()
        answerCount = 0
        (lastSampleAt, latestRoundTrip) = (nil, nil)
        isRemembered = memory != nil && network.kind != .none
        guard let memory, isRemembered else { return }
        let weight = parameters.memoryWeight
        roundTrips.add(memory.roundTripSeconds, weight: weight, at: uptime, signalLevel: nil)
        guard let bytesPerSecond = memory.bytesPerSecond else { return }
        throughputs.add(bytesPerSecond, weight: weight, at: uptime, signalLevel: nil)
    }

    // MARK: - What they say

    private var roundTrip: Duration? { roundTrips.estimate(signalLevel: network.signalLevel).map { .seconds($0) } }
    private var bytesPerSecond: Double? { throughputs.estimate(signalLevel: network.signalLevel) }

    private mutating func status() -> QualityStatus {
        // Where something answers there is a network, whatever the system says; servers on this machine do without.
        guard network.kind != .none || answerCount > 0 else { return .unknown }
        guard let roundTrip, classifier.current != nil || isRemembered || isEnough else {
            return hasMeasured ? .unknown : .notReady
        }
        let classes = network.kind == .cellular ? thresholds.cellular : thresholds.wifi
        switch classifier.classify(roundTrip: roundTrip, bytesPerSecond: bytesPerSecond, classes) {
        case .poor: return .poor
        case .good: return .good
        case .excellent: return .excellent
        }
    }

    private var isEnough: Bool {
        let weight = lastSampleAt.map(throughputs.weight(at:)) ?? 0
        return answerCount >= parameters.answerCountWithoutThroughput
            || (answerCount >= parameters.answerCountMin && weight >= parameters.throughputWeightMin)
    }

    /// Much when there are many samples, new ones, and they agree.
    private func confidence(at uptime: Duration) -> Double {
        let parts = [roundTrips, throughputs].map { window in
            let weight = window.weight(at: uptime)
            return weight / (weight + 2) / (1 + window.spread(signalLevel: network.signalLevel))
        }
        return parts.reduce(0, +) / Double(parts.count)
    }
}

extension TransferAnswer.Way {
    /// Beyond it a wait is the origin's own work: half more than the handshake took, or where TCP itself would give an
    /// acknowledgement up for lost (RFC 6298, section 2). `nil` when nothing is known.
    var longestRoundTrip: Duration? {
        switch self {
        case .unknown: nil
        case .handshake(let duration): duration * 1.5
        case .kernel(let smoothed, let deviation): smoothed + deviation * 4
        }
    }
}

/// The numbers behind the estimate. `docs/network-quality.md` has the reasons.
public struct QualityParameters: Sendable {
    /// After so long a sample counts half of a new one.
    public var halfLife = Duration.seconds(60)
    /// Samples kept of each quantity; the oldest go first.
    public var sampleCountMax = 100
    /// What a sample taken at another signal level counts, for each of the five levels between.
    public var signalFactor = 0.8
    /// How far outside of a class's limits a network must be to leave the class: a fifth.
    public var margin = 1.2
    /// Answers before a network that is not remembered gets a class.
    public var answerCountMin = 3
    /// Answers before a network gets a class by its round trips alone, because no response was long enough to tell more.
    public var answerCountWithoutThroughput = 10
    /// The throughput samples that a class needs, in units of a full sample.
    public var throughputWeightMin = 0.25
    /// A wait counts as loaded, and says only how long a round trip is at most, when other responses had this share of the link
    /// meanwhile.
    public var loadedShare = 0.1
    /// The same when the link's rate is not known yet.
    public var loadedByteCount = 8 << 10
    /// What a remembered network's numbers count beside new samples.
    public var memoryWeight = 3.0

    /// The defaults.
    public init() {}
}

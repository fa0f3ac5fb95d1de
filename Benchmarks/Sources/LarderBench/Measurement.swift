import Foundation

/// One row of a table: what a peer took for one operation.
struct Measurement {
    var name: String
    /// Median of the rounds, in microseconds.
    var median: Double
    /// A tenth of the rounds took less, in microseconds.
    var best: Double
}

/// Measures peers side by side: they take turns, so that a slow minute of the machine hits all of them.
struct Contest {
    /// A peer: a name, and so many operations at a time.
    struct Peer {
        var name: String
        /// It runs one of so many operations of a round.
        var share: Int
        /// Runs operations and says what they took.
        var run: (_ operations: Int) async throws -> Duration
    }

    let title: String
    /// Operations timed together in a round.
    let operations: Int
    let rounds: Int
    private(set) var peers: [Peer] = []

    init(_ title: String, operations: Int, rounds: Int) {
        self.title = title
        self.operations = operations
        self.rounds = rounds
    }

    /// Adds a peer by one operation of it.
    mutating func add(_ name: String, _ run: @escaping () async throws -> Void) {
        addTimed(name) { operations in
            let start = ContinuousClock.now
            for _ in 0..<operations { try await run() }
            return ContinuousClock.now - start
        }
    }

    /// Adds a peer that runs many operations by itself, such as a program of its own.
    /// - Parameter share: how many times fewer operations it runs, being so much slower than the others.
    mutating func addTimed(
        _ name: String, share: Int = 1, _ run: @escaping (_ operations: Int) async throws -> Duration
    ) {
        peers.append(Peer(name: name, share: share, run: run))
    }

    func measure() async throws -> [Measurement] {
        var samples = Array(repeating: [Double](), count: peers.count)
        for peer in peers { _ = try await peer.run(max(1, operations / peer.share)) }
        for _ in 0..<rounds {
            for (index, peer) in peers.enumerated() {
                let count = max(1, operations / peer.share)
                samples[index].append(try await peer.run(count).microseconds / Double(count))
            }
        }
        return zip(peers, samples).map { peer, samples in
            let sorted = samples.sorted()
            return Measurement(name: peer.name, median: sorted[sorted.count / 2], best: sorted[sorted.count / 10])
        }
    }

    /// Measures and adds a table; ratios are to the first peer.
    @discardableResult
    func report(to report: Report) async throws -> [Measurement] {
        let rows = try await measure()
        guard let floor = rows.first else { return [] }
        report.table(
            title, columns: ["median µs", "best decile µs", "ratio of medians"],
            rows: rows.map { row in
                [row.name] + [row.median, row.best, row.median / floor.median].map(Report.figure)
            })
        return rows
    }
}

extension Duration {
    /// The duration in microseconds.
    var microseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12 }
}

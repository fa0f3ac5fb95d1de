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
    /// A peer: a name and one operation.
    struct Peer {
        var name: String
        var run: () async throws -> Void
    }

    var title: String
    var peers: [Peer] = []
    var rounds = 40
    /// Operations timed together in a round.
    var operations: Int

    init(_ title: String, operations: Int) {
        self.title = title
        self.operations = operations
    }

    mutating func add(_ name: String, _ run: @escaping () async throws -> Void) {
        peers.append(Peer(name: name, run: run))
    }

    func measure() async throws -> [Measurement] {
        var samples = Array(repeating: [Double](), count: peers.count)
        for peer in peers { for _ in 0..<operations { try await peer.run() } }
        for _ in 0..<rounds {
            for (index, peer) in peers.enumerated() {
                let start = ContinuousClock.now
                for _ in 0..<operations { try await peer.run() }
                let elapsed = (ContinuousClock.now - start).components
                let microseconds = Double(elapsed.seconds) * 1e6 + Double(elapsed.attoseconds) / 1e12
                samples[index].append(microseconds / Double(operations))
            }
        }
        return zip(peers, samples).map { peer, samples in
            let sorted = samples.sorted()
            return Measurement(name: peer.name, median: sorted[sorted.count / 2], best: sorted[sorted.count / 10])
        }
    }

    /// Measures and prints a Markdown table; ratios are to the first peer.
    func printTable() async throws {
        let rows = try await measure()
        guard let floor = rows.first else { return }
        print("\n### \(title)\n")
        print("| | median µs | best decile µs | ratio of medians |")
        print("| --- | ---: | ---: | ---: |")
        for row in rows {
            let figures = [row.median, row.best, row.median / floor.median].map { String(format: "%.2f", $0) }
            print("| \(row.name) | \(figures.joined(separator: " | ")) |")
        }
    }
}

import Conditions
import NetworkQuality
import Transport
import Wire

extension Services {
    /// Makes requests connect anew when the device has come into another network: over the old connections nothing comes.
    func startWatchingNetwork() -> Task<Void, Never> {
        let transport = transport as? CurlTransport
        // Looked at and listened to before the task begins, so that no change goes unseen.
        let (first, changes) = (conditions.conditions.network, conditions.changes())
        return Task {
            var last = first
            for await network in changes.map(\.network) {
                if network.kind != .none, (last.kind, last.id) != (network.kind, network.id) {
                    transport?.networkDidChange()
                }
                last = network
            }
        }
    }

    /// Keeps the estimate of the network's quality going, and tells pre-positioning of it.
    func startWatchingQuality() -> [Task<Void, Never>] {
        [
            Task { [quality] in await quality.run() },
            Task { [self] in for await estimate in quality.estimates() { noteQuality(estimate.status.qualityClass) } },
        ]
    }
}

extension QualityStatus {
    /// The class that is meant; `nil` when none is known.
    var qualityClass: QualityClass? {
        switch self {
        case .notReady, .unknown: nil
        case .poor: .poor
        case .good: .good
        case .excellent: .excellent
        }
    }
}

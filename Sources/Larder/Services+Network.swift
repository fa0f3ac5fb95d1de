import Conditions
import NetworkQuality
import Transport
import Wire

extension Services {
    /// Makes requests connect anew when the device has come into another network: over the old connections nothing comes.
    func startWatchingNetwork() -> Task<Void, Never> {
        let (conditions, transport) = (conditions, transport as? CurlTransport)
        return Task {
            var last: DeviceConditions.Network?
            for await network in conditions.changes().map(\.network) {
                if let last, network.kind != .none, (last.kind, last.id) != (network.kind, network.id) {
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

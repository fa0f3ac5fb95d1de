import Conditions
import Transport

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
}

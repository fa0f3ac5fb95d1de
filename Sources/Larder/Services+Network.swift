import Conditions
import Transport

extension Services {
    /// Makes requests connect anew when the device has come into another network: over the old connections nothing comes.
    func startWatchingNetwork() -> Task<Void, Never> {
        let transport = transport as? CurlTransport
        // Begun before the task, so that no change falls between the two.
        let changes = conditions.changes()
        return Task {
            var last: DeviceConditions.Network?
            for await network in changes.map(\.network) {
                if let last, network.kind != .none, (last.kind, last.id) != (network.kind, network.id) {
                    transport?.networkDidChange()
                }
                last = network
            }
        }
    }
}

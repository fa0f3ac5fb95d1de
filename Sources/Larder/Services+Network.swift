import Conditions
import Transport

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
}

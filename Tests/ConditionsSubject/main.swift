import Conditions
import Foundation

// Tells the network of the namespace that it runs in, a line at a time, until it is killed.
var places = SystemPlaces()
places.busAddress = nil
let source = SystemConditions(places: places)
for await conditions in source.changes() {
    let network = conditions.network
    let cost = network.isMetered ? "metered" : "free"
    FileHandle.standardOutput.write(Data("\(network.kind.rawValue) \(cost) \(network.id ?? "-")\n".utf8))
}

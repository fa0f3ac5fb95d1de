import Larder

let larder = LarderClient(configuration: LarderConfiguration(bundleID: "com.example.app"))

for await conditions in larder.conditionChanges() {
    print(conditions.network.kind, conditions.network.isMetered, conditions.power.batteryPercent ?? 100)
}

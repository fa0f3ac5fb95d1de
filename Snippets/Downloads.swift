import Larder

let larder = LarderClient(configuration: .init(bundleID: "com.example.app"))

larder.changeSettings { settings in
    settings.downloads.networks = .wifiOnly
    settings.downloads.dailyWifiByteCountMax = 500_000_000
}
print(larder.policyBlockers, larder.dataUsage.wifiByteCount)

for await change in larder.itemChanges() where change.kind == .downloaded {
    print(change.items.map(\.url))  // readable by now
}

switch await larder.performBackgroundWork(within: .seconds(25)) {
case .newContent: print("something came")
case .nothingNew: print("everything is on the device")
case .failed: print("the next sync goes on where this one stopped")
}

try await larder.register(apiKey: "0123456789ABCDEF", segments: ["basics"])
try await larder.unregister()

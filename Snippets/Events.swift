import Larder

let larder = LarderClient(configuration: .init(bundleID: "com.example.app"))

larder.logEvent("tapped home button")    // a moment

larder.startEvent("open article")        // a span: its time, and the requests that began in it
// … load and show the article …
larder.stopEvent("open article")

let counters = larder.counters
print("\(counters.fromDeviceCount) of \(counters.requestCount) requests were answered from the device")
larder.clearCounters()

print(await larder.sendTelemetry())      // "analytics: 12 records sent in 1 batch", or why they wait

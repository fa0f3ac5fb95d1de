import Larder

let larder = LarderClient(configuration: .init(bundleID: "com.example.app"))

#if os(Linux)
let proxy = try larder.startProxy()
print(proxy.url?.string ?? "")           // such as http://127.0.0.1:40123/, to be set as the web view's HTTP proxy

await proxy.stop()                       // before larder.shutDown()
#endif

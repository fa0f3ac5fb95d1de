import Larder

let larder = LarderClient(configuration: .init(
    serverURL: "https://larder.example.com", apiKey: "lk_…", bundleID: "com.example.app"))
larder.intercept(.shared)
larder.subscribe(to: ["news", "images"])

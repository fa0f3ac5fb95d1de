import Larder

var configuration = LarderConfiguration(bundleID: "com.example.app")

var mPulse = MPulseConfiguration(apiKey: "ABCDE-FGHIJ-KLMNO-PQRST-UVWXY")
mPulse.secretKey = "…"                   // when the app at mPulse asks for signed questions
mPulse.customMetrics = ["ShoppingCart": ["https://www.example.com/cart/"]]
configuration.mPulse = mPulse

let larder = LarderClient(configuration: configuration)

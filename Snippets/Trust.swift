import Foundation
import Larder

let larder = LarderClient(configuration: .init(bundleID: "com.example.app"))

let pinnedCertificate = try Data(contentsOf: URL(fileURLWithPath: "staging.der"))

larder.setTrustEvaluator { question in
    // question.originalRequest is what the app asked for, question.currentRequest what is about to be sent.
    guard question.trust.host == "staging.example.com" else { return .useSystem }
    // The chain as DER, leaf first; systemFailure says what the system holds against it.
    return question.trust.certificates.first == pinnedCertificate ? .accept : .reject
}

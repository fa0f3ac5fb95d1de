import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What mPulse says of an app: the answer of `config.json` (mPulse Beacon API, version 2).
struct BeaconDocument: Sendable, Equatable {
    /// Absolute, or without a scheme.
    var beaconURL: String
    /// What every beacon repeats: the key, the domain, the anti-forgery token and its time.
    var key: String
    var domain: String?
    var token: String?
    var tokenTime: String?
    var siteDomain: String?
    var sessionID: String?
    /// The app has sent too much: nothing is to be sent until the next document says otherwise.
    var isRateLimited = false
    /// The labels that beacons carry, by the names that people gave; `nil` when every name is its own label.
    var metricLabels: [String: String]?
    var timerLabels: [String: String]?

    /// What stands in for a document where a collector has none.
    init(beaconURL: String, key: String) {
        self.beaconURL = beaconURL
        self.key = key
    }
}

extension BeaconDocument: Decodable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private struct Definition: Decodable {
        var name: String
        var label: String
    }

    /// A text, a number or a Boolean, as a beacon would carry it.
    private struct Scalar: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // A try that fails says only that the value is of another type; the last one tells the failure.
            if let text = try? container.decode(String.self) {
                self.text = text
            } else if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else if let flag = try? container.decode(Bool.self) {
                text = flag ? "true" : "false"
            } else {
                text = String(try container.decode(Double.self))
            }
        }
    }

    /// Needs `beacon_url` and `h.key`; whatever else is missing or of another type counts as not given.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: String) -> String? {
            // What is of another type has no meaning here, and must not cost the rest.
            (try? container.decodeIfPresent(Scalar.self, forKey: Key(key)))?.text
        }
        self.init(
            beaconURL: try container.decode(String.self, forKey: Key("beacon_url")),
            key: try container.decode(Scalar.self, forKey: Key("h.key")).text)
        (domain, token, tokenTime) = (text("h.d"), text("h.cr"), text("h.t"))
        (siteDomain, sessionID) = (text("site_domain"), text("session_id"))
        isRateLimited = ["true", "1"].contains(text("rate_limited"))
        // Definitions of another shape count as not given, and must not cost the rest.
        let parameters = try? container.nestedContainer(keyedBy: Key.self, forKey: Key("PageParams"))
        func labels(_ key: String) -> [String: String] {
            let found = (try? parameters?.decodeIfPresent([Definition].self, forKey: Key(key))) ?? []
            return Dictionary(found.map { ($0.name, $0.label) }, uniquingKeysWith: { first, _ in first })
        }
        (metricLabels, timerLabels) = (labels("customMetrics"), labels("customTimers"))
    }
}

import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport

/// A beacon as a collector reads it: strictly, so that anything out of form is an error.
struct ReadBeacon: Sendable {
    struct Malformed: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    var method: String
    var fields: [String: String]

    subscript(_ name: String) -> String? { fields[name] }

    /// Reads a request to a collector: GET with everything in a URL of 2,000 bytes at most, else POST of a form.
    init(_ request: ScriptedOrigin.Request, origin: String) throws {
        method = request.method
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        switch request.method {
        case "GET":
            guard parts.count == 2 else { throw Malformed("a GET without a query") }
            guard (origin + request.target).utf8.count <= 2_000 else { throw Malformed("a GET that is too long") }
            guard request.body.isEmpty else { throw Malformed("a GET with a body") }
            fields = try Self.form(String(parts[1]))
        case "POST":
            guard request.fields[.contentType] == "application/x-www-form-urlencoded" else {
                throw Malformed("a POST that is no form")
            }
            let form = String(decoding: request.body, as: UTF8.self)
            let whole = origin + request.target + (parts.count == 2 ? "&" : "?") + form
            guard whole.utf8.count > 2_000 else { throw Malformed("a POST of what a GET could carry") }
            fields = try Self.form(form)
        default: throw Malformed("neither GET nor POST")
        }
    }

    static func form(_ text: String) throws -> [String: String] {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
            let halves = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard halves.count == 2 else { throw Malformed("\(pair) is no name=value") }
            guard pair.wholeMatch(of: /[A-Za-z0-9._~%=-]*/) != nil else { throw Malformed("\(pair) is not escaped") }
            guard let name = String(halves[0]).removingPercentEncoding, !name.isEmpty,
                let value = String(halves[1]).removingPercentEncoding
            else { throw Malformed("\(pair) is escaped wrongly") }
            guard fields.updateValue(value, forKey: name) == nil else { throw Malformed("\(name) comes twice") }
        }
        return fields
    }

    /// The timers of `t_other`, in milliseconds by label.
    func timers() throws -> [String: Int] {
        var timers: [String: Int] = [:]
        for entry in (fields["t_other"] ?? "").split(separator: ",") {
            let halves = entry.split(separator: "|", omittingEmptySubsequences: false)
            guard halves.count == 2, let time = Int(halves[1]) else { throw Malformed("\(entry) is no timer") }
            timers[String(halves[0])] = time
        }
        return timers
    }

    func number(_ name: String) throws -> Int {
        guard let number = fields[name].flatMap({ Int($0) }) else { throw Malformed("\(name) is no number") }
        return number
    }
}

/// What mPulse's servers are to a device: a configuration document, and a place for beacons.
final class BeaconRecorder: Sendable {
    private struct State {
        var document: @Sendable (_ count: Int) -> String = { _ in "{}" }
        var documentCount = 0
        var documentQueries: [[String: String]] = []
        var statuses: [Int] = []
        var beacons: [ReadBeacon] = []
        var problems: [String] = []
    }

    private let state = Locked(State())
    private let server: Locked<ScriptedOrigin?> = Locked(nil)

    /// - Parameter secret: what questions for the document must be signed with.
    init(secret: String? = nil) throws {
        let state = state
        let address = Locked("")
        let server = try ScriptedOrigin { request in
            if request.target.hasPrefix("/api/v2/config.json?") {
                return try Self.document(for: request, secret: secret, state)
            }
            do {
                let beacon = try ReadBeacon(request, origin: address.withLock { $0 })
                let status = state.withLock { state in
                    let status = state.statuses.isEmpty ? 204 : state.statuses.removeFirst()
                    if status == 204 { state.beacons.append(beacon) }
                    return status
                }
                return .init("", status: status)
            } catch {
                state.withLock { $0.problems.append("\(error): \(request.target)") }
                return .init("", status: 204)
            }
        }
        address.withLock { $0 = server.origin }
        self.server.withLock { $0 = server }
    }

    private static func document(
        for request: ScriptedOrigin.Request, secret: String?, _ state: Locked<State>
    ) throws -> ScriptedOrigin.Response {
        let query = try ReadBeacon.form(String(request.target.drop { $0 != "?" }.dropFirst()))
        if let secret {
            let message = "key=\(query["key"] ?? "")&t=\(query["t"] ?? "")"
            let code = MessageAuthentication.hmacSHA256(of: Data(message.utf8), key: Data(secret.utf8)).hex
            if query["s"] != code { return .init("", status: 403) }
        }
        return .init(
            state.withLock { state in
                state.documentQueries.append(query)
                state.documentCount += 1
                return state.document(state.documentCount)
            }, [.contentType: "application/json"])
    }

    var origin: String { server.withLock { $0?.origin ?? "" } }
    var configURL: String { origin + "/api/v2/config.json" }
    /// The beacons that were taken.
    var beacons: [ReadBeacon] { state.withLock { $0.beacons } }
    /// What was out of form.
    var problems: [String] { state.withLock { $0.problems } }
    /// The queries of the questions for the document.
    var documentQueries: [[String: String]] { state.withLock { $0.documentQueries } }

    /// Says what the document is, by how often it has been asked for.
    func serve(_ document: @escaping @Sendable (_ count: Int) -> String) {
        state.withLock { $0.document = document }
    }

    /// Says what the next beacons are answered with; 204 after that.
    func answer(_ statuses: [Int]) { state.withLock { $0.statuses = statuses } }

    /// Returns when so many beacons have been taken.
    func wait(for count: Int) async -> [ReadBeacon] {
        while beacons.count < count, problems.isEmpty { await Task.yield() }
        return beacons
    }
}

/// The document as mPulse writes it.
func document(token: String = "crumb", rateLimited: Bool = false, labels: [String: String] = [:]) -> String {
    let all = ["ShoppingCart": "custom0", "Checkout": "custom1", "Event Name": "timer0", "inner": "timer1"]
    let labels = all.merging(labels) { $1 }
    func definitions(_ prefix: String) -> String {
        labels.filter { $0.value.hasPrefix(prefix) }
            .map { #"{"name":"\#($0.key)","type":"x","label":"\#($0.value)"}"# }.joined(separator: ",")
    }
    return """
        {"h.key":"KEY-1","h.d":"app.example","h.t":1767225600123,"h.cr":"\(token)","session_id":"session-9",
        "site_domain":"site.example","beacon_url":"/beacon/","rate_limited":\(rateLimited),
        "PageParams":{"customMetrics":[\(definitions("custom"))],"customTimers":[\(definitions("timer"))],
        "customDimensions":[]},"BW":{"enabled":false}}
        """
}

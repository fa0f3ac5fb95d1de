import HTTPModel
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a beacon in Boomerang's format, in order.
struct BeaconForm: Sendable, Equatable {
    /// The longest URL of a beacon that is sent with GET, in bytes.
    static let urlByteCountMax = 2_000

    private(set) var fields: [(name: String, value: String)] = []

    static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    /// Adds a field; one without a value is left out.
    mutating func add(_ name: String, _ value: String?) {
        if let value { fields.append((name, value)) }
    }

    mutating func add(_ name: String, _ value: Int64) { fields.append((name, String(value))) }

    func contains(_ name: String) -> Bool { fields.contains { $0.name == name } }

    /// `name=value&…`, everything but unreserved characters escaped (RFC 3986, section 2.3).
    var text: String { fields.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&") }

    /// A GET with the fields in the query while the URL is short enough, else a POST of the form.
    /// - Returns: `nil` when the address makes no URL.
    func request(to address: HTTPURL) -> TransportRequest? {
        let whole = address.string + (address.string.contains("?") ? "&" : "?") + text
        if whole.utf8.count <= Self.urlByteCountMax {
            return HTTPURL(whole).map { TransportRequest(HTTPRequest(url: $0)) }
        }
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        return TransportRequest(
            HTTPRequest(method: .post, url: address, fields: type), body: .data(Data(text.utf8)))
    }

    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension BeaconForm {
    /// Why a beacon has no form.
    enum Refusal: Error, Hashable, CustomStringConvertible {
        /// mPulse does not know the name.
        case undefined(kind: String, name: String)
        /// The label is one of the beacon's own fields.
        case reserved(String)

        var description: String {
            switch self {
            case .undefined(let kind, let name):
                "mPulse has no custom \(kind) of the name \"\(name)\": define it there, or it is not sent"
            case .reserved(let label):
                "\"\(label)\" is the name of a field of every beacon: the metric is not sent"
            }
        }
    }

    /// The form of a beacon.
    init(_ beacon: Beacon, _ document: BeaconDocument, _ session: BeaconSession) throws(Refusal) {
        let time = beacon.date.epochMilliseconds
        switch beacon.content {
        case .timer(let name, let milliseconds):
            let label = try Self.label(name, "timer", document.timerLabels)
            addHead(of: beacon, document, session)
            // The list's own separators would make another timer of it.
            let safe = String(label.map { $0 == "," || $0 == "|" ? "_" : $0 })
            add("t_other", "\(safe)|\(milliseconds)")
        case .metric(let name, let value):
            let label = try Self.label(name, "metric", document.metricLabels)
            addHead(of: beacon, document, session)
            guard !contains(label), !Self.reserved.contains(label) else { throw .reserved(label) }
            add(label, Int64(value))
        case .request(let request):
            add(request, at: time, document, session)
            add("xhr.pg", beacon.pageGroup)
        }
        addIdentity(document, session)
    }

    private static let reserved: Set<String> = [
        "d", "h.key", "h.d", "h.cr", "h.t", "h.pg", "h.ab", "rt.si", "rt.ss", "rt.sl", "t_other", "t_done", "u", "v",
    ]

    private static func label(
        _ name: String, _ kind: String, _ labels: [String: String]?
    ) throws(Refusal) -> String {
        guard let labels else { return name }
        guard let label = labels[name] else { throw .undefined(kind: kind, name: name) }
        return label
    }

    /// What beacons of the Beacon API begin with.
    private mutating func addHead(of beacon: Beacon, _ document: BeaconDocument, _ session: BeaconSession) {
        add("h.pg", beacon.pageGroup)
        add("rt.tstart", beacon.date.epochMilliseconds)
        add("rt.end", beacon.date.epochMilliseconds)
        add("http.initiator", "api")
        add("rt.start", "api")
        add("api", 1)
        add("api.v", 2)
        add("api.l", "larder")
        add("api.lv", session.version)
    }

    /// What the beacon of an XMLHttpRequest says.
    private mutating func add(
        _ request: Beacon.Request, at time: Int64, _ document: BeaconDocument, _ session: BeaconSession
    ) {
        let first = min(request.firstByteMilliseconds, request.totalMilliseconds)
        add("v", session.version)
        add("u", request.url)
        add("pid", session.pageID)
        add("n", Int64(session.beaconCount))
        add("http.initiator", "xhr")
        add("rt.start", "manual")
        add("rt.tstart", time)
        add("rt.end", time + request.totalMilliseconds)
        add("t_done", request.totalMilliseconds)
        add("t_resp", first)
        add("t_page", request.totalMilliseconds - first)
        if request.method != "GET" { add("http.method", request.method) }
        if request.status != 200 { add("http.errno", Int64(request.status)) }
    }

    /// Whose beacon it is.
    private mutating func addIdentity(_ document: BeaconDocument, _ session: BeaconSession) {
        add("d", document.siteDomain ?? session.domain)
        add("h.key", document.key)
        add("h.d", document.domain)
        add("h.cr", document.token)
        add("h.t", document.tokenTime)
        add("rt.si", session.id)
        add("rt.ss", session.start.epochMilliseconds)
        add("rt.sl", Int64(session.length))
    }
}

extension Date {
    /// Since 1970-01-01T00:00:00Z; total on any date.
    var epochMilliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? 0 }
}

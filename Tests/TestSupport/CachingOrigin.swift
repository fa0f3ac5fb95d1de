public import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the origin of a caching case sends.
public struct CachingOriginAnswer: Sendable {
    public var response: HTTPResponse
    public var text: String
    /// The connection is lost after these bytes.
    public var isBroken = false
    /// The content coding that was taken off the body.
    public var coding: String?

    /// Creates an answer that came as it is.
    public init(response: HTTPResponse, text: String, isBroken: Bool = false, coding: String? = nil) {
        self.response = response
        self.text = text
        self.isBroken = isBroken
        self.coding = coding
    }
}

extension CachingExchange {
    /// A whole of ten bytes, for the cases about parts.
    public static let digits = "0123456789"

    /// What the origin answers; `nil` when it cannot be reached.
    /// - Parameter position: the exchange's position in its case, which the body tells unless the case has one of its own.
    public func originAnswer(to request: HTTPRequest, position: Int) -> CachingOriginAnswer? {
        let now = CachingCase.start + time
        var byteCountMax: Int?
        var response: HTTPResponse
        switch origin {
        case .isUnreachable: return nil
        case .answersUndated(let status, let fields): response = HTTPResponse(status: status, fields: fields)
        case .answers(let status, let fields): response = HTTPResponse(status: status, fields: fields)
        case .breaksOff(let status, let fields, let byteCount):
            response = HTTPResponse(status: status, fields: fields)
            byteCountMax = byteCount
        }
        if case .answersUndated = origin {
        } else if !response.fields.contains(.date) {
            response.fields.append(.date, HTTPDate.format(now))
        }
        var text = text(of: response, position: position)
        if request.method == .head || response.status == 304 || response.status == 204 { text = "" }
        if let byteCountMax { text = String(text.prefix(byteCountMax)) }
        return CachingOriginAnswer(response: response, text: text, isBroken: byteCountMax != nil, coding: coding)
    }

    private func text(of response: HTTPResponse, position: Int) -> String {
        if response.status == 206, let content = response.fields[.contentRange].flatMap({ ContentRange($0) }),
            let range = content.range
        {
            let whole = sends ?? Self.digits
            return String(whole.dropFirst(Int(range.lowerBound)).prefix(range.count))
        }
        let text = sends ?? Self.text(position)
        guard let length = response.fields[.contentLength].flatMap({ Int($0) }), 0...1_000 ~= length else {
            return text
        }
        return String((text + String(repeating: ".", count: length)).prefix(length))
    }

    /// The body of the exchange at a position of its case.
    public static func text(_ position: Int) -> String { "exchange \(position)" }
}

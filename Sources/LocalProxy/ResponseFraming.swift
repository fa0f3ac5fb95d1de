import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the body of a response ends (RFC 9112, section 6.3).
enum ResponseFraming: Equatable {
    /// There is none, whatever the fields say.
    case none
    case length(Int64)
    case chunked
    /// With the connection, for clients that know no chunks.
    case close

    /// The framing towards a client.
    /// - Parameter storedByteCount: the length of a body that comes whole from the store.
    init(
        of response: HTTPResponse, to method: HTTPMethod, isHTTP10: Bool, storedByteCount: Int64? = nil
    ) {
        if method == .head || response.status == 204 || response.status == 304 || response.status < 200 {
            self = .none
        } else if let byteCount = storedByteCount ?? Self.declaredByteCount(response.fields) {
            self = .length(byteCount)
        } else {
            self = isHTTP10 ? .close : .chunked
        }
    }

    /// The length that the fields declare, when they declare one.
    static func declaredByteCount(_ fields: HTTPFields) -> Int64? {
        var declared: Int64?
        for field in fields {
            if field.name == .transferEncoding { return nil }
            guard field.name == .contentLength else { continue }
            guard let byteCount = Int64(field.value), byteCount >= 0, declared == nil || declared == byteCount else {
                return nil
            }
            declared = byteCount
        }
        return declared
    }
}

/// Writes the heads of responses.
struct ResponseHeadWriter {
    let viaValue: String
    private var dateLine = ""
    private var dateSecond = Int.min

    init(name: String) { viaValue = "1.1 \(name)" }

    /// The `Date` line of a moment, made once a second.
    mutating func dateLine(at date: Date) -> String {
        let second = Int(date.timeIntervalSince1970)
        if second != dateSecond { (dateSecond, dateLine) = (second, "Date: \(HTTPDate.format(date))\r\n") }
        return dateLine
    }

    /// Writes a final head: the fields in their order without those for the hop before, then this hop's own.
    mutating func write(
        _ response: HTTPResponse, framing: ResponseFraming, keepsAlive: Bool, isHTTP10: Bool, now: () -> Date,
        into buffer: inout ByteBuffer
    ) {
        Self.writeStatus(response.status, into: &buffer)
        let nominated = HopFields.nominated(by: response.fields)
        var hasDate = false
        for field in response.fields {
            if HopFields.isForThisHop(field.name) {
                // Where no body follows, the length tells of the body that GET would have.
                guard framing == .none, field.name == .contentLength, response.status != 204 else { continue }
            } else if !nominated.isEmpty, nominated.contains(field.name) {
                continue
            }
            if field.name == .date { hasDate = true }
            Self.write(field, into: &buffer)
        }
        if !hasDate { buffer.append(dateLine(at: now())) }
        buffer.append("Via: ")
        buffer.append(viaValue)
        switch framing {
        case .none, .close: buffer.append("\r\n")
        case .length(let byteCount):
            buffer.append("\r\nContent-Length: ")
            buffer.append(decimal: byteCount)
            buffer.append("\r\n")
        case .chunked: buffer.append("\r\nTransfer-Encoding: chunked\r\n")
        }
        if !keepsAlive {
            buffer.append("Connection: close\r\n")
        } else if isHTTP10 {
            buffer.append("Connection: keep-alive\r\n")
        }
        buffer.append("\r\n")
    }

    /// Writes an interim head (RFC 9110, section 15.2).
    static func write(interim response: HTTPResponse, into buffer: inout ByteBuffer) {
        writeStatus(response.status, into: &buffer)
        let nominated = HopFields.nominated(by: response.fields)
        for field in response.fields where !HopFields.isForThisHop(field.name) && !nominated.contains(field.name) {
            write(field, into: &buffer)
        }
        buffer.append("\r\n")
    }

    static func write(_ field: HTTPFields.Field, into buffer: inout ByteBuffer) {
        buffer.append(field.name.rawName)
        buffer.append(": ")
        buffer.append(fieldValue: field.value)
        buffer.append("\r\n")
    }

    private static func writeStatus(_ status: Int, into buffer: inout ByteBuffer) {
        buffer.append("HTTP/1.1 ")
        buffer.append(decimal: Int64(status))
        buffer.append(" ")
        buffer.append(StatusText.of(status))
        buffer.append("\r\n")
    }
}

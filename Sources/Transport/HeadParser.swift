import HTTPModel

/// Puts the lines that libcurl's header callback gives together to heads: interim ones, the final one, trailers.
///
/// libcurl has parsed and checked the message; this keeps what it says in order, duplicates included.
struct HeadParser {
    /// What a line completed.
    enum Event {
        case nothing
        case final(HTTPResponse)
    }

    private enum Place {
        case beforeStatus, inHead, afterHead
    }

    /// The most interim responses kept; later ones are dropped.
    static let interimMax = 32

    private(set) var interim: [HTTPResponse] = []
    private(set) var trailers = HTTPFields()
    private var place = Place.beforeStatus
    private var status = 0
    private var lines: [HTTPFields.Field] = []

    /// Takes one line with its line end.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Event {
        let line = Self.text(bytes)
        switch place {
        case .beforeStatus:
            if let status = Self.status(of: line) { begin(status) }
        case .inHead:
            if line.isEmpty { return endHead() }
            Self.add(line, to: &lines)
        case .afterHead:
            // A second final head, as an authentication retry within libcurl would give, replaces nothing: the first
            // one has been handed out.
            var fields = Array(trailers)
            Self.add(line, to: &fields)
            trailers = HTTPFields(fields)
        }
        return .nothing
    }

    private mutating func begin(_ status: Int) {
        self.status = status
        lines = []
        place = .inHead
    }

    private mutating func endHead() -> Event {
        let response = HTTPResponse(status: status, fields: HTTPFields(lines))
        guard status < 200 else {
            place = .afterHead
            return .final(response)
        }
        if interim.count < Self.interimMax { interim.append(response) }
        place = .beforeStatus
        return .nothing
    }

    /// The code of a status line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
    private static func status(of line: String) -> Int? {
        guard line.hasPrefix("HTTP/") else { return nil }
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        return parts.count > 1 ? Int(parts[1]) : nil
    }

    private static func add(_ line: String, to fields: inout [HTTPFields.Field]) {
        if line.first == " " || line.first == "\t" {
            // A folded line (RFC 9112, section 5.2) continues the value before it.
            guard let last = fields.popLast() else { return }
            fields.append(HTTPFields.Field(last.name, last.value + " " + line))
            return
        }
        guard let colon = line.firstIndex(of: ":"), let name = HTTPFieldName(line[..<colon]) else { return }
        fields.append(HTTPFields.Field(name, String(line[line.index(after: colon)...])))
    }

    /// A line without its end.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        var end = bytes.count
        while end > 0, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return FieldText.text(of: bytes[..<end])
    }
}

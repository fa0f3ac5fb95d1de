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
        let line = Self.withoutLineEnd(bytes)
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

    // MARK: - Bytes

    private static let space = UInt8(ascii: " "), tab = UInt8(ascii: "\t")

    /// The code of a status line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
    private static func status(of line: UnsafeRawBufferPointer) -> Int? {
        guard line.starts(with: "HTTP/".utf8), let end = line.firstIndex(of: space) else { return nil }
        return Int(text(line[end...].drop { $0 == space }.prefix { $0 != space }))
    }

    private static func add(_ line: UnsafeRawBufferPointer, to fields: inout [HTTPFields.Field]) {
        guard let first = line.first else { return }
        if first == space || first == tab {
            // A folded line (RFC 9112, section 5.2) continues the value before it.
            guard let last = fields.popLast() else { return }
            fields.append(HTTPFields.Field(last.name, last.value + " " + text(line[...])))
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = HTTPFieldName(text(line[..<colon])) else {
            return
        }
        // The space after the colon goes here, where it costs nothing.
        let value = line[(colon + 1)...].drop { $0 == space || $0 == tab }
        fields.append(HTTPFields.Field(name, text(value)))
    }

    private static func withoutLineEnd(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = bytes.count
        while end > 0, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[..<end])
    }

    private static func text(_ slice: Slice<UnsafeRawBufferPointer>) -> String {
        FieldText.text(of: UnsafeRawBufferPointer(rebasing: slice))
    }
}

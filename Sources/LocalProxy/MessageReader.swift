import CLlhttp
import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Takes requests apart with llhttp, one after the other on one connection. Loop thread only.
///
/// The first line is read by ``RequestLine``, because llhttp knows a fixed set of methods only; llhttp gets one of its own
/// in its place, and then the fields and the body as they came.
final class MessageReader {
    private let parser: UnsafeMutablePointer<llhttp_t>
    private var scanner = HeadScanner()
    private var base: UnsafeRawPointer?
    private var fields: [HTTPFields.Field] = []
    private var name = 0..<0
    private var value = 0..<0
    private var trailerName: [UInt8] = []
    private var trailerValue: [UInt8] = []
    private var trailerByteCount = 0
    private var isInBody = false
    private var body: [Data] = []
    /// Whether the message that was begun has come to its end.
    private(set) var isComplete = false
    /// The fields behind a chunked body.
    private(set) var trailers = HTTPFields()

    /// Most bytes of trailer fields.
    private static let trailerByteCountMax = 16 << 10

    init() {
        parser = .allocate(capacity: 1)
        parser.initialize(to: llhttp_t())
        llhttp_init(parser, HTTP_REQUEST, Self.settings)
        parser.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { parser.deallocate() }

    // MARK: - Heads

    /// Reads a head once it is there.
    /// - Returns: the head and how many bytes it had; `nil` when it has not all come.
    func head(
        in bytes: UnsafeRawBufferPointer, _ limits: LocalProxy.Configuration
    ) throws(ProxyFailure) -> (head: RequestHead, byteCount: Int)? {
        let end = try scanner.scan(bytes)
        if scanner.firstLineEnd ?? bytes.count - scanner.headStart > limits.targetByteCountMax + Self.lineByteCountMax {
            throw .targetTooLong(byteCountMax: limits.targetByteCountMax)
        }
        guard (end ?? bytes.count) <= limits.headByteCountMax else {
            throw .headTooLarge(byteCountMax: limits.headByteCountMax)
        }
        guard let end, let lineEnd = scanner.firstLineEnd else { return nil }
        let line = try RequestLine(
            UnsafeRawBufferPointer(rebasing: bytes[scanner.headStart..<lineEnd]),
            targetByteCountMax: limits.targetByteCountMax)
        scanner = HeadScanner()
        let head = try self.head(line, UnsafeRawBufferPointer(rebasing: bytes[(lineEnd + 2)..<end]))
        return (head, end)
    }

    /// Method, spaces and version of a first line, generously.
    private static let lineByteCountMax = 256

    private func head(_ line: RequestLine, _ bytes: UnsafeRawBufferPointer) throws(ProxyFailure) -> RequestHead {
        llhttp_reset(parser)
        (isComplete, isInBody) = (false, false)
        (trailers, trailerByteCount) = (HTTPFields(), 0)
        fields.removeAll(keepingCapacity: true)
        let first: StaticString = line.isHTTP10 ? "POST / HTTP/1.0\r\n" : "POST / HTTP/1.1\r\n"
        _ = llhttp_execute(parser, first.utf8Start, first.utf8CodeUnitCount)
        base = bytes.baseAddress
        let code = llhttp_execute(parser, bytes.baseAddress, bytes.count)
        base = nil
        guard code == HPE_OK || code == HPE_PAUSED || code == HPE_PAUSED_UPGRADE else { throw failure(code) }
        isInBody = true
        var head = RequestHead(
            line: line, fields: HTTPFields(fields), keepsAlive: llhttp_should_keep_alive(parser) != 0, body: nil)
        if code != HPE_OK || isComplete {
            isComplete = true
        } else {
            let isChunked = parser.pointee.flags & UInt16(F_CHUNKED.rawValue) != 0
            head.body = isChunked ? .chunked : .length(Int64(clamping: parser.pointee.content_length))
        }
        return head
    }

    // MARK: - Bodies

    /// Takes bytes of the body.
    /// - Returns: the bytes of the content, and how many of the bytes given belong to this message.
    func body(in bytes: UnsafeRawBufferPointer) throws(ProxyFailure) -> (content: [Data], byteCount: Int) {
        guard let start = bytes.baseAddress, !isComplete else { return ([], 0) }
        let code = llhttp_execute(parser, start, bytes.count)
        defer { body.removeAll(keepingCapacity: true) }
        switch code {
        case HPE_OK: return (body, bytes.count)
        case HPE_PAUSED, HPE_PAUSED_UPGRADE:
            isComplete = true
            guard let end = llhttp_get_error_pos(parser) else { return (body, bytes.count) }
            return (body, min(bytes.count, max(0, UnsafeRawPointer(end) - start)))
        default: throw failure(code)
        }
    }

    private func failure(_ code: llhttp_errno_t) -> ProxyFailure {
        if trailerByteCount > Self.trailerByteCountMax {
            return .headTooLarge(byteCountMax: Self.trailerByteCountMax)
        }
        let reason = llhttp_get_error_reason(parser).map { String(cString: $0) } ?? ""
        let name = String(cString: llhttp_errno_name(code))
        return .badRequest("the request is malformed: \(reason.isEmpty ? name : reason)")
    }

    // MARK: - What llhttp calls

    /// The callbacks, the same for every reader; never changed and never freed.
    nonisolated(unsafe) private static let settings: UnsafeMutablePointer<llhttp_settings_t> = {
        let settings = UnsafeMutablePointer<llhttp_settings_t>.allocate(capacity: 1)
        settings.initialize(to: llhttp_settings_t())
        llhttp_settings_init(settings)
        settings.pointee.on_header_field = { parser, start, count in
            MessageReader.of(parser)?.took(name: start, count) ?? -1
        }
        settings.pointee.on_header_value = { parser, start, count in
            MessageReader.of(parser)?.took(value: start, count) ?? -1
        }
        settings.pointee.on_header_value_complete = { parser in MessageReader.of(parser)?.tookField() ?? -1 }
        settings.pointee.on_body = { parser, start, count in MessageReader.of(parser)?.took(body: start, count) ?? -1 }
        settings.pointee.on_message_complete = { parser in
            MessageReader.of(parser)?.isComplete = true
            return Int32(HPE_PAUSED.rawValue)
        }
        return settings
    }()

    private static func of(_ parser: UnsafeMutablePointer<llhttp_t>?) -> MessageReader? {
        parser?.pointee.data.map { Unmanaged<MessageReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func took(name start: UnsafePointer<CChar>?, _ count: Int) -> Int32 {
        guard let start else { return 0 }
        if isInBody { return took(trailer: start, count, isName: true) }
        guard let base else { return -1 }
        let offset = UnsafeRawPointer(start) - base
        name = offset..<(offset + count)
        value = 0..<0
        return 0
    }

    private func took(value start: UnsafePointer<CChar>?, _ count: Int) -> Int32 {
        guard let start else { return 0 }
        if isInBody { return took(trailer: start, count, isName: false) }
        guard let base else { return -1 }
        let offset = UnsafeRawPointer(start) - base
        value = offset..<(offset + count)
        return 0
    }

    private func tookField() -> Int32 {
        if isInBody {
            let name = String(decoding: trailerName, as: UTF8.self)
            if let name = HTTPFieldName(name) { trailers.append(name, FieldText.text(of: trailerValue)) }
            (trailerName, trailerValue) = ([], [])
            return 0
        }
        guard let base else { return -1 }
        let name = UnsafeRawBufferPointer(start: base + name.lowerBound, count: name.count)
        let value = UnsafeRawBufferPointer(start: base + value.lowerBound, count: value.count)
        guard let name = HTTPFieldName(String(decoding: name, as: UTF8.self)) else { return -1 }
        fields.append(HTTPFields.Field(name, FieldText.text(of: value)))
        return 0
    }

    private func took(body start: UnsafePointer<CChar>?, _ count: Int) -> Int32 {
        guard let start else { return 0 }
        body.append(Data(bytes: start, count: count))
        return 0
    }

    private func took(trailer start: UnsafePointer<CChar>, _ count: Int, isName: Bool) -> Int32 {
        trailerByteCount += count
        guard trailerByteCount <= Self.trailerByteCountMax else { return -1 }
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        if isName { trailerName += bytes } else { trailerValue += bytes }
        return 0
    }
}

import CMicroHTTPD
import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An answer in libmicrohttpd's form, owned.
final class Answer: @unchecked Sendable {  // immutable; libmicrohttpd counts references under a lock of its own
    /// An answer that cannot be given as its handler asked.
    struct Failure: Error { var description: String }

    let response: OpaquePointer
    let status: Int
    private let byteCount: Int64
    private let pump: ResponsePump?

    /// Opens files, which performs I/O.
    /// - Parameters:
    ///   - connection: where a stream is suspended while it has nothing to send.
    ///   - closes: whether the connection ends with this answer.
    init(_ source: ServerResponse, connection: OpaquePointer, isHead: Bool, closes: Bool) throws(Failure) {
        guard 200...599 ~= source.status else { throw Failure(description: "the status \(source.status) is no answer") }
        status = source.status
        var pump: ResponsePump?
        let made: (response: OpaquePointer?, byteCount: Int64)
        switch source.body {
        case _ where status == 204: made = (Self.response(of: Data()), 0)
        case _ where status == 304: made = (Self.response(speakingOf: Self.byteCount(of: source.body)), 0)
        case .data(let data): made = (Self.response(of: data), Int64(data.count))
        case .file(let path, let range): made = try Self.response(ofFile: path, range: range)
        case .stream(let stream):
            let newPump = ResponsePump(stream, connection: connection)
            pump = newPump
            made = (Self.response(of: newPump), 0)
        }
        guard let response = made.response else { throw Failure(description: "out of memory for an answer") }
        self.response = response
        self.pump = pump
        byteCount = isHead ? 0 : made.byteCount
        for field in source.fields where !Self.isOurs(field.name) {
            MHD_add_response_header(response, field.name.rawName, field.value)
        }
        if closes { MHD_add_response_header(response, "Connection", "close") }
    }

    deinit { MHD_destroy_response(response) }

    /// Bytes of the body; for a stream those sent so far.
    var sentByteCount: Int64 { pump?.sentByteCount ?? byteCount }
    /// Why a stream ended early.
    var failure: String? { pump?.failure }

    /// Ends a stream that waits for its source.
    func abort() { pump?.abort() }

    /// How long the body is, as far as that is known without looking.
    private static func byteCount(of body: ServerBody) -> Int64? {
        switch body {
        case .data(let data): Int64(data.count)
        case .file(_, let range): range.map { $0.upperBound - $0.lowerBound }
        case .stream: nil
        }
    }

    private static func isOurs(_ name: HTTPFieldName) -> Bool {
        name == .contentLength || name == .transferEncoding || name == .connection
    }

    private static func response(of data: Data) -> OpaquePointer? {
        data.withUnsafeBytes { bytes in
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
    }

    private static func response(
        ofFile path: String, range: Range<Int64>?
    ) throws(Failure) -> (OpaquePointer?, Int64) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Failure(description: "a file to send cannot be opened: \(String(cString: strerror(errno)))")
        }
        var details = stat()
        guard fstat(descriptor, &details) == 0, details.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Failure(description: "a file to send is no regular file")
        }
        let range = range ?? 0..<Int64(details.st_size)
        guard range.lowerBound >= 0, range.upperBound <= Int64(details.st_size) else {
            close(descriptor)
            throw Failure(description: "a file to send is shorter than the part asked for")
        }
        guard !range.isEmpty else {
            close(descriptor)
            return (response(of: Data()), 0)
        }
        let response = MHD_create_response_from_fd_at_offset64(
            UInt64(range.upperBound - range.lowerBound), descriptor, UInt64(range.lowerBound))
        if response == nil { close(descriptor) }
        return (response, range.upperBound - range.lowerBound)
    }

    /// A 304: what it says of the length is said of the representation (RFC 9110, section 8.6), and no body follows.
    private static func response(speakingOf byteCount: Int64?) -> OpaquePointer? {
        MHD_create_response_from_callback(
            UInt64(byteCount ?? 0), 1_024, { _, _, _, _ in cmhd_end_with_error }, nil, nil)
    }

    private static func response(of pump: ResponsePump) -> OpaquePointer? {
        let context = Unmanaged.passRetained(pump)
        let response = MHD_create_response_from_callback(
            cmhd_size_unknown, 32_768,
            { context, _, buffer, count in
                guard let context, let buffer else { return cmhd_end_with_error }
                let pump = Unmanaged<ResponsePump>.fromOpaque(context).takeUnretainedValue()
                return pump.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<ResponsePump>.fromOpaque(context).takeRetainedValue().cancel()
            })
        if response == nil { context.release() }
        return response
    }
}

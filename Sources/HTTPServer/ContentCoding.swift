import CZlib

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content codings in which static files are sent.
enum ContentCoding: String, CaseIterable {
    case brotli = "br"
    case zstd
    case gzip

    /// The ending of a file that was compressed beforehand.
    var fileSuffix: String {
        switch self {
        case .brotli: ".br"
        case .zstd: ".zst"
        case .gzip: ".gz"
        }
    }

    /// Whether a client takes the coding (RFC 9110, section 12.5.3). Without `Accept-Encoding` only identity is sent: clients
    /// that say nothing often take nothing.
    func isAccepted(by acceptEncoding: String?) -> Bool {
        guard let acceptEncoding else { return false }
        var wildcard = false
        for member in acceptEncoding.lowercased().split(separator: ",") {
            let parts = member.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if name == rawValue || (self == .gzip && name == "x-gzip") { return weight > 0 }
            if name == "*" { wildcard = weight > 0 }
        }
        return wildcard
    }

    /// Compresses with gzip (RFC 1952), whole, in memory; `nil` when zlib fails.
    static func gzip(_ data: Data) -> Data? {
        var stream = z_stream()
        let gzipWindow = MAX_WBITS + 16
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, gzipWindow, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var output = Data(count: Int(deflateBound(&stream, UInt(data.count))) + 32)
        let status = data.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        return output.prefix(Int(stream.total_out))
    }
}

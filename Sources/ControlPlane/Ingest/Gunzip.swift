import CZlib

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Unpacks files that are gzip by themselves (`sitemap.xml.gz`), as opposed to a coding of the transfer.
enum Gunzip {
    /// Whether the bytes begin as a gzip file does (RFC 1952, section 2.3.1).
    static func isGzip(_ data: Data) -> Bool { data.starts(with: [0x1F, 0x8B]) }

    /// Unpacks in memory.
    /// - Throws: ``SitemapError`` when the data is damaged or there is more than allowed.
    static func unpack(_ data: Data, byteCountMax: Int) throws(SitemapError) -> Data {
        var stream = z_stream()
        // 16 asks zlib for the gzip wrapper.
        let status = inflateInit2_(&stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw .badGzip }
        defer { inflateEnd(&stream) }
        let output = data.withUnsafeBytes { input in inflateAll(&stream, input, byteCountMax: byteCountMax) }
        return try output.get()
    }

    private static func inflateAll(
        _ stream: inout z_stream, _ input: UnsafeRawBufferPointer, byteCountMax: Int
    ) -> Result<Data, SitemapError> {
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        // zlib only reads through this pointer; its type predates const.
        stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.avail_in = UInt32(clamping: input.count)
        while true {
            let status = buffer.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                return inflate(&stream, Z_NO_FLUSH)
            }
            output.append(contentsOf: buffer.prefix(buffer.count - Int(stream.avail_out)))
            guard output.count <= byteCountMax else { return .failure(.tooLong(byteCountMax: byteCountMax)) }
            switch status {
            case Z_STREAM_END where stream.avail_in == 0: return .success(output)
            // A gzip file may have several members, one behind the other.
            case Z_STREAM_END: if inflateReset(&stream) != Z_OK { return .failure(.badGzip) }
            case Z_OK: continue
            default: return .failure(.badGzip)
            }
        }
    }
}

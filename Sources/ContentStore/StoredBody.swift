public import Primitives

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A body on disk, open for reading: stays readable while held, also when the entry is evicted meanwhile.
///
/// May be read from any number of threads at once.
public final class StoredBody: Sendable {
    /// From this size on ``data()`` maps the file: below, reading is cheaper than setting up the pages.
    static let mappedByteCountMin: Int64 = 64 << 10
    static let chunkByteCount = 128 << 10

    /// Bytes of the whole body.
    public let byteCount: Int64
    /// The body's file, readable by any program. Gone once the entry is evicted.
    public let path: String
    private let descriptor: Int32

    /// Takes over an open file.
    init(descriptor: Int32, byteCount: Int64, path: String) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.path = path
    }

    deinit { close(descriptor) }

    /// Reads at an offset; fewer bytes than asked for only at the end. Performs disk I/O.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data {
        guard offset >= 0, offset < self.byteCount, byteCount > 0 else { return Data() }
        let count = Int(min(Int64(byteCount), self.byteCount - offset))
        let data = try FileReading.read(descriptor, at: offset, byteCount: count, path: path)
        guard data.count == count else { throw truncated }
        return data
    }

    /// Fills a buffer with the bytes at an offset. Performs disk I/O.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) {
        let count = try FileReading.read(descriptor, at: offset, into: buffer, path: path)
        guard count == buffer.count else { throw truncated }
    }

    /// What handing bytes to a socket came to.
    public enum SendOutcome: Sendable {
        case sent(Int)
        /// The socket takes none now.
        case wouldBlock
        /// The socket is gone, or the file is shorter than it was.
        case failed
    }

    /// Hands bytes to a non-blocking socket, without a copy of them in this program. Performs disk I/O.
    public func send(at offset: Int64, byteCount: Int, to socket: Int32) -> SendOutcome {
        FileReading.send(descriptor, at: offset, byteCount: byteCount, to: socket)
    }

    /// The whole body, mapped where that is cheaper than reading. For bodies that fit in memory.
    ///
    /// The store never shortens a file. A program that shortens one while it is mapped ends the process that reads it
    /// then, which is why bodies belong to the user alone.
    public func data() throws(StoreError) -> Data {
        guard byteCount >= Self.mappedByteCountMin else { return try read(at: 0, byteCount: Int(byteCount)) }
        // Pages behind the end of a file cannot be read: what is shorter than it was is never mapped.
        guard FileReading.size(of: descriptor) == byteCount else { throw truncated }
        let count = Int(byteCount)
        guard let pages = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), pages != MAP_FAILED else {
            return try read(at: 0, byteCount: count)
        }
        return Data(bytesNoCopy: pages, count: count, deallocator: .custom { munmap($0, $1) })
    }

    /// The body, or a part of it, as a stream that reads ahead by one chunk at most.
    ///
    /// Chunks have 128 KiB and are read when asked for, so that a body of any size streams in constant memory.
    /// - Parameter range: byte offsets; what lies outside of the body is left out.
    public func stream(range: Range<Int64>? = nil) -> ByteStream {
        let whole = 0..<byteCount
        return ByteStream(Source(body: self, range: range?.clamped(to: whole) ?? whole))
    }

    private var truncated: StoreError {
        StoreError(.readFailed, "\(path) is shorter than the \(byteCount) bytes it had; verify the store to mend it")
    }

    private final class Source: ByteSource {
        let body: StoredBody
        let rest: Locked<Range<Int64>>

        init(body: StoredBody, range: Range<Int64>) {
            self.body = body
            rest = Locked(range)
        }

        // Leaves the caller's executor, which may be the main actor, for the time of the disk I/O.
        @concurrent func next() async throws -> Data? {
            try Task.checkCancellation()
            let part = rest.withLock { rest in
                let end = min(rest.upperBound, rest.lowerBound + Int64(StoredBody.chunkByteCount))
                defer { rest = end..<rest.upperBound }
                return rest.lowerBound..<end
            }
            return part.isEmpty ? nil : try body.read(at: part.lowerBound, byteCount: part.count)
        }

        func cancel() { rest.withLock { $0 = $0.upperBound..<$0.upperBound } }
    }
}

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

/// A stored body: stays readable while held, also when the entry is evicted meanwhile.
///
/// Small bodies are in memory; larger ones are open files. May be read from any number of threads at once.
public final class StoredBody: Sendable {
    /// From this size on ``data()`` maps a file: below, reading is cheaper than setting up the pages.
    static let mappedByteCountMin: Int64 = 64 << 10
    static let chunkByteCount = 128 << 10

    private enum Place: Sendable {
        case memory(Data)
        case file(descriptor: Int32, path: String)
    }

    /// Bytes of the whole body.
    public let byteCount: Int64
    private let place: Place

    /// Takes over an open file.
    init(descriptor: Int32, byteCount: Int64, path: String) {
        self.byteCount = byteCount
        place = .file(descriptor: descriptor, path: path)
    }

    /// A body that the index holds.
    init(_ data: Data) {
        byteCount = Int64(data.count)
        place = .memory(data)
    }

    deinit {
        if case .file(let descriptor, _) = place { close(descriptor) }
    }

    /// The body's file, readable by any program and gone once the entry is evicted; `nil` for a small body, which the
    /// index holds. See ``ContentStore/file(of:)``.
    public var path: String? {
        if case .file(_, let path) = place { return path }
        return nil
    }

    /// Reads at an offset; fewer bytes than asked for only at the end. Performs disk I/O.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data {
        guard offset >= 0, offset < self.byteCount, byteCount > 0 else { return Data() }
        let count = Int(min(Int64(byteCount), self.byteCount - offset))
        switch place {
        case .memory(let data):
            let start = data.startIndex + Int(offset)
            return data[start..<(start + count)]
        case .file(let descriptor, let path):
            let data = try FileReading.read(descriptor, at: offset, byteCount: count, path: path)
            guard data.count == count else { throw truncated(path) }
            return data
        }
    }

    /// Fills a buffer with the bytes at an offset. Performs disk I/O.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) {
        switch place {
        case .memory(let data):
            guard offset >= 0, offset + Int64(buffer.count) <= byteCount else {
                throw StoreError(.readFailed, "a body of \(byteCount) bytes was read beyond its end")
            }
            data.dropFirst(Int(offset)).copyBytes(to: buffer)
        case .file(let descriptor, let path):
            let count = try FileReading.read(descriptor, at: offset, into: buffer, path: path)
            guard count == buffer.count else { throw truncated(path) }
        }
    }

    /// What handing bytes to a socket came to.
    public enum SendOutcome: Sendable {
        case sent(Int)
        /// The socket takes none now.
        case wouldBlock
        /// The socket is gone, or the file is shorter than it was.
        case failed
    }

    /// Hands bytes to a non-blocking socket, without a copy of them where they are in a file. Performs disk I/O.
    public func send(at offset: Int64, byteCount: Int, to socket: Int32) -> SendOutcome {
        switch place {
        case .memory(let data):
            guard offset >= 0, offset <= self.byteCount else { return .failed }
            let count = min(byteCount, data.count - Int(offset))
            return data.withUnsafeBytes { FileReading.send($0[Int(offset)..<(Int(offset) + count)], to: socket) }
        case .file(let descriptor, _): return FileReading.send(descriptor, at: offset, byteCount: byteCount, to: socket)
        }
    }

    /// The whole body, mapped where that is cheaper than reading. For bodies that fit in memory.
    ///
    /// The store never shortens a file. A program that shortens one while it is mapped ends the process that reads it
    /// then, which is why bodies belong to the user alone.
    public func data() throws(StoreError) -> Data {
        let descriptor: Int32, path: String
        switch place {
        case .memory(let data): return data
        case .file(let openDescriptor, let itsPath): (descriptor, path) = (openDescriptor, itsPath)
        }
        guard byteCount >= Self.mappedByteCountMin else { return try read(at: 0, byteCount: Int(byteCount)) }
        // Pages behind the end of a file cannot be read: what is shorter than it was is never mapped.
        guard FileReading.size(of: descriptor) == byteCount else { throw truncated(path) }
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

    private func truncated(_ path: String) -> StoreError {
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

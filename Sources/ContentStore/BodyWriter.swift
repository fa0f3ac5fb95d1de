public import Cryptography
import Primitives

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

/// A body being written: hashed as it grows, invisible until an entry is committed with it, gone if let go of.
///
/// It stays in memory while it is small enough for the index, and is a file from then on. One thread appends and finishes;
/// any number may read back meanwhile.
public final class BodyWriter: Sendable {
    private final class Hasher {
        private var hasher = SHA256Hasher()
        func update(_ bytes: UnsafeRawBufferPointer) { hasher.update(bytes: bytes) }
        func finalize() -> SHA256Digest {
            var finished = SHA256Hasher()
            swap(&hasher, &finished)
            return finished.finalize()
        }
    }

    /// Where the bytes are.
    enum Place: Sendable {
        case memory(Data)
        case file(IncomingFile)
    }

    private struct State {
        var place: Place
        var byteCount: Int64 = 0
        /// Away while a thread appends.
        var hasher: Hasher? = Hasher()
        var digest: SHA256Digest?
        var isDiscarded = false
    }

    private let state: Locked<State>
    private let files: BodyFiles
    private let byteCountMax: Int64
    private let inlineByteCountMax: Int

    /// Begins a body in memory, or in a file where it is known to be too large for the index.
    init(files: BodyFiles, byteCountMax: Int64, inlineByteCountMax: Int, expectedByteCount: Int64?) throws(StoreError) {
        self.files = files
        self.byteCountMax = byteCountMax
        self.inlineByteCountMax = inlineByteCountMax
        let isSmall = inlineByteCountMax >= 0 && expectedByteCount ?? 0 <= Int64(inlineByteCountMax)
        state = Locked(State(place: isSmall ? .memory(Data()) : .file(try files.makeIncoming())))
    }

    /// Bytes written so far.
    public var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// Where the bytes are now.
    var place: Place { state.withLock { $0.place } }

    /// Appends bytes. Performs disk I/O.
    /// - Throws: ``StoreError/Code/overBudget`` as soon as the body can no longer fit its budget,
    ///   ``StoreError/Code/writeFailed`` when the disk is full or the body is finished or discarded. What was written
    ///   before stays as it is.
    public func append(_ data: Data) throws(StoreError) {
        guard !data.isEmpty else { return }
        let (hasher, offset) = try takeHasher()
        var added: Int64 = 0
        defer {
            state.withLock {
                $0.hasher = hasher
                $0.byteCount += added
            }
        }
        guard Int64(data.count) <= byteCountMax - offset else {
            throw StoreError(.overBudget, "the body is larger than the \(byteCountMax) bytes of its budget")
        }
        if Int(offset) + data.count <= inlineByteCountMax, appendInMemory(data) {
            data.withUnsafeBytes { hasher.update($0) }
        } else {
            let file = try file(after: offset)
            try write(data, to: file, at: offset)
            data.withUnsafeBytes { hasher.update($0) }
        }
        added = Int64(data.count)
    }

    /// - Returns: whether the body is in memory still.
    private func appendInMemory(_ data: Data) -> Bool {
        state.withLock { state in
            guard case .memory(var bytes) = state.place else { return false }
            state.place = .memory(Data())  // so that the bytes grow in their place
            bytes.append(data)
            state.place = .memory(bytes)
            return true
        }
    }

    /// The file, which takes over what is in memory.
    private func file(after offset: Int64) throws(StoreError) -> IncomingFile {
        switch place {
        case .file(let file): return file
        case .memory(let bytes):
            let file = try files.makeIncoming()
            if offset > 0 { try write(bytes, to: file, at: 0) }
            state.withLock { $0.place = .file(file) }
            return file
        }
    }

    private func write(_ data: Data, to file: IncomingFile, at offset: Int64) throws(StoreError) {
        let failure = data.withUnsafeBytes { files.disk.writeAll($0, to: file.descriptor, at: offset) }
        guard failure == 0 else {
            throw StoreError(.writeFailed, "cannot write a body into", path: file.directory, errno: failure)
        }
    }

    /// Reads back what has been written, for readers that follow the writer. Performs disk I/O.
    /// - Returns: fewer bytes than asked for where the writer has not come further.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data {
        let (written, isDiscarded, place) = state.withLock { ($0.byteCount, $0.isDiscarded, $0.place) }
        guard !isDiscarded else { throw StoreError(.notFound, "the body was discarded") }
        guard offset >= 0, offset < written, byteCount > 0 else { return Data() }
        let count = Int(min(Int64(byteCount), written - offset))
        switch place {
        case .memory(let bytes):
            let start = bytes.startIndex + Int(offset)
            return Data(bytes[start..<(start + count)])
        case .file(let file):
            let data = try FileReading.read(file.descriptor, at: offset, byteCount: count, path: file.directory)
            guard data.count == count else { throw StoreError(.readFailed, "a body being written was cut short") }
            return data
        }
    }

    /// Ends the body: flushed, hashed. Finishing again gives the same digest.
    public func finish() throws(StoreError) -> SHA256Digest {
        if let digest = state.withLock({ $0.digest }) { return digest }
        let (hasher, _) = try takeHasher()
        if case .file(let file) = place, files.disk.synchronize(file.descriptor) != 0 {
            let number = errno
            state.withLock { $0.hasher = hasher }
            throw StoreError(.writeFailed, "cannot flush a body into", path: file.directory, errno: number)
        }
        let digest = hasher.finalize()
        state.withLock { $0.digest = digest }
        return digest
    }

    /// Removes what was written; harmless after a commit.
    public func discard() {
        let place = state.withLock { state in
            state.isDiscarded = true
            return state.place
        }
        if case .file(let file) = place { file.removeName() }
    }

    private func takeHasher() throws(StoreError) -> (Hasher, offset: Int64) {
        let taken: (Hasher, Int64)? = state.withLock { state in
            guard !state.isDiscarded, state.digest == nil else { return nil }
            return state.hasher.take().map { ($0, state.byteCount) }
        }
        guard let taken else {
            throw StoreError(.writeFailed, "the body is finished, discarded, or being appended to by another thread")
        }
        return taken
    }
}

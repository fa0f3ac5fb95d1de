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
/// One thread appends and finishes; any number may read back meanwhile.
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

    private struct State {
        var byteCount: Int64 = 0
        /// Away while a thread appends.
        var hasher: Hasher? = Hasher()
        var digest: SHA256Digest?
        var isDiscarded = false
    }

    let file: IncomingFile
    private let state = Locked(State())
    private let byteCountMax: Int64
    private let disk: DiskCalls

    init(file: IncomingFile, byteCountMax: Int64, disk: DiskCalls) {
        self.file = file
        self.byteCountMax = byteCountMax
        self.disk = disk
    }

    /// Bytes written so far.
    public var byteCount: Int64 { state.withLock { $0.byteCount } }

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
        let failure = data.withUnsafeBytes { bytes in
            let failure = disk.writeAll(bytes, to: file.descriptor, at: offset)
            if failure == 0 { hasher.update(bytes) }
            return failure
        }
        guard failure == 0 else {
            throw StoreError(.writeFailed, "cannot write a body into", path: file.directory, errno: failure)
        }
        added = Int64(data.count)
    }

    /// Reads back what has been written, for readers that follow the writer. Performs disk I/O.
    /// - Returns: fewer bytes than asked for where the writer has not come further.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data {
        let (written, isDiscarded) = state.withLock { ($0.byteCount, $0.isDiscarded) }
        guard !isDiscarded else { throw StoreError(.notFound, "the body was discarded") }
        guard offset >= 0, offset < written, byteCount > 0 else { return Data() }
        let count = Int(min(Int64(byteCount), written - offset))
        let data = try FileReading.read(file.descriptor, at: offset, byteCount: count, path: file.directory)
        guard data.count == count else { throw StoreError(.readFailed, "a body being written was cut short") }
        return data
    }

    /// Ends the body: flushed, hashed. Finishing again gives the same digest.
    public func finish() throws(StoreError) -> SHA256Digest {
        if let digest = state.withLock({ $0.digest }) { return digest }
        let (hasher, _) = try takeHasher()
        guard disk.synchronize(file.descriptor) == 0 else {
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
        state.withLock { $0.isDiscarded = true }
        file.removeName()
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

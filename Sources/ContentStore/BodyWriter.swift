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
/// It stays in memory while it is small enough for the index, and goes into a file from then on, 2 MiB at a time. One thread
/// appends and finishes; any number may read back meanwhile.
public final class BodyWriter: Sendable {
    /// Bytes that are written to a file at once. The system then keeps them in large pieces, and a mapped body costs a
    /// fraction of the page faults that it would after small writes.
    static let pieceByteCount = 2 << 20

    private final class Hasher {
        private var hasher = SHA256Hasher()
        func update(_ bytes: UnsafeRawBufferPointer) { hasher.update(bytes: bytes) }
        func finalize() -> SHA256Digest {
            var finished = SHA256Hasher()
            swap(&hasher, &finished)
            return finished.finalize()
        }
    }

    /// Where a finished body is.
    enum Place: Sendable {
        case memory(Data)
        case file(IncomingFile)
    }

    private struct State {
        var file: IncomingFile?
        /// Bytes of the body.
        var byteCount: Int64 = 0
        /// What the file has.
        var writtenByteCount: Int64 = 0
        /// What comes after that.
        var pending = Data()
        /// Away while a thread appends.
        var hasher: Hasher? = Hasher()
        var digest: SHA256Digest?
        var isDiscarded = false
    }

    private let state: Locked<State>
    private let files: BodyFiles
    private let byteCountMax: Int64
    private let inlineByteCountMax: Int

    /// Begins a body in memory, or with a file where it is known to be too large for the index.
    init(files: BodyFiles, byteCountMax: Int64, inlineByteCountMax: Int, expectedByteCount: Int64?) throws(StoreError) {
        self.files = files
        self.byteCountMax = byteCountMax
        self.inlineByteCountMax = inlineByteCountMax
        let isSmall = inlineByteCountMax >= 0 && expectedByteCount ?? 0 <= Int64(inlineByteCountMax)
        state = Locked(State(file: isSmall ? nil : try files.makeIncoming()))
    }

    /// Bytes written so far.
    public var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// Where the bytes of a finished body are.
    var place: Place { state.withLock { state in state.file.map { .file($0) } ?? .memory(state.pending) } }

    /// Appends bytes. Performs disk I/O.
    /// - Throws: ``StoreError/Code/overBudget`` as soon as the body can no longer fit its budget,
    ///   ``StoreError/Code/writeFailed`` when the disk is full or the body is finished or discarded. What was written
    ///   before stays as it is.
    public func append(_ data: Data) throws(StoreError) {
        guard !data.isEmpty else { return }
        let (hasher, offset) = try takeHasher()
        guard Int64(data.count) <= byteCountMax - offset else {
            state.withLock { $0.hasher = hasher }
            throw StoreError(.overBudget, "the body is larger than the \(byteCountMax) bytes of its budget")
        }
        var rest = data
        do throws(StoreError) {
            if offset + Int64(data.count) > Int64(inlineByteCountMax) {
                try makeFile()
                while let piece = fill(with: &rest) { try write(piece) }
            }
        } catch {
            forget(after: offset, hasher)
            throw error
        }
        data.withUnsafeBytes { hasher.update($0) }
        state.withLock { state in
            state.pending.append(rest)
            state.byteCount += Int64(data.count)
            state.hasher = hasher
        }
    }

    /// Goes back to where the body was, so that a failed append may be tried again.
    private func forget(after offset: Int64, _ hasher: Hasher) {
        state.withLock { state in
            if state.writtenByteCount > offset {
                (state.writtenByteCount, state.pending) = (offset, Data())
            } else {
                state.pending = Data(state.pending.prefix(Int(offset - state.writtenByteCount)))
            }
            state.hasher = hasher
        }
    }

    private func makeFile() throws(StoreError) {
        if state.withLock({ $0.file != nil }) { return }
        let file = try files.makeIncoming()
        state.withLock { $0.file = file }
    }

    /// Completes a piece with the first of the bytes, which stay pending until the piece is written.
    /// - Returns: the piece; `nil` when the bytes do not suffice.
    private func fill(with rest: inout Data) -> Data? {
        state.withLock { state in
            let lack = Self.pieceByteCount - state.pending.count
            guard rest.count >= lack else { return nil }
            state.pending.append(rest.prefix(lack))
            rest = rest.dropFirst(lack)
            return state.pending
        }
    }

    /// Writes what is pending.
    private func write(_ pending: Data) throws(StoreError) {
        let (file, offset) = state.withLock { ($0.file, $0.writtenByteCount) }
        guard let file else { return }
        let failure = pending.withUnsafeBytes { files.disk.writeAll($0, to: file.descriptor, at: offset) }
        guard failure == 0 else {
            throw StoreError(.writeFailed, "cannot write a body into", path: file.directory, errno: failure)
        }
        state.withLock { state in
            state.writtenByteCount += Int64(pending.count)
            state.pending = Data()
        }
    }

    /// Reads back what has been written, for readers that follow the writer. Performs disk I/O.
    /// - Returns: fewer bytes than asked for where the writer has not come further.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data {
        let (file, written, pending, isDiscarded, whole) = state.withLock {
            ($0.file, $0.writtenByteCount, $0.pending, $0.isDiscarded, $0.byteCount)
        }
        guard !isDiscarded else { throw StoreError(.notFound, "the body was discarded") }
        guard offset >= 0, offset < whole, byteCount > 0 else { return Data() }
        let byteCount = Int(min(Int64(byteCount), whole - offset))
        if offset < written, let file {
            let count = Int(min(Int64(byteCount), written - offset))
            var data = try FileReading.read(file.descriptor, at: offset, byteCount: count, path: file.directory)
            guard data.count == count else { throw StoreError(.readFailed, "a body being written was cut short") }
            data.append(pending.prefix(byteCount - count))
            return data
        }
        return Data(pending.dropFirst(Int(offset - written)).prefix(byteCount))
    }

    /// Ends the body: flushed, hashed. Finishing again gives the same digest.
    public func finish() throws(StoreError) -> SHA256Digest {
        if let digest = state.withLock({ $0.digest }) { return digest }
        let (hasher, _) = try takeHasher()
        do throws(StoreError) {
            try flush()
        } catch {
            state.withLock { $0.hasher = hasher }
            throw error
        }
        let digest = hasher.finalize()
        state.withLock { $0.digest = digest }
        return digest
    }

    private func flush() throws(StoreError) {
        let (file, pending) = state.withLock { ($0.file, $0.pending) }
        guard let file else { return }
        if !pending.isEmpty { try write(pending) }
        guard files.disk.synchronize(file.descriptor) == 0 else {
            throw StoreError(.writeFailed, "cannot flush a body into", path: file.directory, errno: errno)
        }
    }

    /// Removes what was written; harmless after a commit.
    public func discard() {
        let file = state.withLock { state in
            state.isDiscarded = true
            return state.file
        }
        file?.removeName()
    }

    private func takeHasher() throws(StoreError) -> (Hasher, offset: Int64) {
        let taken: (Hasher, Int64)? = state.withLock { state in
            guard !state.isDiscarded, state.digest == nil else { return nil }
            return state.hasher.take().map { ($0, state.byteCount) }
        }
        guard let taken else {
            throw StoreError(
                .writeFailed, "the body is finished, discarded, or being appended to by another thread")
        }
        return taken
    }
}

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

/// Reading from an open file by offset, so that any number of threads may read at once.
enum FileReading {
    /// Reads until so many bytes are there or the file ends.
    static func read(_ descriptor: Int32, at offset: Int64, byteCount: Int, path: String) throws(StoreError) -> Data {
        guard byteCount > 0, offset >= 0 else { return Data() }
        guard let buffer = malloc(byteCount) else { throw StoreError(.readFailed, "no memory to read \(path)") }
        do throws(StoreError) {
            let room = UnsafeMutableRawBufferPointer(start: buffer, count: byteCount)
            let count = try read(descriptor, at: offset, into: room, path: path)
            return Data(bytesNoCopy: buffer, count: count, deallocator: .free)
        } catch {
            free(buffer)
            throw error
        }
    }

    /// Reads until the buffer is full or the file ends.
    /// - Returns: how many bytes there were.
    static func read(
        _ descriptor: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, path: String
    ) throws(StoreError) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, base + done, buffer.count - done, off_t(offset) + done)
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw StoreError(.readFailed, "cannot read", path: path, errno: errno)
            }
        }
        return done
    }

    /// Hands bytes of a file to a non-blocking socket.
    static func send(
        _ descriptor: Int32, at offset: Int64, byteCount: Int, to socket: Int32
    ) -> StoredBody.SendOutcome {
        #if canImport(Glibc)
            var position = off_t(offset)
            return outcome { sendfile(socket, descriptor, &position, byteCount) }
        #else
            return .failed
        #endif
    }

    /// Hands bytes from memory to a non-blocking socket.
    static func send(_ bytes: Slice<UnsafeRawBufferPointer>, to socket: Int32) -> StoredBody.SendOutcome {
        #if canImport(Glibc)
            let bytes = UnsafeRawBufferPointer(rebasing: bytes)
            return outcome { Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
        #else
            return .failed
        #endif
    }

    private static func outcome(of send: () -> Int) -> StoredBody.SendOutcome {
        while true {
            let count = send()
            if count > 0 { return .sent(count) }
            if count == 0 { return .failed }
            if errno != EINTR { return errno == EAGAIN ? .wouldBlock : .failed }
        }
    }

    /// The bytes of a file in its size as of now; `nil` when the system cannot tell.
    static func size(of descriptor: Int32) -> Int64? {
        var information = stat()
        return fstat(descriptor, &information) == 0 ? Int64(information.st_size) : nil
    }
}

import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes between the loop thread, which receives, and the one consumer, who reads at leisure.
///
/// Holds at most ``capacity`` bytes: what does not fit is refused, and the loop pauses the transfer until the consumer
/// has taken what is there.
final class ReceiveBuffer: Sendable {
    /// What became of bytes offered.
    enum Offer {
        case taken
        /// Nothing was taken; the consumer's next read asks for the transfer to go on.
        case full
        /// Nobody will read them.
        case abandoned
    }

    private struct State {
        var bytes = Data()
        var isPaused = false
        var isAbandoned = false
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
    }

    private enum Reading {
        case result(Result<Data?, any Error>, resumesTransfer: Bool)
        case waiting
    }

    /// The most bytes held for the consumer.
    static let capacity = 256 << 10

    private let state = Locked(State())

    /// Takes bytes from the network. Loop thread.
    func offer(_ bytes: UnsafeRawBufferPointer) -> Offer {
        guard !bytes.isEmpty else { return .taken }
        let (offer, reader) = state.withLock { state -> (Offer, CheckedContinuation<Data?, any Error>?) in
            if state.isAbandoned { return (.abandoned, nil) }
            if let reader = state.reader.take() { return (.taken, reader) }
            if !state.bytes.isEmpty && state.bytes.count + bytes.count > Self.capacity {
                state.isPaused = true
                return (.full, nil)
            }
            state.bytes.append(contentsOf: bytes)
            return (.taken, nil)
        }
        reader?.resume(returning: Data(bytes))
        return offer
    }

    /// No more bytes come; `error` is what ended them early. Only the first call counts. Loop thread.
    func finish(_ error: (any Error)?) {
        let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        let reader = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = result
            return state.reader.take()
        }
        reader?.resume(with: result.map { nil })
    }

    /// Nobody reads any more: what is held is dropped, what comes is refused.
    func abandon() {
        let reader = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
            state.isAbandoned = true
            state.bytes = Data()
            return state.reader.take()
        }
        reader?.resume(throwing: CancellationError())
    }

    /// Everything that has come since the last call, or the next bytes to come; `nil` at the end.
    /// - Parameter resumeTransfer: called when the transfer stands still for want of room, which there is now.
    func next(resumeTransfer: @Sendable () -> Void) async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard case .result(let result, let resumesTransfer) = read(or: continuation) else { return }
                if resumesTransfer { resumeTransfer() }
                continuation.resume(with: result)
            }
        } onCancel: {
            abandon()
        }
    }

    private func read(or reader: CheckedContinuation<Data?, any Error>) -> Reading {
        state.withLock { state in
            if state.isAbandoned || Task.isCancelled {
                return .result(.failure(CancellationError()), resumesTransfer: false)
            }
            if !state.bytes.isEmpty {
                defer {
                    state.bytes = Data()
                    state.isPaused = false
                }
                return .result(.success(state.bytes), resumesTransfer: state.isPaused)
            }
            if let end = state.end { return .result(end.map { nil }, resumesTransfer: false) }
            guard state.reader == nil else {
                let misuse = TransportError(.other, "a body has one reader at a time")
                return .result(.failure(misuse), resumesTransfer: false)
            }
            state.reader = reader
            return .waiting
        }
    }
}

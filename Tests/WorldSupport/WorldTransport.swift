import Foundation
import HTTPModel
import Primitives
package import Transport

/// Carries requests to a ``World`` without a network; a test may hold the answers to a path back.
package final class WorldTransport: HTTPTransport {
    private struct State {
        var held: Set<String> = []
        var nextID = 0
        var deliveredByteCount: Int64 = 0
        var waiting: [String: [Int: CheckedContinuation<Void, Never>]] = [:]
        var watchers: [(path: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var sent: [TransportRequest] = []
        var active = 0
        var activeMax = 0
    }

    package let world: World
    private let chunkByteCount: Int
    private let state = Locked(State())

    package init(_ world: World, chunkByteCount: Int = 16 << 10) {
        self.world = world
        self.chunkByteCount = chunkByteCount
    }

    /// What was sent to origins, in order.
    package var sent: [TransportRequest] { state.withLock { $0.sent } }

    /// The most exchanges with the origin at one time.
    package var activeMax: Int { state.withLock { $0.activeMax } }

    /// The bytes of bodies that were read so far.
    package var deliveredByteCount: Int64 { state.withLock { $0.deliveredByteCount } }

    /// Holds the answers to a path back from now on.
    package func hold(_ path: String) { state.withLock { _ = $0.held.insert(path) } }

    /// Lets the answers to a path go.
    package func letGo(_ path: String) {
        let waiting = state.withLock { state in
            state.held.remove(path)
            return state.waiting.removeValue(forKey: path)?.sorted { $0.key < $1.key }.map(\.value) ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once so many requests for a held path wait.
    package func waitForHeld(_ path: String, count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.waiting[path]?.count ?? 0 >= count { return true }
                state.watchers.append((path, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        var body = Data()
        if case .data(let data) = request.body { body = data }
        let path = request.request.url.path
        let isContent = !path.hasPrefix("/v1/")
        if isContent {
            state.withLock { state in
                state.sent.append(request)
                state.active += 1
                state.activeMax = max(state.activeMax, state.active)
            }
        }
        defer { if isContent { state.withLock { $0.active -= 1 } } }
        await waitIfHeld(path)
        try Task.checkCancellation()
        guard let reply = world.reply(to: request.request, body: body) else {
            throw TransportError(.connectionFailed, "nobody is there")
        }
        let source = ReplySource(reply, chunkByteCount: chunkByteCount) { [state] byteCount in
            state.withLock { $0.deliveredByteCount += byteCount }
        }
        return TransportResponse(
            response: HTTPResponse(status: reply.status, fields: reply.fields), body: ByteStream(source),
            decodedFrom: reply.decodedFrom, metrics: { source.metrics })
    }

    /// Cancelling lets one request go, as it does with a real connection.
    private func waitIfHeld(_ path: String) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await waitIfHeld(path, as: id)
        } onCancel: {
            state.withLock { $0.waiting[path]?.removeValue(forKey: id) }?.resume()
        }
    }

    private func waitIfHeld(_ path: String, as id: Int) async {
        await withCheckedContinuation { continuation in
            let (isFree, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                guard state.held.contains(path), !Task.isCancelled else { return (true, []) }
                state.waiting[path, default: [:]][id] = continuation
                let count = state.waiting[path]?.count ?? 0
                let ready = state.watchers.filter { $0.path == path && $0.count <= count }.map(\.continuation)
                state.watchers.removeAll { $0.path == path && $0.count <= count }
                return (false, ready)
            }
            for watcher in watchers { watcher.resume() }
            if isFree { continuation.resume() }
        }
    }
}

/// A body in chunks that may break off. Counts what it delivers as bytes on the wire.
private final class ReplySource: ByteSource {
    private let chunkByteCount: Int
    private let delivered = Locked<Int64>(0)
    private let onDelivery: @Sendable (Int64) -> Void
    private let rest: Locked<(data: Data, isBroken: Bool)>

    package init(_ reply: World.Reply, chunkByteCount: Int, onDelivery: @escaping @Sendable (Int64) -> Void) {
        self.onDelivery = onDelivery
        self.chunkByteCount = chunkByteCount
        rest = Locked((reply.body.prefix(reply.brokenAfter ?? .max), reply.brokenAfter != nil))
    }

    package func next() async throws -> Data? {
        try Task.checkCancellation()
        let (chunk, isBroken) = rest.withLock { rest in
            let chunk = Data(rest.data.prefix(chunkByteCount))
            rest.data = Data(rest.data.dropFirst(chunkByteCount))
            return (chunk, rest.isBroken)
        }
        delivered.withLock { $0 += Int64(chunk.count) }
        onDelivery(Int64(chunk.count))
        if !chunk.isEmpty { return chunk }
        if isBroken { throw TransportError(.bodyTruncated, "the connection broke") }
        return nil
    }

    package func cancel() {}

    package var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.receivedByteCount = delivered.withLock { $0 }
        return metrics
    }
}

import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Primitives

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hands a response to Foundation in the pieces that it can carry.
struct BodyDelivery: Sendable {
    let task: URLSessionTask
    let insight: TaskInsight
    let client: TaskClient

    /// Delivers head, body and end.
    ///
    /// A task that somebody waits for as a whole gets its body in one piece, from a mapped file when it is long. A delegate
    /// gets pieces, each when it is done with the one before.
    func deliver(_ answer: AcceleratedResponse, url: HTTPURL, to request: URLRequest) async throws {
        let response = try FoundationBridge.response(Self.harmless(answer.response), url: url)
        let isEmpty = Self.isEmpty(response, to: request)
        switch insight.form {
        case .whole, .wholeOrNobody:
            // Read first: a body that breaks off must not leave a response behind.
            let body = isEmpty ? try await none(answer) : try await whole(answer)
            try await head(response)
            if !body.isEmpty {
                try await piece(body)
                await tellTaskDelegate(of: body)
            }
        case .delegate:
            try await head(response)
            if isEmpty { _ = try await none(answer) } else { try await pieces(answer.body) }
        case .nobody:
            try await head(response)
            _ = try await none(answer)
        }
        client.end { $1.urlProtocolDidFinishLoading($0) }
    }

    /// Whether a response has no body whatever its fields say (RFC 9110, section 6.4.1).
    static func isEmpty(_ response: HTTPURLResponse, to request: URLRequest) -> Bool {
        request.httpMethod == "HEAD" || response.statusCode == 204 || response.statusCode == 304
    }

    private func head(_ response: HTTPURLResponse) async throws {
        try await client.perform { $1.urlProtocol($0, didReceive: response, cacheStoragePolicy: .notAllowed) }
    }

    private func piece(_ data: Data) async throws {
        try await client.perform { $1.urlProtocol($0, didLoad: data) }
    }

    private func pieces(_ body: ByteStream) async throws {
        for try await data in body {
            try await piece(data)
            // The delegate's queue is serial: this comes to its turn when the delegate has had the piece.
            await onDelegateQueue {}
            try Task.checkCancellation()
        }
    }

    /// Foundation tells a task's own delegate of the response but not of the data.
    private func tellTaskDelegate(of data: Data) async {
        guard let delegate = insight.taskDelegate, let dataTask = task as? URLSessionDataTask else { return }
        let session = insight.session
        await onDelegateQueue { delegate.urlSession(session, dataTask: dataTask, didReceive: data) }
    }

    /// Runs a closure on the delegate's queue and returns when it has run, or when the task is cancelled.
    private func onDelegateQueue(_ body: @escaping @Sendable () -> Void) async {
        let wasRun = OneShot<Void>()
        insight.session.delegateQueue.addOperation {
            body()
            wasRun.resolve(())
        }
        _ = await wasRun.value()
    }

    /// Reads to the end what nobody is to see, so that the exchange ends as a whole one.
    private func none(_ answer: AcceleratedResponse) async throws -> Data {
        for try await _ in answer.body {}
        return Data()
    }

    private func whole(_ answer: AcceleratedResponse) async throws -> Data {
        if let stored = answer.storedBody {
            // A stored body that cannot be mapped may still come as a stream.
            if let data = try? stored.data() { return data }
        }
        var spool = BodySpool()
        for try await data in answer.body { try spool.append(data) }
        return try spool.finish()
    }

    /// A 401 that Foundation on Linux takes as it is: a Basic challenge in it would never let the task end.
    ///
    /// The list of challenges gets an empty element in front, which recipients ignore (RFC 9110, section 5.6.1.2) and at
    /// which Foundation's reader gives up.
    private static func harmless(_ response: HTTPResponse) -> HTTPResponse {
        guard response.status == 401, let challenges = response.fields[.wwwAuthenticate] else { return response }
        var response = response
        response.fields[.wwwAuthenticate] = ", " + challenges
        return response
    }
}

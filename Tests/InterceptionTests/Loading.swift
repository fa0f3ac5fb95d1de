import Foundation
import Primitives

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The ways an app can make a task and get its outcome.
enum Form: String, CaseIterable, Sendable { case async, completion, delegate }

/// The ways an app can give a task its body.
enum Payload: Sendable {
    case none
    case httpBody(Data)
    case upload(Data)
    case uploadFile(URL)
}

struct Loaded: Sendable {
    var data: Data
    var response: HTTPURLResponse
    var text: String { String(decoding: data, as: UTF8.self) }
}

/// A delegate that records what it is told of one task.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    struct Record: Sendable {
        var response: HTTPURLResponse?
        var pieces: [Data] = []
        var redirects: [URLRequest] = []
        var challenges = 0
        var completions = 0
    }

    private let state = Locked(Record())
    private let ended = Locked<CheckedContinuation<Void, any Error>?>(nil)
    let followsRedirects: Bool
    let verdict: @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)

    init(
        followsRedirects: Bool = true,
        verdict:
            @escaping @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) =
            { _ in (.performDefaultHandling, nil) }
    ) {
        self.followsRedirects = followsRedirects
        self.verdict = verdict
    }

    var record: Record { state.withLock { $0 } }

    /// Runs a task to its end.
    func run(_ task: URLSessionTask) async throws -> Loaded {
        try await withCheckedThrowingContinuation { continuation in
            ended.withLock { $0 = continuation }
            task.resume()
        }
        let record = record
        guard let response = record.response else { throw URLError(.badServerResponse) }
        return Loaded(data: Data(record.pieces.joined()), response: response)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        state.withLock { $0.response = response as? HTTPURLResponse }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.pieces.append(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        state.withLock { $0.redirects.append(request) }
        completionHandler(followsRedirects ? request : nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        state.withLock { $0.challenges += 1 }
        let (disposition, credential) = verdict(challenge)
        completionHandler(disposition, credential)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { $0.completions += 1 }
        let continuation = ended.withLock { $0.take() }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}

extension URLSession {
    /// Loads in one of the forms; the delegate is the session's for the delegate form.
    func load(
        _ request: URLRequest, _ payload: Payload = .none, form: Form, delegate: RecordingDelegate? = nil
    ) async throws -> Loaded {
        var request = request
        if case .httpBody(let data) = payload { request.httpBody = data }
        switch form {
        case .async:
            let (data, response) =
                switch payload {
                case .none, .httpBody: try await self.data(for: request)
                case .upload(let data): try await upload(for: request, from: data)
                case .uploadFile(let file): try await upload(for: request, fromFile: file)
                }
            return Loaded(data: data, response: response as! HTTPURLResponse)
        case .completion:
            return try await withCheckedThrowingContinuation { continuation in
                task(for: request, payload) { continuation.resume(with: $0) }.resume()
            }
        case .delegate:
            let task =
                switch payload {
                case .none, .httpBody: dataTask(with: request)
                case .upload(let data): uploadTask(with: request, from: data)
                case .uploadFile(let file): uploadTask(with: request, fromFile: file)
                }
            return try await delegate!.run(task)
        }
    }

    /// A completion-handler task that has not been resumed.
    func task(
        for request: URLRequest, _ payload: Payload = .none,
        completion: @escaping @Sendable (Result<Loaded, any Error>) -> Void
    ) -> URLSessionTask {
        let done: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
            if let error { return completion(.failure(error)) }
            completion(.success(Loaded(data: data!, response: response as! HTTPURLResponse)))
        }
        return switch payload {
        case .none, .httpBody: dataTask(with: request, completionHandler: done)
        case .upload(let data): uploadTask(with: request, from: data, completionHandler: done)
        case .uploadFile(let file): uploadTask(with: request, fromFile: file, completionHandler: done)
        }
    }
}

/// A request to a host that does not exist: only the engine can answer it.
func appRequest(_ target: String = "/", method: String = "GET") -> URLRequest {
    var request = URLRequest(url: URL(string: "http://app.test\(target)")!)
    request.httpMethod = method
    return request
}

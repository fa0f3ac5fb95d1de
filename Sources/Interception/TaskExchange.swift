import Acceleration
import Foundation
import HTTPModel
import Primitives
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One task's way through the engine: request, redirects, challenges, cookies, delivery.
///
/// Redirects are followed here and not by Foundation, whose client call for them ends the process on Linux; so every hop
/// gets its cookies, and the delegate is asked as the native class asks it.
struct TaskExchange: Sendable {
    /// As many as the native class follows.
    private static let redirectsMax = 20
    /// A delegate that keeps offering credentials gets the 401 in the end.
    private static let challengesMax = 20
    /// What is read of the body of a response that is not delivered, so that its connection can be used again.
    private static let discardedByteCountMax = 65_536

    let task: URLSessionTask
    let request: URLRequest
    private let session: URLSession
    let handler: any RequestHandling
    private let settings: SessionSettings
    /// The request with what its session adds to it, and the same in the engine's terms.
    private let completed: URLRequest
    private let translation: FoundationBridge.Translation
    private let uploadBody: RequestBody?

    /// Creates the way of a task; `nil` for a kind of task that the native class must have.
    init?(task: URLSessionTask, request: URLRequest, insight: TaskInsight, handler: any RequestHandling) {
        let settings = SessionSettings(insight.session.configuration)
        let completed = settings.completed(request)
        // What cannot be translated is for the native class to refuse, in its own words.
        guard task is URLSessionDataTask, let translation = try? settings.translated(completed) else { return nil }
        switch (task is URLSessionUploadTask, insight.body) {
        case (true, .data(let data)): uploadBody = .data(data)
        case (true, .file(let url)): uploadBody = .file(path: url.path)
        case (false, .none), (false, .data): uploadBody = nil
        default: return nil
        }
        self.task = task
        self.request = request
        session = insight.session
        self.handler = handler
        (self.settings, self.completed, self.translation) = (settings, completed, translation)
    }

    /// What the store alone answers, on the calling thread; `nil` when the network is needed.
    func answerFromStore() -> AcceleratedResponse? {
        guard uploadBody == nil, translation.body == nil else { return nil }
        return handler.sendFromStore(translation.request, options: translation.options)
    }

    /// Answers the task through its client; returns when it has been answered or stopped.
    /// - Parameters:
    ///   - client: who is answered.
    ///   - insight: what is known of the task, its form settled.
    ///   - stored: what the store has answered already.
    func run(_ client: TaskClient, _ insight: TaskInsight, from stored: AcceleratedResponse?) async {
        do {
            let (response, url) = try await answer(from: stored)
            try await BodyDelivery(task: task, insight: insight, client: client).deliver(
                response, url: url, to: request)
        } catch {
            // After a stop this says nothing: the framework has told the app already.
            let failure = FoundationBridge.urlError(for: error, url: request.url)
            client.end { $1.urlProtocol($0, didFailWithError: failure) }
        }
    }

    /// The response that the app shall see and the URL that gave it.
    private func answer(from stored: AcceleratedResponse?) async throws -> (AcceleratedResponse, HTTPURL) {
        var (request, translation, stored) = (completed, translation, stored)
        var body = uploadBody
        let followsRedirects = handler.rules.followsRedirects
        var redirectCount = 0
        var challenger = Challenger(task: task, session: session)
        while true {
            try checkBodyFile(body)
            let response: AcceleratedResponse
            if let answer = stored.take() {
                response = answer
            } else {
                response = try await handler.send(
                    translation.request, body: body ?? translation.body, options: translation.options)
            }
            settings.storeCookies(of: response, from: response.url, for: request)
            if followsRedirects,
                let redirect = try RedirectedRequest(response.response, from: response.url, of: request)
            {
                guard redirectCount < Self.redirectsMax else { throw URLError(.httpTooManyRedirects) }
                redirectCount += 1
                guard let next = await approved(redirect, of: response) else { return (response, response.url) }
                await discard(response)
                if !redirect.keepsBody { body = nil }
                request = settings.withCookies(next)
                let original = translation.options.originalRequest ?? translation.request
                translation = try settings.translated(request)
                translation.options.originalRequest = original
                continue
            }
            guard response.response.status == 401, challenger.askedCount < Self.challengesMax else {
                return (response, response.url)
            }
            switch try await challenger.answer(to: response) {
            case .deliver: return (response, response.url)
            case .retry(let authorization):
                await discard(response)
                request.setValue(authorization, forHTTPHeaderField: "Authorization")
                let original = translation.options.originalRequest
                translation = try settings.translated(request)
                translation.options.originalRequest = original
            }
        }
    }

    /// The redirected request as the session's delegate wants it; `nil` when it wants the redirect response itself.
    ///
    /// The native class asks it in every form of task, and so does this.
    private func approved(_ redirect: RedirectedRequest, of response: AcceleratedResponse) async -> URLRequest? {
        // Without a response to show there is nothing to ask: the redirect is followed.
        guard let delegate = session.delegate as? any URLSessionTaskDelegate,
            let redirection = try? FoundationBridge.response(response.response, url: response.url)
        else { return redirect.request }
        let reply = OneShot<URLRequest>()
        let (session, task) = (session, task)
        session.delegateQueue.addOperation {
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: redirection, newRequest: redirect.request
            ) { reply.resolve($0) }
        }
        return await reply.value()
    }

    private func discard(_ response: AcceleratedResponse) async {
        // What cannot be read is let go of, which ends the transfer: nobody waits for this body.
        _ = try? await response.body.collect(upTo: Self.discardedByteCountMax)
    }

    private func checkBodyFile(_ body: RequestBody?) throws {
        guard case .file(let path) = body else { return }
        guard FileManager.default.fileExists(atPath: path) else { throw URLError(.fileDoesNotExist) }
        guard FileManager.default.isReadableFile(atPath: path) else { throw URLError(.noPermissionsToReadFile) }
    }
}

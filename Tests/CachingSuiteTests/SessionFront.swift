import Foundation
import HTTPCaching
import HTTPModel
import Interception
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app's `URLSession` as a front, intercepted as apps have it.
struct SessionFront: CachingFront {
    private let origin = CaseOrigin()
    private let world: CachingWorld
    private let session: URLSession

    init(_ policy: CachingPolicy) throws {
        world = try CachingWorld(origin, policy: policy)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        Interceptor.install(in: configuration, handler: world.accelerator)
        session = URLSession(configuration: configuration)
    }

    func close() {
        Interceptor.uninstall(handler: world.accelerator)
        session.finishTasksAndInvalidate()
    }

    func send(_ request: HTTPRequest, _ exchange: CachingExchange, position: Int) async throws -> (
        answer: CachingAnswer?, seen: [HTTPRequest]
    ) {
        world.begin(exchange)
        origin.begin(exchange, position: position)
        var appRequest = URLRequest(url: try #require(URL(string: request.url.string)))
        appRequest.httpMethod = request.method.rawValue
        for field in request.fields { appRequest.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        let answer = await answer(to: appRequest)
        try await world.end(answer, url: request.url)
        return (answer, origin.requests)
    }

    func pin() throws { try world.pin() }

    private func answer(to request: URLRequest) async -> CachingAnswer? {
        // A failure of any kind is one for the app; which one is the matter of other tests.
        guard let (data, response) = try? await session.data(for: request), let response = response as? HTTPURLResponse
        else { return nil }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPFieldName($0) }), let value = value as? String {
                fields.append(name, value)
            }
        }
        return CachingAnswer(
            HTTPResponse(status: response.statusCode, fields: fields), String(decoding: data, as: UTF8.self))
    }
}

/// Keeps tests that install a handler from running beside each other, those of other targets included.
struct ExclusiveInterception: SuiteTrait, TestTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ExclusiveAccess.interception { try await function() }
    }
}

extension Trait where Self == ExclusiveInterception {
    /// One test at a time has the handler of intercepted tasks.
    static var exclusiveInterception: Self { Self() }
}

import HTTPModel
import HTTPServer
import TestSupport
import Testing

@Suite("The route table")
struct RouteTableTests {
    private func route(_ method: HTTPMethod, _ pattern: String) -> Route {
        Route(method, pattern) { request in
            text(
                ([pattern] + request.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(
                    separator: " "))
        }
    }

    @Test("prefers literal segments to named ones, and those to the rest")
    func precedence() async throws {
        let running = try RunningServer([
            route(.get, "/{path...}"), route(.get, "/apps/{app}"), route(.get, "/apps/new"),
            route(.get, "/apps/{app}/keys"), route(.get, "/apps/{app}/{path...}"), route(.get, "/"),
        ])
        let expected = [
            ("/", "/"), ("/apps/new", "/apps/new"), ("/apps/a1", "/apps/{app} app=a1"),
            ("/apps/a1/keys", "/apps/{app}/keys app=a1"), ("/apps/new/keys", "/apps/{app}/keys app=new"),
            ("/apps/a1/x/y", "/apps/{app}/{path...} app=a1 path=x/y"),
            ("/apps/a1/", "/apps/{app}/{path...} app=a1 path="),
            ("/apps/", "/{path...} path=apps/"), ("/else/where", "/{path...} path=else/where"),
        ]
        for (target, answer) in expected {
            #expect(try await running.get(target).text == answer)
        }
        await running.server.stop()
    }

    @Test(
        "refuses patterns that cannot be meant",
        arguments: [
            ["apps"], ["/{}"], ["/{a}/{a}"], ["/{rest...}/more"], ["/x{a}"], ["/{a"], ["/a}"], ["/{a}", "/{b}"],
            ["/same", "/same"],
        ])
    func malformed(patterns: [String]) {
        #expect(throws: HTTPServerError.self) { try RunningServer(patterns.map { route(.get, $0) }) }
    }
}

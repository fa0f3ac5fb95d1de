import HTTPCaching
import HTTPModel
import Larder

/// `larder explain URL`: what the SDK would do with a request, and why.
enum ExplainCommand {
    static let specification = CommandSpecification(
        path: ["explain"], summary: "Say what the SDK would do with a request, and why.",
        discussion: "Sends nothing: the answer comes from what is stored and from the rules of HTTP caching.",
        operands: [.init(name: "URL", help: "An absolute http or https URL.")],
        options: [SDKOptions.header, SDKOptions.cache], run: run)

    private static func run(_ arguments: Arguments) async throws -> ExitStatus {
        let request = try SDKOptions.request(arguments)
        let client = try SDKOptions.client(arguments)
        let decision = client.explain(request)
        await client.shutDown()
        Console.print("\(request.method) \(request.url)")
        Console.print("→ \(sentence(for: decision.action))")
        if let age = decision.ageSeconds, let lifetime = decision.lifetimeSeconds {
            let rest = lifetime - age
            let state = rest > 0 ? "fresh for \(rest) s more" : "stale for \(-rest) s"
            Console.print("  age \(age) s, lifetime \(lifetime) s: \(state)")
        }
        for (index, reason) in decision.reasons.enumerated() {
            let source = reason.reference.isEmpty ? "" : "  [\(reason.reference)]"
            Console.print("  \(index + 1). \(reason.text)\(source)")
        }
        return .success
    }

    private static func sentence(for action: CacheDecision.Action) -> String {
        switch action {
        case .serve: "Answer from the device; nothing goes over the network."
        case .serveAndRevalidate: "Answer from the device, and check with the origin behind the answer."
        case .revalidate: "Ask the origin whether the stored answer is still good."
        case .forward(let reason): "Fetch from the origin (\(reason.rawValue))."
        case .refuse: "Answer 504: the request allows only stored answers, and none fits."
        }
    }
}

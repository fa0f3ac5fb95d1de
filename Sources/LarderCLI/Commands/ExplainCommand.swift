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
        let offline = decision.needsOrigin ? client.explainUnreachable(request) : nil
        await client.shutDown()
        Console.print("\(request.method) \(request.url)")
        Console.print("→ \(sentence(for: decision.action))")
        if let age = decision.ageSeconds, let lifetime = decision.lifetimeSeconds {
            Console.print("  \(arithmetic(age: age, lifetime: lifetime))")
        }
        show(decision.reasons)
        if decision.needsOrigin {
            let answer =
                offline == nil ? "the request fails; nothing stored may answer it." : "the stored answer is used."
            Console.print("If the origin cannot be reached: \(answer)")
            show(offline?.reasons.filter { !decision.reasons.contains($0) } ?? [])
        }
        return .success
    }

    private static func show(_ reasons: [CacheDecision.Reason]) {
        for (index, reason) in reasons.enumerated() {
            let source = reason.reference.isEmpty ? "" : "  [\(reason.reference)]"
            Console.print("  \(index + 1). \(reason.text)\(source)")
        }
    }

    private static func arithmetic(age: Int, lifetime: Int) -> String {
        let left = lifetime - age
        let state = left > 0 ? "fresh for \(left) s more" : "stale for \(-left) s"
        return "age \(age) s, lifetime \(lifetime) s: \(lifetime) - \(age) = \(left), so it is \(state)"
    }

    private static func sentence(for action: CacheDecision.Action) -> String {
        switch action {
        case .serve: "Answer from the device; nothing goes over the network."
        case .serveAndRevalidate: "Answer from the device, and check with the origin behind the answer."
        case .revalidate: "Ask the origin whether the stored answer is still good; if it is, no body is sent."
        case .complete: "Fetch what is missing of the stored part, and answer with the whole."
        case .forward(let reason): "Fetch from the origin: \(sentence(for: reason)) (\(reason.rawValue))."
        case .refuse: "Answer 504: the request allows only stored answers, and none fits."
        }
    }

    private static func sentence(for reason: CacheStatus.ForwardReason) -> String {
        switch reason {
        case .bypass: "this request goes by the cache"
        case .method: "only GET and HEAD are answered from the device"
        case .miss, .uriMiss: "nothing is stored for the URL"
        case .varyMiss: "what is stored was made for other requests"
        case .request: "the request asks for it"
        case .stale: "what is stored has expired"
        case .partial: "only a part is stored"
        }
    }
}

extension CacheDecision {
    /// Whether the origin has to answer before the caller gets anything.
    fileprivate var needsOrigin: Bool {
        switch action {
        case .revalidate, .complete, .forward: true
        case .serve, .serveAndRevalidate, .refuse: false
        }
    }
}

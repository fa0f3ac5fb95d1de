import CMicroHTTPD
import HTTPModel
import Wire

/// The head of a request as libmicrohttpd has parsed it.
struct RequestHead {
    var method: String
    var version: String
    var target: String
    /// `nil` when a name is no token.
    var fields: HTTPFields?
    var fieldsByteCount: Int

    init(method: String, version: String, target: String, fields: HTTPFields?, fieldsByteCount: Int = 0) {
        self.method = method
        self.version = version
        self.target = target
        self.fields = fields
        self.fieldsByteCount = fieldsByteCount
    }

    init(method: String, version: String, target: String, connection: OpaquePointer) {
        self.init(method: method, version: version, target: target, fields: HTTPFields())
        _ = withUnsafeMutablePointer(to: &self) { head in
            MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameByteCount, value, valueByteCount in
                    guard let head = context?.assumingMemoryBound(to: RequestHead.self) else { return .NO }
                    head.pointee.append(
                        name: UnsafeRawBufferPointer(start: name, count: nameByteCount),
                        value: UnsafeRawBufferPointer(start: value, count: valueByteCount))
                    return .YES
                }, head)
        }
    }

    private mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        fieldsByteCount += name.count + value.count + 4
        guard let fieldName = HTTPFieldName(String(decoding: name, as: UTF8.self)) else { return fields = nil }
        fields?.append(fieldName, String(decoding: value, as: UTF8.self))
    }
}

/// What will be done with a request, decided from its head.
enum RequestPlan {
    /// A route with the request that it gets, still without its body.
    struct Call {
        var route: Route
        var request: ServerRequest
    }

    /// How much of the body is read before the answer.
    enum BodyReading: Equatable {
        /// Nothing: the answer goes out at once and the connection ends with it.
        case none
        /// To its end; so much may be reserved for it.
        case upTo(Int)
    }

    case answer(ServerResponse, route: String)
    case route(Call)

    var routePattern: String {
        switch self {
        case .answer(_, let route): route
        case .route(let call): call.route.pattern
        }
    }

    static func make(
        for head: RequestHead, router: Router, configuration: HTTPServer.Configuration, discardedByteCountMax: Int
    ) -> (RequestPlan, BodyReading) {
        func refuse(_ problem: ProblemDocument) -> (RequestPlan, BodyReading) {
            (.answer(.problem(problem), route: "-"), .none)
        }
        // Where the message ends is in doubt, or reading on is not worth it: answered, and the connection closed.
        guard head.version == "HTTP/1.1" || head.version == "HTTP/1.0" else {
            return refuse(Problems.versionNotSupported)
        }
        guard let fields = head.fields else { return refuse(Problems.badRequest("A field's name is not a token.")) }
        guard head.fieldsByteCount <= configuration.fieldsByteCountMax else {
            return refuse(Problems.fieldsTooLarge(byteCountMax: configuration.fieldsByteCountMax))
        }
        guard head.target.utf8.count <= configuration.targetByteCountMax else {
            return refuse(Problems.targetTooLong(byteCountMax: configuration.targetByteCountMax))
        }
        let framing: BodyFraming
        switch BodyFraming.of(fields) {
        case .success(let good): framing = good
        case .failure(let problem): return refuse(problem)
        }
        let plan = route(head, fields, router)
        return plan.reading(
            framing, expectsContinue: fields["Expect"] != nil, discardedByteCountMax: discardedByteCountMax)
    }

    private static func route(_ head: RequestHead, _ fields: HTTPFields, _ router: Router) -> RequestPlan {
        let hosts = fields.values(of: .host).count
        guard hosts == 1 || (hosts == 0 && head.version == "HTTP/1.0") else {
            return .answer(.problem(Problems.badRequest("A request has exactly one Host field.")), route: "-")
        }
        guard let method = HTTPMethod(rawValue: head.method) else {
            return .answer(.problem(Problems.badRequest("The method is not a token.")), route: "-")
        }
        let target: RequestTarget
        do {
            target = try RequestTarget(head.target)
        } catch {
            let sentence = error.reason.prefix(1).uppercased() + error.reason.dropFirst() + "."
            return .answer(.problem(Problems.badRequest(sentence)), route: "-")
        }
        switch router.match(method: method, segments: target.segments) {
        case .nothing: return .answer(.problem(Problems.notFound), route: "-")
        case .otherMethods(let pattern, let allowed):
            let list = allowed.map(\.rawValue).joined(separator: ", ")
            let problem = Problems.methodNotAllowed(String(method.rawValue.prefix(32)), allowed: list)
            return .answer(.problem(problem, fields: ["Allow": list]), route: pattern)
        case .route(let route, let parameters):
            let request = ServerRequest(
                method: method, path: target.path, query: target.query, fields: fields, parameters: parameters)
            return .route(Call(route: route, request: request))
        }
    }

    /// Whether the body is taken, read past, or left unread.
    private func reading(
        _ framing: BodyFraming, expectsContinue: Bool, discardedByteCountMax: Int
    ) -> (RequestPlan, BodyReading) {
        var plan = self
        if case .route(let call) = self {
            let byteCountMax = call.route.bodyByteCountMax
            guard case .length(let byteCount) = framing, byteCount > byteCountMax else {
                let expected = if case .length(let byteCount) = framing { byteCount } else { 0 }
                return (self, .upTo(min(expected, byteCountMax)))
            }
            let problem = Problems.bodyTooLong(byteCountMax: byteCountMax)
            plan = .answer(.problem(problem), route: call.route.pattern)
        }
        // Nobody wants the body. A client that asks first is told before it sends; a short body is read past.
        switch framing {
        case .length(0): return (plan, .upTo(0))
        case .length(let byteCount) where byteCount > discardedByteCountMax: return (plan, .none)
        default: return (plan, expectsContinue ? .none : .upTo(0))
        }
    }
}

/// How long a request's body is (RFC 9112, section 6.3).
enum BodyFraming: Equatable {
    case length(Int)
    case chunked

    /// Refuses what two readers could measure differently.
    static func of(_ fields: HTTPFields) -> Result<BodyFraming, ProblemDocument> {
        let lengths = fields.values(of: .contentLength)
        let codings = fields.values(of: .transferEncoding)
        guard codings.isEmpty else {
            guard lengths.isEmpty else {
                return .failure(Problems.badRequest("A request has Content-Length or Transfer-Encoding, not both."))
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                return .failure(Problems.transferCodingNotImplemented)
            }
            return .success(.chunked)
        }
        guard let first = lengths.first else { return .success(.length(0)) }
        guard lengths.count == 1, !first.isEmpty, first.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(first)
        else { return .failure(Problems.badRequest("Content-Length is one decimal number.")) }
        return .success(.length(length))
    }
}

import HTTPModel

/// The route table as a tree of path segments.
///
/// A literal segment wins over `{name}`, which wins over `{name...}`; a shorter way that fails is taken back.
struct Router: Sendable {
    /// What a request's path and method lead to.
    enum Match: Sendable {
        case route(Route, parameters: [String: String])
        /// The path is known with other methods.
        case otherMethods(pattern: String, allowed: [HTTPMethod])
        case nothing
    }

    private struct Leaf: Sendable {
        var pattern: String
        var names: [String]
        var routes: [HTTPMethod: Route] = [:]
    }

    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        /// At most one: in an array, since a value cannot hold itself.
        var parameter: [Node] = []
        var leaf: Leaf?
        var rest: Leaf?
    }

    private enum Segment: Hashable {
        case literal(String)
        case parameter(String)
        case rest(String)
    }

    private var root = Node()

    /// - Throws: when a pattern is malformed or two routes answer the same method and path.
    init(_ routes: [Route]) throws(HTTPServerError) {
        for route in routes {
            let segments = try Self.segments(of: route.pattern)
            let names = segments.compactMap { segment -> String? in
                switch segment {
                case .literal: nil
                case .parameter(let name), .rest(let name): name
                }
            }
            guard Set(names).count == names.count else {
                throw HTTPServerError("the route \(route.pattern) names two segments alike")
            }
            try Self.insert(route, segments[...], names, into: &root)
        }
    }

    /// Finds the route of a path; HEAD finds the routes of GET.
    func match(method: HTTPMethod, segments: [String]) -> Match {
        guard let (leaf, values) = Self.find(segments[...], values: [], in: root) else { return .nothing }
        if let route = leaf.routes[method] ?? (method == .head ? leaf.routes[.get] : nil) {
            return .route(route, parameters: Dictionary(uniqueKeysWithValues: zip(leaf.names, values)))
        }
        var allowed = Set(leaf.routes.keys)
        if allowed.contains(.get) { allowed.insert(.head) }
        return .otherMethods(pattern: leaf.pattern, allowed: allowed.sorted { $0.rawValue < $1.rawValue })
    }

    private static func segments(of pattern: String) throws(HTTPServerError) -> [Segment] {
        guard pattern.first == "/" else { throw HTTPServerError("the route \(pattern) does not start with a slash") }
        let parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var segments: [Segment] = []
        for (index, part) in parts.enumerated() {
            guard part.contains(where: { $0 == "{" || $0 == "}" }) else {
                segments.append(.literal(String(part)))
                continue
            }
            let isRest = part.hasSuffix("...}")
            let name = part.dropFirst().dropLast(isRest ? 4 : 1)
            guard part.first == "{", part.last == "}", !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber }),
                !isRest || index == parts.count - 1
            else { throw HTTPServerError("the route \(pattern) has a malformed segment: \(part)") }
            segments.append(isRest ? .rest(String(name)) : .parameter(String(name)))
        }
        return segments
    }

    private static func insert(
        _ route: Route, _ segments: ArraySlice<Segment>, _ names: [String], into node: inout Node
    ) throws(HTTPServerError) {
        switch segments.first {
        case nil: try add(route, names, to: &node.leaf)
        case .rest: try add(route, names, to: &node.rest)
        case .literal(let text):
            try insert(route, segments.dropFirst(), names, into: &node.literals[text, default: Node()])
        case .parameter:
            if node.parameter.isEmpty { node.parameter = [Node()] }
            try insert(route, segments.dropFirst(), names, into: &node.parameter[0])
        }
    }

    private static func add(_ route: Route, _ names: [String], to leaf: inout Leaf?) throws(HTTPServerError) {
        var changed = leaf ?? Leaf(pattern: route.pattern, names: names)
        guard changed.names == names, changed.routes.updateValue(route, forKey: route.method) == nil else {
            throw HTTPServerError("the routes \(changed.pattern) and \(route.pattern) collide")
        }
        leaf = changed
    }

    private static func find(_ segments: ArraySlice<String>, values: [String], in node: Node) -> (Leaf, [String])? {
        guard let first = segments.first else { return node.leaf.map { ($0, values) } }
        if let next = node.literals[first], let found = find(segments.dropFirst(), values: values, in: next) {
            return found
        }
        if !first.isEmpty, let next = node.parameter.first,
            let found = find(segments.dropFirst(), values: values + [first], in: next)
        {
            return found
        }
        return node.rest.map { ($0, values + [segments.joined(separator: "/")]) }
    }
}

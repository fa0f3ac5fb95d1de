import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the adapter must know of a task and Foundation on Linux does not tell: read from its stored properties.
///
/// Must be made on the task's queue, which guards them. Whatever cannot be read gives `nil`, and the task goes to the
/// native class.
struct TaskInsight: Sendable {
    /// Who waits for the body.
    enum Form: Sendable {
        /// A completion handler or an async caller: Foundation keeps only the last piece, so there must be only one.
        case whole
        /// The session's delegate, piece by piece.
        case delegate
        /// Nobody.
        case nobody
    }

    /// The body of an upload task, which is not in its request.
    enum Body: Sendable {
        case none
        case data(Data)
        case file(URL)
        /// A stream or a body that the delegate is asked for.
        case streamed
    }

    let session: URLSession
    let form: Form
    let body: Body
    /// The delegate that an async call gave its task: it is told of the data besides.
    let taskDelegate: (any URLSessionDataDelegate)?

    /// Reads a task; takes some ten microseconds.
    init?(_ task: URLSessionTask) {
        guard let mirror = Self.mirror(of: task), let session = mirror.descendant("session") as? URLSession,
            let body = mirror.descendant("knownBody"), let behaviour = Self.behaviour(of: task, in: session)
        else { return nil }
        self.session = session
        self.body = Self.body(body)
        form = Self.form(of: behaviour, in: session)
        taskDelegate = Self.taskDelegate(in: behaviour)
    }

    /// The session of a task.
    static func session(of task: URLSessionTask) -> URLSession? {
        mirror(of: task)?.descendant("session") as? URLSession
    }

    private static func mirror(of task: URLSessionTask) -> Mirror? {
        var mirror: Mirror? = Mirror(reflecting: task)
        while let current = mirror, current.subjectType != URLSessionTask.self { mirror = current.superclassMirror }
        return mirror
    }

    private static func behaviour(of task: URLSessionTask, in session: URLSession) -> Any? {
        guard let registry = Mirror(reflecting: session).descendant("taskRegistry") else { return nil }
        let behaviours = Mirror(reflecting: registry).descendant("behaviours") as? any BehaviourTable
        return behaviours?.behaviour(of: task.taskIdentifier)
    }

    private static func form(of behaviour: Any, in session: URLSession) -> Form {
        // A case without a payload has no children: the one that says "call the delegate".
        guard Mirror(reflecting: behaviour).children.isEmpty else { return .whole }
        return session.delegate is any URLSessionTaskDelegate ? .delegate : .nobody
    }

    private static func taskDelegate(in behaviour: Any) -> (any URLSessionDataDelegate)? {
        // The payload of an async call is a pair: completion handler, delegate.
        guard let payload = Mirror(reflecting: behaviour).children.first?.value else { return nil }
        return Mirror(reflecting: payload).children.lazy.compactMap { $0.value as? any URLSessionDataDelegate }.first
    }

    private static func body(_ value: Any) -> Body {
        let optional = Mirror(reflecting: value)
        guard let known = optional.displayStyle == .optional ? optional.children.first?.value : value else {
            return .none
        }
        let payload = Mirror(reflecting: known).children.first?.value
        switch payload {
        case nil: return .none
        case let bytes as DispatchData: return .data(Data(bytes))
        case let file as URL: return .file(file)
        default: return .streamed
        }
    }
}

/// Foundation's table of what to do for each task, whose values are of a type that it keeps to itself.
private protocol BehaviourTable {
    func behaviour(of taskIdentifier: Int) -> Any?
}

extension Dictionary: BehaviourTable where Key == Int {
    func behaviour(of taskIdentifier: Int) -> Any? { self[taskIdentifier] }
}

import Dispatch
import Foundation
import Primitives

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
        /// A completion handler or nobody, which ``settled(for:)`` tells apart.
        case wholeOrNobody
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
    private(set) var form: Form
    let body: Body
    /// The delegate that an async call gave its task: it is told of the data besides.
    let taskDelegate: (any URLSessionDataDelegate)?

    /// Reads a task; takes a microsecond or two, and some twenty where there may be a delegate.
    init?(_ task: URLSessionTask) {
        guard let places = Self.places, let session = Self.session(of: task) else { return nil }
        self.session = session
        // The body of any other task is in its request.
        body = task is URLSessionUploadTask ? Self.body(places.knownBody.value(in: task)) : .none
        // Without a delegate of the session's, only an async call can have brought one.
        if session.delegate == nil, !places.isAsync.read(Bool.self, in: task) {
            form = .wholeOrNobody
            taskDelegate = nil
            return
        }
        switch places.behaviour(of: task, in: session) {
        case .callDelegate:
            form = session.delegate is any URLSessionTaskDelegate ? .delegate : .nobody
            taskDelegate = nil
        case .callHandler(let payload):
            form = .whole
            taskDelegate = payload.flatMap(Self.taskDelegate)
        case nil: return nil
        }
    }

    /// The same with a form that says who waits. On the task's queue.
    func settled(for task: URLSessionTask) -> TaskInsight {
        guard case .wholeOrNobody = form else { return self }
        var settled = self
        settled.form = .whole
        if case .callDelegate = Self.places?.behaviour(of: task, in: session) { settled.form = .nobody }
        return settled
    }

    /// The session of a task.
    static func session(of task: URLSessionTask) -> URLSession? {
        guard let place = places?.session, isSessionStrong(place, task) else { return nil }
        return place.value(in: task) as? URLSession
    }

    /// Looked into with the first task: the declared type is the same for a weak reference, which must not be read as a
    /// strong one.
    private static func isSessionStrong(_ place: StoredProperty, _ task: URLSessionTask) -> Bool {
        let known = sessionIsStrong.withLock { $0 }
        if let known { return known }
        var mirror: Mirror? = Mirror(reflecting: task)
        var session: URLSession?
        while let current = mirror, session == nil {
            session = current.children.first { $0.label == "session" }?.value as? URLSession
            mirror = current.superclassMirror
        }
        guard let session else { return false }
        let isStrong = place.isStrong(in: task, holding: session)
        sessionIsStrong.withLock { $0 = isStrong }
        return isStrong
    }

    private static let sessionIsStrong = Locked<Bool?>(nil)

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

// MARK: - Where Foundation keeps it

extension TaskInsight {
    /// Where Foundation keeps what is read; `nil` when it keeps it elsewhere, or in another way, than it is known to.
    private struct Places: Sendable {
        let session: StoredProperty
        let knownBody: StoredProperty
        /// Whether an async call made the task.
        let isAsync: StoredProperty
        let registry: StoredProperty
        let behaviours: StoredProperty
        let table: any BehaviourTable.Type

        init?() {
            guard let session = StoredProperty("session", of: URLSessionTask.self),
                let knownBody = StoredProperty("knownBody", of: URLSessionTask.self),
                let isAsync = StoredProperty("_callCompletionHandlerInline", of: URLSessionTask.self),
                isAsync.type == Bool.self,
                let registry = StoredProperty("taskRegistry", of: URLSession.self),
                let registryClass = registry.type as? AnyClass,
                let behaviours = StoredProperty("behaviours", of: registryClass),
                let table = behaviours.type as? any BehaviourTable.Type
            else { return nil }
            self.session = session
            self.knownBody = knownBody
            self.isAsync = isAsync
            self.registry = registry
            self.behaviours = behaviours
            self.table = table
        }

        /// What Foundation does when something comes for a task.
        func behaviour(of task: URLSessionTask, in session: URLSession) -> Behaviour? {
            lookUp(table, task.taskIdentifier, in: registry.value(in: session) as AnyObject)
        }

        private func lookUp<Table: BehaviourTable>(
            _ type: Table.Type, _ key: Int, in registry: AnyObject
        ) -> Behaviour? {
            let table: Table = behaviours.read(type, in: registry)
            return table.behaviour(of: key)
        }
    }

    private static let places = Places()
}

/// What Foundation does when something comes for a task.
private enum Behaviour {
    case callDelegate
    /// The value as Foundation has it when a delegate may be in it.
    case callHandler(Any?)

    /// Reads Foundation's own value, whose type it keeps to itself; `nil` for a case that is not known.
    init?<Value>(_ value: Value) {
        switch caseName(of: value).map({ String(cString: $0) }) {
        case "callDelegate": self = .callDelegate
        case "dataCompletionHandler": self = .callHandler(nil)
        case .some: self = .callHandler(value)
        case nil: return nil
        }
    }
}

/// The name of an enumeration's case, in static memory; what a `Mirror` asks of the runtime, without the mirror.
@_silgen_name("swift_EnumCaseName") private func caseName<Value>(of value: Value) -> UnsafePointer<CChar>?

/// Foundation's table of what to do for each task.
private protocol BehaviourTable: SendableMetatype {
    func behaviour(of taskIdentifier: Int) -> Behaviour?
}

extension Dictionary: BehaviourTable where Key == Int {
    fileprivate func behaviour(of taskIdentifier: Int) -> Behaviour? { self[taskIdentifier].flatMap { Behaviour($0) } }
}

#if os(Linux)
    /// An interface of an object of a service.
    struct BusObject: Hashable {
        var path: String
        var interface: String
    }

    /// The properties of a service's objects, as far as they are known.
    typealias BusProperties = [BusObject: [String: BusValue]]

    /// What a service on the bus says of a subject: which of its objects matter, and what follows from their properties.
    protocol BusSubject {
        associatedtype Answer: Equatable
        static var service: String { get }
        /// The objects that matter, as far as can be seen from what is known.
        static func wanted(_ known: BusProperties) -> Set<BusObject>
        /// What the properties come to; `nil` when they say nothing.
        static func answer(_ known: BusProperties) -> Answer?
    }

    /// Keeps the properties of the objects that matter in step with a service that may come, go, and talk nonsense.
    ///
    /// A pure value: it returns what is to be asked of the bus.
    struct ServiceMirror<Subject: BusSubject> {
        enum Action: Equatable {
            /// Hear of changes of the objects at a path.
            case listen(String)
            case ignore(String)
            /// Ask for all properties.
            case read(BusObject)
        }

        /// The unique name of the service on the bus; `nil` while it does not run.
        private(set) var owner: String?
        /// What the service says. While more is being read, what it said before.
        private(set) var answer: Subject.Answer?
        private var known: BusProperties = [:]
        private var wanted: Set<BusObject> = []

        /// Whether something has been asked and not answered.
        var isWaiting: Bool { wanted.contains { known[$0] == nil } }

        /// The service has come (or come anew), or gone.
        mutating func handle(owner: String?) -> [Action] {
            self.owner = owner
            (known, answer) = ([:], nil)
            let before = wanted
            wanted = []
            return before.sortedPaths.map { .ignore($0) } + advance()
        }

        /// All properties of an object have come; none when the service refuses.
        mutating func handle(_ properties: [String: BusValue], of object: BusObject) -> [Action] {
            guard owner != nil, wanted.contains(object) else { return [] }
            known[object] = properties
            return advance()
        }

        /// Some properties have changed, and others are to be asked for anew.
        mutating func handle(changed: [String: BusValue], isMore: Bool, of object: BusObject) -> [Action] {
            guard owner != nil, let before = known[object] else { return [] }
            known[object] = before.merging(changed) { $1 }
            return advance() + (isMore ? [.read(object)] : [])
        }

        /// No answer comes: what was asked counts as refused, and the service says nothing.
        mutating func giveUp() -> [Action] {
            for object in wanted where known[object] == nil { known[object] = [:] }
            return advance()
        }

        private mutating func advance() -> [Action] {
            let now = owner == nil ? [] : Subject.wanted(known)
            let (before, added) = (wanted, now.subtracting(wanted))
            wanted = now
            known = known.filter { now.contains($0.key) }
            if !isWaiting { answer = Subject.answer(known) }
            let (old, new) = (Set(before.map(\.path)), Set(now.map(\.path)))
            // Listening comes before reading, so that no change falls between the two.
            return old.subtracting(new).sorted().map { .ignore($0) } + new.subtracting(old).sorted().map { .listen($0) }
                + added.sorted { ($0.path, $0.interface) < ($1.path, $1.interface) }.map { .read($0) }
        }
    }

    extension Set<BusObject> {
        fileprivate var sortedPaths: [String] { Set<String>(map(\.path)).sorted() }
    }
#endif

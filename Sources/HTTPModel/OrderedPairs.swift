extension StructuredField {
    /// Values by key, in the order in which the keys came first.
    public struct OrderedPairs<Value: Sendable & Hashable>: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        /// A key and its value.
        public struct Pair: Sendable, Hashable {
            public let key: String
            public fileprivate(set) var value: Value
        }

        private var pairs: [Pair] = []
        /// Where each key stands, so that a hostile field with many keys costs no more than its length.
        private var positions: [String: Int] = [:]

        /// Creates an empty collection.
        public init() {}

        /// Creates a collection; of a key that comes twice the last value counts, at the first place.
        public init(dictionaryLiteral elements: (String, Value)...) {
            for (key, value) in elements { self[key] = value }
        }

        /// The value of a key; setting keeps the place of a key that is there, setting `nil` removes it.
        public subscript(key: String) -> Value? {
            get { positions[key].map { pairs[$0].value } }
            set {
                switch (positions[key], newValue) {
                case (let position?, let value?): pairs[position].value = value
                case (nil, let value?):
                    positions[key] = pairs.count
                    pairs.append(Pair(key: key, value: value))
                case (let position?, nil):
                    pairs.remove(at: position)
                    positions = [:]
                    for (index, pair) in pairs.enumerated() { positions[pair.key] = index }
                case (nil, nil): break
                }
            }
        }
    }
}

extension StructuredField.OrderedPairs: RandomAccessCollection {
    public var startIndex: Int { pairs.startIndex }
    public var endIndex: Int { pairs.endIndex }
    public subscript(position: Int) -> Pair { pairs[position] }
}

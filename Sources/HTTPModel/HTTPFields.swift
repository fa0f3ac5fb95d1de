/// The fields of a message: ordered, with duplicates kept as they came (RFC 9110, section 5).
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One field line.
    public struct Field: Sendable, Hashable {
        public var name: HTTPFieldName
        /// The value, without white space at its ends and without control characters: those become spaces when it is set
        /// (RFC 9110, section 5.5).
        public var value: String {
            didSet { value = value.cleanedFieldValue() }
        }

        /// Creates a field line; control characters other than tab in the value become spaces (RFC 9110, section 5.5).
        public init(_ name: HTTPFieldName, _ value: String) {
            self.name = name
            self.value = value.cleanedFieldValue()
        }
    }

    private var fields: [Field]

    /// Creates an empty list.
    public init() { fields = [] }

    /// Creates a list of field lines in order.
    public init(_ fields: some Sequence<Field>) { self.fields = Array(fields) }

    public init(dictionaryLiteral elements: (HTTPFieldName, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The combined value of a field: its lines joined with ", " (RFC 9110, section 5.2); `nil` when absent.
    ///
    /// Setting replaces every line of that name by one, at the place of the first; setting `nil` removes them.
    public subscript(name: HTTPFieldName) -> String? {
        get {
            var combined: String?
            for field in fields where field.name == name {
                combined = combined.map { $0 + ", " + field.value } ?? field.value
            }
            return combined
        }
        set {
            guard let newValue else { return fields.removeAll { $0.name == name } }
            guard let first = fields.firstIndex(where: { $0.name == name }) else { return append(name, newValue) }
            fields[first] = Field(name, newValue)
            var index = fields.count - 1
            while index > first {
                if fields[index].name == name { fields.remove(at: index) }
                index -= 1
            }
        }
    }

    /// The values of every line of that name, in order.
    public func values(of name: HTTPFieldName) -> [String] {
        fields.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Whether a line of that name is there.
    public func contains(_ name: HTTPFieldName) -> Bool { fields.contains { $0.name == name } }

    /// Adds a line at the end, keeping those of the same name.
    public mutating func append(_ name: HTTPFieldName, _ value: String) { fields.append(Field(name, value)) }

    /// Changes the value of one line.
    public mutating func setValue(_ value: String, at position: Int) { fields[position].value = value }

    /// Removes the lines that satisfy a condition.
    public mutating func removeAll(where shouldRemove: (Field) throws -> Bool) rethrows {
        try fields.removeAll(where: shouldRemove)
    }
}

extension HTTPFields: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPFields: CustomStringConvertible {
    public var description: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}

extension String {
    /// The text as a field value: control characters are spaces, optional white space at the ends is gone (RFC 9110,
    /// section 5.5). Costs one pass and no allocation when the text is clean, as nearly all are.
    fileprivate func cleanedFieldValue() -> String {
        guard let first = utf8.first, let last = utf8.last else { return self }
        let isClean = utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
        guard !isClean || first == 0x20 || first == 0x09 || last == 0x20 || last == 0x09 else { return self }
        let bytes = utf8.map { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 ? $0 : 0x20 }
        return String(decoding: bytes.trimmingOptionalWhitespace(), as: UTF8.self)
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces and tabs at their ends (OWS, RFC 9110, section 5.6.3).
    func trimmingOptionalWhitespace() -> SubSequence {
        let isOWS = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let start = firstIndex(where: { !isOWS($0) }), let end = lastIndex(where: { !isOWS($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[start...end]
    }
}

/// Structured field values (RFC 9651): the types, with parsing and serialising that follow its algorithms to the byte.
///
/// Parsing is strict: a value that breaks any rule gives `nil`, as the RFC demands. Values longer than ``byteCountMax`` are
/// refused; the RFC's own minimum sizes all fit.
public enum StructuredField {
    /// The longest value that is read, in bytes.
    public static let byteCountMax = 262_144

    /// A value without parameters (RFC 9651, section 3.3).
    public enum BareItem: Sendable, Hashable {
        /// At most 15 digits.
        case integer(Int)
        case decimal(Decimal)
        /// Visible ASCII and spaces.
        case string(String)
        case token(String)
        case bytes([UInt8])
        case boolean(Bool)
        /// Seconds since 1970-01-01T00:00:00Z.
        case date(Int)
        /// Unicode text.
        case displayString(String)
    }

    /// A number with at most 12 digits before and 3 after the point, kept exactly (RFC 9651, section 3.3.2).
    public struct Decimal: Sendable, Hashable, Comparable {
        /// The number times 1000.
        public var thousandths: Int

        /// Creates a number from its thousandths.
        public init(thousandths: Int) { self.thousandths = thousandths }

        /// Orders by value.
        public static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }
    }

    /// Parameters of an item or inner list: bare items by key, in order (RFC 9651, section 3.1.2).
    public typealias Parameters = OrderedPairs<BareItem>
    /// Members by key, in order (RFC 9651, section 3.2).
    public typealias Dictionary = OrderedPairs<Member>

    /// A bare item with its parameters (RFC 9651, section 3.3).
    public struct Item: Sendable, Hashable {
        public var value: BareItem
        public var parameters: Parameters

        /// Creates an item.
        public init(_ value: BareItem, _ parameters: Parameters = [:]) {
            self.value = value
            self.parameters = parameters
        }
    }

    /// A list within a list or dictionary (RFC 9651, section 3.1.1).
    public struct InnerList: Sendable, Hashable {
        public var items: [Item]
        public var parameters: Parameters

        /// Creates an inner list.
        public init(_ items: [Item], _ parameters: Parameters = [:]) {
            self.items = items
            self.parameters = parameters
        }
    }

    /// A member of a list or dictionary.
    public enum Member: Sendable, Hashable {
        case item(Item)
        case innerList(InnerList)
    }

    /// Reads a list (RFC 9651, section 4.2.1); several field lines are joined by commas before.
    public static func parseList(_ text: String) -> [Member]? {
        parse(text) { parser throws(StructuredFieldParser.Malformed) in try parser.list() }
    }

    /// Reads a dictionary (RFC 9651, section 4.2.2).
    public static func parseDictionary(_ text: String) -> Dictionary? {
        parse(text) { parser throws(StructuredFieldParser.Malformed) in try parser.dictionary() }
    }

    /// Reads an item (RFC 9651, section 4.2.3).
    public static func parseItem(_ text: String) -> Item? {
        parse(text) { parser throws(StructuredFieldParser.Malformed) in try parser.item() }
    }

    /// Writes a list (RFC 9651, section 4.1.1); `nil` when a value in it cannot be written, "" when it is empty (the field is
    /// then left out).
    public static func serialize(_ list: [Member]) -> String? {
        var serializer = StructuredFieldSerializer()
        return serializer.list(list) ? serializer.text : nil
    }

    /// Writes a dictionary (RFC 9651, section 4.1.2); `nil` when a key or value in it cannot be written.
    public static func serialize(_ dictionary: Dictionary) -> String? {
        var serializer = StructuredFieldSerializer()
        return serializer.dictionary(dictionary) ? serializer.text : nil
    }

    /// Writes an item (RFC 9651, section 4.1.3); `nil` when it cannot be written.
    public static func serialize(_ item: Item) -> String? {
        var serializer = StructuredFieldSerializer()
        return serializer.item(item) ? serializer.text : nil
    }

    private static func parse<Value>(
        _ text: String,
        _ read: (inout StructuredFieldParser) throws(StructuredFieldParser.Malformed) -> Value
    ) -> Value? {
        guard text.utf8.count <= byteCountMax else { return nil }
        var parser = StructuredFieldParser(text)
        do throws(StructuredFieldParser.Malformed) {
            parser.skipSpaces()
            let value = try read(&parser)
            parser.skipSpaces()
            return parser.isAtEnd ? value : nil
        } catch {
            // What is malformed is malformed as a whole; the RFC leaves nothing else to tell.
            return nil
        }
    }
}

#if os(Linux)
    import CDBus

    /// A value that came over D-Bus.
    enum BusValue: Sendable, Hashable {
        case truth(Bool)
        case number(Int64)
        case fraction(Double)
        /// A string, an object's path, or a signature.
        case text(String)
        case bytes([UInt8])
        case list([BusValue])
        /// A dictionary whose keys are strings.
        case table([String: BusValue])
        /// Nothing that conditions are made of.
        case other

        var truth: Bool? { if case .truth(let value) = self { value } else { nil } }
        var number: Int64? { if case .number(let value) = self { value } else { nil } }
        var fraction: Double? { if case .fraction(let value) = self { value } else { nil } }
        var text: String? { if case .text(let value) = self { value } else { nil } }
        var list: [BusValue]? { if case .list(let value) = self { value } else { nil } }
        var table: [String: BusValue]? { if case .table(let value) = self { value } else { nil } }
    }

    extension BusValue {
        /// How deep values may be nested; deeper ones are ``other``.
        private static let depthMax = 8

        /// The values of a message.
        static func values(of message: OpaquePointer) -> [BusValue] {
            var iterator = DBusMessageIter()
            guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
            return values(&iterator, depth: 0)
        }

        private static func values(_ iterator: inout DBusMessageIter, depth: Int) -> [BusValue] {
            var values: [BusValue] = []
            while dbus_message_iter_get_arg_type(&iterator) != cdbus_none {
                values.append(value(&iterator, depth: depth))
                dbus_message_iter_next(&iterator)
            }
            return values
        }

        private static func value(_ iterator: inout DBusMessageIter, depth: Int) -> BusValue {
            func basic<Value: BitwiseCopyable>(_ empty: Value) -> Value {
                var value = empty
                dbus_message_iter_get_basic(&iterator, &value)
                return value
            }
            switch dbus_message_iter_get_arg_type(&iterator) {
            case cdbus_boolean: return .truth(basic(UInt32(0)) != 0)
            case cdbus_byte: return .number(Int64(basic(UInt8(0))))
            case cdbus_int16: return .number(Int64(basic(Int16(0))))
            case cdbus_uint16: return .number(Int64(basic(UInt16(0))))
            case cdbus_int32: return .number(Int64(basic(Int32(0))))
            case cdbus_uint32: return .number(Int64(basic(UInt32(0))))
            case cdbus_int64: return .number(basic(Int64(0)))
            case cdbus_uint64: return .number(Int64(clamping: basic(UInt64(0))))
            case cdbus_double: return .fraction(basic(0.0))
            case cdbus_string, cdbus_object_path, cdbus_signature:
                return basic(UnsafePointer<CChar>?.none).map { .text(String(cString: $0)) } ?? .other
            case cdbus_variant, cdbus_array, cdbus_struct, cdbus_dict_entry:
                return depth < depthMax ? container(&iterator, depth: depth) : .other
            default: return .other
            }
        }

        private static func container(_ iterator: inout DBusMessageIter, depth: Int) -> BusValue {
            let isArray = dbus_message_iter_get_arg_type(&iterator) == cdbus_array
            let isVariant = dbus_message_iter_get_arg_type(&iterator) == cdbus_variant
            let element = isArray ? dbus_message_iter_get_element_type(&iterator) : cdbus_none
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            let values = values(&inner, depth: depth + 1)
            if isVariant { return values.first ?? .other }
            if element == cdbus_byte { return .bytes(values.map { UInt8(truncatingIfNeeded: $0.number ?? 0) }) }
            guard element == cdbus_dict_entry else { return .list(values) }
            var table: [String: BusValue] = [:]
            for entry in values {
                if let pair = entry.list, pair.count == 2, let key = pair[0].text { table[key] = pair[1] }
            }
            return .table(table)
        }
    }
#endif

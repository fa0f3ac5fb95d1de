#if os(Linux)
    import CDBus

    /// What came over the bus.
    struct BusMessage {
        enum Kind: Equatable {
            /// The answer to the call of that serial number.
            case answer(UInt32)
            /// The refusal of that call.
            case refusal(UInt32)
            case signal
            case other
        }

        var kind: Kind
        /// The unique name of who sent it; the bus vouches for it.
        var sender: String?
        var path: String?
        var interface: String?
        var member: String?
        var arguments: [BusValue]
    }

    extension BusMessage {
        init(_ message: OpaquePointer) {
            let text = { (text: UnsafePointer<CChar>?) in text.map { String(cString: $0) } }
            switch dbus_message_get_type(message) {
            case DBUS_MESSAGE_TYPE_METHOD_RETURN: kind = .answer(dbus_message_get_reply_serial(message))
            case DBUS_MESSAGE_TYPE_ERROR: kind = .refusal(dbus_message_get_reply_serial(message))
            case DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
            default: kind = .other
            }
            sender = text(dbus_message_get_sender(message))
            path = text(dbus_message_get_path(message))
            interface = text(dbus_message_get_interface(message))
            member = text(dbus_message_get_member(message))
            arguments = BusValue.values(of: message)
        }
    }

    /// A method call on an object of a service.
    struct BusCall: Equatable {
        var service: String
        var path: String
        var interface: String
        var method: String
        var arguments: [String] = []

        /// A call of the bus itself.
        static func ofBus(_ method: String, _ arguments: String...) -> BusCall {
            BusCall(
                service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                method: method, arguments: arguments)
        }
    }
#endif

#if os(Linux)
    import CDBus
    import Glibc

    /// A connection to a message bus that never waits: its owner polls its descriptors, and says hello first. Belongs to one
    /// thread.
    final class BusConnection {
        /// Larger messages end the connection: nothing that conditions are made of is as long.
        private static let messageByteCountMax = 1 << 20

        private let connection: OpaquePointer
        private let watches = Watches()

        /// The descriptors of the connection, kept by libdbus through callbacks.
        private final class Watches {
            var all: [OpaquePointer] = []
        }

        /// Connects; `nil` when nobody listens at the address.
        init?(address: String) {
            // What libdbus does to SIGPIPE by itself would be done to the whole process; it sends without the signal anyway.
            dbus_connection_set_change_sigpipe(0)
            guard dbus_threads_init_default() != 0,
                let connection = dbus_connection_open_private(address, nil)
            else { return nil }
            self.connection = connection
            dbus_connection_set_exit_on_disconnect(connection, 0)
            dbus_connection_set_max_message_size(connection, Self.messageByteCountMax)
            dbus_connection_set_watch_functions(
                connection,
                { watch, data in
                    if let watch { BusConnection.watches(data)?.all.append(watch) }
                    return 1
                },
                { watch, data in BusConnection.watches(data)?.all.removeAll { $0 == watch } },
                { _, _ in }, Unmanaged.passUnretained(watches).toOpaque(), nil)
        }

        deinit {
            dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
        }

        private static func watches(_ data: UnsafeMutableRawPointer?) -> Watches? {
            data.map { Unmanaged<Watches>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Whether the bus is still there.
        var isConnected: Bool { dbus_connection_get_is_connected(connection) != 0 }

        /// What to wait for.
        var descriptors: [pollfd] {
            watches.all.filter { dbus_watch_get_enabled($0) != 0 }.map { watch in
                let flags = dbus_watch_get_flags(watch)
                let events =
                    (flags & DBUS_WATCH_READABLE.rawValue != 0 ? POLLIN : 0)
                    | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? POLLOUT : 0)
                return pollfd(fd: dbus_watch_get_unix_fd(watch), events: Int16(events), revents: 0)
            }
        }

        /// Reads and writes what the descriptors are ready for.
        func handle(_ descriptors: ArraySlice<pollfd>) {
            for descriptor in descriptors where descriptor.revents != 0 {
                let events = Int32(descriptor.revents)
                var flags: UInt32 = 0
                if events & POLLIN != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
                if events & POLLOUT != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
                if events & POLLERR != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
                if events & POLLHUP != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
                // Handling a watch may take others away: those that are left are looked at again.
                for watch in watches.all
                where watches.all.contains(watch) && dbus_watch_get_unix_fd(watch) == descriptor.fd
                    && dbus_watch_get_enabled(watch) != 0
                {
                    let wanted =
                        dbus_watch_get_flags(watch)
                        | DBUS_WATCH_ERROR.rawValue | DBUS_WATCH_HANGUP.rawValue
                    if flags & wanted != 0 { dbus_watch_handle(watch, flags & wanted) }
                }
            }
        }

        /// The next message that has come; `nil` when there is none now.
        func next() -> BusMessage? {
            guard let message = dbus_connection_pop_message(connection) else { return nil }
            defer { dbus_message_unref(message) }
            return BusMessage(message)
        }

        /// Sends a call, soon.
        /// - Returns: its serial number; `nil` when it cannot be sent.
        func send(_ call: BusCall) -> UInt32? {
            // libdbus ends the process when it is handed a path that is none.
            guard dbus_validate_path(call.path, nil) != 0,
                let message = dbus_message_new_method_call(call.service, call.path, call.interface, call.method)
            else { return nil }
            defer { dbus_message_unref(message) }
            // A service that does not run is not started for this.
            dbus_message_set_auto_start(message, 0)
            var iterator = DBusMessageIter()
            dbus_message_iter_init_append(message, &iterator)
            for argument in call.arguments {
                let isAppended = argument.withCString { text in
                    var text: UnsafePointer<CChar>? = text
                    return dbus_message_iter_append_basic(&iterator, cdbus_string, &text)
                }
                guard isAppended != 0 else { return nil }
            }
            var serial: UInt32 = 0
            return dbus_connection_send(connection, message, &serial) != 0 ? serial : nil
        }
    }
#endif

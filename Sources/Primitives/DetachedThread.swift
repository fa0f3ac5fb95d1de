#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread of its own for work that blocks.
public enum DetachedThread {
    /// Starts a thread; `false` when the system has none left.
    public static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(run)).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        if create(&attributes, argument) { return true }
        Unmanaged<Body>.fromOpaque(argument).release()
        return false
    }

    private static func create(
        _ attributes: UnsafePointer<pthread_attr_t>, _ argument: UnsafeMutableRawPointer
    ) -> Bool {
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        return pthread_create(&thread, attributes, { enter($0) }, argument) == 0
    }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
    return nil
}

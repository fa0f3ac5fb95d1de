public import Acceleration
import Foundation
import Primitives

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Answers an app's `URLSession` tasks from the engine, without a change of the app's networking code.
///
/// Data tasks and uploads from memory or from a file are answered; every other kind goes to the class that would have had it
/// (`docs/interception.md` has the table), and so do requests that the handler's rules leave alone. One handler answers for the whole process: the one installed last. Removing it
/// brings back the one before; without any, tasks go where they went before.
public enum Interceptor {
    /// Intercepts a session that exists: the app's own or `URLSession.shared`.
    ///
    /// Tasks already resumed are not touched. Call it before the session is used from several threads: Foundation's
    /// configuration, which it changes, has no lock. Installing a handler again makes it the newest.
    public static func install(in session: URLSession, handler: any RequestHandling & AnyObject) {
        // A session's configuration is the live one on Linux, not a copy.
        install(in: session.configuration, handler: handler)
    }

    /// Intercepts the sessions that will be made with a configuration, ahead of the protocol classes it already names.
    public static func install(in configuration: URLSessionConfiguration, handler: any RequestHandling & AnyObject) {
        InterceptionRegistry.shared.withLock { $0.install(handler) }
        let classes = configuration.protocolClasses ?? URLSessionConfiguration.default.protocolClasses ?? []
        guard classes.first.map({ $0 != InterceptingProtocol.self }) ?? true else { return }
        configuration.protocolClasses = [InterceptingProtocol.self] + classes.filter { $0 != InterceptingProtocol.self }
    }

    /// Removes a handler everywhere; tasks that it has begun go on.
    public static func uninstall(handler: any RequestHandling & AnyObject) {
        InterceptionRegistry.shared.withLock { $0.remove(handler) }
    }
}

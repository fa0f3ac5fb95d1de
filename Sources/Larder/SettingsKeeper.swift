import Dispatch
import Primitives

/// The app's settings: kept on the device, and told to those who go by them.
final class SettingsKeeper: Sendable {
    private let document: KeptDocument<LarderSettings>
    private let log: LogLines
    private let settings: Locked<LarderSettings>
    private let followers = Locked<[@Sendable (LarderSettings) -> Void]>([])
    /// Changes are kept and told one after the other.
    private let queue = DispatchQueue(label: "larder.settings")

    /// Reads what was kept. Performs disk I/O.
    init(directory: String, log: LogLines) {
        document = KeptDocument(path: directory + "/settings.json")
        self.log = log
        settings = Locked(document.read(log) ?? LarderSettings())
    }

    var current: LarderSettings { settings.withLock { $0 } }

    /// Changes the settings, and returns once they are kept and every follower has been told. Performs disk I/O; not to be
    /// called by a follower.
    func change(_ body: (inout LarderSettings) -> Void) {
        queue.sync {
            var changed = current
            body(&changed)
            let fresh = changed
            guard fresh != current else { return }
            settings.withLock { $0 = fresh }
            document.write(fresh, log)
            for follower in followers.withLock({ $0 }) { follower(fresh) }
        }
    }

    /// Tells somebody of the settings, now and after every change.
    func follow(_ follower: @escaping @Sendable (LarderSettings) -> Void) {
        queue.sync {
            followers.withLock { $0.append(follower) }
            follower(current)
        }
    }
}

import Dispatch

/// The app's settings: kept on the device, and told to those who go by them.
final class SettingsKeeper: Sendable {
    private let document: KeptDocument<LarderSettings>
    private let log: LogLines
    private let settings: Followed<LarderSettings>
    /// Changes are kept and told one after the other.
    private let queue = DispatchQueue(label: "larder.settings")

    /// Reads what was kept. Performs disk I/O.
    init(directory: String, log: LogLines) {
        document = KeptDocument(path: directory + "/settings.json")
        self.log = log
        settings = Followed(document.read(log) ?? LarderSettings())
    }

    var current: LarderSettings { settings.current }

    /// Changes the settings, and returns once they are kept and every follower has been told. Performs disk I/O; not to be
    /// called by a follower.
    func change(_ body: (inout LarderSettings) -> Void) {
        queue.sync {
            var changed = settings.current
            body(&changed)
            guard changed != settings.current else { return }
            document.write(changed, log)
            settings.set(changed)
        }
    }

    /// Tells somebody of the settings, now and after every change.
    func follow(_ follower: @escaping @Sendable (LarderSettings) -> Void) { queue.sync { settings.follow(follower) } }
}

/// Work in the time that a system grants an app in the background, and the app's ways there and back.
extension LarderClient {
    /// What the work came to.
    public enum BackgroundOutcome: Sendable, Hashable {
        /// At least one item has come.
        case newContent
        /// Everything that may be downloaded now is on the device.
        case nothingNew
        /// Something failed, or the time was over before anything came.
        case failed
    }

    /// Syncs and downloads for at most so long. What is unfinished then is taken up later where it stopped.
    ///
    /// A sync that was asked for elsewhere goes on when the time is over.
    public func performBackgroundWork(within limit: Duration) async -> BackgroundOutcome {
        guard let prepositioner = services.prepositioner else { return .failed }
        let sync = await prepositioner.sync(within: limit)
        if sync.itemsDownloaded > 0 { return .newContent }
        return sync.isFinished && sync.failures.isEmpty ? .nothingNew : .failed
    }

    /// Tells that the app is in the foreground again: a moment later (``LarderSettings/foregroundCheckDelay``) the SDK looks for
    /// new content.
    ///
    /// On Linux the app calls this when its window is active.
    public func appDidEnterForeground() {
        let registrar = services.registrar
        services.foregroundCheck.begin(after: settings.foregroundCheckDelay, services.timekeeper) { [weak registrar] in
            await registrar?.current?.lookForContent()
        }
    }

    /// Tells that the app is in the background: a look for new content that still waits is called off.
    public func appDidEnterBackground() { services.foregroundCheck.callOff() }
}

/// Work in the time that a system grants an app in the background.
extension LarderClient {
    /// What the work came to.
    public enum BackgroundOutcome: Sendable, Hashable {
        case newContent, nothingNew, failed
    }

    /// Syncs and downloads for at most so long. What is unfinished then is taken up later where it stopped.
    public func performBackgroundWork(within limit: Duration) async -> BackgroundOutcome {
        let report = await sync()
        return report.itemsDownloaded > 0 ? .newContent : report.failures.isEmpty ? .nothingNew : .failed
    }
}

package import Foundation
import Larder

/// What people look at, and the counters.
extension ClientService {
    package func setDebugConsoleLog(_ isEnabled: Bool) { shared.isDebugging = isEnabled }

    package func printCache() { print(client?.contentListing()) }

    package func printCurrentConfiguration() { print(client?.configurationListing()) }

    package func printManifest() { printCache() }

    package func printCurrentCapabilities() { printCurrentConfiguration() }

    package func debugSendAnalytics() {
        guard let client else { return print(nil) }
        // The retired call returns at once.
        Task {
            print("\(await client.sendTelemetry())")
        }
    }

    package var sortedLogFilePaths: [String]? { client?.logFilePaths }

    private func print(_ lines: [String]?) {
        for line in lines ?? [Self.notConfigured] { Swift.print(line) }
    }

    private func print(_ line: String) { Swift.print(line) }

    // MARK: - Counters

    private var counters: ExchangeCounters { client?.counters ?? ExchangeCounters() }

    package func timeLoadingFromCache() -> TimeInterval { counters.fromDeviceDuration / .seconds(1) }

    package func timeLoadingFromNetwork() -> TimeInterval { counters.fromNetworkDuration / .seconds(1) }

    package func filesDownloaded() -> Int { counters.downloadedItemCount }

    package func bytesDownloaded() -> Int { Int(clamping: counters.downloadedByteCount) }

    package func filesLoadedFromCache() -> Int { counters.fromDeviceCount }

    package func bytesLoadedFromCache() -> Int { Int(clamping: counters.fromDeviceByteCount) }

    package func filesNotHandled() -> Int { counters.passedThroughCount }

    package func filesRequested() -> [String] { client?.requestedURLs ?? [] }

    package func statsConnectionType() -> String? { client.map { VOCConnectionType($0.counters.networkKind).word } }

    package func clearStats() { client?.clearCounters() }
}

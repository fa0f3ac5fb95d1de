public import HTTPModel
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    public import Foundation
#endif

/// A durable, bounded queue of what the device has to tell the server.
///
/// Recording never blocks on the disk: items gather in memory and are written behind. At the bound the oldest items go and are
/// counted. Batches keep their id until the server has acknowledged them, so that sending twice counts once.
public final class TelemetryQueue: Sendable {
    /// The limits of a queue.
    public struct Configuration: Sendable, Hashable {
        /// The directory of the queue's database.
        public var directory: String
        public var itemCountMax = 20_000
        public var byteCountMax: Int64 = 16 << 20
        public var batchItemCountMax = 500

        /// Creates a configuration with the default limits.
        public init(directory: String) { self.directory = directory }
    }

    /// Where batches go.
    public struct Destination: Sendable, Hashable {
        /// The server's base URL.
        public var serverURL: HTTPURL
        public var deviceID: String
        public var deviceToken: String

        /// Creates a destination.
        public init(serverURL: HTTPURL, deviceID: String, deviceToken: String) {
            self.serverURL = serverURL
            self.deviceID = deviceID
            self.deviceToken = deviceToken
        }
    }

    /// What an upload came to.
    public struct UploadReport: Sendable, Hashable {
        public var batchesSent = 0
        public var itemsSent = 0
        /// Why it stopped early; `nil` when the queue is empty.
        public var failure: String?
        /// The server no longer knows the device's token (401 or 403).
        public var isRefused = false

        /// A report of nothing.
        public init() {}
    }

    /// Opens the queue; an unusable directory gives a queue in memory that counts its losses.
    /// - Parameter makeID: makes unique batch ids.
    public init(configuration: Configuration, timekeeper: any Timekeeping, makeID: @escaping @Sendable () -> String) {
        fatalError("stub")
    }

    /// Adds an item; never blocks and never fails.
    public func record(_ item: TelemetryItem) { fatalError("stub") }
    /// Items waiting.
    public var count: Int { fatalError("stub") }
    /// Writes what is in memory to the disk and returns when it is durable.
    public func flush() async { fatalError("stub") }
    /// Sends every waiting item, batch by batch, with zstd. Runs one upload at a time.
    public func upload(to destination: Destination, over transport: any HTTPTransport) async -> UploadReport {
        fatalError("stub")
    }
}

public import HTTPModel

extension TelemetryQueue {
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
        /// Items of batches that the server will never take: they are gone.
        public var itemsRejected = 0
        /// Why it stopped early; `nil` when the queue is empty.
        public var failure: String?
        /// The server no longer knows the device's token (401 or 403).
        public var isRefused = false

        /// A report of nothing.
        public init() {}
    }
}

import Foundation
import Larder

/// What the demo asks the app to do: one line of JSON.
struct Script: Codable {
    var serverURL: String
    var apiKey: String
    var bundleID: String
    var directory: String
    var segments: [String]
    var page: URL
    var others: [URL]
    /// The names of the loads; before each the app waits for a line on standard input.
    var loads: [String]

    /// What the app tells the SDK.
    var larderConfiguration: LarderConfiguration {
        var configuration = LarderConfiguration(serverURL: serverURL, apiKey: apiKey, bundleID: bundleID)
        configuration.directory = directory
        return configuration
    }

    static func fromStandardInput() -> Script? {
        guard let line = readLine() else { return nil }
        do {
            return try JSONDecoder().decode(Script.self, from: Data(line.utf8))
        } catch {
            FileHandle.standardError.write(Data("sample-app: \(error)\n".utf8))
            return nil
        }
    }
}

/// One request as the app saw it.
struct RequestReport: Codable {
    var url: URL
    var status: Int
    var microseconds: Int64
    var byteCount: Int
    /// Of the body.
    var digest: String
    /// Bytes on the wire, both ways, as the SDK measured them; `nil` when it told nothing.
    var wireByteCount: Int64?
    var cacheStatus: String?
    var failure: String?
}

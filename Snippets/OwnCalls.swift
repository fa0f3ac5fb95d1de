import Foundation
import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let larder = LarderClient(configuration: .init(bundleID: "com.example.app"))
let request = URLRequest(url: URL(string: "https://www.example.com/film.mp4")!)

let (data, response) = try await larder.data(for: request)
print(data.count, response.value(forHTTPHeaderField: "Cache-Status") ?? "-")

let (stream, _) = try await larder.stream(for: request)
for try await chunk in stream { print(chunk.count) }  // at your pace: the network waits

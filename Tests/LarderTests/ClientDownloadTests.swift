import Foundation
import HTTPModel
import Larder
import Primitives
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Downloads of the client")
struct ClientDownloadTests {
    private static let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 / 3) })

    private func partials(_ rig: ClientRig) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: rig.directory.path).filter { $0.hasSuffix(".part") }
    }

    @Test("a body becomes a file of the caller's own, from the network and from the store")
    func downloads() async throws {
        let rig = try ClientRig { _ in .init(Self.body, [.cacheControl: "max-age=60"]) }
        let destination = rig.file("file.bin")
        for _ in 0..<2 {
            let response = try await rig.client.download(for: rig.request("/a"), to: destination)
            #expect(response.statusCode == 200)
            #expect(try Data(contentsOf: destination) == Self.body)
            // What the caller does to the file is no harm to the store.
            try Data("scribble".utf8).write(to: destination)
        }
        #expect(rig.origin.requests.count == 1)
        #expect(try await rig.client.data(from: rig.url("/a")).0 == Self.body)
        #expect(try partials(rig).isEmpty)
    }

    @Test("a stored body is written with one name and writable by its owner")
    func ownFile() async throws {
        let rig = try ClientRig { _ in .init(Self.body, [.cacheControl: "max-age=60"]) }
        _ = try await rig.client.data(from: rig.url("/a"))
        _ = try await rig.client.download(for: rig.request("/a"), to: rig.file("file.bin"))
        let attributes = try FileManager.default.attributesOfItem(atPath: rig.file("file.bin").path)
        #expect((attributes[.referenceCount] as? NSNumber)?.intValue == 1)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
    }

    @Test("a download that breaks off leaves the file as it was, and nothing beside it")
    func breaksOff() async throws {
        let rig = try ClientRig { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nshort") }
        let destination = rig.file("file.bin")
        try Data("before".utf8).write(to: destination)
        let error = await #expect(throws: URLError.self) {
            try await rig.client.download(for: rig.request("/a"), to: destination)
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(try Data(contentsOf: destination) == Data("before".utf8))
        #expect(try partials(rig).isEmpty)
    }

    @Test("a directory that is not there is an error that names the file")
    func noDirectory() async throws {
        let rig = try ClientRig { _ in .init("hello") }
        let destination = rig.file("no/where/file.bin")
        let error = await #expect(throws: URLError.self) {
            try await rig.client.download(for: rig.request("/a"), to: destination)
        }
        #expect(error?.code == .cannotCreateFile)
        #expect(error?.localizedDescription.contains("no/where") == true)
    }
}

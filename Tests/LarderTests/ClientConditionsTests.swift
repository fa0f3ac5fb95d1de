import Foundation
import Larder
import Primitives
import TestSupport
import Testing

@Suite("The client and the device's conditions", .timeLimit(.minutes(1)))
struct ClientConditionsTests {
    private let directory: TemporaryDirectory
    private let server: RawServer
    private let conditions = ManualConditions(DeviceConditions(network: .init(.wifi, id: "home", signalLevel: 4)))
    private let client: LarderClient

    init() throws {
        directory = try TemporaryDirectory()
        server = try RawServer { connection in
            while try connection.readHead() != nil {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: no-store\r\n\r\nok")
            }
        }
        var configuration = LarderConfiguration()
        configuration.directory = directory.path("larder")
        configuration.conditions = conditions
        client = LarderClient(configuration: configuration)
    }

    private func load() async throws {
        let url = try #require(HTTPURL(server.origin + "/"))
        _ = try await client.send(HTTPRequest(method: .get, url: url)).body.collect()
    }

    /// The client hears of a change a moment after it: asks until it connects anew.
    private func loadOverNewConnection() async throws {
        let count = server.connectionCount
        while server.connectionCount == count { try await load() }
    }

    @Test("are those of the source, and so are their changes")
    func source() async {
        #expect(client.conditions.network.id == "home")
        conditions.set(DeviceConditions(network: .init(.cellular)))
        for await conditions in client.conditionChanges() {
            #expect(conditions.network == .init(.cellular, isMetered: true))
            break
        }
    }

    @Test("makes new connections in another network, and in the same one after none")
    func reconnects() async throws {
        try await load()
        conditions.set(DeviceConditions(network: .init(.cellular)))
        try await loadOverNewConnection()
        conditions.set(DeviceConditions(network: .init(.none)))
        conditions.set(DeviceConditions(network: .init(.wifi, id: "home")))
        try await loadOverNewConnection()
        conditions.set(DeviceConditions(network: .init(.wifi, id: "office")))
        try await loadOverNewConnection()
    }

    @Test("keeps its connections while the signal and the power change")
    func keeps() async throws {
        try await load()
        for level in 0..<4 {
            conditions.set(
                DeviceConditions(
                    network: .init(.wifi, id: "home", signalLevel: level),
                    power: .init(isExternal: false, batteryPercent: level)))
            try await load()
        }
        #expect(server.connectionCount == 1)
    }

    @Test("asks the system when no source is configured")
    func system() throws {
        var configuration = LarderConfiguration()
        configuration.directory = directory.path("other")
        let client = LarderClient(configuration: configuration)
        #expect(client.conditions == SystemConditions.shared.conditions)
    }
}

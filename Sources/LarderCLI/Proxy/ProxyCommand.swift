import Acceleration
import ContentStore
import Foundation
import HTTPCaching
import HTTPModel
import Larder
import LocalProxy
import Primitives
import Transport

/// `larder proxy`: the engine behind an HTTP proxy.
enum ProxyCommand {
    static let specification = CommandSpecification(
        path: ["proxy"], summary: "Run an HTTP proxy in front of the cache.",
        discussion: """
            Without --origin it is a forward proxy: set it as the HTTP proxy of a browser or program. It answers and
            stores http:// requests; https:// goes through tunnels (CONNECT), which it cannot look into. With --origin
            it is a reverse proxy for one origin, https or http, and everything passes the cache.
            It prints the address it listens on. SIGINT or SIGTERM ends it in order.
            """,
        options: [
            .init(
                name: "--listen", value: "HOST:PORT",
                help: "The numeric address to listen on; port 0 takes a free one.",
                fallback: "127.0.0.1:8888"),
            .init(
                name: "--allow-remote", value: nil,
                help: "Listen beyond the loopback: whoever reaches the port can use the proxy. Implies --shared."),
            .init(
                name: "--shared", value: nil,
                help: "Answer several users: store nothing private, and go by s-maxage. Has a store of its own."),
            .init(
                name: "--targeted-field", value: "NAME",
                help: "Go by this field, such as CDN-Cache-Control, before Cache-Control; may be given more than once."),
            .init(name: "--origin", value: "URL", help: "Be a reverse proxy for this origin, with its path as prefix."),
            .init(name: "--preserve-host", value: nil, help: "Send the client's Host to the origin."),
            .init(
                name: "--connect-ports", value: "LIST", help: "The ports that CONNECT may reach, as 443,8443, or any.",
                fallback: "443"),
            .init(name: "--no-cache", value: nil, help: "Pass everything on; neither answer from the cache nor store."),
            .init(name: "--access-log", value: "FILE", help: "Write a line for each request; - is standard output."),
            SDKOptions.cache, SDKOptions.cacheSize, SDKOptions.authority,
        ], run: run)

    private static func run(_ arguments: Arguments) async throws -> ExitStatus {
        var configuration = try configuration(arguments)
        let policy = try policy(arguments)
        let log = try arguments.value("--access-log").map { try AccessLog(path: $0) }
        if let log { configuration.onAccess = { log.write($0) } }
        let timekeeper = SystemTimekeeper()
        let transport = try transport(arguments)
        let accelerator = Accelerator(
            store: try store(arguments, timekeeper), transport: transport, policy: policy,
            timekeeper: timekeeper,
            onFault: { Console.note("larder: the store failed, requests go on without it: \($0)") })
        let termination = Termination()
        let proxy = LocalProxy(configuration: configuration, handler: accelerator, timekeeper: timekeeper)
        do throws(LocalProxyError) {
            try proxy.start()
        } catch {
            throw CommandFailure(error.description)
        }
        let address = proxy.url?.string ?? ""
        if let origin = configuration.origin {
            Console.print("Proxy: \(address) for \(origin)")
        } else {
            Console.print("Proxy: \(address)")
        }
        await termination.wait()
        Console.note("stopping: requests under way get 10 s to end")
        await proxy.stop()
        accelerator.cancelBackgroundWork()
        transport.shutDown()
        await log?.close()
        return .success
    }

    // MARK: - Parts

    private static func store(_ arguments: Arguments, _ timekeeper: any Timekeeping) throws -> ContentStore? {
        if arguments.has("--no-cache") { return nil }
        // In the store of a private cache nothing tells whose a response is.
        let name = isShared(arguments) ? "/shared" : "/store"
        var configuration = ContentStore.Configuration(directory: SDKOptions.directory(arguments) + name)
        configuration.opportunisticByteCountMax = try arguments.byteCount("--cache-size") ?? 4 << 30
        do throws(StoreError) {
            return try ContentStore(configuration: configuration, timekeeper: timekeeper)
        } catch {
            throw CommandFailure("the cache cannot be used: \(error)")
        }
    }

    private static func isShared(_ arguments: Arguments) -> Bool {
        arguments.has("--shared") || arguments.has("--allow-remote")
    }

    private static func policy(_ arguments: Arguments) throws -> CachingPolicy {
        var policy = CachingPolicy()
        policy.isShared = isShared(arguments)
        policy.targetedFields = try arguments.all("--targeted-field").map { text in
            guard let name = HTTPFieldName(text) else {
                throw arguments.usageError(
                    "--targeted-field takes the name of a field such as CDN-Cache-Control, not \(text)")
            }
            return name
        }
        return policy
    }

    private static func transport(_ arguments: Arguments) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        if let file = arguments.value("--ca") {
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw CommandFailure("cannot read \(file): check the path given with --ca")
            }
            configuration.trust.authorityFile = file
        }
        configuration.connectionsPerHostMax = 256
        return CurlTransport(configuration: configuration)
    }

    private static func configuration(_ arguments: Arguments) throws -> LocalProxy.Configuration {
        var configuration = LocalProxy.Configuration()
        (configuration.address, configuration.port) = try address(arguments)
        if let text = arguments.value("--origin") {
            guard let origin = HTTPURL(text), !origin.target.contains("?") else {
                throw arguments.usageError("--origin takes an http or https URL without a query, not \(text)")
            }
            configuration.origin = origin
        }
        configuration.preservesHost = arguments.has("--preserve-host")
        configuration.bypassesCache = arguments.has("--no-cache")
        if let list = arguments.value("--connect-ports") {
            configuration.connectPorts = try connectPorts(list, arguments)
        }
        return configuration
    }

    private static func address(_ arguments: Arguments) throws -> (String, UInt16) {
        let text = arguments.value("--listen") ?? "127.0.0.1:8888"
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw arguments.usageError("--listen takes HOST:PORT such as 127.0.0.1:8888 or [::1]:0, not \(text)")
        }
        let host = text[..<colon].trimmingPrefix("[")
        let address = String(host.hasSuffix("]") ? host.dropLast() : host)
        let isLoopback = address.hasPrefix("127.") || address == "::1"
        if !isLoopback {
            guard arguments.has("--allow-remote") else {
                throw arguments.usageError(
                    "\(address) is not on the loopback: the proxy asks nobody who they are, so add --allow-remote if "
                        + "whoever reaches the port may use it")
            }
            Console.note("larder: whoever reaches \(text) can use this proxy and read what it has stored")
        }
        return (address, port)
    }

    private static func connectPorts(_ list: String, _ arguments: Arguments) throws -> Set<UInt16>? {
        if list == "any" { return nil }
        var ports: Set<UInt16> = []
        for part in list.split(separator: ",") {
            guard let port = UInt16(part), port > 0 else {
                throw arguments.usageError("--connect-ports takes ports such as 443,8443, or any, not \(list)")
            }
            ports.insert(port)
        }
        return ports
    }
}

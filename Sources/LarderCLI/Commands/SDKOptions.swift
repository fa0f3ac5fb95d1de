import Foundation
import HTTPModel
import Larder
import Transport

/// The options that commands running the SDK share, and what they make of them.
enum SDKOptions {
    static let cache = CommandSpecification.Option(
        name: "--cache", value: "DIR", help: "The SDK's directory.", fallback: "~/.cache/larder-cli")
    static let header = CommandSpecification.Option(
        name: "--header", value: "NAME:VALUE", help: "A request field; may be given more than once.")
    static let authority = CommandSpecification.Option(
        name: "--ca", value: "FILE", help: "A PEM file of certificate authorities to trust besides the system's.")
    static let cacheSize = CommandSpecification.Option(
        name: "--cache-size", value: "BYTES", help: "Room for responses stored as they pass by.", fallback: "4G")

    /// The SDK's directory as the command line says.
    static func directory(_ arguments: Arguments) -> String {
        if let directory = arguments.value("--cache") { return directory }
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
        return base + "/larder-cli"
    }

    /// The SDK without a control plane, as the command line says.
    static func client(_ arguments: Arguments) throws -> LarderClient {
        var configuration = LarderConfiguration(bundleID: "larder-cli")
        configuration.directory = directory(arguments)
        configuration.opportunisticByteCountMax = try arguments.byteCount("--cache-size") ?? 4 << 30
        configuration.trust.authorityFile = arguments.value("--ca")
        configuration.log = { Console.note("larder: \($0)") }
        return LarderClient(configuration: configuration)
    }

    /// The request that the operand `URL` and the options describe.
    static func request(_ arguments: Arguments, method: HTTPMethod = .get) throws -> HTTPRequest {
        guard let text = arguments.operands.first, let url = HTTPURL(text) else {
            let text = arguments.operands.first ?? ""
            throw arguments.usageError("\(text) is not an absolute http or https URL, such as https://example.com/")
        }
        var request = HTTPRequest(method: method, url: url)
        for header in arguments.all("--header") {
            guard let colon = header.firstIndex(of: ":"), let name = HTTPFieldName(header[..<colon]) else {
                throw arguments.usageError("--header takes NAME:VALUE, not \(header)")
            }
            request.fields.append(name, String(header[header.index(after: colon)...]))
        }
        return request
    }
}

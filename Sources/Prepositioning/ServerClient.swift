import Cryptography
import HTTPModel
import Primitives
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The control plane, as a device asks it.
struct ServerClient: Sendable {
    /// Most bytes of a release document.
    static let releaseByteCountMax = 4 << 20
    /// Most bytes of a manifest document: about 150,000 items.
    static let manifestByteCountMax = 64 << 20

    /// What the server says to a registration.
    enum Registration: Sendable {
        case registered(RegistrationResponse)
        /// The key is unknown or revoked.
        case badCredentials(String)
        case failed(String)
    }

    /// What the server says to the question for the release.
    enum ReleaseAnswer: Sendable {
        case document(Data, tag: String?)
        case notModified
        case nothingPublished
        /// The device, or the app, is not wanted any more.
        case withdrawn(String)
        case failed(String)
    }

    private let base: String
    private let transport: any HTTPTransport
    private let usage: UsageMeter
    /// Told whether the server could be reached.
    private let onReach: @Sendable (Bool) -> Void
    /// Told how each exchange went over the wire.
    private let onWire: @Sendable (HTTPURL, TransferMetrics) -> Void

    init(
        serverURL: HTTPURL, transport: any HTTPTransport, usage: UsageMeter,
        onReach: @escaping @Sendable (Bool) -> Void, onWire: @escaping @Sendable (HTTPURL, TransferMetrics) -> Void
    ) {
        var base = serverURL.string[...]
        while base.last == "/" { base.removeLast() }
        self.base = String(base)
        self.transport = transport
        self.usage = usage
        self.onReach = onReach
        self.onWire = onWire
    }

    func register(_ registration: RegistrationRequest) async throws -> Registration {
        do {
            let body = try WireCoding.encode(registration)
            let (response, data) = try await exchange(
                .post, "/v1/devices", fields: [.contentType: "application/json"], body: body)
            switch response.status {
            case 200, 201:
                return .registered(try WireCoding.decode(RegistrationResponse.self, from: data))
            case 401, 403:
                return .badCredentials("the server refuses the API key: \(problem(response, data))")
            default:
                return .failed("the registration failed: \(problem(response, data))")
            }
        } catch let error as DecodingError {
            return .failed("the answer to the registration is malformed: \(summary(error))")
        } catch {
            if error is CancellationError { throw error }
            return .failed("the registration failed: \(error)")
        }
    }

    func release(appID: String, tag: String?) async throws -> ReleaseAnswer {
        do {
            var fields = HTTPFields()
            if let tag { fields[.ifNoneMatch] = tag }
            let path = "/v1/apps/\(appID.pathEscaped)/release"
            let (response, data) = try await exchange(
                .get, path, fields: fields, byteCountMax: Self.releaseByteCountMax)
            switch response.status {
            case 200: return .document(data, tag: response.fields[.eTag])
            case 304: return .notModified
            case 404: return .nothingPublished
            case 401, 403, 410: return .withdrawn("the server withdrew the device: \(problem(response, data))")
            default: return .failed("the release did not come: \(problem(response, data))")
            }
        } catch {
            if error is CancellationError { throw error }
            return .failed("the release did not come: \(error)")
        }
    }

    /// The bytes of a manifest document, whose digest is the one asked for.
    /// - Throws: ``DownloadFailure``; `CancellationError`.
    func manifest(_ digest: SHA256Digest) async throws -> Data {
        do {
            let (response, data) = try await exchange(
                .get, "/v1/manifests/\(digest)", byteCountMax: Self.manifestByteCountMax)
            guard response.status == 200 else {
                throw DownloadFailure("the manifest did not come: \(problem(response, data))", isTransient: true)
            }
            let found = SHA256Digest.of(data)
            guard found == digest else {
                throw DownloadFailure("the manifest's hash is \(found), not \(digest) as released", isTransient: false)
            }
            return data
        } catch {
            if error is CancellationError || error is DownloadFailure { throw error }
            throw DownloadFailure("the manifest did not come: \(error)", isTransient: true)
        }
    }

    private func exchange(
        _ method: HTTPMethod, _ path: String, fields: HTTPFields = HTTPFields(), body: Data? = nil,
        byteCountMax: Int = 1 << 20, totalTimeout: Duration = .seconds(120)
    ) async throws -> (HTTPResponse, Data) {
        guard let url = HTTPURL(base + path) else {
            throw DownloadFailure("\(base) makes no URL", isTransient: false)
        }
        var request = TransportRequest(
            HTTPRequest(method: method, url: url, fields: fields), body: body.map(RequestBody.data))
        request.totalTimeout = totalTimeout
        let meter = usage.begin()
        let response = try await reach { try await transport.send(request) }
        let data = try await response.body.collect(upTo: byteCountMax)
        let metrics = await response.metrics()
        meter.settle(metrics)
        onWire(url, metrics)
        return (response.response, data)
    }

    private func reach<Answer>(_ send: () async throws -> Answer) async throws -> Answer {
        do {
            let answer = try await send()
            onReach(true)
            return answer
        } catch let error as TransportError {
            if error.code.isUnreachable { onReach(false) }
            throw error
        }
    }

    /// The server's own words, when it sent a problem document.
    private func problem(_ response: HTTPResponse, _ data: Data) -> String {
        let status = "status \(response.status)"
        guard response.fields[.contentType]?.hasPrefix("application/problem+json") == true else { return status }
        do {
            let problem = try WireCoding.decode(ProblemDocument.self, from: data)
            return "\(problem.detail) (\(status))"
        } catch {
            return status
        }
    }

    private func summary(_ error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            context.debugDescription
        @unknown default: "it cannot be read"
        }
    }
}

/// What concerns the device itself. Every request carries its token.
extension ServerClient {
    /// What the server says about a device.
    enum Standing: Sendable {
        /// It did what was asked for.
        case registered
        case withdrawn(String)
        /// The server does not say: it is an older one, or it could not be asked.
        case unknown(String)
    }

    /// Asks whether the device is still registered. The release cannot tell: it may come from a cache on the way.
    /// - Throws: `CancellationError`.
    func standing(of device: RegistrationResponse) async throws -> Standing {
        try await ask(device, .get, "", what: "the server was asked for the device")
    }

    /// Tells the server where notifications for the device go.
    /// - Throws: `CancellationError`.
    func send(_ token: PushTokenRequest, of device: RegistrationResponse) async throws -> Standing {
        let body: Data
        do { body = try WireCoding.encode(token) } catch {
            return .unknown("the push token cannot be encoded")
        }
        return try await ask(device, .put, "/push-token", body: body, what: "the push token was not taken")
    }

    /// Tells the server that the device is gone.
    /// - Throws: `CancellationError`.
    func remove(_ device: RegistrationResponse) async throws -> Standing {
        try await ask(device, .delete, "", what: "the server was not told that the device is gone")
    }

    private func ask(
        _ device: RegistrationResponse, _ method: HTTPMethod, _ path: String, body: Data? = nil, what: String
    ) async throws -> Standing {
        do {
            var fields: HTTPFields = [
                .authorization: "Bearer \(device.deviceToken)", "Larder-Device": device.deviceID,
            ]
            if body != nil { fields[.contentType] = "application/json" }
            let (response, data) = try await exchange(
                method, "/v1/devices/\(device.deviceID.pathEscaped)\(path)", fields: fields, body: body,
                totalTimeout: .seconds(20))
            switch response.status {
            case 200...299: return .registered
            case 401, 403, 410: return .withdrawn("the server withdrew the device: \(problem(response, data))")
            default: return .unknown("\(what): \(problem(response, data))")
            }
        } catch {
            if error is CancellationError { throw error }
            return .unknown("\(what): \(error)")
        }
    }
}

extension String {
    /// The text as one segment of a URL's path.
    fileprivate var pathEscaped: String {
        var escaped = ""
        for byte in utf8 {
            let isPlain =
                byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber)
            if isPlain || "-._~".utf8.contains(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return escaped
    }
}

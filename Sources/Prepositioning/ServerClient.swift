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
    /// Told how each exchange went over the wire.
    private let onWire: @Sendable (HTTPURL, TransferMetrics) -> Void

    init(
        serverURL: HTTPURL, transport: any HTTPTransport,
        onWire: @escaping @Sendable (HTTPURL, TransferMetrics) -> Void = { _, _ in }
    ) {
        var base = serverURL.string[...]
        while base.last == "/" { base.removeLast() }
        self.base = String(base)
        self.transport = transport
        self.onWire = onWire
    }

    func register(_ registration: RegistrationRequest) async throws -> Registration {
        do {
            let body = try WireCoding.encode(registration)
            let (response, data) = try await exchange(
                .post, "/v1/devices", fields: [.contentType: "application/json"], body: body, byteCountMax: 1 << 20)
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
        _ method: HTTPMethod, _ path: String, fields: HTTPFields = HTTPFields(), body: Data? = nil, byteCountMax: Int
    ) async throws -> (HTTPResponse, Data) {
        guard let url = HTTPURL(base + path) else {
            throw DownloadFailure("\(base) makes no URL", isTransient: false)
        }
        var request = TransportRequest(
            HTTPRequest(method: method, url: url, fields: fields), body: body.map(RequestBody.data))
        request.totalTimeout = .seconds(120)
        let response = try await transport.send(request)
        let data = try await response.body.collect(upTo: byteCountMax)
        onWire(url, await response.metrics())
        return (response.response, data)
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

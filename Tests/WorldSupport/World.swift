package import Cryptography
package import Foundation
package import HTTPModel
import Primitives
package import Wire

/// A control plane and an origin in one, in memory: what a device can reach. Answers requests, and keeps them.
package final class World: Sendable {
    package struct Content: Sendable {
        package var body: Data
        package var eTag: String?
        /// The coding the origin sends it in when asked; the double does not really code.
        package var encoding: String?
        package var fields: HTTPFields = [:]
        package var isEssential = true
        package var priority = 0

        package init(
            body: Data, eTag: String? = nil, encoding: String? = nil, isEssential: Bool = true, priority: Int = 0
        ) {
            self.body = body
            self.eTag = eTag
            self.encoding = encoding
            self.isEssential = isEssential
            self.priority = priority
        }
    }

    package struct Reply: Sendable {
        package var status = 200
        package var fields: HTTPFields = [:]
        package var body = Data()
        /// The connection breaks after so many bytes of the body.
        package var brokenAfter: Int?
        package var decodedFrom: String?

        package init(
            status: Int = 200, fields: HTTPFields = [:], body: Data = Data(), brokenAfter: Int? = nil,
            decodedFrom: String? = nil
        ) {
            self.status = status
            self.fields = fields
            self.body = body
            self.brokenAfter = brokenAfter
            self.decodedFrom = decodedFrom
        }
    }

    package struct Request: Sendable {
        package var head: HTTPRequest
        package var body: Data
        package var path: String { head.url.path }
    }

    private struct State {
        var contents: [String: Content] = [:]
        var release: Data?
        var releaseVersion = 0
        var segmentVersions: [String: (version: Int, segment: Release.Segment)] = [:]
        var manifests: [String: Data] = [:]
        var requests: [Request] = []
        var batches: [String: TelemetryBatch] = [:]
        var overrides: [String: [Reply]] = [:]
        var isOffline = false
        var silentPaths: Set<String> = []
    }

    package static let app = "app-1"
    package let key: Ed25519PrivateKey
    package let origin: String
    private let state = Locked(State())

    package init(origin: String = "http://origin.test") {
        self.origin = origin
        key = Ed25519PrivateKey(seed: Data(repeating: 42, count: 32))!
    }

    package var signingKey: SigningKey { SigningKey(id: "key-1", publicKey: key.publicKey.rawBytes) }

    // MARK: - What there is

    package subscript(path: String) -> Content? {
        get { state.withLock { $0.contents[path] } }
        set { state.withLock { $0.contents[path] = newValue } }
    }

    /// Puts text at a path, with an entity tag that changes with it.
    package func put(
        _ path: String, _ text: String, isEssential: Bool = true, priority: Int = 0, encoding: String? = nil
    ) {
        put(path, Data(text.utf8), isEssential: isEssential, priority: priority, encoding: encoding)
    }

    package func put(
        _ path: String, _ body: Data, isEssential: Bool = true, priority: Int = 0, encoding: String? = nil
    ) {
        self[path] = Content(
            body: body, eTag: "\"\(SHA256Digest.of(body).hex.prefix(8))\"", encoding: encoding,
            isEssential: isEssential, priority: priority)
    }

    package var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// The paths whose host nobody can connect to.
    package var silentPaths: Set<String> {
        get { state.withLock { $0.silentPaths } }
        set { state.withLock { $0.silentPaths = newValue } }
    }

    /// The next answers for a path, before the honest ones.
    package func answer(_ path: String, with replies: Reply...) {
        state.withLock { $0.overrides[path, default: []] += replies }
    }

    // MARK: - What came

    package var requests: [Request] { state.withLock { $0.requests } }
    package var batches: [TelemetryBatch] { state.withLock { Array($0.batches.values) } }
    package func requests(for path: String) -> [Request] { requests.filter { $0.path == path } }
    package func forgetRequests() { state.withLock { $0.requests = [] } }

    // MARK: - Publishing

    package func item(_ path: String) -> Manifest.Item {
        let content = self[path]!
        return Manifest.Item(
            url: origin + path, byteCount: Int64(content.body.count), sha256: .of(content.body), eTag: content.eTag,
            contentEncoding: content.encoding, priority: content.priority, isEssential: content.isEssential)
    }

    /// Publishes a release with these segments of paths; a segment gets a new version when its items changed.
    /// - Parameter change: a last word on each manifest before it is signed.
    package func publish(
        _ segments: [String: [String]], policy: DownloadPolicy = DownloadPolicy(), app: String = World.app,
        releaseVersion: Int? = nil, pins: [PinRule] = [], signer: Ed25519PrivateKey? = nil,
        change: (inout Manifest) -> Void = { _ in }
    ) throws {
        var listed: [Release.Segment] = []
        for (name, paths) in segments.sorted(by: { $0.key < $1.key }) {
            let previous = state.withLock { $0.segmentVersions[name] }
            var manifest = Manifest(
                app: app, segment: name, version: (previous?.version ?? 0) + 1,
                createdAt: Date(timeIntervalSince1970: 1_767_225_600), items: paths.map(item))
            change(&manifest)
            let document = try sign(manifest, SignedDocument.manifestLabel, signer)
            let digest = SHA256Digest.of(document)
            let segment = Release.Segment(
                name: name, version: (previous?.version ?? 0) + 1, manifest: digest, itemCount: manifest.items.count,
                byteCount: manifest.items.reduce(0) { $0 + $1.byteCount })
            state.withLock { state in
                state.manifests[digest.hex] = document
                state.segmentVersions[name] = (segment.version, segment)
            }
            listed.append(segment)
        }
        try publish(listed, policy: policy, app: app, releaseVersion: releaseVersion, pins: pins, signer: signer)
    }

    private func publish(
        _ segments: [Release.Segment], policy: DownloadPolicy, app: String, releaseVersion: Int?, pins: [PinRule],
        signer: Ed25519PrivateKey?
    ) throws {
        let version = releaseVersion ?? state.withLock { $0.releaseVersion } + 1
        let release = Release(
            app: app, version: version, publishedAt: Date(timeIntervalSince1970: 1_767_225_600), segments: segments,
            policy: policy, pins: pins)
        let document = try sign(release, SignedDocument.releaseLabel, signer)
        state.withLock { state in
            state.release = document
            state.releaseVersion = version
        }
    }

    /// Serves other bytes than the ones released.
    package func tamperWithManifests() {
        state.withLock { state in state.manifests = state.manifests.mapValues { $0 + Data(" ".utf8) } }
    }

    private func sign(_ value: some Encodable, _ label: String, _ signer: Ed25519PrivateKey?) throws -> Data {
        let payload = try WireCoding.encode(value)
        return try WireCoding.encode(
            SignedDocument.signing(payload, label: label, keyID: "key-1", key: signer ?? key)!)
    }

    // MARK: - Answering

    /// The answer to a request; `nil` when nobody is there.
    package func reply(to head: HTTPRequest, body: Data) -> Reply? {
        let path = head.url.path
        let override = state.withLock { state -> Reply?? in
            if state.isOffline { return .some(nil) }
            state.requests.append(Request(head: head, body: body))
            if state.silentPaths.contains(path) { return .some(nil) }
            guard var replies = state.overrides[path], !replies.isEmpty else { return nil }
            defer { state.overrides[path] = replies }
            return .some(replies.removeFirst())
        }
        if let override { return override }
        let parts = path.split(separator: "/")
        if path == "/v1/devices" { return registered() }
        if path.hasPrefix("/v1/devices/") { return Reply(status: 204) }
        if path == "/v1/apps/\(Self.app)/release" { return release(head) }
        if path.hasPrefix("/v1/manifests/"), let name = parts.last {
            guard let document = state.withLock({ $0.manifests[String(name)] }) else { return Reply(status: 404) }
            return Reply(fields: [.contentType: "application/json"], body: document)
        }
        if path.hasPrefix("/v1/batches/") { return batch(body) }
        return content(path, head)
    }

    private func registered() -> Reply {
        let response = RegistrationResponse(
            deviceID: "device-1", deviceToken: "token-1", appID: Self.app, signingKeys: [signingKey])
        return Reply(status: 201, body: (try? WireCoding.encode(response)) ?? Data())
    }

    private func release(_ head: HTTPRequest) -> Reply {
        guard let (version, document) = state.withLock({ state in state.release.map { (state.releaseVersion, $0) } })
        else { return Reply(status: 404) }
        let tag = "\"\(version)-\(SHA256Digest.of(document).hex.prefix(8))\""
        if head.fields[.ifNoneMatch] == tag { return Reply(status: 304, fields: [.eTag: tag]) }
        return Reply(fields: [.eTag: tag], body: document)
    }

    private func batch(_ body: Data) -> Reply {
        guard let json = WireCoding.decompress(body, byteCountMax: 16 << 20),
            let batch = try? WireCoding.decode(TelemetryBatch.self, from: json)
        else { return Reply(status: 400) }
        state.withLock { if $0.batches[batch.id] == nil { $0.batches[batch.id] = batch } }
        return Reply(status: 204)
    }

    private func content(_ path: String, _ head: HTTPRequest) -> Reply {
        guard let content = self[path] else { return Reply(status: 404) }
        var fields = content.fields
        fields[.contentType] = "text/plain"
        fields[.cacheControl] = "max-age=60"
        if let tag = content.eTag { fields[.eTag] = tag }
        if content.encoding == nil, let range = head.fields[.range], head.fields[.ifRange] == content.eTag,
            let first = Int(range.dropFirst("bytes=".count).dropLast()), first < content.body.count
        {
            let count = content.body.count
            // A lean 206, as section 15.3.7 of RFC 9110 allows after If-Range.
            return Reply(
                status: 206,
                fields: [.contentRange: "bytes \(first)-\(count - 1)/\(count)", .eTag: content.eTag ?? ""],
                body: Data(content.body.dropFirst(first)))
        }
        return Reply(fields: fields, body: content.body, decodedFrom: content.encoding)
    }
}

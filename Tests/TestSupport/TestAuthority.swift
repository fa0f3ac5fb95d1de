public import Foundation

/// A throw-away certificate authority with an intermediate one, made by the openssl command.
public final class TestAuthority: Sendable {
    /// A server's certificate for `localhost` and its key.
    public struct Identity: Sendable {
        /// PEM: the leaf, then the intermediate authority.
        public let chainFile: String
        public let keyFile: String
        /// The digest of the leaf's public key.
        public let digest: String
    }

    /// What openssl could not do.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The root's certificate, PEM; servers do not show it.
    public var rootFile: String { directory.path("root.pem") }
    public let rootDigest: String
    public let intermediateDigest: String
    private let directory: TemporaryDirectory

    /// Makes the two authorities (blocks until then).
    public init() throws {
        directory = try TemporaryDirectory()
        let extensions = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"
        try Data(extensions.utf8).write(to: URL(fileURLWithPath: directory.path("authority.ext")))
        try Self.run(
            Self.request("root", "Test Root")
                + "openssl x509 -req -in root.csr -signkey root.key -days 2 -extfile authority.ext -out root.pem\n"
                + Self.request("intermediate", "Test Intermediate")
                + Self.signing("intermediate", by: "root", extensions: "authority.ext"), in: directory)
        rootDigest = try Self.digest(of: "root", in: directory)
        intermediateDigest = try Self.digest(of: "intermediate", in: directory)
    }

    /// Makes a server's certificate with a new key (blocks until then).
    /// - Parameters:
    ///   - name: a name for its files, different each time.
    ///   - signer: a server's certificate whose key signs instead of the intermediate authority's.
    public func identity(_ name: String, signedBy signer: Identity? = nil) throws -> Identity {
        let authority = signer.map { URL(fileURLWithPath: $0.keyFile).deletingPathExtension().lastPathComponent }
        let extensions = "subjectAltName=DNS:localhost,IP:127.0.0.1\n"
        try Data(extensions.utf8).write(to: URL(fileURLWithPath: directory.path("leaf.ext")))
        try Self.run(
            Self.request(name, "localhost")
                + Self.signing(name, by: authority ?? "intermediate", extensions: "leaf.ext")
                + "cat \(name).pem intermediate.pem > \(name)-chain.pem\n", in: directory)
        return Identity(
            chainFile: directory.path("\(name)-chain.pem"), keyFile: directory.path("\(name).key"),
            digest: try Self.digest(of: name, in: directory))
    }

    /// The certificates of a PEM file as DER, in order.
    public static func certificates(inFile path: String) throws -> [Data] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
            part.components(separatedBy: "-----END").first.flatMap {
                Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
            }
        }
    }

    private static func request(_ name: String, _ subject: String) -> String {
        """
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).csr \
        -subj "/CN=\(subject)"

        """
    }

    private static func signing(_ name: String, by authority: String, extensions: String) -> String {
        """
        openssl x509 -req -in \(name).csr -CA \(authority).pem -CAkey \(authority).key -CAcreateserial -days 2 \
        -extfile \(extensions) -out \(name).pem

        """
    }

    /// By the openssl command alone, so that it can be held against the digests of the product.
    private static func digest(of name: String, in directory: TemporaryDirectory) throws -> String {
        try run(
            """
            openssl x509 -in \(name).pem -noout -pubkey | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64
            """, in: directory
        ).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @discardableResult
    private static func run(_ script: String, in directory: TemporaryDirectory) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = Data()
        while let more = LoopbackSocket.readSome(output.fileHandleForReading.fileDescriptor) { text.append(more) }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "openssl failed at:\n\(script)") }
        return String(decoding: text, as: UTF8.self)
    }
}

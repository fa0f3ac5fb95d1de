import Foundation
import Glibc
import HTTPModel
import Primitives
import TestSupport

/// A device behind an emulated access link, and the origin at the link's other end.
///
/// The link is the benchmark's emulator: a network namespace with a TUN device, so that handshakes, slow start and losses are the
/// kernel's own.
final class EmulatedLink: Sendable {
    /// What a link is like.
    struct Profile: Sendable, CustomStringConvertible {
        var name: String
        var roundTripMilliseconds: Double
        var downKilobits: Double
        var upKilobits: Double
        var lossPercent = 0.0

        var description: String { name }
        fileprivate var words: [String] {
            [roundTripMilliseconds, downKilobits, upKilobits, lossPercent].map { "\($0)" }
        }
    }

    /// What the device makes of its network.
    struct Sight: Sendable {
        var status: String
        var roundTripMilliseconds: Double
        var kilobits: Double
        var confidence: Double
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Whether links can be emulated here: it takes root, /dev/net/tun, iproute2 and a C compiler.
    static var isAvailable: Bool { emulator != nil }

    /// The directory of the compiled emulator; `nil` when it cannot be compiled or may not make a link.
    private static let emulator: TemporaryDirectory? = {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Benchmarks/Sources/LinkEmulator/main.c").path
        guard geteuid() == 0, access("/dev/net/tun", R_OK | W_OK) == 0, let directory = try? TemporaryDirectory() else {
            return nil
        }
        let build = "{ clang -O2 -o \"$1\" \"$0\" || cc -O2 -o \"$1\" \"$0\"; } && exec \"$1\" 1 1000 1000 0 250 true"
        let isUsable = run(["/bin/sh", "-c", build, source, directory.path("emulator")]) == 0
        return isUsable ? directory : nil
    }()

    private static let subnets = Locked(Int(getpid()) % 200)

    private let origin: ScriptedOrigin
    private let directory: TemporaryDirectory
    private let identifier: pid_t
    private let input: Int32
    private let lines: AsyncStream<String>
    private let turned = Locked<(all: [String], readCount: Int)>(([], 0))
    private let ended = Locked<Int32?>(nil)

    /// Sets up a link and starts the device, which is on a network of no known kind.
    init(_ profile: Profile) throws {
        guard let emulator = Self.emulator else { throw Failure(description: "no emulator") }
        let subnet = Self.subnets.withLock { value in
            value = value % 240 + 1
            return value
        }
        directory = try TemporaryDirectory()
        origin = try ScriptedOrigin(address: "10.79.\(subnet).1") { request in
            .init(Data(repeating: 0x78, count: Int(request.target.dropFirst()) ?? 0))
        }
        let words =
            [emulator.path("emulator")] + profile.words + ["\(subnet)", try builtProduct(named: "QualitySubject").path]
        let environment = ["LINK_FILE": directory.path("link")]
        var toDevice: [Int32] = [-1, -1], fromDevice: [Int32] = [-1, -1]
        guard pipe(&toDevice) == 0, pipe(&fromDevice) == 0 else { throw Failure(description: "no pipe") }
        for end in [toDevice[1], fromDevice[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        identifier = try Self.spawn(
            words, environment, input: toDevice[0], output: fromDevice[1], errors: directory.path("errors"))
        close(toDevice[0])
        close(fromDevice[1])
        input = toDevice[1]
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        lines = stream
        let output = fromDevice[0]
        Thread.detachNewThread { Self.readLines(of: output, into: continuation) }
    }

    deinit { _ = finish() }

    /// The URL of a body of so many bytes.
    func url(_ byteCount: Int) -> String { "\(origin.origin)/\(byteCount)" }

    /// Tells the device what to do.
    func tell(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(input, bytes, bytes.count) == bytes.count else { throw Failure(description: "the device is gone") }
    }

    /// The words of the device's next line that begins with one of these.
    func next(_ first: String) async throws -> [String] {
        while let line = await nextLine() {
            let words = line.split(separator: " ").map(String.init)
            if words.first == first { return words }
            if words.first == "failed:" { throw Failure(description: line) }
        }
        throw Failure(description: "the device ended before it said \(first): \(errors)")
    }

    /// Fetches bodies one after the other; what each took and was predicted to take, in microseconds.
    func get(_ sizes: [Int]) async throws -> [(elapsed: Double, predicted: Double)] {
        try tell("get " + sizes.map(url).joined(separator: " "))
        var found: [(elapsed: Double, predicted: Double)] = []
        for _ in sizes {
            let words = try await next("got")
            found.append((Double(words[1]) ?? 0, Double(words[2]) ?? 0))
        }
        return found
    }

    /// What the device makes of its network now.
    func look() async throws -> Sight {
        try tell("look")
        let words = try await next("sees")
        let numbers = words.dropFirst(2).compactMap { Double($0) }
        guard numbers.count == 3 else { throw Failure(description: words.joined(separator: " ")) }
        return Sight(status: words[1], roundTripMilliseconds: numbers[0], kilobits: numbers[1], confidence: numbers[2])
    }

    /// Makes another link of it, at once.
    func become(_ profile: Profile) throws {
        try profile.words.joined(separator: " ").write(
            toFile: directory.path("link"), atomically: true, encoding: .utf8)
        kill(identifier, SIGHUP)
    }

    /// The statuses that the device has told of so far, in order.
    var statuses: [String] { turned.withLock { $0.all } }

    /// Returns once the device has told of this status; what it told from the last call on, which came while it fetched or after.
    func turns(to status: String) async throws -> [String] {
        var way: [String] = []
        while way.last != status {
            if let turn = turned.withLock({ $0.readCount < $0.all.count ? $0.all[$0.readCount] : nil }) {
                turned.withLock { $0.readCount += 1 }
                way.append(turn)
            } else if await nextLine() == nil {
                throw Failure(description: "the device ended before it turned \(status): \(errors)")
            }
        }
        return way
    }

    /// Ends the device and the link.
    /// - Returns: by how much the machine was late with packets on average, in milliseconds.
    @discardableResult
    func finish() -> Double {
        ended.withLock { status in
            guard status == nil else { return }
            close(input)
            var found: Int32 = 0
            while waitpid(identifier, &found, 0) < 0, errno == EINTR {}
            status = found
        }
        return errors.firstMatch(of: /late by ([\d.]+) ms/).flatMap { Double($0.output.1) } ?? 0
    }

    private var errors: String {
        String(decoding: FileManager.default.contents(atPath: directory.path("errors")) ?? Data(), as: UTF8.self)
    }

    private func nextLine() async -> String? {
        var iterator = lines.makeAsyncIterator()
        guard let line = await iterator.next() else { return nil }
        if line.hasPrefix("turns ") { turned.withLock { $0.all.append(String(line.dropFirst(6))) } }
        return line
    }

    // MARK: - Programs

    private static func readLines(of output: Int32, into continuation: AsyncStream<String>.Continuation) {
        var rest = Data()
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest.append(contentsOf: buffer[..<count])
            while let end = rest.firstIndex(of: 10) {
                continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
        close(output)
        continuation.finish()
    }

    private static func spawn(
        _ words: [String], _ environment: [String: String], input: Int32, output: Int32, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if input > 2 { posix_spawn_file_actions_addclose(&actions, input) }
        if output > 2 { posix_spawn_file_actions_addclose(&actions, output) }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + settings { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, words[0], &actions, nil, &arguments, &settings)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return identifier
    }

    /// Runs a program to its end, quietly; returns its exit status.
    private static func run(_ words: [String]) -> Int32 {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        guard let identifier = try? spawn(words, [:], input: null, output: null, errors: "/dev/null") else { return -1 }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}

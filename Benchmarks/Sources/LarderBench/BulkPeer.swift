import Foundation

/// A download program that is given the same list of URLs; it neither hashes nor waits for the disk.
struct BulkPeer {
    let name: String
    private let program: String
    private let arguments: (_ list: String, _ target: String, _ authorityFile: String) -> [String]

    /// The programs that are there.
    static var installed: [BulkPeer] {
        [
            BulkPeer(name: "curl --parallel, HTTP/2", program: "/usr/bin/curl") { list, target, authority in
                let script = """
                    cd "$1" && sed 's/.*/url = "&"\\nremote-name/' "$0" >list &&
                    exec curl --no-progress-meter --parallel --parallel-max 100 --http2 --cacert "$2" --config list 2>/dev/null
                    """
                return ["/bin/sh", "-c", script, list, target, authority]
            },
            BulkPeer(name: "wget2, HTTP/2", program: "/usr/bin/wget2") { list, target, authority in
                [
                    "/usr/bin/wget2", "--quiet", "--http2-request-window=100", "--max-threads=1",
                    "--ca-certificate=\(authority)", "--directory-prefix=\(target)", "--input-file=\(list)",
                ]
            },
            BulkPeer(name: "aria2c, HTTP/1.1", program: "/usr/bin/aria2c") { list, target, authority in
                [
                    "/usr/bin/aria2c", "--quiet", "--max-concurrent-downloads=16", "--ca-certificate=\(authority)",
                    "--dir=\(target)", "--input-file=\(list)", "--file-allocation=none",
                ]
            },
        ].filter { FileManager.default.isExecutableFile(atPath: $0.program) }
    }

    /// Runs it behind a link and checks that everything came.
    /// - Returns: microseconds, the start of the program included.
    func time(
        _ link: [String], program: String, list: String, target: String, _ authorityFile: String, _ content: BulkContent
    ) throws -> Double {
        let (output, status) = try Companion.run(
            link + [program, "--timed"] + arguments(list, target, authorityFile))
        let files = try FileManager.default.contentsOfDirectory(atPath: target).filter { $0.hasSuffix(".bin") }
        guard status == 0, files.count == content.itemCount, let elapsed = Double(output) else {
            throw Companion.Failure(description: "\(name) brought \(files.count) items, status \(status)")
        }
        return elapsed
    }

    /// Runs a program and prints the microseconds that it took.
    static func runTimed(_ arguments: [String]) throws {
        let start = ContinuousClock.now
        let (_, status) = try Companion.run(arguments)
        print((ContinuousClock.now - start).microseconds)
        exit(status)
    }
}

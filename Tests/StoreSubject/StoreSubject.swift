import ContentStore
import Foundation
import HTTPModel
import Primitives

/// Changes a store at random: until it is killed, or for so many steps.
///
///     StoreSubject <directory> <seed> <segment> [steps] [--named]
///
/// Writes a line once the store is open. Ends with status 1 when it reads a body that is not what was stored.
///
///     StoreSubject --stream <directory> <MiB>
///
/// Stores and streams one large body; writes by how many KiB that raised the most memory the process held.
///
///     StoreSubject --invalidate <directory> <URL>
@main
struct StoreSubject {
    static func main() async {
        do {
            var arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "--stream", arguments.count == 3, let size = Int(arguments[2]) {
                print(try await LargeBody(directory: arguments[1], mebibyteCount: size).memoryGrowth())
                return
            }
            if arguments.first == "--invalidate", arguments.count == 3, let url = HTTPURL(arguments[2]) {
                let configuration = ContentStore.Configuration(directory: arguments[1])
                return try ContentStore(configuration: configuration, timekeeper: SystemTimekeeper()).invalidate(url)
            }
            var disk = DiskCalls()
            if arguments.last == "--named" {
                disk.allowsUnnamedFiles = false
                arguments.removeLast()
            }
            guard arguments.count >= 3, let seed = UInt64(arguments[1]) else {
                throw Failure(description: "arguments: directory, seed, segment, steps")
            }
            var worker = try Worker(directory: arguments[0], seed: seed, segment: arguments[2], disk: disk)
            FileHandle.standardOutput.write(Data("open\n".utf8))
            var stepsLeft = arguments.count > 3 ? Int(arguments[3]) ?? 0 : Int.max
            while stepsLeft > 0 {
                try worker.step()
                stepsLeft -= 1
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    var description: String
}

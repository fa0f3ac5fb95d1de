import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import Telemetry
import Transport
import Wire

// A device in a process of its own, to be killed: pre-positions segments, records events, and uploads them.
//
//     PrepositioningSubject <server URL> <directory> <run> finish|forever
//
// For every event that is durable it prints its number. With `finish` it ends once everything is on the device and told.

let arguments = CommandLine.arguments
guard arguments.count == 5, let serverURL = HTTPURL(arguments[1]) else {
    FileHandle.standardError.write(Data("usage: PrepositioningSubject URL DIRECTORY RUN finish|forever\n".utf8))
    exit(64)
}
let subject = try Subject(
    serverURL: serverURL, directory: arguments[2], run: arguments[3], isFinite: arguments[4] == "finish")
exit(await subject.run() ? 0 : 1)

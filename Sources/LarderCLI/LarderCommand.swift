import Foundation
import Larder

/// The program `larder`.
@main
enum LarderCommand {
    /// Every command, in the order of the help.
    static let commands: [CommandSpecification] =
        [
            ServeCommand.specification, DemoCommand.specification, FetchCommand.specification,
            ExplainCommand.specification, ProxyCommand.specification,
        ]
        + CacheCommands.specifications + AdminCommands.specifications

    static func main() async {
        // A reader that goes away must not end the process: writes report it.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs one command line.
    static func run(_ words: [String]) async -> ExitStatus {
        do {
            if words == ["--version"] {
                Console.print("larder \(LarderClient.version)")
                return .success
            }
            let command = commands.filter { words.starts(with: $0.path) }.max { $0.path.count < $1.path.count }
            guard let command else { return try overview(words) }
            let rest = Array(words.dropFirst(command.path.count))
            if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
                Console.print(HelpText.page(of: command))
                return .success
            }
            return try await command.run(Arguments(rest, for: command))
        } catch let error as UsageError {
            Console.note(error.description)
            return .usage
        } catch let failure as CommandFailure {
            Console.note("larder: \(failure)")
            return failure.status
        } catch {
            Console.note("larder: \(error)")
            return .failure
        }
    }

    private static func overview(_ words: [String]) throws -> ExitStatus {
        let names = words.prefix { !$0.hasPrefix("-") }
        let isGroup = commands.contains { $0.path.starts(with: names) }
        guard isGroup else { throw UsageError("there is no command '\(names.joined(separator: " "))'") }
        let help = HelpText.overview(of: commands, under: Array(names))
        if words.count > names.count, words[names.count] == "--help" || words[names.count] == "-h" || words == ["help"]
        {
            Console.print(help)
            return .success
        }
        if let option = words.dropFirst(names.count).first {
            throw UsageError("unknown option \(option)")
        }
        Console.note(help)
        return .usage
    }
}

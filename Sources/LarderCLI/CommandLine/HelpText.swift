/// Help, made from the specifications.
enum HelpText {
    /// Help of the whole program, or of the commands that start with a word.
    static func overview(of commands: [CommandSpecification], under prefix: [String]) -> String {
        let usage = (["larder"] + prefix).joined(separator: " ")
        var lines = ["Usage: \(usage) COMMAND [OPTIONS]", ""]
        if prefix.isEmpty {
            lines += [
                "Content on the device before the app asks for it: the server, its administration, and the SDK from",
                "the shell.", "",
            ]
        }
        lines.append("Commands:")
        let shown = commands.filter { $0.path.starts(with: prefix) }
        let names = shown.map { $0.path.dropFirst(prefix.count).joined(separator: " ") }
        let width = names.map(\.count).max() ?? 0
        for (name, command) in zip(names, shown) {
            lines.append("  \(name.padded(to: width))  \(command.summary)")
        }
        lines += [
            "", "'\(usage) COMMAND --help' tells more. Exit status: 0 done, 1 failed, 64 wrong usage, 69 unreachable.",
        ]
        return lines.joined(separator: "\n")
    }

    /// Help of one command.
    static func page(of command: CommandSpecification) -> String {
        var usage = ["Usage: larder"] + command.path
        if !command.options.isEmpty { usage.append("[OPTIONS]") }
        for operand in command.operands {
            let name = operand.isRepeated ? "\(operand.name)..." : operand.name
            usage.append(operand.isOptional ? "[\(name)]" : name)
        }
        var lines = [usage.joined(separator: " "), "", command.summary]
        if !command.discussion.isEmpty { lines += ["", command.discussion] }
        if !command.operands.isEmpty {
            lines += ["", "Arguments:"]
            lines += table(command.operands.map { ($0.name, $0.help) })
        }
        lines += ["", "Options:"]
        let options = command.options.map { option in
            let help = option.fallback.map { "\(option.help) [\($0)]" } ?? option.help
            return (option.value.map { "\(option.name) \($0)" } ?? option.name, help)
        }
        lines += table(options + [("--help", "Show this page.")])
        return lines.joined(separator: "\n")
    }

    private static func table(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.0.padded(to: width))  \($0.1)" }
    }
}

extension String {
    /// The text with spaces behind it (or before it) up to a width.
    func padded(to width: Int, alignedRight: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - count))
        return alignedRight ? padding + self : self + padding
    }
}

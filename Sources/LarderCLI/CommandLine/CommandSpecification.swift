/// One command of the program: what it is called, what it takes, and what it does.
struct CommandSpecification: Sendable {
    /// An option of a command.
    struct Option: Sendable {
        /// With its dashes, such as "--cache".
        var name: String
        /// The placeholder of its value, such as "DIR"; `nil` for a flag.
        var value: String?
        var help: String
        /// The value used when the option is not given, for the help text.
        var fallback: String?
    }

    /// A positional argument of a command.
    struct Operand: Sendable {
        var name: String
        var help: String
        var isOptional = false
        /// Takes all that is left.
        var isRepeated = false
    }

    /// The words that name the command, such as `["cache", "list"]`.
    var path: [String]
    var summary: String
    /// Paragraphs below the summary.
    var discussion = ""
    var operands: [Operand] = []
    var options: [Option] = []
    /// Does the work and returns the exit status.
    var run: @Sendable (Arguments) async throws -> ExitStatus
}

/// What the program tells its caller when it ends, after sysexits.
enum ExitStatus: Int32, Sendable {
    case success = 0
    /// What was asked for failed; the reason is on standard error.
    case failure = 1
    /// The command line is wrong.
    case usage = 64
    /// A server or origin cannot be reached.
    case unavailable = 69
}

/// The words of a command line, taken apart as a specification says.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]
    private let specification: CommandSpecification

    /// Takes words apart.
    /// - Throws: ``UsageError``.
    init(_ words: [String], for specification: CommandSpecification) throws {
        self.specification = specification
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let option = specification.options.first(where: { $0.name == name }) else {
                throw UsageError("unknown option \(name)", specification)
            }
            let inline = word.contains("=") ? String(word.drop { $0 != "=" }.dropFirst()) : nil
            if option.value == nil {
                guard inline == nil else { throw UsageError("\(name) takes no value", specification) }
                values[name, default: []].append("")
            } else if let value = inline ?? rest.popFirst() {
                values[name, default: []].append(value)
            } else {
                throw UsageError("\(name) needs a value (\(option.value ?? ""))", specification)
            }
        }
        try checkOperands()
    }

    private func checkOperands() throws {
        let required = specification.operands.filter { !$0.isOptional }
        if operands.count < required.count {
            throw UsageError("\(required[operands.count].name) is missing", specification)
        }
        let takesMore = specification.operands.contains(where: \.isRepeated)
        if operands.count > specification.operands.count, !takesMore {
            throw UsageError("one argument too many: \(operands[specification.operands.count])", specification)
        }
    }

    /// Whether a flag was given.
    func has(_ name: String) -> Bool { values[name] != nil }
    /// The last value of an option.
    func value(_ name: String) -> String? { values[name]?.last }
    /// Every value of an option, in order.
    func all(_ name: String) -> [String] { values[name] ?? [] }
    /// The value of an option that must be there.
    func required(_ name: String) throws -> String {
        guard let value = value(name) else { throw UsageError("\(name) is missing", specification) }
        return value
    }
    /// The value of an option as a whole number in a range.
    func integer<Number: FixedWidthInteger & Sendable>(
        _ name: String, in range: ClosedRange<Number>
    ) throws -> Number? {
        guard let text = value(name) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            let limits = "from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("\(name) takes a whole number \(limits), not \(text)", specification)
        }
        return number
    }
    /// The value of an option as a number of bytes: digits, with K, M or G for powers of 1024.
    func byteCount(_ name: String) throws -> Int64? {
        guard let text = value(name) else { return nil }
        let shifts: [Character: Int64] = ["K": 10, "M": 20, "G": 30]
        let shift = text.last.flatMap { shifts[Character($0.uppercased())] }
        let digits = shift == nil ? text : String(text.dropLast())
        guard let number = Int64(digits), number >= 0, number <= Int64.max >> (shift ?? 0) else {
            throw UsageError("\(name) takes a number of bytes such as 500000, 64M or 2G, not \(text)", specification)
        }
        return number << (shift ?? 0)
    }
    /// An error about this command line.
    func usageError(_ message: String) -> UsageError { UsageError(message, specification) }
}

/// A command line that cannot be understood.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ message: String, _ specification: CommandSpecification) {
        let command = (["larder"] + specification.path).joined(separator: " ")
        description = "\(command): \(message)\nTry '\(command) --help'."
    }

    init(_ message: String) { description = "larder: \(message)\nTry 'larder --help'." }
}

/// A failure told to the user as it is: what, where, what to do.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String
    var status: ExitStatus

    init(_ description: String, _ status: ExitStatus = .failure) {
        self.description = description
        self.status = status
    }
}

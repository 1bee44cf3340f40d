import PostbackStore

/// What the command line asks for: a command, and options that override the environment.
struct ParsedCommandLine {
    enum Command: String {
        case serve
        case migrate
        case reprocess
        case `import`
        case help
        case version
    }

    let command: Command
    /// The arguments that are options, for the configuration to read.
    let options: [String]
    /// The files that `import` is given.
    var files: [String] = []
    /// The number that `migrate --lanes` is given.
    var lanes: Int?
}

/// A command line that can't be understood.
struct UsageError: Error, CustomStringConvertible {
    let description: String
}

extension CommandLine {
    static let help = """
        USAGE: PostbackServer [serve|migrate|reprocess|import FILE...] [--option value ...]

          serve      the service (the default): postbacks on HTTP_HOST:HTTP_PORT, signing, reports, metrics and health
                     on ADMIN_HOST:ADMIN_PORT; refuses to start on a schema that it does not know
          migrate    brings the schema up to this build's; --lanes N chooses, once, how many batches may be written at
                     the same time (1 to 1024, default \(PostbackStore.defaultLanes))
          reprocess  verifies quarantined postbacks again and moves in those that now pass, on their first day of
                     receipt
          import     counts the postbacks of archives, one a line, each with its time of receipt in "received-at" or
                     else now; goes on where an earlier run was ended, and passes over what is done

        OPTIONS: each is read from the command line, then the environment, then .env in the working folder, then the
        JSON file that CONFIG_FILE names.

        \(Settings.Key.allCases.map(\.help).joined(separator: "\n"))

          --help, --version
        """

    /// The command and options of this process; an option that is not known is refused, since it was most likely
    /// misspelt and would otherwise be passed over in silence.
    static func parsed() throws -> ParsedCommandLine {
        var words = Array(arguments.dropFirst())
        if words.contains("--help") || words.contains("-h") { return ParsedCommandLine(command: .help, options: []) }
        if words.contains("--version") { return ParsedCommandLine(command: .version, options: []) }
        var command = ParsedCommandLine.Command.serve
        if let first = words.first, !first.hasPrefix("--") {
            guard let named = ParsedCommandLine.Command(rawValue: first) else {
                throw UsageError(description: "unknown command \(first); see --help")
            }
            command = named
            words.removeFirst()
        }
        var index = 0
        var options: [String] = []
        var files: [String] = []
        var lanes: Int?
        while index < words.count {
            if command == .import, !words[index].hasPrefix("--") {
                files.append(words[index])
                index += 1
                continue
            }
            if command == .migrate, words[index] == "--lanes" {
                guard index + 1 < words.count, let count = Int(words[index + 1]), 1...1_024 ~= count else {
                    throw UsageError(description: "--lanes needs a number from 1 to 1024")
                }
                lanes = count
                index += 2
                continue
            }
            let name = words[index].split(separator: "=", maxSplits: 1).first.map(String.init) ?? ""
            guard Settings.Key.allCases.contains(where: { $0.option == name }) else {
                throw UsageError(description: "unknown option \(name); see --help")
            }
            let hasValue = words[index].contains("=")
            guard hasValue || index + 1 < words.count else {
                throw UsageError(description: "\(name) needs a value")
            }
            let end = index + (hasValue ? 1 : 2)
            options.append(contentsOf: words[index..<end])
            index = end
        }
        guard command != .import || !files.isEmpty else { throw UsageError(description: "import needs a file") }
        return ParsedCommandLine(command: command, options: options, files: files, lanes: lanes)
    }
}

import Access
import ArgumentParser
import AuditTrail
import Foundation
import LocalFiles
import ServerSettings

/// The command `PostbackServer token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Add, list and revoke tokens of the admin listener.",
        discussion: """
            They are in tokens.json of the key ring, as SHA-256 only. No database is asked. Servers take a changed file into \
            force within seconds, and note in the trail who added and revoked what. docs/access.md says what each scope \
            opens.
            """,
        subcommands: [TokenAddCommand.self, TokenListCommand.self, TokenRevokeCommand.self])
}

/// The command `PostbackServer token add`.
struct TokenAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a token, and print it.",
        discussion: """
            It is printed this once: nobody can find it in the file. A name has two valid tokens at most. To replace one, add \
            a second one, give it to the person or program, and revoke the first.

            Examples:
              PostbackServer token add ann --scope read --scope load
              PostbackServer token add bidder --scope sign --days 90 > bidder.token
            """)

    @Argument(
        help: "The person or the program that will have it.",
        transform: { text in
            guard let name = TokenName(text) else { throw ValidationError("The name \(TokenName.rule).") }
            return name
        })
    var name: TokenName

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp(
            "What it opens: read, load, sign or operate; several times for several.", valueName: "scope"),
        transform: { text in
            guard let scope = Scope(rawValue: text) else { throw ValidationError("--scope \(Scope.rule).") }
            return scope
        })
    var scopes: [Scope]

    @Option(help: "After how many days it ends, 1 to 3650.")
    var days: Int64 = 365

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        guard (1...3_650).contains(days) else { throw ValidationError("--days must be 1 to 3650, not \(days).") }
    }

    func run() async throws {
        let file = TokenFile(folder: try await Settings.keyRingPath(options))
        let (text, token) = BearerToken.generate()
        let added = try TokenAct.now
        guard let ends = TokenTime(seconds: added.time.seconds + days * 86_400) else { throw TokenAct.wrongClock }
        try file.change {
            try $0.add(token, name: name, scopes: Set(scopes), added: added, ends: ends)
        } beforeReplacing: {
            // If it can't be printed, it never opens anything. To take it back later would need a second change of the
            // file: a process that is killed in between leaves a valid token that nobody has.
            try Self.print(text)
        }
        ProgramLog.write(
            "token \(name) \(token.id) with the scopes \(Set(scopes).text), until \(ends); it is not shown again")
    }

    /// Prints a token alone, so that it can go into a file or to another program.
    ///
    /// - Throws: `UnwrittenOutput`, also if the reader has closed the output: the token would be lost.
    private static func print(_ text: String) throws {
        do {
            try StandardOutput.write(text + "\n")
        } catch is OutputClosed {
            throw UnwrittenOutput(reason: "nobody reads it; no token was added")
        } catch let error as UnwrittenOutput {
            throw UnwrittenOutput(reason: "\(error.reason); no token was added")
        }
    }
}

/// The command `PostbackServer token list`.
struct TokenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the tokens: name, id, scopes, when added and by whom, end, state.",
        discussion: """
            The id is the first eight digits of the SHA-256. A token that opens nothing any more is listed for 90 days.

            Example:
              PostbackServer token list
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let ring = try TokenFile(folder: try await Settings.keyRingPath(options)).read()
        let now = try TokenAct.now.time
        let names = ["name", "id", "scopes", "added (UTC)", "by", "ends (UTC)", "state"]
        var table = AlignedTable(names, isRight: names.map { _ in false })
        try StandardOutput.write(
            table.text(
                ring.tokens.map { token in
                    [
                        "\(token.name)", token.token.id, token.scopes.text, "\(token.added.time)", token.added.person,
                        "\(token.ends)",
                        token.state(at: now).rawValue
                            + (token.revoked.map { " \($0.time) by \($0.person)" } ?? ""),
                    ]
                }))
    }
}

/// The command `PostbackServer token revoke`.
struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a token, so that it opens nothing any more.",
        discussion: """
            Sessions of the page that were opened with it end too. If the name has two valid tokens, say which by --id.

            Examples:
              PostbackServer token revoke ann
              PostbackServer token revoke bidder --id 1f0c9d2e
            """)

    @Argument(
        help: "The name of the token.",
        transform: { text in
            guard let name = TokenName(text) else { throw ValidationError("The name \(TokenName.rule).") }
            return name
        })
    var name: TokenName

    @Option(help: "The id of the token, as `token list` shows it.")
    var id: String?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let act = try TokenAct.now
        let token = try TokenFile(folder: try await Settings.keyRingPath(options)).change {
            try $0.revoke(name, id: id, act)
        }
        try StandardOutput.summary("revoked: \(token.subject) with the scopes \(token.scopes.text)")
    }
}

/// What a command does with a token, now and by the user who runs it.
private enum TokenAct {
    static var now: NamedToken.Act {
        get throws {
            guard let time = TokenTime(seconds: Int64(Date().timeIntervalSince1970)),
                let act = NamedToken.Act(time, by: "\(TrailActor.currentUser)")
            else { throw wrongClock }
            return act
        }
    }

    static let wrongClock = ValidationError("The clock of this machine is wrong.")
}

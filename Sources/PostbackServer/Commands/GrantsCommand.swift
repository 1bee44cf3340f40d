import ArgumentParser
import DatabaseSchema

/// The command `PostbackServer grants`.
struct GrantsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract: "Print the SQL that gives roles of the database their rights.",
        discussion: """
            It connects to nothing. Run what it prints in the database of the service, the first time as a superuser: before \
            `migrate`, so that the owner may make the schema, and after each `migrate`, for the others. It may run again \
            and again. The roles must be there, unless --create-roles is given.

            Examples:
              PostbackServer grants --owner attribution_owner --serve attribution_serve \\
                | psql -v ON_ERROR_STOP=1 attribution
              PostbackServer grants --read analyst
            """)

    @Option(
        name: .long,
        help: ArgumentHelp("The role that owns the schema: for migrate, distribute, undistribute.", valueName: "role"))
    var owner: String?

    @Option(name: .long, help: ArgumentHelp("The role of servers and of all other commands.", valueName: "role"))
    var serve: String?

    @Option(name: .long, help: ArgumentHelp("The role that reads reports.", valueName: "role"))
    var read: String?

    @Option(name: .long, help: ArgumentHelp("The role that reads everything, for pg_dump.", valueName: "role"))
    var backup: String?

    @Flag(name: .long, help: "Also make roles that are missing: with LOGIN, without a password.")
    var createRoles = false

    func validate() throws { _ = try script() }

    func run() throws { try StandardOutput.write(try script().text) }

    private func script() throws -> GrantScript {
        let roles: [(GrantScript.Purpose, String?)] = [
            (.owner, owner), (.serve, serve), (.read, read), (.backup, backup),
        ]
        let names = Dictionary(uniqueKeysWithValues: roles.compactMap { purpose, name in name.map { (purpose, $0) } })
        guard !names.isEmpty else {
            throw ValidationError("Name at least one role: --owner, --serve, --read or --backup.")
        }
        do {
            return try GrantScript(names, createsRoles: createRoles)
        } catch GrantScript.Refusal.name(let purpose) {
            throw ValidationError("--\(purpose.rawValue) must be 1 to 63 bytes without control characters.")
        } catch GrantScript.Refusal.same(let first, let second) {
            throw ValidationError("--\(first.rawValue) and --\(second.rawValue) must be two roles.")
        }
    }
}

import ArgumentParser
import Destinations

/// The command `PostbackServer destination`, and those below it.
struct DestinationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destination",
        abstract: "Say who gets postbacks: check, load, list, show and remove destinations.",
        discussion: """
            A destination is a JSON file that says which postbacks a receiver gets, where and in which form. \
            docs/forwarding.md describes it. Secrets are files in the folder secrets of the key ring, which a destination \
            names.

            Examples:
              PostbackServer destination new --preset branch > branch.json
              PostbackServer destination check branch.json
              PostbackServer destination load branch.json \\
                --database-url postgresql:///attribution
            """,
        subcommands: [
            DestinationNewCommand.self, DestinationCheckCommand.self, DestinationLoadCommand.self,
            DestinationListCommand.self, DestinationShowCommand.self, DestinationRemoveCommand.self,
        ])
}

/// The database has no destination of this name.
struct NoDestination: Error, CustomStringConvertible {
    let name: DestinationName

    var description: String { "there is no destination \(name); `PostbackServer destination list` lists them" }
}

/// The database has the destination, but its file is one of another version.
struct UnreadableDestination: Error, CustomStringConvertible {
    let name: DestinationName

    var description: String {
        "destination \(name): this version can't read its file; `PostbackServer forward status` says why"
    }
}

extension OptionValue {
    static func destination(_ text: String) throws -> DestinationName {
        guard let name = DestinationName(text) else {
            throw ValidationError("It must be \(DestinationName.rule), not '\(text.prefix(60))'.")
        }
        return name
    }
}

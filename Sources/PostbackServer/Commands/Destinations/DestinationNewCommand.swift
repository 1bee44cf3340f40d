import ArgumentParser
import Destinations

/// The command `PostbackServer destination new`.
struct DestinationNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Print the file of a destination, to be filled in; needs no database.",
        discussion: """
            docs/forwarding.md says what each preset sends, and what is to be filled in.

            Example:
              PostbackServer destination new --preset branch > branch.json
            """)

    @Option(help: ArgumentHelp("The form of the receiver: \(DestinationPreset.names).", valueName: "preset"))
    var preset: DestinationPreset

    @Option(
        help: ArgumentHelp("The name of the destination. (default: that of the preset)", valueName: "name"),
        transform: OptionValue.destination)
    var name: DestinationName?

    func run() throws {
        let name = try name ?? OptionValue.destination(preset.rawValue)
        try StandardOutput.write(preset.document(name: name))
    }
}

extension DestinationPreset: ExpressibleByArgument {
    /// The names of all presets.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}

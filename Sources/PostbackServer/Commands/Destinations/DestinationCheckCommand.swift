import ArgumentParser
import Destinations
import StrictJSON

/// The command `PostbackServer destination check`.
struct DestinationCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check files of destinations; needs no database.",
        discussion: """
            A file that breaks a rule is refused with each place and rule. Secrets are not looked at: `serve --check-config` \
            says which ones of the loaded destinations are missing.

            Example:
              PostbackServer destination check branch.json
            """)

    @Argument(help: ArgumentHelp("The files, or - for standard input.", valueName: "file"))
    var files: [String]

    func run() throws {
        for file in try DestinationFiles.read(files) {
            let secrets = file.destination.secrets.map(\.description)
            try StandardOutput.line(
                "\(JSONText.line(file.path)): good: destination \(file.destination.name), "
                    + file.destination.requestLine
                    + (secrets.isEmpty ? "" : ", secrets \(secrets.joined(separator: " "))"))
        }
    }
}

extension Destination {
    /// Where it sends, as people read it; secrets stay names.
    var requestLine: String { "\(method.rawValue) \(url.text)" }
}

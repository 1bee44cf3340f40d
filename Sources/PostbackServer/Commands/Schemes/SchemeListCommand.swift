import AdAttribution
import ArgumentParser
import CampaignData
import ConversionSchemes
import Money
import ServerSettings

/// The command `PostbackServer scheme list`.
struct SchemeListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the schemes of the database, a line each, with tabs between the columns.",
        discussion: """
            The columns: app, valid from, valid to (`open` if it is open), currency, whether it is in use, name.

            Example:
              PostbackServer scheme list --database-url postgresql:///attribution
            """)

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        for scheme in try await StoreSession.with(options, { try await $0.schemes() }) {
            let columns = [
                String(scheme.appID.value), scheme.validity.from.text, scheme.validity.to?.text ?? "open",
                scheme.currency?.text ?? "-", scheme.isInUse ? "in use" : "not in use", scheme.name.text,
            ]
            try StandardOutput.line(columns.joined(separator: "\t"))
        }
    }
}

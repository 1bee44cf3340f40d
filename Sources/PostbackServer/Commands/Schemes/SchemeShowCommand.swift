import AdAttribution
import ArgumentParser
import CampaignData
import ConversionSchemes
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer scheme show`.
struct SchemeShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the scheme of an app that is valid at a time, as a file.",
        discussion: """
            Its valid-to is that of the database: a successor may have closed it.

            Example:
              PostbackServer scheme show 525463029 --at 2026-10-01
            """)

    @Argument(help: ArgumentHelp("The App Store id of the app.", valueName: "app"), transform: OptionValue.app)
    var app: AppID

    @Option(
        help: ArgumentHelp(
            "A day, or a time in UTC such as 2026-10-01T00:00:00Z. (default: now)", valueName: "date"),
        transform: OptionValue.schemeTime)
    var at: SchemeTime?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let time = at.map { PostgresTimestamp($0) } ?? PostbackStore.now()
        let scheme = try await StoreSession.with(options) { try await $0.scheme(of: app, at: time) }
        guard let scheme else { throw NoScheme(appID: app) }
        try StandardOutput.write(scheme.file)
    }
}

/// The database has no scheme of the app at that time.
struct NoScheme: Error, CustomStringConvertible {
    let appID: AppID

    var description: String { "app \(appID.value) has no scheme that is valid at that time" }
}

import AdAttribution
import ArgumentParser
import CampaignData
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer mapping retire`.
struct MappingRetireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "End the rows of an identifier, and of the groups within it, and start the cool-down.",
        discussion: """
            Until the cool-down ends, late postbacks keep the names, and the identifier is not given out again.

            Examples:
              PostbackServer mapping retire --network example123.skadnetwork \\
                --app 525463029 --campaign-type source-identifier --identifier 39
              PostbackServer mapping retire --network example123.skadnetwork \\
                --campaign-type campaign-id --identifier 42 --last-day 2026-11-30 \\
                --cool-down 75
            """)

    @Option(help: "The network.", transform: OptionValue.network)
    var network: AdNetworkID

    @Option(help: "The advertised app. (default: rows that stand for all apps)", transform: OptionValue.app)
    var app: AppID?

    @Option(help: "campaign-id or source-identifier.", transform: OptionValue.campaignType)
    var campaignType: CampaignType

    @Option(help: "The campaign id, or the digits.")
    var identifier: String

    @Option(help: "The last day on which the campaign may run. (default: today)", transform: OptionValue.day)
    var lastDay: PostgresDate?

    @Option(
        help: "The cool-down in days. (default: that of each row, which is 45 if none was given)",
        transform: OptionValue.coolDown)
    var coolDown: Int16?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        guard campaignType.campaign(identifier) != nil else {
            throw ValidationError(
                "--identifier must be \(campaignType.identifierRule), not '\(identifier.prefix(60))'.")
        }
    }

    func run() async throws {
        guard let campaign = campaignType.campaign(identifier) else { return }
        let (day, retired) = try await StoreSession.with(options) { store in
            let today = try await store.reportToday()
            let day = lastDay ?? today
            let retired = try await store.retire(
                campaign, of: network, app: app, lastDay: day, coolDownDays: coolDown, by: .currentUser)
            return (day, retired)
        }
        for row in retired {
            try StandardOutput.line("\(row.campaign): last day \(day), cools down until \(row.lastNamedDay)")
        }
    }
}

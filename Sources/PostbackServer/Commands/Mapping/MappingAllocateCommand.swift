import AdAttribution
import ArgumentParser
import CampaignData
import PostbackStore
import PostgresClient
import ServerSettings

/// The command `PostbackServer mapping allocate`.
struct MappingAllocateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allocate",
        abstract: "Give out a free campaign id or group of digits, and store the row that maps it.",
        discussion: """
            It prints the identifier. Two calls at the same time get different ones.

            Examples:
              PostbackServer mapping allocate --network example123.skadnetwork \\
                --app 525463029 --campaign-id 1001 --name "Autumn"
              PostbackServer mapping allocate --network example123.skadnetwork \\
                --app 525463029 --digits 2 --campaign-id 1001 --name "Autumn"
              PostbackServer mapping allocate --network example123.skadnetwork \\
                --app 525463029 --digits 3 --within 39 --ad-group-id 77 --geo US
            """)

    @Option(help: "The network.", transform: OptionValue.network)
    var network: AdNetworkID

    @Option(help: "The advertised app. (default: the identifier stands for all apps)", transform: OptionValue.app)
    var app: AppID?

    @Option(help: "2, 3 or 4: the last digits of source identifiers. (default: a campaign id, 1 to 100)")
    var digits: Int?

    @Option(
        help: "The group that the digits are in, such as 39. Its names are taken if --campaign-id is not given.",
        transform: OptionValue.group)
    var within: SourceIdentifier?

    @Option(help: "The id of the campaign at the operator.", transform: OptionValue.name)
    var campaignID: String?

    @Option(name: .customLong("name"), help: "The name of the campaign.", transform: OptionValue.name)
    var campaignName: String?

    @Option(help: "The id of the ad group.", transform: OptionValue.name)
    var adGroupID: String?

    @Option(help: "The name of the ad group.", transform: OptionValue.name)
    var adGroupName: String?

    @Option(help: "The id of the creative.", transform: OptionValue.name)
    var creativeID: String?

    @Option(help: "The name of the creative.", transform: OptionValue.name)
    var creativeName: String?

    @Option(help: "The country in which the ads are shown.", transform: OptionValue.country)
    var geo: CountryCode?

    @Option(name: .customLong("from"), help: "The first day. (default: today)", transform: OptionValue.day)
    var validFrom: PostgresDate?

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func validate() throws {
        if let digits, !(2...4).contains(digits) { throw ValidationError("--digits must be 2, 3 or 4, not \(digits).") }
        guard space != nil else { throw ValidationError("--within must have fewer digits than --digits, at least 2.") }
        guard campaignID != nil || within != nil else { throw ValidationError("--campaign-id must be given.") }
        guard campaignID != nil || campaignName == nil else {
            throw ValidationError("--name is the name of the campaign, so --campaign-id must be given too.")
        }
    }

    private var space: IdentifierSpace? {
        guard let digits else { return within == nil ? .campaignIDs : nil }
        return .groups(digits: digits, within: within)
    }

    func run() async throws {
        guard let space else { return }
        var own = IdentifierAllocation.OwnNames()
        (own.adGroupID, own.adGroupName) = (adGroupID, adGroupName)
        (own.creativeID, own.creativeName) = (creativeID, creativeName)
        own.geo = geo
        let wish = IdentifierAllocation(
            network: network, advertisedAppID: app, space: space,
            names: campaignID.map { CampaignNames(campaignID: $0, campaignName: campaignName) }, ownNames: own,
            validFrom: validFrom)
        let mapping = try await StoreSession.with(options) { store in
            let today = try await store.reportToday()
            if let validFrom, validFrom < today {
                // An identifier is free from today on only.
                throw ValidationError("--from must not be before today, \(today).")
            }
            return try await store.allocate(wish, on: today, by: .currentUser)
        }
        try StandardOutput.line(mapping.conditions.campaign.text)
    }
}

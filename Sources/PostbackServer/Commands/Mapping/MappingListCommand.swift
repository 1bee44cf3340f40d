import AdAttribution
import ArgumentParser
import CampaignData
import Foundation
import PostbackStore
import PostgresClient
import ServerSettings
import TabularFiles

/// The command `PostbackServer mapping list`.
struct MappingListCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case csv
    }

    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the mapping with the state of each row, and how many identifiers are free.",
        discussion: """
            States: planned, active, cooling (late postbacks keep the names, the identifier is not given out), ended.

            Examples:
              PostbackServer mapping list --network example123.skadnetwork --app 525463029
              PostbackServer mapping list --format csv > mapping.csv
            """)

    @Option(help: "One network.", transform: OptionValue.network)
    var network: AdNetworkID?

    @Option(help: "One advertised app: its rows, and those for all apps.", transform: OptionValue.app)
    var app: AppID?

    @Option(help: "The day of the states. (default: today)", transform: OptionValue.day)
    var on: PostgresDate?

    @Option(help: "`text`, or `csv`: the operator's rows as `load` reads them.")
    var format = Format.text

    @OptionGroup(title: "Settings")
    var options: SettingsOptions

    func run() async throws {
        let (rows, free) = try await StoreSession.with(options) { store in
            let today = try await store.reportToday()
            let day = on ?? today
            return (
                try await store.mappings(network: network, app: app, on: day),
                format == .text ? try await store.freeIdentifiers(network: network, app: app, on: day) : []
            )
        }
        switch format {
        case .csv:
            let columns = CSVText.row(CampaignMapping.Column.allCases.map(\.name))
            let text = rows.filter { !$0.isBuiltIn }.map {
                CSVText.row($0.mapping.fields.map { $0.map(CSVText.withoutFormula) })
            }
            try StandardOutput.write(([columns] + text).joined())
        case .text:
            try StandardOutput.write(MappingTable(rows).text)
            for free in free { try StandardOutput.line(Self.text(free)) }
        }
    }

    private static func text(_ free: FreeIdentifiers) -> String {
        let app = free.advertisedAppID.map { "app \($0)" } ?? "all apps"
        return
            "free for \(free.network), \(app): \(free.campaignIDs) of 100 campaign ids, \(free.groups2) of 100 groups "
            + "of 2 digits, \(free.groups3) of 1000 of 3, \(free.groups4) of 9000 of 4"
    }
}

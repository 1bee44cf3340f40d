package import AdAttribution
import AuditTrail
package import CampaignData
package import ConversionSchemes
package import PostbackStore
package import PostgresClient

extension LoadSource {
    /// Somebody who runs tests.
    package static let test = LoadSource(.systemUser("test"), [LoadedFile(name: "test.csv", [])])
}

extension PostbackStore {
    /// Loads a mapping as somebody who runs tests.
    package func load(_ file: CampaignMappingFile, replacing isReplacing: Bool = false) async throws -> RowChanges {
        try await load(file, from: .test, replacing: isReplacing).changes
    }

    /// Loads currency rates as somebody who runs tests.
    package func load(_ file: CurrencyRateFile) async throws -> RowChanges {
        try await load(file, from: .test).changes
    }

    /// Loads names of apps as somebody who runs tests.
    package func load(_ file: AppNameFile, replacing isReplacing: Bool = false) async throws -> RowChanges {
        try await load(file, from: .test, replacing: isReplacing).changes
    }

    /// Gives an identifier out as somebody who runs tests.
    package func allocate(_ wish: IdentifierAllocation, on today: PostgresDate) async throws -> CampaignMapping {
        try await allocate(wish, on: today, by: .systemUser("test"))
    }

    /// Retires an identifier as somebody who runs tests.
    package func retire(
        _ campaign: Campaign, of network: AdNetworkID, app: AppID?, lastDay: PostgresDate, coolDownDays: Int16? = nil
    ) async throws -> [(campaign: String, lastNamedDay: PostgresDate)] {
        try await retire(
            campaign, of: network, app: app, lastDay: lastDay, coolDownDays: coolDownDays, by: .systemUser("test"))
    }

    /// Loads schemes as somebody who runs tests.
    package func load(_ schemes: [ConversionScheme]) async throws -> [SchemeOutcome] {
        try await load(schemes, from: .test).schemes
    }
}

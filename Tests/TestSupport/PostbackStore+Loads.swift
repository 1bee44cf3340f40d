package import CampaignData
package import ConversionSchemes
package import PostbackStore

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

    /// Loads schemes as somebody who runs tests.
    package func load(_ schemes: [ConversionScheme]) async throws -> [SchemeOutcome] {
        try await load(schemes, from: .test).schemes
    }
}

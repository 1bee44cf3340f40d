import PostgresClient

/// What a load is of.
package enum LoadKind: String, Sendable, CaseIterable {
    /// Names of campaigns.
    case mapping
    /// What ads cost.
    case spend
    /// Currency rates.
    case rates
    /// Conversion-value schemes.
    case scheme
    /// Names of apps.
    case appNames = "app-names"

    /// Lets one transaction at a time write the tables of this kind, until it ends.
    var lock: PostgresStatement {
        switch self {
        case .mapping: MappingStatements.lock
        case .spend, .rates: SpendStatements.lock
        case .scheme: SchemeStatements.lock
        case .appNames: AppNameStatements.lock
        }
    }

    /// The table that it is loaded into.
    var table: LoadedTable {
        switch self {
        case .mapping: .mapping
        case .spend: .spend
        case .rates: .rates
        case .scheme: .scheme
        case .appNames: .appNames
        }
    }
}

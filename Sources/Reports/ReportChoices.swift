package import PostbackStore
import PostgresClient

/// The networks and apps whose postbacks are in an environment, and the currencies of their money.
package struct ReportChoices: Sendable, Equatable {
    /// The ids of networks, in order.
    package let networks: [String]
    /// The ids of advertised apps, in order.
    package let apps: [String]
    /// Currencies: those of schemes, the most frequent one first, one of spend, and those with rates.
    package let currencies: [String]
    /// The currencies of schemes, in order.
    package let schemeCurrencies: [String]
    /// The environments that have postbacks, in order.
    package let environments: [String]
    /// What the operator calls advertised apps, by their ids.
    package let appNames: [String: String]
}

extension PostbackStore {
    /// What a report can be filtered by.
    package func reportChoices(environment: String) async throws -> ReportChoices {
        var bindings = PostgresBindings()
        bindings.append(environment)
        let parameters = bindings
        return try await reports.withStatement("report_choices") { connection in
            try ReportChoices(
                networks: connection.texts(ReportChoices.networks, parameters),
                apps: connection.texts(ReportChoices.apps, parameters),
                currencies: connection.texts(ReportChoices.currencies),
                schemeCurrencies: connection.texts(ReportChoices.schemeCurrencies),
                environments: connection.texts(ReportChoices.environments),
                appNames: connection.appNames(parameters))
        }
    }
}

extension PostgresConnection {
    fileprivate func texts(
        _ statement: PostgresStatement, _ bindings: PostgresBindings = PostgresBindings()
    ) throws -> [String] {
        try query(statement, bindings).map { try $0.decode(String.self, at: 0) }
    }

    fileprivate func appNames(_ bindings: PostgresBindings) throws -> [String: String] {
        let pairs = try query(ReportChoices.named, bindings).map {
            (try $0.decode(String.self, at: 0), try $0.decode(String.self, at: 1))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

extension ReportChoices {
    fileprivate static let networks = PostgresStatement(
        "report_networks",
        """
        SELECT DISTINCT ad_network_id FROM attribution.line
         WHERE environment = $1 AND NOT developer_copy ORDER BY ad_network_id
        """)

    fileprivate static let apps = PostgresStatement(
        "report_apps",
        """
        SELECT advertised_app_id::text FROM attribution.line
         WHERE environment = $1 AND NOT developer_copy GROUP BY advertised_app_id
         ORDER BY line.advertised_app_id
        """)

    fileprivate static let named = PostgresStatement(
        "report_app_names",
        """
        SELECT app_id::text, app_name FROM attribution.app_name
         WHERE app_id IN (SELECT advertised_app_id FROM attribution.line WHERE environment = $1 AND NOT developer_copy)
        """)

    fileprivate static let currencies = PostgresStatement(
        "report_currencies",
        """
        SELECT currency
          FROM (SELECT currency, 1 AS place FROM attribution.conversion_scheme
                UNION ALL
                (SELECT currency, 2 FROM attribution.spend_daily LIMIT 1)
                UNION ALL
                SELECT DISTINCT currency, 3 FROM attribution.currency_rate) AS used
         WHERE currency IS NOT NULL GROUP BY currency ORDER BY min(place), count(*) DESC, currency
        """)

    fileprivate static let schemeCurrencies = PostgresStatement(
        "report_scheme_currencies",
        "SELECT DISTINCT currency FROM attribution.conversion_scheme WHERE currency IS NOT NULL ORDER BY currency")

    fileprivate static let environments = PostgresStatement(
        "report_environments", "SELECT DISTINCT environment FROM attribution.network ORDER BY environment")
}

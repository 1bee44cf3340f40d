import PostgresClient

/// The statements that add a batch's change to the aggregates; rows in the order of their keys, as with postbacks.
enum AggregateStatements {
    private static let keyColumns =
        "day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id"
    private static let keyArrays =
        "$1::date[], $2::text[], $3::boolean[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[]"
    private static let counterColumns = [
        "installs", "redownloads", "reengagements", "assists", "value_known", "value_coarse", "value_null",
        "value_sum", "raised", "conflicts", "later_windows",
    ]
    /// The order in which all writers lock rows of these tables.
    private static let lockOrder =
        "campaign, day, ad_network_id, advertised_app_id, environment, developer_copy, protocol, campaign_type"

    static let addToCampaignDaily = PostgresStatement(
        "campaign_daily_add", upsert(table: "campaign_daily", extraKey: [], counters: counterColumns))

    static let addToSourceAppDaily = PostgresStatement(
        "source_app_daily_add",
        upsert(table: "source_app_daily", extraKey: [("source_app", "text")], counters: counterColumns))

    static let addToConversionValueDaily = PostgresStatement(
        "conversion_value_daily_add",
        upsert(
            table: "conversion_value_daily",
            extraKey: [
                ("sequence_index", "smallint"), ("did_win", "boolean"), ("conversion_value", "smallint"),
                ("coarse_value", "text"),
            ],
            counters: ["postbacks"]))

    private static func upsert(table: String, extraKey: [(name: String, type: String)], counters: [String]) -> String {
        let extraNames = extraKey.map { ", \($0.name)" }.joined()
        let extraArrays = extraKey.enumerated().map { ", $\(9 + $0.offset)::\($0.element.type)[]" }.joined()
        let firstCounter = 9 + extraKey.count
        let counterArrays = counters.indices.map { "$\(firstCounter + $0)::bigint[]" }.joined(separator: ", ")
        let counterNames = counters.joined(separator: ", ")
        let sums = counters.map { "\($0) = stored.\($0) + excluded.\($0)" }.joined(separator: ",\n    ")
        return """
            INSERT INTO attribution.\(table) AS stored (\(keyColumns)\(extraNames), \(counterNames))
            SELECT \(keyColumns)\(extraNames), \(counterNames)
              FROM unnest(\(keyArrays)\(extraArrays), \(counterArrays))
                   AS change (\(keyColumns)\(extraNames), \(counterNames))
             ORDER BY \(lockOrder)\(extraNames)
            ON CONFLICT (\(keyColumns)\(extraNames)) DO UPDATE SET
                \(sums)
            """
    }

    static func bindings(_ campaigns: [(key: CampaignKey, value: Counters)]) -> PostgresBindings {
        var bindings = PostgresBindings()
        append(campaigns.map(\.key), to: &bindings)
        append(campaigns.map(\.value), to: &bindings)
        return bindings
    }

    static func bindings(_ sourceApps: [(key: AggregateChange.SourceAppKey, value: Counters)]) -> PostgresBindings {
        var bindings = PostgresBindings()
        append(sourceApps.map(\.key.campaign), to: &bindings)
        bindings.append(sourceApps.map(\.key.sourceApp))
        append(sourceApps.map(\.value), to: &bindings)
        return bindings
    }

    static func bindings(_ values: [(key: AggregateChange.ValueKey, value: Int64)]) -> PostgresBindings {
        var bindings = PostgresBindings()
        append(values.map(\.key.campaign), to: &bindings)
        bindings.append(values.map(\.key.sequenceIndex))
        bindings.append(values.map(\.key.didWin))
        bindings.append(values.map(\.key.conversionValue))
        bindings.append(values.map(\.key.coarseValue))
        bindings.append(values.map(\.value))
        return bindings
    }

    private static func append(_ keys: [CampaignKey], to bindings: inout PostgresBindings) {
        bindings.append(keys.map(\.day))
        bindings.append(keys.map(\.environment))
        bindings.append(keys.map(\.isDeveloperCopy))
        bindings.append(keys.map(\.networkProtocol))
        bindings.append(keys.map(\.adNetworkID))
        bindings.append(keys.map(\.campaignType))
        bindings.append(keys.map(\.campaign))
        bindings.append(keys.map(\.advertisedAppID))
    }

    private static func append(_ counters: [Counters], to bindings: inout PostgresBindings) {
        bindings.append(counters.map(\.installs))
        bindings.append(counters.map(\.redownloads))
        bindings.append(counters.map(\.reengagements))
        bindings.append(counters.map(\.assists))
        bindings.append(counters.map(\.valueKnown))
        bindings.append(counters.map(\.valueCoarse))
        bindings.append(counters.map(\.valueNull))
        bindings.append(counters.map(\.valueSum))
        bindings.append(counters.map(\.raised))
        bindings.append(counters.map(\.conflicts))
        bindings.append(counters.map(\.laterWindows))
    }
}

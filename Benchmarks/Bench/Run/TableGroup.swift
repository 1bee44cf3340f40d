/// Tables whose bytes are measured together.
enum TableGroup: String, CaseIterable, Sendable {
    case daily
    case dimensions
    case state
    case body
    case log

    /// A condition on the name of a table.
    fileprivate var condition: String {
        switch self {
        case .daily: TableGroup.isDaily
        case .dimensions: "relname IN ('network', 'line', 'source', 'signing_key', 'traits')"
        case .state: "relname LIKE 'postback_state%'"
        case .body: "relname LIKE 'postback_body%'"
        case .log: "relname LIKE 'postback_log%'"
        }
    }

    /// The cost of campaigns comes from outside.
    fileprivate static let isDaily = "relname LIKE '%\\_daily' AND relname <> 'spend_daily'"

    fileprivate static let isTable = "relnamespace = 'attribution'::regnamespace AND relkind = 'r'"
}

extension MeasuredStore {
    /// The bytes of each group, with indexes, for each of so many postbacks.
    func bytes(forEachOf count: Int) async throws -> [TableGroup: Double] {
        var bytes: [TableGroup: Double] = [:]
        for group in TableGroup.allCases {
            let sum = try await number(
                """
                SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class
                 WHERE \(TableGroup.isTable) AND \(group.condition)
                """)
            bytes[group] = sum / Double(count)
        }
        return bytes
    }

    /// The names of the daily tables.
    func dailyTables() async throws -> [String] {
        try await column(
            "SELECT relname::text FROM pg_class WHERE \(TableGroup.isTable) AND \(TableGroup.isDaily) ORDER BY 1")
    }
}

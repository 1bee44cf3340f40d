package import PostbackStore
package import PostgresClient

/// The days on which a stored mapping row names postbacks.
package struct NamedDays: Sendable, Equatable {
    /// The first day; `CampaignMapping.always` if there is none.
    package let first: PostgresDate
    /// The last day; nil if none is known.
    package let last: PostgresDate?
    /// The day on which another row with the same conditions takes over; nil if none does.
    package let nextBegins: PostgresDate?
    /// Whether a postback with the identifier was received on these days, of the row's app and protocol.
    package let hasPostbacks: Bool

    init(_ row: PostgresRow) throws {
        var columns = ColumnCursor(row)
        first = try columns.next()
        last = try columns.next()
        nextBegins = try columns.next()
        hasPostbacks = try columns.next()
    }

    /// The days in a sentence, such as "It is valid from the beginning until 2025-12-31, since another row begins on
    /// 2026-01-01.".
    package var text: String {
        let start = first == CampaignMapping.always ? "from the beginning" : "from \(first)"
        let end = last.map { " until \($0)" } ?? " on, without a last day"
        let cause = nextBegins.map { ", since another row begins on \($0)" } ?? ""
        return "It is valid \(start)\(end)\(cause)."
    }
}

extension PostbackStore {
    /// The days of a row by its conditions and its first day; nil if no such row of the operator is stored.
    package func namedDays(of mapping: CampaignMapping) async throws -> NamedDays? {
        let parameters = MappingStatements.key(mapping)
        return try await pool.withConnection { connection in
            try connection.query(Self.findNamedDays, parameters).first.map(NamedDays.init)
        }
    }

    private static let findNamedDays = PostgresStatement(
        "mapping_named_days",
        """
        SELECT valid_from, nullif(last_named_day, 'infinity'),
               CASE WHEN last_named_day < coalesce(valid_to + cool_down_days, 'infinity') THEN last_named_day + 1 END,
               EXISTS (SELECT FROM attribution.line
                        WHERE attribution.network_name(line.ad_network_id) = stored.network_name
                          AND line.campaign_type = stored.campaign_type
                          AND stored.identifier IN (
                              SELECT attribution.mapped_identifiers(line.campaign_type, line.campaign))
                          AND (stored.advertised_app_id IS NULL OR line.advertised_app_id = stored.advertised_app_id)
                          AND (stored.protocol IS NULL OR line.protocol = stored.protocol)
                          AND (EXISTS (SELECT FROM attribution.campaign_daily AS daily
                                        WHERE daily.line = line.line
                                          AND daily.day BETWEEN stored.valid_from AND stored.last_named_day)
                               OR EXISTS (SELECT FROM attribution.unfolded() AS fresh
                                           WHERE fresh.line = line.line
                                             AND fresh.day BETWEEN stored.valid_from AND stored.last_named_day)))
          FROM attribution.campaign_mapping AS stored
         WHERE NOT is_built_in AND network_name = $1 AND campaign_type = $2 AND identifier = $3
           AND country IS NOT DISTINCT FROM $4::text AND source_app IS NOT DISTINCT FROM $5::text
           AND advertised_app_id IS NOT DISTINCT FROM $6::bigint AND protocol IS NOT DISTINCT FROM $7::text
           AND valid_from = $8
        """)
}

package import Foundation

extension TestDatabase {
    /// The events of the log as docs/events.md describes them, made by PostgreSQL.
    ///
    /// The order is that of lane, position and ordinal.
    package func exportedEvents() async throws -> [NSDictionary] {
        try await column(
            """
            SELECT json_build_object(
                       'format', 1, 'id', concat_ws('-', log.lane, log.position, log.ordinal),
                       'event', (ARRAY['accepted', 'raised', 'raised', 'conflict'])[event + 1],
                       'first_raise', event = 1,
                       'lane', log.lane, 'position', log.position, 'ordinal', log.ordinal,
                       'written_at', to_char(written_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                       'received_at', to_char(log.received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                       'day', (log.received_at AT TIME ZONE 'UTC')::date,
                       'transaction_id', log.transaction_id, 'sequence_index', sequence_index, 'did_win', did_win)
                   ::jsonb
                   || jsonb_build_object(
                       'conversion_value', attribution.fine_value(CASE event WHEN 3 THEN previous_value ELSE value END),
                       'coarse_value', attribution.coarse_value(CASE event WHEN 3 THEN previous_value ELSE value END),
                       'previous_conversion_value',
                       attribution.fine_value(CASE WHEN event IN (1, 2) THEN previous_value END),
                       'previous_coarse_value',
                       attribution.coarse_value(CASE WHEN event IN (1, 2) THEN previous_value END),
                       'offered_conversion_value', attribution.fine_value(CASE event WHEN 3 THEN value END),
                       'offered_coarse_value', attribution.coarse_value(CASE event WHEN 3 THEN value END))
                   || to_jsonb(line.*) - ARRAY['line', 'network']
                   || jsonb_build_object('source_app_id', attribution.source_app_id(source), 'source_domain', source_domain)
                   || to_jsonb(traits.*) - ARRAY['traits', 'signing_key', 'kind']
                   || jsonb_build_object('version', nullif(traits.version, 'none'), 'signing_key', signing_key.name,
                                         'body', body.payload)
              FROM attribution.postback_log AS log
              JOIN attribution.line USING (line)
              LEFT JOIN attribution.source USING (source)
              JOIN attribution.traits USING (traits)
              JOIN attribution.signing_key USING (signing_key)
              LEFT JOIN attribution.postback_body AS body
                     ON body.lane = log.lane AND body.position = log.position AND body.ordinal = log.ordinal
             ORDER BY log.lane, log.position, log.ordinal
            """
        ).map { text in try Self.event(Array((text ?? "").utf8)) }
    }

    /// A line of an export as a JSON object.
    package static func event(_ line: some Sequence<UInt8>) throws -> NSDictionary {
        try JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary ?? [:]
    }
}

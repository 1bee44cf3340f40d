import PostgresClient

/// The statement about what else is known of events: what the operator calls their campaigns, and what their values mean.
enum EventFactStatements {
    /// For each row of the parameters its number, from 1, and what is known.
    ///
    /// Parameters, a column each: line, source, traits, the first receipt, sequence index, whether it won, and the value.
    /// It says what `attribution.postback_answer` and the reports say of a postback with this value.
    static let facts = PostgresStatement(
        "forwarded_facts",
        """
        SELECT wanted.number, mapping.mapping IS NOT NULL, mapping.campaign_id, mapping.campaign_name,
               mapping.ad_group_id, mapping.ad_group_name, mapping.creative_id, mapping.creative_name,
               mapping.network_name,
               array_to_string(answer.events, ','), trim_scale(answer.revenue_low)::text,
               trim_scale(answer.revenue_high)::text, answer.currency, answer.tier_low, answer.tier_high
          FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::timestamptz[], $5::smallint[], $6::boolean[],
                      $7::smallint[]) WITH ORDINALITY
               AS wanted (line, source, traits, received_at, sequence_index, did_win, value, number)
          JOIN attribution.line ON line.line = wanted.line
          LEFT JOIN attribution.source ON source.source = wanted.source
          JOIN attribution.traits ON traits.traits = wanted.traits
          LEFT JOIN LATERAL attribution.campaign_mapping_row_of(
               line.ad_network_id, line.protocol, line.campaign_type, line.campaign, line.advertised_app_id,
               traits.country_code, coalesce(attribution.source_app_id(wanted.source)::text, source.source_domain),
               attribution.day_of(wanted.received_at)) AS mapping ON true
         CROSS JOIN LATERAL attribution.answer(
               line.advertised_app_id, line.protocol, traits.version, length(line.campaign), wanted.sequence_index,
               wanted.did_win, wanted.value, wanted.source <> 0, traits.country_code IS NOT NULL,
               traits.marketplace_identifier IS NOT NULL, wanted.received_at, line.environment = 'development') AS answer
        """)
}

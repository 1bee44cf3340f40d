import AdAttribution
import Money
import PostgresClient

/// The statements about cost and currency rates.
enum SpendStatements {
    /// One load of cost or rates at a time, so that two of the same days follow each other.
    static let lock = PostgresStatement("spend_lock", "SELECT pg_advisory_xact_lock(7421001649)")

    static let remove = PostgresStatement(
        "spend_remove",
        """
        DELETE FROM attribution.spend_daily AS stored
         USING unnest($1::date[], $2::text[], $3::bigint[]) AS scope (day, network_name, advertised_app_id)
         WHERE stored.day = scope.day AND stored.network_name = scope.network_name
           AND stored.advertised_app_id = scope.advertised_app_id
        """)

    /// Amounts are given in millionths.
    static let insert = PostgresStatement(
        "spend_insert",
        """
        INSERT INTO attribution.spend_daily
               (day, ad_network_id, advertised_app_id, campaign_id, ad_group_id, creative_id, country, currency, spend,
                impressions, clicks, installs, source_file, loaded_at)
        SELECT day, ad_network_id, advertised_app_id, campaign_id, ad_group_id, creative_id, country, currency,
               millionths * 0.000001, impressions, clicks, installs, $13, $14
          FROM unnest($1::date[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                      $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
               AS given (day, ad_network_id, advertised_app_id, campaign_id, ad_group_id, creative_id, country, currency,
                         millionths, impressions, clicks, installs)
        """)

    /// Adds rates, or changes those that differ; returns for each whether it is new.
    static let upsertRates = PostgresStatement(
        "spend_rates",
        """
        INSERT INTO attribution.currency_rate AS stored (day, currency, units_per_usd, loaded_at)
        SELECT day, currency, millionths * 0.000001, $4
          FROM unnest($1::date[], $2::text[], $3::bigint[]) AS given (day, currency, millionths)
            ON CONFLICT ON CONSTRAINT currency_rate_key DO UPDATE
           SET units_per_usd = excluded.units_per_usd, loaded_at = excluded.loaded_at
         WHERE stored.units_per_usd <> excluded.units_per_usd
        RETURNING xmax = 0
        """)

    static func bindings(_ rows: [SpendRow], file: String, at time: PostgresTimestamp) -> PostgresBindings {
        var bindings = PostgresBindings()
        bindings.append(rows.map(\.day))
        bindings.append(rows.map(\.network.text))
        bindings.append(rows.map(\.advertisedAppID.value))
        bindings.append(rows.map(\.campaignID))
        bindings.append(rows.map(\.adGroupID))
        bindings.append(rows.map(\.creativeID))
        bindings.append(rows.map { $0.country?.text })
        bindings.append(rows.map(\.currency.text))
        bindings.append(rows.map(\.spend.millionths))
        bindings.append(rows.map(\.impressions))
        bindings.append(rows.map(\.clicks))
        bindings.append(rows.map(\.installs))
        bindings.append(file)
        bindings.append(time)
        return bindings
    }
}

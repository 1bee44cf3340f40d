import AdAttribution
import Money
import PostgresClient

/// The statements about cost and currency rates.
enum SpendStatements {
    /// One load of cost or rates at a time, so that two of the same days follow each other.
    static let lock = PostgresStatement("spend_lock", "SELECT pg_advisory_xact_lock(7421001649)")

    /// Adds rows of a file to those of a load.
    ///
    /// Amounts are given in millionths.
    static let note = PostgresStatement(
        "spend_note",
        """
        INSERT INTO attribution.load_row (load, after)
        SELECT $13, \(LoadedTable.spend.storedFields)
          FROM (SELECT *, millionths * 0.000001 AS spend
                  FROM unnest($1::date[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                              $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])
                       AS given (day, ad_network_id, advertised_app_id, campaign_id, ad_group_id, creative_id, country,
                                 currency, millionths, impressions, clicks, installs)) AS stored
        """)

    /// Adds the rates of a file to the rows of a load.
    static let noteRates = PostgresStatement(
        "spend_note_rates",
        """
        INSERT INTO attribution.load_row (load, after)
        SELECT $4, \(LoadedTable.rates.storedFields)
          FROM (SELECT day, currency, millionths * 0.000001 AS units_per_usd
                  FROM unnest($1::date[], $2::text[], $3::bigint[]) AS given (day, currency, millionths)) AS stored
        """)

    /// The campaigns and days that a load leaves without any cost, $2 at most, and how many there are.
    static let lostCosts = PostgresStatement(
        "spend_lost_costs",
        """
        SELECT day, ad_network_id, advertised_app_id, campaign_id, currency, sum(spend)::text, count(*) OVER ()
          FROM attribution.load_row
         CROSS JOIN LATERAL jsonb_to_record(before) AS gone (
                    day date, ad_network_id text, advertised_app_id bigint, campaign_id text, currency text,
                    spend numeric)
         WHERE load = $1 AND before IS NOT NULL AND after IS NULL
           AND NOT EXISTS (
               SELECT FROM attribution.spend_daily AS stored
                WHERE stored.day = gone.day AND stored.network_name = attribution.network_name(gone.ad_network_id)
                  AND stored.advertised_app_id = gone.advertised_app_id AND stored.campaign_id = gone.campaign_id)
         GROUP BY day, ad_network_id, advertised_app_id, campaign_id, currency
        HAVING sum(spend) > 0
         ORDER BY day, ad_network_id, advertised_app_id, campaign_id, currency
         LIMIT $2
        """)

    static func bindings(_ rows: [SpendRow], of load: Int64) -> PostgresBindings {
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
        bindings.append(load)
        return bindings
    }
}

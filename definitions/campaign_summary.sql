-- One row a campaign: what it brought, how many of its values are mapped, what it cost, and what withheld values may be
-- worth.

-- What the withheld values of campaigns are worth by the model, in the currency of the report. A level of the model is the
-- last two digits of a network for an app, and may be of several campaigns. So each of its withheld values is taken to be
-- worth the same, and a campaign has that of its own. Each day is converted at its own rate.
--
-- The estimate is NULL if a rate is missing. `missing` counts withheld values for which no model is possible.
CREATE OR REPLACE FUNCTION attribution.campaign_estimate(
    first_day date, last_day date, an_advertised_app_id bigint, in_currency text)
RETURNS TABLE (
    environment text, developer_copy boolean, network_name text, advertised_app_id bigint, campaign_id text,
    missing numeric, low numeric, middle numeric, high numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH level_line AS (
        SELECT line, min(line) OVER (PARTITION BY environment, developer_copy, protocol, campaign_type, advertised_app_id,
                                                  ad_network_id, attribution.two_digits(campaign_type, campaign)) AS level
          FROM attribution.line
         WHERE $3 IS NULL OR advertised_app_id = $3
    ),
    -- What one withheld value of a level is worth. Those without a currency are shared among several.
    worth AS (
        SELECT level, week, sequence_index, nullif(currency, '') AS currency,
               CASE modelled_from WHEN 'none' THEN modelled_withheld ELSE 0 END / of_level.withheld AS missing,
               coalesce(round(modelled_withheld * basis_low / basis_mapped, 6), 0) / of_level.withheld AS low,
               coalesce(round(modelled_withheld * basis_middle / basis_mapped, 6), 0) / of_level.withheld AS middle,
               coalesce(round(modelled_withheld * basis_high / basis_mapped, 6), 0) / of_level.withheld AS high
          FROM (SELECT *, sum(withheld) OVER (PARTITION BY level, week, sequence_index) AS all_withheld
                  FROM attribution.modelled_levels($1, $2, $3, attribution.least_mapped())) AS levels
         CROSS JOIN LATERAL (SELECT nullif(all_withheld, 0) AS withheld) AS of_level
         WHERE modelled_withheld > 0
    ),
    own AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, campaign_id, daily.*
          FROM attribution.cost_place($1, $2, $3, false) AS place
         CROSS JOIN LATERAL (
               SELECT daily.line, day, sequence_index, attribution.total(withheld) AS withheld
                 FROM attribution.answers_of_place(lines, from_days, to_days, answers) AS daily
                WHERE day BETWEEN $1 AND $2 AND withheld > 0
                GROUP BY daily.line, day, sequence_index) AS daily
    )
    SELECT environment, developer_copy, network_name, advertised_app_id, campaign_id, sum(withheld * missing),
           CASE WHEN bool_and(high = 0 OR factor IS NOT NULL) THEN coalesce(sum(withheld * low * factor), 0) END,
           CASE WHEN bool_and(high = 0 OR factor IS NOT NULL) AND count(middle) = count(*)
                THEN coalesce(sum(withheld * middle * factor), 0) END,
           CASE WHEN bool_and(high = 0 OR factor IS NOT NULL) THEN coalesce(sum(withheld * high * factor), 0) END
      FROM (SELECT own.*, missing, low, middle, high, CASE worth.currency WHEN $4 THEN 1 ELSE rate.factor END AS factor
              FROM own
              JOIN level_line USING (line)
              JOIN worth
                ON worth.level = level_line.level AND worth.week = attribution.week(own.day)
               AND worth.sequence_index = own.sequence_index
              LEFT JOIN attribution.currency_factors($1, $2) AS rate
                     ON rate.day = own.day AND rate.from_currency = worth.currency AND rate.to_currency = $4) AS valued
     GROUP BY environment, developer_copy, network_name, advertised_app_id, campaign_id
$$;
COMMENT ON FUNCTION attribution.campaign_estimate(date, date, bigint, text) IS
    'What the withheld values of each mapped campaign are worth by the model, in one currency';

-- All protocols, windows and digits of a mapped campaign together. Measured figures are those of costs; the modelled
-- revenue adds the estimate for withheld values to them. It is NULL if no value is mapped and nothing is modelled.
CALL attribution.make_family(
    'campaign_summary', 'One row a campaign: installs, missing values, revenue, modelled revenue, cost and returns',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text', $body$
    WITH target AS MATERIALIZED (
        SELECT attribution.cost_currency($1, $2, $3, $4) AS currency
    ),
    estimate AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, nullif(campaign_id, '') AS campaign_id,
               coalesce(round(missing, 6), 0) AS missing, low, middle, high
          FROM target
         CROSS JOIN attribution.campaign_estimate($1, $2, $3, target.currency)
    )
    SELECT measured.environment, measured.developer_copy, measured.network_name, measured.advertised_app_id,
           measured.campaign_id, campaign_name, measured.currency, cost, cost_without_rate, installs, redownloads,
           reengagements, cost_per_install_low, cost_per_install, cost_per_install_high, installs_complete, revenue_low,
           revenue_middle, revenue_high, revenue_open, revenue_without_rate,
           {each} roas_{n}_low, roas_{n}_middle, roas_{n}_high {end}, roas_low, roas_middle, roas_high, revenue_complete,
           attribution.average(postbacks_0 - mapped_0 - unmapped_0 - ambiguous_0 - no_scheme_0, postbacks_0),
           of_all.mapped, of_all.withheld, not_set_0 + not_set_1 + not_set_2, unmapped_0 + unmapped_1 + unmapped_2,
           ambiguous_0 + ambiguous_1 + ambiguous_2, no_scheme_0 + no_scheme_1 + no_scheme_2,
           coalesce(missing, 0), modelled.low, modelled.middle, modelled.high, attribution.per(modelled.low, cost),
           attribution.per(modelled.middle, cost), attribution.per(modelled.high, cost)
      FROM attribution.costs($1, $2, $3, $4, false) AS measured
      LEFT JOIN estimate
             ON estimate.environment = measured.environment AND estimate.developer_copy = measured.developer_copy
            AND estimate.network_name = measured.network_name
            AND estimate.advertised_app_id = measured.advertised_app_id
            AND coalesce(estimate.campaign_id, '') = coalesce(measured.campaign_id, '')
     CROSS JOIN LATERAL (
           SELECT mapped_0 + mapped_1 + mapped_2 AS mapped, withheld_0 + withheld_1 + withheld_2 AS withheld) AS of_all
     -- What nobody knows is not 0: without a mapped value and without a model there is nothing to add the estimate to.
     CROSS JOIN LATERAL (
           SELECT CASE WHEN of_all.mapped = 0 AND of_all.withheld > coalesce(missing, 0) THEN 0 END) AS nobody (nothing)
     CROSS JOIN LATERAL (
           SELECT CASE WHEN of_all.withheld > 0 THEN round(coalesce(revenue_low, nothing) + estimate.low, 6)
                       ELSE revenue_low END AS low,
                  CASE WHEN of_all.withheld > 0 THEN round(coalesce(revenue_middle, nothing) + estimate.middle, 6)
                       ELSE revenue_middle END AS middle,
                  CASE WHEN of_all.withheld > 0 THEN round(coalesce(revenue_high, nothing) + estimate.high, 6)
                       ELSE revenue_high END AS high) AS modelled
$body$);

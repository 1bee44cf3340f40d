-- Cost, beside installs, revenue and events.
--
-- A network bills by its campaign. So cost and answers are joined by network (without the suffix of a protocol),
-- advertised app and `campaign_id` of the mapping. Cost has no environment. It stands beside the figures of
-- each environment in which the app has postbacks, and beside production in any case.

-- The currency of cost, unless a query says another: the one of most rows that the network reported for the app.
CREATE OR REPLACE FUNCTION attribution.spend_currency(first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (network_name text, advertised_app_id bigint, currency text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT DISTINCT ON (network_name, advertised_app_id) network_name, advertised_app_id, currency
      FROM (SELECT network_name, advertised_app_id, currency, count(*) AS rows
              FROM attribution.spend_daily
             WHERE day BETWEEN $1 AND $2 AND ($3 IS NULL OR advertised_app_id = $3)
             GROUP BY network_name, advertised_app_id, currency) AS spend
     ORDER BY network_name, advertised_app_id, rows DESC, currency
$$;
COMMENT ON FUNCTION attribution.spend_currency(date, date, bigint) IS
    'The currency in which a network reports the cost of an app: the one of most rows in a range of days';

-- How many units of one currency one unit of another is, on the days of a range that have rates. It is not inlined, so
-- that the planner expects few rows and hashes them.
CREATE OR REPLACE FUNCTION attribution.currency_factors(first_day date, last_day date)
RETURNS TABLE (day date, from_currency text, to_currency text, factor numeric)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET jit = off
AS $$
    SELECT source.day, source.currency, target.currency, target.units_per_usd / source.units_per_usd
      FROM (SELECT greatest($1, min(day)) AS first_day, least($2, max(day) + attribution.greatest_rate_age()) AS last_day
              FROM attribution.currency_rate
            HAVING count(*) > 0) AS rated
     CROSS JOIN LATERAL attribution.currency_rates(rated.first_day, rated.last_day) AS source
      JOIN LATERAL attribution.currency_rates(rated.first_day, rated.last_day) AS target
             ON target.day = source.day AND target.currency <> source.currency
$$;
COMMENT ON FUNCTION attribution.currency_factors(date, date) IS
    'By which factor an amount of a day is converted; no row without a rate';

-- The spend of the networks' campaigns in one currency. The arrays go together: element n is a row of spend. Its cost
-- is NULL if it has no rate. 0 needs no rate.
CREATE OR REPLACE FUNCTION attribution.campaign_spend(
    first_day date, last_day date, an_advertised_app_id bigint, in_currency text)
RETURNS TABLE (
    network_name text, advertised_app_id bigint, campaign_id text, currency text, days date[], costs numeric[],
    impressions bigint[], clicks bigint[], installs bigint[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT network_name, advertised_app_id, campaign_id, coalesce($4, target.currency), array_agg(spend.day),
           array_agg(CASE WHEN spend = 0 OR spend.currency = coalesce($4, target.currency) THEN spend
                          ELSE spend * factor END),
           array_agg(impressions), array_agg(clicks), array_agg(installs)
      FROM attribution.spend_daily AS spend
      -- It finds one row. Of a LEFT JOIN the planner knows that it is not needed if a query says the currency.
      LEFT JOIN attribution.spend_currency($1, $2, $3) AS target USING (network_name, advertised_app_id)
      LEFT JOIN attribution.currency_factors($1, $2) AS factor
             ON factor.day = spend.day AND factor.from_currency = spend.currency
            AND factor.to_currency = coalesce($4, target.currency)
     WHERE spend.day BETWEEN $1 AND $2 AND ($3 IS NULL OR advertised_app_id = $3)
     GROUP BY campaign_id, network_name, advertised_app_id, coalesce($4, target.currency)
$$;
COMMENT ON FUNCTION attribution.campaign_spend(date, date, bigint, text) IS
    'The rows of spend of each network''s campaign, in one currency';

-- Rows of spend of one campaign, summed by day, or to one row with the day that is said. Cost is NULL if a row of it
-- has no rate, since the others alone would be too low.
CREATE OR REPLACE FUNCTION attribution.campaign_cost(
    days date[], costs numeric[], impressions bigint[], clicks bigint[], installs bigint[], instead_of_days date)
RETURNS TABLE (
    day date, cost numeric, cost_without_rate bigint, network_impressions bigint, network_clicks bigint,
    network_installs bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce($6, day), CASE WHEN count(cost) = count(*) THEN sum(cost) END, count(*) - count(cost),
           CASE WHEN count(impressions) > 0 THEN attribution.total(impressions) END,
           CASE WHEN count(clicks) > 0 THEN attribution.total(clicks) END,
           CASE WHEN count(installs) > 0 THEN attribution.total(installs) END
      FROM unnest($1, $2, $3, $4, $5) AS spend (day, cost, impressions, clicks, installs)
     GROUP BY coalesce($6, day)
$$;
COMMENT ON FUNCTION attribution.campaign_cost(date[], numeric[], bigint[], bigint[], bigint[], date) IS
    'What a campaign cost, and what the network reported beside it, by day or summed';

-- The campaigns of reports of cost, each with the days of lines that are its own, in the range and a day around it. The
-- arrays go together: from from_days[n] to to_days[n], lines[n] is a line of the campaign. Its days are NULL if the mapping
-- names all days of the line otherwise. Answers know no country and no source app, so rows of the mapping with such a
-- condition name none (docs/mapping-and-spend.md). Without any spend, the currency is that of the app's newest scheme.
CREATE OR REPLACE FUNCTION attribution.cost_place(first_day date, last_day date, an_advertised_app_id bigint, in_currency text)
RETURNS TABLE (
    environment text, developer_copy boolean, network_name text, advertised_app_id bigint, campaign_id text,
    campaign_name text, currency text, any_windows boolean, any_timer boolean, lines integer[], from_days date[],
    to_days date[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH named AS MATERIALIZED (
        SELECT line, from_day, to_day, campaign_id, campaign_name
          FROM attribution.line_mapping($1 - 1, $2 + 1, $3)
          JOIN attribution.campaign_mapping USING (mapping)
         WHERE line_mapping.country IS NULL AND line_mapping.source_app IS NULL
    ),
    unnamed AS (
        SELECT line, lower(days) AS from_day, upper(days) - 1 AS to_day
          FROM attribution.line
          LEFT JOIN (SELECT line, range_agg(daterange(from_day, to_day, '[]')) AS named_days
                       FROM named GROUP BY line) AS of_line USING (line)
          LEFT JOIN LATERAL unnest(
                       datemultirange(daterange($1 - 1, greatest($1, $2) + 1, '[]')) - coalesce(named_days, '{}')) AS days
                 ON true
    ),
    place AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, coalesce(campaign_id, '') AS campaign_id,
               max(campaign_name) AS campaign_name, bool_or(campaign_type = 'source-identifier') AS any_windows,
               bool_or(campaign_type <> 'source-identifier') AS any_timer, array_agg(line) AS lines,
               array_agg(from_day) AS from_days, array_agg(to_day) AS to_days
          FROM (TABLE named UNION ALL SELECT line, from_day, to_day, NULL, NULL FROM unnamed) AS part
          JOIN attribution.line USING (line)
         CROSS JOIN attribution.network_name(ad_network_id)
         WHERE $3 IS NULL OR advertised_app_id = $3
         GROUP BY environment, developer_copy, network_name, advertised_app_id, coalesce(campaign_id, '')
    )
    SELECT environment, developer_copy, network_name, advertised_app_id, campaign_id, campaign_name,
           coalesce($4, spend_currency.currency,
                    (SELECT scheme.currency FROM attribution.conversion_scheme AS scheme
                      WHERE scheme.advertised_app_id = place.advertised_app_id AND scheme.currency IS NOT NULL
                      ORDER BY scheme.valid_from DESC LIMIT 1)),
           any_windows, any_timer, lines, from_days, to_days
      FROM place
      LEFT JOIN attribution.spend_currency($1, $2, $3) USING (network_name, advertised_app_id)
$$;
COMMENT ON FUNCTION attribution.cost_place(date, date, bigint, text) IS
    'The campaigns of reports of cost, and which days of which lines are theirs';

-- `at` is used once: callers give a subquery. If a function uses such an argument twice, PostgreSQL does not inline it.
CREATE OR REPLACE FUNCTION attribution.is_cost_complete(
    a_day date, sequence_index smallint, any_windows boolean, any_timer boolean, measurement_window_hours smallint,
    at timestamptz)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT greatest(CASE WHEN any_windows THEN attribution.complete_from($1, true, $2, NULL) END,
                    CASE WHEN any_timer THEN attribution.complete_from($1, false, $2, $5) END) <= $6
$$;
COMMENT ON FUNCTION attribution.is_cost_complete(date, smallint, boolean, boolean, smallint, timestamptz) IS
    'Whether all postbacks of a day and window have arrived, of versions with windows, with a timer, or of both';

-- Cost beside what came of it. A campaign that has only one of the two has a row too. Postbacks that the mapping does
-- not name have a row without a campaign for each network and app. A campaign without a line is taken to have windows,
-- as most have.
CREATE OR REPLACE FUNCTION attribution.costs(
    first_day date, last_day date, an_advertised_app_id bigint, in_currency text, by_day boolean)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, network_name text, advertised_app_id bigint, campaign_id text,
    campaign_name text, currency text, cost numeric, cost_without_rate bigint, network_impressions bigint,
    network_clicks bigint, network_installs bigint, installs bigint, redownloads bigint, reengagements bigint,
    installs_low bigint, installs_high bigint, cost_per_install_low numeric, cost_per_install numeric,
    cost_per_install_high numeric, cost_per_install_or_engagement numeric, cost_per_conversion numeric,
    installs_complete boolean,
    revenue_0_low numeric, revenue_0_middle numeric, revenue_0_high numeric,
    revenue_1_low numeric, revenue_1_middle numeric, revenue_1_high numeric,
    revenue_2_low numeric, revenue_2_middle numeric, revenue_2_high numeric,
    revenue_open bigint, revenue_without_rate bigint,
    roas_0_low numeric, roas_0_middle numeric, roas_0_high numeric, roas_low numeric, roas_middle numeric,
    roas_high numeric, revenue_complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH spend AS (
        SELECT coalesce(environment, 'production') AS environment, coalesce(developer_copy, false) AS developer_copy,
               campaign_spend.*
          FROM attribution.campaign_spend($1, $2, $3, $4)
          LEFT JOIN (SELECT environment, developer_copy, advertised_app_id FROM attribution.line
                     UNION
                     SELECT 'production', false, advertised_app_id FROM attribution.line) AS side
         USING (advertised_app_id)
    ),
    -- Each campaign joins its own days: one join of the days of all campaigns by six columns is slower.
    beside AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, campaign_id, campaign_name,
               coalesce(spend.currency, place.currency) AS currency, coalesce(any_windows, true) AS any_windows,
               coalesce(any_timer, false) AS any_timer, of_day.*,
               CASE WHEN $5 THEN of_day.day ELSE least($2, (now() AT TIME ZONE 'UTC')::date) END AS last_day
          FROM spend
          FULL JOIN attribution.cost_place($1, $2, $3, $4) AS place
         USING (campaign_id, network_name, advertised_app_id, environment, developer_copy)
         CROSS JOIN LATERAL (
               SELECT day, cost, coalesce(cost_without_rate, 0) AS cost_without_rate, network_impressions, network_clicks,
                      network_installs, coalesce(answer.installs, 0) AS installs,
                      coalesce(redownloads, 0) AS redownloads, coalesce(reengagements, 0) AS reengagements,
                      coalesce(installs_inside, 0) AS installs_inside, coalesce(installs_around, 0) AS installs_around,
                      coalesce(low_0, 0) * unit_0 AS low_0, coalesce(middle_0, 0) * middle_unit_0 AS middle_0,
                      coalesce(high_0, 0) * unit_0 AS high_0,
                      coalesce(low_1, 0) * unit_1 AS low_1, coalesce(middle_1, 0) * middle_unit_1 AS middle_1,
                      coalesce(high_1, 0) * unit_1 AS high_1,
                      coalesce(low_2, 0) * unit_2 AS low_2, coalesce(middle_2, 0) * middle_unit_2 AS middle_2,
                      coalesce(high_2, 0) * unit_2 AS high_2,
                      coalesce(open, 0) AS open,
                      coalesce(without_rate_0 + without_rate_1 + without_rate_2, 0) AS without_rate
                 FROM attribution.campaign_cost(
                          days, costs, impressions, clicks, spend.installs, CASE WHEN $5 THEN NULL ELSE $1 END) AS cost
                 FULL JOIN (
                      SELECT CASE WHEN $5 THEN day ELSE $1 END AS day,
                             attribution.total(first_installs) FILTER (WHERE number = 0) AS installs,
                             attribution.total(redownloads) FILTER (WHERE number = 0) AS redownloads,
                             attribution.total(reengagements) FILTER (WHERE number = 0) AS reengagements,
                             attribution.total(first_installs) FILTER (WHERE number = 0 AND day > $1 AND day < $2)
                                 AS installs_inside,
                             attribution.total(first_installs) FILTER (WHERE sequence_index = 0) AS installs_around,
                             attribution.total(own_low) FILTER (WHERE number = 0)
                                 + coalesce(sum(foreign_low) FILTER (WHERE number = 0), 0) AS low_0,
                             attribution.total(own_middle) FILTER (WHERE number = 0)
                                 + coalesce(sum(foreign_middle) FILTER (WHERE number = 0), 0) AS middle_0,
                             attribution.total(own_high) FILTER (WHERE number = 0)
                                 + coalesce(sum(foreign_high) FILTER (WHERE number = 0), 0) AS high_0,
                             attribution.total(own_low) FILTER (WHERE number = 1)
                                 + coalesce(sum(foreign_low) FILTER (WHERE number = 1), 0) AS low_1,
                             attribution.total(own_middle) FILTER (WHERE number = 1)
                                 + coalesce(sum(foreign_middle) FILTER (WHERE number = 1), 0) AS middle_1,
                             attribution.total(own_high) FILTER (WHERE number = 1)
                                 + coalesce(sum(foreign_high) FILTER (WHERE number = 1), 0) AS high_1,
                             attribution.total(own_low) FILTER (WHERE number = 2)
                                 + coalesce(sum(foreign_low) FILTER (WHERE number = 2), 0) AS low_2,
                             attribution.total(own_middle) FILTER (WHERE number = 2)
                                 + coalesce(sum(foreign_middle) FILTER (WHERE number = 2), 0) AS middle_2,
                             attribution.total(own_high) FILTER (WHERE number = 2)
                                 + coalesce(sum(foreign_high) FILTER (WHERE number = 2), 0) AS high_2,
                             attribution.total(revenue_open) FILTER (WHERE number IS NOT NULL) AS open,
                             attribution.total(revenue_unknown) FILTER (WHERE number = 0) AS unknown_0,
                             attribution.total(mapped) FILTER (WHERE number = 0 AND lacks_rate) AS without_rate_0,
                             attribution.total(revenue_unknown) FILTER (WHERE number = 1) AS unknown_1,
                             attribution.total(mapped) FILTER (WHERE number = 1 AND lacks_rate) AS without_rate_1,
                             attribution.total(revenue_unknown) FILTER (WHERE number = 2) AS unknown_2,
                             attribution.total(mapped) FILTER (WHERE number = 2 AND lacks_rate) AS without_rate_2
                        FROM (SELECT daily.*, postbacks - redownloads - reengagements AS first_installs,
                                     CASE WHEN daily.day BETWEEN $1 AND $2 THEN sequence_index END AS number,
                                     CASE WHEN NOT needs_rate THEN revenue_low END AS own_low,
                                     CASE WHEN NOT needs_rate THEN revenue_middle END AS own_middle,
                                     CASE WHEN NOT needs_rate THEN revenue_high END AS own_high,
                                     CASE WHEN needs_rate THEN revenue_low * factor END AS foreign_low,
                                     CASE WHEN needs_rate THEN revenue_middle * factor END AS foreign_middle,
                                     CASE WHEN needs_rate THEN revenue_high * factor END AS foreign_high,
                                     needs_rate AND factor IS NULL AS lacks_rate
                                FROM unnest(lines, from_days, to_days) AS own (line, from_day, to_day)
                                JOIN attribution.answer_daily AS daily
                                       ON daily.line = own.line AND daily.day BETWEEN from_day AND to_day
                                LEFT JOIN attribution.currency_factors($1, $2) AS foreign_rate
                                       ON foreign_rate.day = daily.day AND from_currency = daily.currency
                                      AND to_currency = place.currency
                               CROSS JOIN LATERAL (
                                     SELECT revenue_high > 0 AND daily.currency IS DISTINCT FROM place.currency)
                                     AS rate (needs_rate)
                               WHERE answer_table = attribution.answer_table('install', 'campaign') AND did_win
                                 AND postbacks > 0
                                 AND daily.day BETWEEN $1 - CASE WHEN $5 THEN 0 ELSE 1 END
                                                   AND $2 + CASE WHEN $5 THEN 0 ELSE 1 END
                              -- So that these columns are computed once for each row.
                              OFFSET 0) AS row
                       GROUP BY CASE WHEN $5 THEN day ELSE $1 END) AS answer USING (day)
                -- Millionths as units; NULL if a rate is missing, and of middles also if one is unknown.
                CROSS JOIN LATERAL (
                      SELECT CASE WHEN without_rate_0 > 0 THEN NULL ELSE 0.000001 END AS unit_0,
                             CASE WHEN without_rate_1 > 0 THEN NULL ELSE 0.000001 END AS unit_1,
                             CASE WHEN without_rate_2 > 0 THEN NULL ELSE 0.000001 END AS unit_2,
                             CASE WHEN without_rate_0 + unknown_0 > 0 THEN NULL ELSE 0.000001 END AS middle_unit_0,
                             CASE WHEN without_rate_1 + unknown_1 > 0 THEN NULL ELSE 0.000001 END AS middle_unit_1,
                             CASE WHEN without_rate_2 + unknown_2 > 0 THEN NULL ELSE 0.000001 END AS middle_unit_2) AS unit
               OFFSET 0) AS of_day
    )
    SELECT environment, developer_copy, day, network_name, beside.advertised_app_id, nullif(campaign_id, ''),
           campaign_name, currency, round(cost, 6), cost_without_rate, network_impressions, network_clicks,
           network_installs, installs, redownloads, reengagements, installs_inside, installs_around,
           attribution.per(cost, installs_around),
           attribution.per(cost, installs), attribution.per(cost, installs_inside),
           attribution.per(cost, installs + reengagements),
           attribution.per(cost, installs + redownloads + reengagements),
           attribution.is_cost_complete(last_day, 0::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT attribution.answers_up_to())),
           round(low_0, 6), round(middle_0, 6), round(high_0, 6), round(low_1, 6), round(middle_1, 6), round(high_1, 6),
           round(low_2, 6), round(middle_2, 6), round(high_2, 6), open, without_rate,
           attribution.per(low_0, cost), attribution.per(middle_0, cost), attribution.per(high_0, cost),
           attribution.per(low_0 + low_1 + low_2, cost), attribution.per(middle_0 + middle_1 + middle_2, cost),
           attribution.per(high_0 + high_1 + high_2, cost),
           attribution.is_cost_complete(last_day, 2::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT attribution.answers_up_to()))
      FROM beside
      LEFT JOIN attribution.measurement_window
             ON measurement_window.advertised_app_id = CASE WHEN any_timer THEN beside.advertised_app_id END
            AND last_day BETWEEN from_day AND to_day
     WHERE cost IS NOT NULL OR cost_without_rate > 0 OR installs + redownloads + reengagements > 0
        OR high_0 IS DISTINCT FROM 0 OR high_1 IS DISTINCT FROM 0 OR high_2 IS DISTINCT FROM 0 OR open > 0
$$;
COMMENT ON FUNCTION attribution.costs(date, date, bigint, text, boolean) IS
    'Cost beside installs and revenue by mapped campaign, by install day or summed over a range';

-- The cost of a campaign beside each of its events and windows. The cost is the same in all rows of a campaign: it is
-- not divided among events, and must not be added over them.
--
-- Each campaign joins its own days, as in costs. Most quotients of a row are of the same numbers; then they are that of
-- its postbacks.
CREATE OR REPLACE FUNCTION attribution.event_costs(
    first_day date, last_day date, an_advertised_app_id bigint, in_currency text, by_day boolean)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, network_name text, advertised_app_id bigint, campaign_id text,
    campaign_name text, sequence_index smallint, event text, postbacks bigint, possible bigint, count_low bigint,
    count_high bigint, count_open bigint, currency text, cost numeric, cost_without_rate bigint,
    cost_per_postback_low numeric, cost_per_postback_middle numeric, cost_per_postback_high numeric,
    cost_per_event_low numeric, cost_per_event_middle numeric, cost_per_event_high numeric, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, developer_copy, happened.day, place.network_name, place.advertised_app_id, nullif(place.campaign_id, ''),
           campaign_name, sequence_index, event, postbacks, possible, count_low, count_high, count_open, place.currency,
           round(cost, 6), coalesce(cost_without_rate, 0),
           CASE WHEN possible = 0 THEN per_postback ELSE attribution.per(cost, postbacks + possible) END,
           CASE WHEN possible = 0 THEN per_postback ELSE attribution.per(cost, postbacks + possible / 2.0) END,
           per_postback,
           CASE WHEN count_open <> 0 THEN NULL WHEN count_high = postbacks THEN per_postback
                ELSE attribution.per(cost, count_high) END,
           CASE WHEN count_low + count_high = 2 * postbacks THEN per_postback
                ELSE attribution.per(cost, (count_low + count_high) / 2.0) END,
           CASE WHEN count_low = postbacks THEN per_postback ELSE attribution.per(cost, count_low) END,
           attribution.is_cost_complete(last_day, sequence_index, any_windows, any_timer, measurement_window_hours,
                                        (SELECT attribution.answers_up_to()))
      FROM attribution.cost_place($1, $2, $3, $4) AS place
      LEFT JOIN attribution.campaign_spend($1, $2, $3, $4) AS spend
     USING (campaign_id, network_name, advertised_app_id)
     CROSS JOIN LATERAL (
           SELECT *, attribution.per(cost, postbacks) AS per_postback
             FROM (SELECT CASE WHEN $5 THEN daily.day ELSE $1 END AS day, sequence_index, event,
                          attribution.total(postbacks) AS postbacks, attribution.total(possible) AS possible,
                          attribution.total(count_low) AS count_low, attribution.total(count_high) AS count_high,
                          attribution.total(count_open) AS count_open
                     FROM unnest(lines, from_days, to_days) AS own (line, from_day, to_day)
                     JOIN attribution.answer_event_daily AS daily
                            ON daily.line = own.line AND daily.day BETWEEN from_day AND to_day
                    WHERE answer_table = attribution.answer_table('install', 'campaign') AND daily.day BETWEEN $1 AND $2
                      AND (postbacks > 0 OR possible > 0)
                    GROUP BY CASE WHEN $5 THEN daily.day ELSE $1 END, sequence_index, event) AS counted
             LEFT JOIN attribution.campaign_cost(
                           days, costs, impressions, clicks, installs, CASE WHEN $5 THEN NULL ELSE $1 END) AS cost
            USING (day)
           -- So that per_postback is computed once for each row.
           OFFSET 0) AS happened
     CROSS JOIN LATERAL (
           SELECT CASE WHEN $5 THEN happened.day ELSE least($2, (now() AT TIME ZONE 'UTC')::date) END) AS until (last_day)
      LEFT JOIN attribution.measurement_window
             ON measurement_window.advertised_app_id = CASE WHEN any_timer THEN place.advertised_app_id END
            AND last_day BETWEEN from_day AND to_day
$$;
COMMENT ON FUNCTION attribution.event_costs(date, date, bigint, text, boolean) IS
    'Cost beside the events of each window by mapped campaign, by install day or summed over a range';

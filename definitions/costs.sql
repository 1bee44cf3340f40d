-- Cost, beside installs, revenue and events.
--
-- A network bills by its campaign. So cost and answers are joined by network (without the suffix of a protocol),
-- advertised app and `campaign_id` of the mapping. Cost has no environment. It stands beside the figures of
-- each environment in which the app has postbacks, and beside production in any case.

-- The currency of a whole report, so that its rows can be added: the one that is asked for, or that of most rows of spend
-- in the range. Without spend, that of the newest scheme. Rows are counted only if there are several currencies: these are
-- found one behind the other, day by day.
CREATE OR REPLACE FUNCTION attribution.cost_currency(
    first_day date, last_day date, an_advertised_app_id bigint, in_currency text)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    -- PostgreSQL does not inline this function. So each of the two, all apps and one, has an index of its own.
    WITH RECURSIVE found AS (
        (SELECT day, currency
           FROM attribution.spend_daily
          WHERE $3 IS NULL AND day BETWEEN $1 AND $2
          ORDER BY day, currency
          LIMIT 1)
        UNION ALL
        SELECT next.*
          FROM found
         CROSS JOIN LATERAL (
               SELECT day, currency
                 FROM attribution.spend_daily
                WHERE (day, currency) > (found.day, found.currency) AND day <= $2
                ORDER BY day, currency
                LIMIT 1) AS next
    ),
    found_of_app AS (
        (SELECT advertised_app_id, day, currency
           FROM attribution.spend_daily
          WHERE advertised_app_id = $3 AND day BETWEEN $1 AND $2
          ORDER BY day, currency
          LIMIT 1)
        UNION ALL
        SELECT next.*
          FROM found_of_app AS found
         CROSS JOIN LATERAL (
               SELECT advertised_app_id, day, currency
                 FROM attribution.spend_daily
                WHERE (advertised_app_id, day, currency) > (found.advertised_app_id, found.day, found.currency)
                ORDER BY advertised_app_id, day, currency
                LIMIT 1) AS next
         WHERE next.advertised_app_id = $3 AND next.day <= $2
    )
    SELECT coalesce($4,
                    (SELECT CASE WHEN min(currency) = max(currency) THEN min(currency) END
                       FROM (SELECT currency FROM found UNION ALL SELECT currency FROM found_of_app) AS either),
                    (SELECT currency
                       FROM (SELECT currency, count(*) AS number
                               FROM attribution.spend_daily
                              WHERE $3 IS NULL AND day BETWEEN $1 AND $2
                              GROUP BY currency
                             UNION ALL
                             SELECT currency, count(*)
                               FROM attribution.spend_daily
                              WHERE advertised_app_id = $3 AND day BETWEEN $1 AND $2
                              GROUP BY currency) AS spend
                      ORDER BY number DESC, currency
                      LIMIT 1),
                    (SELECT currency
                       FROM attribution.conversion_scheme
                      WHERE ($3 IS NULL OR advertised_app_id = $3) AND currency IS NOT NULL
                      ORDER BY valid_from DESC, currency
                      LIMIT 1))
$$;
COMMENT ON FUNCTION attribution.cost_currency(date, date, bigint, text) IS
    'The currency of a report of cost: the one asked for, or that of most rows of spend, or of the newest scheme';

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

-- The same as one row a currency: factors[n] is that of the day n - 1 after from_day, NULL without a rate. A place in an
-- array is found without a join, which would be made anew for each campaign.
CREATE OR REPLACE FUNCTION attribution.currency_lists(first_day date, last_day date, to_currency text)
RETURNS TABLE (from_currency text, from_day date, factors numeric[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 3
SET jit = off
AS $$
    WITH rate AS MATERIALIZED (
        SELECT day, from_currency, factor FROM attribution.currency_factors($1, $2) WHERE to_currency = $3
    ),
    range AS (
        SELECT from_currency, min(day) AS from_day, max(day) AS to_day FROM rate GROUP BY from_currency
    )
    SELECT from_currency, from_day, array_agg(factor ORDER BY day)
      FROM range
     CROSS JOIN LATERAL (
           SELECT from_day + number AS day FROM generate_series(0, to_day - from_day) AS number) AS days
      LEFT JOIN rate USING (from_currency, day)
     GROUP BY from_currency, from_day
$$;
COMMENT ON FUNCTION attribution.currency_lists(date, date, text) IS
    'By which factors amounts of each other currency are converted: a list of days for each';

-- The networks' campaigns that have spend on any day, of all apps or one. Each is found behind the one before it by the index
-- spend_daily_campaign: the rows of their days are not read.
CREATE OR REPLACE FUNCTION attribution.spend_campaigns(an_advertised_app_id bigint)
RETURNS TABLE (advertised_app_id bigint, network_name text, campaign_id text)
-- It is not inlined, so that the planner expects many rows.
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10000
SET jit = off
AS $$
    WITH RECURSIVE found AS (
        -- From the app on, so that the index is not read from its beginning.
        SELECT first.*
          FROM (SELECT advertised_app_id, network_name, campaign_id
                  FROM attribution.spend_daily
                 WHERE advertised_app_id >= coalesce($1, 0)
                 ORDER BY advertised_app_id, network_name, campaign_id
                 LIMIT 1) AS first
         WHERE $1 IS NULL OR first.advertised_app_id = $1
        UNION ALL
        SELECT next.*
          FROM found
         CROSS JOIN LATERAL (
               SELECT advertised_app_id, network_name, campaign_id
                 FROM attribution.spend_daily
                WHERE (advertised_app_id, network_name, campaign_id)
                      > (found.advertised_app_id, found.network_name, found.campaign_id)
                ORDER BY advertised_app_id, network_name, campaign_id
                LIMIT 1) AS next
         -- Not inside: beside an equality the index would be read from the first campaign of the app on.
         WHERE $1 IS NULL OR next.advertised_app_id = $1
    )
    SELECT advertised_app_id, network_name, campaign_id FROM found
$$;
COMMENT ON FUNCTION attribution.spend_campaigns(bigint) IS 'The campaigns that have spend on any day, of all apps or one';

-- The names of campaigns by the mapping rows of a range of days and a day around it, for each app; those of rows for all apps
-- have no app. Of several the last one in the order of texts counts.
CREATE OR REPLACE FUNCTION attribution.cost_names(first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (network_name text, campaign_id text, advertised_app_id bigint, campaign_name text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT network_name, campaign_id, advertised_app_id, max(campaign_name)
      FROM attribution.campaign_mapping
     WHERE campaign_name IS NOT NULL AND valid_from <= $2 + 1 AND last_named_day >= $1 - 1
       AND ($3 IS NULL OR advertised_app_id IS NULL OR advertised_app_id = $3)
     GROUP BY network_name, campaign_id, advertised_app_id
$$;
COMMENT ON FUNCTION attribution.cost_names(date, date, bigint) IS
    'The names of campaigns by the mapping rows of a range of days, of all apps or one; without an app those of rows for all apps';

-- The campaigns of reports of cost, each with the answers that are its own, in the range and a day around it.
--
-- Most lines have no mapping rows with a country or a source app. Of these a campaign has days, as arrays that go
-- together: from from_days[n] to to_days[n], lines[n] is a line of the campaign. Its days are NULL if the mapping names
-- all days of the line otherwise. Of a line that has such rows the campaign has its part of the answers themselves.
CREATE OR REPLACE FUNCTION attribution.cost_place(
    first_day date, last_day date, an_advertised_app_id bigint, of_events boolean)
RETURNS TABLE (
    environment text, developer_copy boolean, network_name text, advertised_app_id bigint, campaign_id text,
    any_windows boolean, any_timer boolean, lines integer[], from_days date[], to_days date[],
    answers attribution.folded_answer[], events attribution.folded_event[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH named_network AS MATERIALIZED (
        SELECT network, attribution.network_name(ad_network_id) AS network_name FROM attribution.network
    ),
    named AS MATERIALIZED (
        SELECT line, from_day, to_day, named_by.campaign_id, row.country, other_countries, row.source_app,
               other_source_apps, row.country IS NOT NULL OR other_countries <> '{}' AS by_country,
               row.source_app IS NOT NULL OR other_source_apps <> '{}' AS by_source
          FROM attribution.line_mapping($1 - 1, $2 + 1, $3) AS row
          JOIN attribution.campaign_mapping AS named_by USING (mapping)
         -- So that rows of other apps are not hashed.
         WHERE $3 IS NULL OR advertised_app_id IS NULL OR advertised_app_id = $3
    ),
    split AS MATERIALIZED (
        SELECT line, by_country, by_source FROM named WHERE by_country OR by_source GROUP BY line, by_country, by_source
    ),
    -- Most lines have one row on all days: they have no unnamed days.
    named_always AS (
        SELECT line FROM named WHERE from_day <= $1 - 1 AND to_day >= greatest($1, $2) + 1 AND NOT by_country AND NOT by_source
    ),
    unnamed AS (
        SELECT line, from_day, to_day
          FROM (SELECT line, to_day + 1 AS from_day,
                       coalesce(lead(from_day) OVER (PARTITION BY line ORDER BY from_day, to_day) - 1,
                                greatest($1, $2) + 1) AS to_day
                  FROM (SELECT line, from_day, to_day FROM named WHERE NOT by_country AND NOT by_source
                        UNION ALL
                        SELECT line, '-infinity', $1 - 2
                          FROM attribution.line
                         WHERE $3 IS NULL OR advertised_app_id = $3) AS part
                 WHERE line NOT IN (SELECT line FROM named_always)) AS between
         WHERE from_day <= to_day
        UNION ALL
        -- The kinds of lines that an app has in a network, without days.
        SELECT min(line), NULL, NULL
          FROM attribution.line
         WHERE $3 IS NULL OR advertised_app_id = $3
         GROUP BY network, developer_copy, campaign_type, advertised_app_id
    ),
    place AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, coalesce(campaign_id, '') AS campaign_id,
               bool_or(campaign_type = 'source-identifier') AS any_windows,
               bool_or(campaign_type <> 'source-identifier') AS any_timer, array_agg(line) AS lines,
               array_agg(CASE WHEN split.line IS NULL THEN from_day END) AS from_days,
               array_agg(CASE WHEN split.line IS NULL THEN to_day END) AS to_days
          FROM (SELECT line, from_day, to_day, campaign_id FROM named
                UNION ALL
                SELECT line, from_day, to_day, NULL FROM unnamed) AS part
          JOIN attribution.line USING (line)
          LEFT JOIN split USING (line)
          JOIN named_network USING (network)
         WHERE $3 IS NULL OR advertised_app_id = $3
         GROUP BY environment, developer_copy, network_name, advertised_app_id, coalesce(campaign_id, '')
    ),
    -- Both have a row for each sum of a line with its country and source app, as far as the mapping needs them.
    detailed AS (
        SELECT daily.line, daily.day, traits, source, daily AS answer, NULL::attribution.folded_event AS event
          FROM (SELECT array_agg(line) FILTER (WHERE by_country AND NOT by_source) AS by_country,
                       array_agg(line) FILTER (WHERE by_source AND NOT by_country) AS by_source,
                       array_agg(line) FILTER (WHERE by_country AND by_source) AS by_both
                  FROM split
                HAVING count(*) > 0) AS of_split
         CROSS JOIN LATERAL attribution.split_answers(
               coalesce(of_split.by_country, '{}'), coalesce(of_split.by_source, '{}'), coalesce(by_both, '{}'), 'install',
               $1 - 1, $2 + 1) AS daily
         WHERE NOT $4 AND did_win
        UNION ALL
        SELECT (event).line, (event).day, traits, source, NULL, event
          FROM attribution.recounted_events(ARRAY(SELECT line FROM split), 'install', $1, $2)
         WHERE $4
    ),
    own AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, coalesce(campaign_id, '') AS campaign_id,
               array_agg(answer) AS answers, array_agg(event) AS events
          FROM detailed
          JOIN attribution.line USING (line)
          LEFT JOIN attribution.traits USING (traits)
          LEFT JOIN attribution.source USING (source)
          LEFT JOIN named
                 ON named.line = detailed.line AND detailed.day BETWEEN from_day AND to_day
                AND attribution.mapping_covers(country, other_countries, traits.country_code)
                AND attribution.mapping_covers(source_app, other_source_apps,
                                               coalesce(attribution.source_app_id(source)::text, source_domain))
          JOIN named_network USING (network)
         GROUP BY environment, developer_copy, network_name, advertised_app_id, coalesce(campaign_id, '')
    )
    SELECT environment, developer_copy, network_name, advertised_app_id, campaign_id, any_windows, any_timer, lines,
           from_days, to_days, answers, events
      FROM place
      LEFT JOIN own USING (environment, developer_copy, network_name, advertised_app_id, campaign_id)
$$;
COMMENT ON FUNCTION attribution.cost_place(date, date, bigint, boolean) IS
    'The campaigns of reports of cost, and which answers (or events) of which lines are theirs';

-- The answers that are a campaign's own, by install day, from a row of cost_place.
CREATE OR REPLACE FUNCTION attribution.answers_of_place(
    lines integer[], from_days date[], to_days date[], answers attribution.folded_answer[])
RETURNS SETOF attribution.folded_answer
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT daily.*
      FROM unnest($1, $2, $3) AS own (line, from_day, to_day)
      JOIN attribution.folded_answer AS daily ON daily.line = own.line AND daily.day BETWEEN from_day AND to_day
     WHERE answer_table = attribution.answer_table('install', 'campaign') AND did_win
    UNION ALL
    SELECT * FROM unnest($4)
$$;
COMMENT ON FUNCTION attribution.answers_of_place IS 'The winning answers of a campaign of reports of cost, by install day';

-- `at` is used once: callers give a subquery. If a function uses such an argument twice, PostgreSQL does not inline it.
CREATE OR REPLACE FUNCTION attribution.is_cost_complete(
    a_day date, sequence_index smallint, any_windows boolean, any_timer boolean, measurement_window_hours smallint,
    at timestamptz, is_development boolean)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT greatest(CASE WHEN any_windows THEN attribution.complete_from($1, true, $2, NULL, $7) END,
                    CASE WHEN any_timer THEN attribution.complete_from($1, false, $2, $5, $7) END) <= $6
$$;
COMMENT ON FUNCTION attribution.is_cost_complete(date, smallint, boolean, boolean, smallint, timestamptz, boolean) IS
    'Whether all postbacks of a day and window have arrived, of versions with windows, with a timer, or of both';

-- What is spent on a campaign of `campaign`, by day or summed over the range, as SQL for the two families below. It is no
-- function of its own: `rate` and `target` are made once in each of them. The one row of `target` is asked for where it is
-- needed: a join could lose the order of the campaigns.
CREATE OR REPLACE FUNCTION attribution.spend_of_campaign() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT $spend$
    SELECT coalesce(CASE WHEN NOT $5 THEN $1 END, day) AS day,
           CASE WHEN count(cost) = count(*) THEN sum(cost) END AS cost,
           count(*) - count(cost) AS cost_without_rate, sum(impressions)::bigint AS network_impressions,
           sum(clicks)::bigint AS network_clicks, sum(installs)::bigint AS network_installs
      FROM (SELECT day, impressions, clicks, installs,
                   CASE WHEN spend = 0 OR spend.currency = (SELECT currency FROM target) THEN spend
                        ELSE spend * (SELECT factors[spend.day - from_day + 1]
                                        FROM rate WHERE from_currency = spend.currency) END AS cost
              FROM attribution.spend_daily AS spend
             WHERE network_name = campaign.network_name AND advertised_app_id = campaign.advertised_app_id
               AND campaign_id = campaign.campaign_id AND day BETWEEN $1 AND $2
            -- So that the cost is computed once for each row.
            OFFSET 0) AS converted
     GROUP BY coalesce(CASE WHEN NOT $5 THEN $1 END, day)$spend$
$$;
COMMENT ON FUNCTION attribution.spend_of_campaign() IS 'A query of what is spent on a campaign, as SQL';

-- Cost beside what came of it. A campaign that has only one of the two has a row too. Postbacks that the mapping does
-- not name have a row without a campaign for each network and app. A campaign without a line is taken to have windows,
-- as most have.
--
-- Revenue is the sum over mapped values. If there is none, it is not 0 but NULL, and so is the return. The counts of a
-- window say what its winning postbacks have in place of a mapped value.
--
-- campaign_summary also asks what the withheld values are worth by the model, which stands behind the columns of reports.
-- It is NULL if a rate is missing. `missing` counts withheld values for which no model is possible. It joins the campaigns
-- before they are put in order: then a page sums only its own.
CALL attribution.make_family(
    'costs', 'Cost beside installs and revenue by mapped campaign, by install day or summed over a range',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text, by_day boolean, with_estimate boolean',
    replace($body$
    WITH target AS MATERIALIZED (
        SELECT attribution.cost_currency($1, $2, $3, $4) AS currency, attribution.answers_up_to() AS up_to
    ),
    rate AS MATERIALIZED (
        SELECT list.* FROM target CROSS JOIN attribution.currency_lists($1, $2, target.currency) AS list
    ),
    place AS (
        SELECT * FROM attribution.cost_place($1, $2, $3, false)
    ),
    worth AS MATERIALIZED (
        SELECT * FROM attribution.withheld_worth($1, $2, $3) WHERE $6
    ),
    spend AS (
        SELECT coalesce(environment, 'production') AS environment, coalesce(developer_copy, false) AS developer_copy,
               spent.*
          FROM attribution.spend_campaigns($3) AS spent
          LEFT JOIN (SELECT environment, developer_copy, advertised_app_id
                       FROM attribution.line
                      WHERE $3 IS NULL OR advertised_app_id = $3
                     UNION
                     SELECT 'production', false, advertised_app_id
                       FROM attribution.line
                      WHERE $3 IS NULL OR advertised_app_id = $3) AS side
         USING (advertised_app_id)
    ),
    -- In the order of the keys: then only the campaigns of a page are summed. A page with each day by itself asks for one day
    -- after the other.
    campaign AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, nullif(campaign_id, '') AS campaign_id,
               lines, from_days, to_days, answers,
               coalesce(any_windows, true) AS any_windows, coalesce(any_timer, false) AS any_timer,
               coalesce(of_app.campaign_name, of_all.campaign_name) AS campaign_name
          FROM spend
          FULL JOIN place USING (campaign_id, network_name, advertised_app_id, environment, developer_copy)
          LEFT JOIN attribution.cost_names($1, $2, $3) AS of_app USING (network_name, campaign_id, advertised_app_id)
          LEFT JOIN (SELECT network_name, campaign_id, campaign_name
                       FROM attribution.cost_names($1, $2, $3) WHERE advertised_app_id IS NULL) AS of_all
                 USING (network_name, campaign_id)
         ORDER BY environment, developer_copy, network_name, advertised_app_id, nullif(campaign_id, '')
    ),
    -- Each campaign joins its own days: one join of the days of all campaigns by six columns is slower. What it cost is read
    -- from the index spend_daily_campaign alone. A row of spend without a rate has no cost, and neither has a sum with one,
    -- since the others alone would be too low; 0 needs no rate.
    beside AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, campaign_id, campaign_name,
               (SELECT currency FROM target) AS currency, any_windows, any_timer, estimate.*, of_day.*,
               CASE WHEN $5 THEN of_day.day ELSE least($2, attribution.day_of(now())) END AS last_day
          FROM campaign
         CROSS JOIN LATERAL (
               SELECT day, cost, coalesce(cost_without_rate, 0) AS cost_without_rate, network_impressions, network_clicks,
                      network_installs, coalesce(answer.installs, 0) AS installs,
                      coalesce(redownloads, 0) AS redownloads, coalesce(reengagements, 0) AS reengagements,
                      coalesce(installs_inside, 0) AS installs_inside, coalesce(installs_around, 0) AS installs_around,
                      {each}
                      coalesce(postbacks_{n}, 0) AS postbacks_{n}, coalesce(mapped_{n}, 0) AS mapped_{n},
                      coalesce(withheld_{n}, 0) AS withheld_{n}, coalesce(not_set_{n}, 0) AS not_set_{n},
                      coalesce(unmapped_{n}, 0) AS unmapped_{n}, coalesce(ambiguous_{n}, 0) AS ambiguous_{n},
                      coalesce(no_scheme_{n}, 0) AS no_scheme_{n}, coalesce(low_{n}, 0) * unit_{n} AS low_{n},
                      coalesce(middle_{n}, 0) * middle_unit_{n} AS middle_{n}, coalesce(high_{n}, 0) * unit_{n} AS high_{n}
                      {end},
                      coalesce(open, 0) AS open,
                      coalesce(without_rate_0 + without_rate_1 + without_rate_2, 0) AS without_rate,
                      withheld_lines, withheld_days, withheld_windows, withheld_numbers
                 FROM (
                      {spend}) AS cost
                 FULL JOIN (
                      SELECT CASE WHEN $5 THEN day ELSE $1 END AS day,
                             attribution.total(first_installs) FILTER (WHERE number = 0) AS installs,
                             attribution.total(redownloads) FILTER (WHERE number = 0) AS redownloads,
                             attribution.total(reengagements) FILTER (WHERE number = 0) AS reengagements,
                             attribution.total(first_installs) FILTER (WHERE number = 0 AND day > $1 AND day < $2)
                                 AS installs_inside,
                             attribution.total(first_installs) FILTER (WHERE sequence_index = 0) AS installs_around,
                             {each}
                             attribution.total(postbacks) FILTER (WHERE number = {n}) AS postbacks_{n},
                             attribution.total(mapped) FILTER (WHERE number = {n}) AS mapped_{n},
                             attribution.total(withheld) FILTER (WHERE number = {n}) AS withheld_{n},
                             attribution.total(not_set) FILTER (WHERE number = {n}) AS not_set_{n},
                             attribution.total(unmapped) FILTER (WHERE number = {n}) AS unmapped_{n},
                             attribution.total(ambiguous) FILTER (WHERE number = {n}) AS ambiguous_{n},
                             attribution.total(no_scheme) FILTER (WHERE number = {n}) AS no_scheme_{n},
                             attribution.total(revenue_low) FILTER (WHERE number = {n} AND NOT needs_rate)
                                 + coalesce(sum(revenue_low * factor) FILTER (WHERE needs_rate AND number = {n}), 0)
                                 AS low_{n},
                             attribution.total(revenue_middle) FILTER (WHERE number = {n} AND NOT needs_rate)
                                 + coalesce(sum(revenue_middle * factor) FILTER (WHERE needs_rate AND number = {n}), 0)
                                 AS middle_{n},
                             attribution.total(revenue_high) FILTER (WHERE number = {n} AND NOT needs_rate)
                                 + coalesce(sum(revenue_high * factor) FILTER (WHERE needs_rate AND number = {n}), 0)
                                 AS high_{n},
                             attribution.total(revenue_unknown) FILTER (WHERE number = {n}) AS unknown_{n},
                             attribution.total(mapped) FILTER (WHERE needs_rate AND number = {n} AND factor IS NULL)
                                 AS without_rate_{n}
                             {end},
                             attribution.total(revenue_open) FILTER (WHERE number IS NOT NULL) AS open,
                             array_agg(line) FILTER (WHERE $6 AND number IS NOT NULL AND withheld > 0) AS withheld_lines,
                             array_agg(day) FILTER (WHERE $6 AND number IS NOT NULL AND withheld > 0) AS withheld_days,
                             array_agg(sequence_index) FILTER (WHERE $6 AND number IS NOT NULL AND withheld > 0)
                                 AS withheld_windows,
                             array_agg(withheld) FILTER (WHERE $6 AND number IS NOT NULL AND withheld > 0)
                                 AS withheld_numbers
                        -- A factor is looked up only for a row of another currency.
                        FROM (SELECT daily.*, postbacks - redownloads - reengagements AS first_installs,
                                     fine + coarse - mapped - unmapped - ambiguous AS no_scheme,
                                     CASE WHEN daily.day BETWEEN $1 AND $2 THEN sequence_index END AS number, needs_rate,
                                     CASE WHEN needs_rate
                                          THEN (SELECT factors[daily.day - from_day + 1]
                                                  FROM rate WHERE from_currency = daily.currency) END AS factor
                                FROM attribution.answers_of_place(lines, from_days, to_days, campaign.answers) AS daily
                               CROSS JOIN LATERAL (
                                     SELECT revenue_high > 0 AND daily.currency IS DISTINCT FROM (SELECT currency FROM target))
                                     AS converted (needs_rate)
                               WHERE daily.day BETWEEN $1 - CASE WHEN $5 THEN 0 ELSE 1 END
                                                   AND $2 + CASE WHEN $5 THEN 0 ELSE 1 END
                              -- So that these columns are computed once for each row.
                              OFFSET 0) AS row
                       GROUP BY CASE WHEN $5 THEN day ELSE $1 END) AS answer USING (day)
                -- Millionths as units; NULL if a rate is missing, and of middles also if one is unknown.
                CROSS JOIN LATERAL (
                      SELECT {each}
                             CASE WHEN without_rate_{n} > 0 THEN NULL ELSE 0.000001 END AS unit_{n},
                             CASE WHEN without_rate_{n} + unknown_{n} > 0 THEN NULL ELSE 0.000001 END AS middle_unit_{n}
                             {end}) AS unit
               OFFSET 0) AS of_day
         -- Few rows have withheld values. Each day is converted at its own rate.
          LEFT JOIN LATERAL (
               SELECT sum(withheld * missing) AS missing,
                      CASE WHEN bool_and(high = 0 OR factor IS NOT NULL) THEN coalesce(sum(withheld * low * factor), 0) END
                          AS estimate_low,
                      CASE WHEN bool_and(high = 0 OR factor IS NOT NULL) AND count(middle) = count(*)
                           THEN coalesce(sum(withheld * middle * factor), 0) END AS estimate_middle,
                      CASE WHEN bool_and(high = 0 OR factor IS NOT NULL) THEN coalesce(sum(withheld * high * factor), 0)
                           END AS estimate_high
                 FROM generate_series(1, cardinality(withheld_lines)) AS place
                CROSS JOIN LATERAL (
                      SELECT withheld_lines[place], withheld_days[place], withheld_windows[place],
                             withheld_numbers[place]) AS own (line, day, sequence_index, withheld)
                 JOIN worth
                   ON worth.line = own.line AND worth.week = attribution.week(own.day)
                  AND worth.sequence_index = own.sequence_index
                 LEFT JOIN rate ON from_currency = worth.currency
                CROSS JOIN LATERAL (
                      SELECT CASE worth.currency WHEN (SELECT currency FROM target) THEN 1 ELSE factors[own.day - from_day + 1] END)
                      AS converted (factor)) AS estimate ON $6
    )
    SELECT environment, developer_copy, day, network_name, advertised_app_id, campaign_id, campaign_name, currency,
           round(cost, 6), cost_without_rate, network_impressions, network_clicks,
           network_installs, installs, redownloads, reengagements, installs_inside, installs_around,
           attribution.per(cost, installs_around),
           attribution.per(cost, installs), attribution.per(cost, installs_inside),
           attribution.per(cost, installs + reengagements),
           attribution.per(cost, installs + redownloads + reengagements),
           attribution.is_cost_complete(last_day, 0::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT up_to FROM target), environment = 'development'),
           {each}
           postbacks_{n}, mapped_{n}, withheld_{n}, not_set_{n}, unmapped_{n}, ambiguous_{n}, no_scheme_{n},
           CASE WHEN mapped_{n} > 0 THEN round(low_{n}, 6) END, CASE WHEN mapped_{n} > 0 THEN round(middle_{n}, 6) END,
           CASE WHEN mapped_{n} > 0 THEN round(high_{n}, 6) END
           {end},
           round(revenue.low, 6), round(revenue.middle, 6), round(revenue.high, 6), open, without_rate,
           {each}
           CASE WHEN mapped_{n} > 0 THEN attribution.per(low_{n}, cost) END,
           CASE WHEN mapped_{n} > 0 THEN attribution.per(middle_{n}, cost) END,
           CASE WHEN mapped_{n} > 0 THEN attribution.per(high_{n}, cost) END
           {end},
           attribution.per(revenue.low, cost), attribution.per(revenue.middle, cost), attribution.per(revenue.high, cost),
           attribution.is_cost_complete(last_day, 2::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT up_to FROM target), environment = 'development'),
           missing, estimate_low, estimate_middle, estimate_high
      FROM beside
     CROSS JOIN LATERAL (
           SELECT CASE WHEN mapped_0 + mapped_1 + mapped_2 > 0 THEN low_0 + low_1 + low_2 END AS low,
                  CASE WHEN mapped_0 + mapped_1 + mapped_2 > 0 THEN middle_0 + middle_1 + middle_2 END AS middle,
                  CASE WHEN mapped_0 + mapped_1 + mapped_2 > 0 THEN high_0 + high_1 + high_2 END AS high) AS revenue
     -- Looked up for each row that needs it, since a join could lose the order.
     CROSS JOIN LATERAL (
           SELECT CASE WHEN any_timer
                       THEN (SELECT measurement_window_hours
                               FROM attribution.measurement_window_of(advertised_app_id, last_day)) END)
           AS of_scheme (measurement_window_hours)
     WHERE cost IS NOT NULL OR cost_without_rate > 0 OR postbacks_0 + postbacks_1 + postbacks_2 > 0
     ORDER BY environment, developer_copy, network_name, advertised_app_id, campaign_id
$body$, '{spend}', attribution.spend_of_campaign()),
    ', missing numeric, estimate_low numeric, estimate_middle numeric, estimate_high numeric');

-- The cost of a campaign beside each of its events and windows. The cost is the same in all rows of a campaign: it is
-- not divided among events, and must not be added over them.
--
-- Each campaign joins its own days, in the order of the keys, as in costs. Most quotients of a row are of the same numbers;
-- then they are that of its postbacks.
CALL attribution.make_family(
    'event_costs', 'Cost beside the events of each window by mapped campaign, by install day or summed over a range',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text, by_day boolean',
    replace($body$
    WITH target AS MATERIALIZED (
        SELECT attribution.cost_currency($1, $2, $3, $4) AS currency, attribution.answers_up_to() AS up_to
    ),
    rate AS MATERIALIZED (
        SELECT list.* FROM target CROSS JOIN attribution.currency_lists($1, $2, target.currency) AS list
    ),
    campaign AS (
        SELECT environment, developer_copy, network_name, advertised_app_id, nullif(campaign_id, '') AS campaign_id, lines, from_days, to_days, events, any_windows, any_timer,
               coalesce(of_app.campaign_name, of_all.campaign_name) AS campaign_name
          FROM attribution.cost_place($1, $2, $3, true)
          LEFT JOIN attribution.cost_names($1, $2, $3) AS of_app USING (network_name, campaign_id, advertised_app_id)
          LEFT JOIN (SELECT network_name, campaign_id, campaign_name
                       FROM attribution.cost_names($1, $2, $3) WHERE advertised_app_id IS NULL) AS of_all
                 USING (network_name, campaign_id)
         ORDER BY environment, developer_copy, network_name, advertised_app_id, nullif(campaign_id, '')
    )
    SELECT environment, developer_copy, day, network_name, advertised_app_id, campaign_id, campaign_name, sequence_index,
           event, postbacks, possible, count_low, count_high, count_open, (SELECT currency FROM target), round(cost, 6), coalesce(cost_without_rate, 0),
           CASE WHEN possible = 0 THEN per_postback ELSE attribution.per(cost, postbacks + possible) END,
           CASE WHEN possible = 0 THEN per_postback ELSE attribution.per(cost, postbacks + possible / 2.0) END,
           per_postback,
           CASE WHEN count_open <> 0 THEN NULL WHEN count_high = postbacks THEN per_postback
                ELSE attribution.per(cost, count_high) END,
           CASE WHEN count_low + count_high = 2 * postbacks THEN per_postback
                ELSE attribution.per(cost, (count_low + count_high) / 2.0) END,
           CASE WHEN count_low = postbacks THEN per_postback ELSE attribution.per(cost, count_low) END,
           attribution.is_cost_complete(last_day, sequence_index, any_windows, any_timer, measurement_window_hours,
                                        (SELECT up_to FROM target), environment = 'development')
      FROM campaign
     CROSS JOIN LATERAL (
           SELECT *, attribution.per(cost, postbacks) AS per_postback
             FROM (SELECT CASE WHEN $5 THEN daily.day ELSE $1 END AS day, sequence_index, event,
                          attribution.total(postbacks) AS postbacks, attribution.total(possible) AS possible,
                          attribution.total(count_low) AS count_low, attribution.total(count_high) AS count_high,
                          attribution.total(count_open) AS count_open
                     FROM (SELECT daily.*
                             FROM unnest(lines, from_days, to_days) AS own (line, from_day, to_day)
                             JOIN attribution.folded_event AS daily
                                    ON daily.line = own.line AND daily.day BETWEEN from_day AND to_day
                            WHERE answer_table = attribution.answer_table('install', 'campaign')
                              AND daily.day BETWEEN $1 AND $2
                           UNION ALL
                           SELECT * FROM unnest(campaign.events)) AS daily
                    GROUP BY CASE WHEN $5 THEN daily.day ELSE $1 END, sequence_index, event) AS counted
             LEFT JOIN (
                       {spend}) AS cost
            USING (day)
           -- So that per_postback is computed once for each row.
           OFFSET 0) AS happened
     CROSS JOIN LATERAL (
           SELECT CASE WHEN $5 THEN happened.day ELSE least($2, attribution.day_of(now())) END) AS until (last_day)
     -- Looked up for each row that needs it, since a join could lose the order.
     CROSS JOIN LATERAL (
           SELECT CASE WHEN any_timer
                       THEN (SELECT measurement_window_hours
                               FROM attribution.measurement_window_of(advertised_app_id, last_day)) END)
           AS of_scheme (measurement_window_hours)
     ORDER BY environment, developer_copy, network_name, advertised_app_id, campaign_id
$body$, '{spend}', attribution.spend_of_campaign()));

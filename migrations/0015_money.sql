-- Money: modelled revenue, cohorts, and cost. All of it reads the sums of answers by install day.
--
-- Money is bigint in millionths in the tables, and numeric in units of the currency in reports.
--
-- Each family of reports is one function: modelled_revenue, modelled_sums, cohorts, costs, event_costs. The end of this
-- file makes the views and functions that people read from them.

-- The Monday of a day's week. date_trunc would compute with time stamps, and is slower.
CREATE FUNCTION attribution.week(day date) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT day - ((day - date '2000-01-03') % 7 + 7) % 7 $$;
COMMENT ON FUNCTION attribution.week(date) IS 'The Monday of the week of a day';

-- An amount divided by a number of something; NULL if there is none.
CREATE FUNCTION attribution.per(amount numeric, number numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(amount / nullif(number, 0), 6) $$;
COMMENT ON FUNCTION attribution.per(numeric, numeric) IS
    'An amount divided by a number, to six places; NULL if it is 0';

-- MODELLED REVENUE
--
-- A value that Apple withheld is taken to be worth as much as the values that are known beside it:
-- known revenue × (known + withheld) ÷ known. It is computed at one level and summed from there, never again at a
-- higher one. docs/money.md has the source and the interval.

CREATE FUNCTION attribution.least_known() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 30 $$;
COMMENT ON FUNCTION attribution.least_known() IS
    'With fewer known values a level of modelled revenue rests on those of the app, unless a query says another number';

-- The campaign of a level of modelled revenue: the campaign id, or the last two digits, which each postback has.
CREATE FUNCTION attribution.two_digits(campaign_type text, campaign text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE campaign_type WHEN 'source-identifier' THEN right(campaign, 2) ELSE campaign END $$;
COMMENT ON FUNCTION attribution.two_digits(text, text) IS
    'The campaign id, or the last two digits of a source identifier';

-- The variance of what the withheld values of levels that share their known ones are worth.
--
-- w values of mean m are estimated by k known values with the variance v: m·w has the variance v·w²÷k, and the w values
-- themselves vary by v·w around it. Levels that rest on the app share one mean, so their w are added first. If that
-- mean is made of the known values of the other levels too, the two go together: the covariance is v ÷ k of the app.
CREATE FUNCTION attribution.modelled_variance(
    own_variance numeric, own_weighted numeric, app_withheld numeric, app_variance numeric, app_known bigint)
RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT own_variance
           + CASE WHEN app_withheld = 0 THEN 0
                  ELSE app_variance * (app_withheld * app_withheld / app_known + app_withheld)
                       + 2 * app_withheld * own_weighted / app_known
             END
$$;
COMMENT ON FUNCTION attribution.modelled_variance(numeric, numeric, numeric, numeric, bigint) IS
    'The variance of the modelled part of levels that have one app, version class, window, week and currency';

-- The variance of values, from their number, their sum and the sum of their squares.
CREATE FUNCTION attribution.value_variance(known bigint, revenue bigint, revenue_square numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN known > 1
                THEN greatest(0, (revenue_square - revenue::numeric * revenue / 1000000000000 / known) / (known - 1))
           END
$$;
COMMENT ON FUNCTION attribution.value_variance(bigint, bigint, numeric) IS
    'The variance of values in units of the currency, from their number, their sum in millionths and their squares';

-- The levels of modelled revenue. `level` and `pool` stand for a level, and for all levels of an app and version class:
-- the first line of each. Numbers are quicker to group by than texts.
--
-- A withheld value has the currency of the scheme in which the app must have set it. Without one it is shared among the
-- currencies of the known values of its level, or if there are none, of its app.
CREATE FUNCTION attribution.modelled_levels(
    first_day date, last_day date, an_advertised_app_id bigint, minimum integer)
RETURNS TABLE (
    level integer, pool integer, week date, sequence_index smallint, currency text, postbacks bigint, known bigint,
    withheld bigint, ambiguous bigint, revenue_low bigint, revenue_middle bigint, revenue_high bigint,
    revenue_open bigint, modelled_withheld numeric, modelled_from text, modelled_known bigint,
    estimate_low numeric, estimate_middle numeric, estimate_high numeric, own_variance numeric, own_weighted numeric,
    app_withheld numeric, app_variance numeric, app_known bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH level_line AS (
        SELECT min(line) AS level, array_agg(line) AS lines,
               min(min(line)) OVER (PARTITION BY environment, developer_copy, protocol, campaign_type, advertised_app_id)
                   AS pool
          FROM attribution.line
         WHERE $3 IS NULL OR advertised_app_id = $3
         GROUP BY environment, developer_copy, protocol, campaign_type, advertised_app_id, ad_network_id,
                  attribution.two_digits(campaign_type, campaign)
    ),
    measured AS MATERIALIZED (
        SELECT level, pool, sums.*
          FROM level_line
         CROSS JOIN LATERAL (
               SELECT attribution.week(day) AS week, sequence_index, currency,
                      attribution.total(postbacks) AS postbacks, attribution.total(mapped) AS known,
                      attribution.total(withheld) AS withheld, attribution.total(ambiguous) AS ambiguous,
                      attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
                      attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
                      sum(revenue_square) AS revenue_square
                 FROM unnest(lines) AS line
                 JOIN attribution.answer_daily USING (line)
                WHERE answer_table = attribution.answer_table('install', 'campaign') AND did_win AND postbacks > 0
                  AND day BETWEEN $1 AND $2
                GROUP BY attribution.week(day), sequence_index, currency) AS sums
    ),
    of_app AS (
        SELECT pool, week, sequence_index, currency, attribution.total(known) AS all_known,
               attribution.total(known) FILTER (WHERE known < greatest($4, 2)) >= greatest($4, 2) AS small_ones_do
          FROM measured
         WHERE currency <> ''
         GROUP BY pool, week, sequence_index, currency
    ),
    -- What levels with too few known values rest on: on such levels of the app alone if they have enough together.
    app AS MATERIALIZED (
        SELECT pool, week, sequence_index, currency, all_known, small_ones_do,
               attribution.total(known) AS known, attribution.total(revenue_low) AS revenue_low,
               attribution.total(revenue_middle) AS revenue_middle, attribution.total(revenue_high) AS revenue_high,
               sum(revenue_square) AS revenue_square
          FROM measured
          JOIN of_app USING (pool, week, sequence_index, currency)
         WHERE all_known > 0 AND (known < greatest($4, 2) OR NOT small_ones_do)
         GROUP BY pool, week, sequence_index, currency, all_known, small_ones_do
    ),
    -- Withheld values without a currency, shared: by the known values of the level, or by those of the app.
    shared AS MATERIALIZED (
        SELECT level, pool, week, sequence_index, share.currency,
               without.withheld * share.known / sum(share.known) OVER (PARTITION BY level, week, sequence_index)
                   AS withheld
          FROM (SELECT level, pool, week, sequence_index, withheld,
                       EXISTS (SELECT FROM measured AS beside
                                WHERE beside.currency <> '' AND beside.known > 0 AND beside.level = measured.level
                                  AND beside.week = measured.week
                                  AND beside.sequence_index = measured.sequence_index) AS has_known
                  FROM measured WHERE currency = '' AND withheld > 0) AS without
          JOIN (SELECT true AS has_known, level AS key, week, sequence_index, currency, known
                  FROM measured WHERE currency <> '' AND known > 0
                UNION ALL
                SELECT false, pool, week, sequence_index, currency, all_known FROM app) AS share
         USING (has_known, week, sequence_index)
         WHERE share.key = CASE WHEN has_known THEN level ELSE pool END
    ),
    part AS (
        SELECT level, pool, week, sequence_index, currency, postbacks, known, withheld, ambiguous, revenue_low,
               revenue_middle, revenue_high, revenue_open, revenue_square,
               CASE WHEN currency = '' AND EXISTS (SELECT FROM shared WHERE (level, week, sequence_index)
                                                    = (measured.level, measured.week, measured.sequence_index))
                    THEN 0 ELSE withheld END::numeric AS modelled_withheld
          FROM measured
        UNION ALL
        SELECT level, pool, week, sequence_index, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, withheld FROM shared
    ),
    level AS (
        SELECT level, pool, week, sequence_index, currency,
               attribution.total(postbacks) AS postbacks, attribution.total(known) AS known,
               attribution.total(withheld) AS withheld, attribution.total(ambiguous) AS ambiguous,
               attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
               attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
               sum(revenue_square) AS revenue_square, sum(modelled_withheld) AS modelled_withheld
          FROM part
         GROUP BY level, pool, week, sequence_index, currency
    ),
    based AS (
        SELECT level.*,
               CASE WHEN modelled_withheld = 0 THEN NULL
                    -- One value has no variance.
                    WHEN level.known >= greatest($4, 2) AND currency <> '' THEN 'campaign'
                    WHEN small_ones_do THEN 'small_campaigns'
                    WHEN app.known >= 2 THEN 'app'
                    ELSE 'none' END AS modelled_from,
               small_ones_do, app.known AS app_known, app.revenue_low AS app_low, app.revenue_middle AS app_middle,
               app.revenue_high AS app_high, app.revenue_square AS app_square
          FROM level
          LEFT JOIN app USING (pool, week, sequence_index, currency)
    ),
    estimated AS (
        SELECT based.*, basis.known AS modelled_known,
               round(modelled_withheld * basis.low / basis.known / 1000000, 6) AS estimate_low,
               round(modelled_withheld * basis.middle / basis.known / 1000000, 6) AS estimate_middle,
               round(modelled_withheld * basis.high / basis.known / 1000000, 6) AS estimate_high,
               attribution.value_variance(basis.known, basis.middle, basis.square) AS variance
          FROM based
         CROSS JOIN LATERAL (
               SELECT CASE WHEN modelled_from = 'campaign' THEN known
                           WHEN modelled_from <> 'none' THEN app_known END AS known,
                      CASE modelled_from WHEN 'campaign' THEN revenue_low ELSE app_low END AS low,
                      CASE modelled_from WHEN 'campaign' THEN revenue_middle ELSE app_middle END AS middle,
                      CASE modelled_from WHEN 'campaign' THEN revenue_high ELSE app_high END AS high,
                      CASE modelled_from WHEN 'campaign' THEN revenue_square ELSE app_square END AS square) AS basis
    )
    SELECT level, pool, week, sequence_index, currency, postbacks, known, withheld, ambiguous, revenue_low,
           revenue_middle, revenue_high, revenue_open, modelled_withheld, modelled_from, modelled_known,
           coalesce(estimate_low, 0), coalesce(estimate_middle, 0), coalesce(estimate_high, 0),
           CASE modelled_from
                WHEN 'campaign' THEN variance * (modelled_withheld * modelled_withheld / known + modelled_withheld)
                ELSE 0 END,
           CASE WHEN modelled_from = 'campaign' AND NOT small_ones_do THEN variance * modelled_withheld ELSE 0 END,
           CASE WHEN modelled_from IN ('app', 'small_campaigns') THEN modelled_withheld ELSE 0 END,
           CASE WHEN modelled_from IN ('app', 'small_campaigns') THEN variance END, app_known
      FROM estimated
$$;
COMMENT ON FUNCTION attribution.modelled_levels(date, date, bigint, integer) IS
    'The levels of modelled revenue, each with its estimate for withheld values and the parts of its variance';

-- By campaign and week: a row for each level and currency. A week that the range cuts has the days within it.
CREATE FUNCTION attribution.modelled_revenue(
    first_day date, last_day date, an_advertised_app_id bigint, minimum integer)
RETURNS TABLE (
    environment text, developer_copy boolean, week date, protocol text, ad_network_id text, campaign_type text,
    campaign text, advertised_app_id bigint, sequence_index smallint, currency text, postbacks bigint, mapped bigint,
    withheld bigint, ambiguous bigint, revenue_low numeric, revenue_middle numeric, revenue_high numeric,
    revenue_open bigint, modelled_from text, modelled_known bigint, modelled_below_minimum boolean,
    modelled_withheld numeric, modelled_missing numeric, modelled_revenue_low numeric, modelled_revenue_middle numeric,
    modelled_revenue_high numeric, modelled_half_width numeric, modelled_interval_low numeric,
    modelled_interval_high numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT line.environment, line.developer_copy, level.week, line.protocol, line.ad_network_id, line.campaign_type,
           attribution.two_digits(line.campaign_type, line.campaign), line.advertised_app_id, level.sequence_index,
           nullif(level.currency, ''), level.postbacks, level.known, level.withheld, level.ambiguous,
           money.low, money.middle, money.high, level.revenue_open,
           level.modelled_from, level.modelled_known, level.modelled_withheld > 0 AND level.known < $4,
           round(level.modelled_withheld, 6),
           CASE level.modelled_from WHEN 'none' THEN round(level.modelled_withheld, 6) ELSE 0 END,
           money.low + level.estimate_low, money.middle + level.estimate_middle, money.high + level.estimate_high,
           half.width,
           greatest(money.low, money.low + level.estimate_low - half.width),
           money.high + level.estimate_high + half.width
      FROM attribution.modelled_levels($1, $2, $3, $4) AS level
      JOIN attribution.line ON line.line = level.level
     CROSS JOIN LATERAL (
           SELECT round(1.96 * sqrt(attribution.modelled_variance(
                      level.own_variance, level.own_weighted, level.app_withheld, level.app_variance,
                      level.app_known)), 6)) AS half (width)
     CROSS JOIN LATERAL (
           SELECT attribution.money(level.revenue_low) AS low, attribution.money(level.revenue_middle) AS middle,
                  attribution.money(level.revenue_high) AS high) AS money
$$;
COMMENT ON FUNCTION attribution.modelled_revenue(date, date, bigint, integer) IS
    'Modelled revenue by campaign and install week; what report_modelled_revenue reads';

-- The sums of levels: of an app or a network. Half widths of levels that rest on different values add in quadrature.
CREATE FUNCTION attribution.modelled_sums(
    first_day date, last_day date, an_advertised_app_id bigint, minimum integer, by_app boolean)
RETURNS TABLE (
    environment text, developer_copy boolean, ad_network_id text, advertised_app_id bigint, sequence_index smallint,
    currency text, postbacks bigint, mapped bigint, withheld bigint, ambiguous bigint, revenue_low numeric,
    revenue_middle numeric, revenue_high numeric, revenue_open bigint, modelled_withheld numeric,
    modelled_from_app numeric, modelled_missing numeric, modelled_revenue_low numeric, modelled_revenue_middle numeric,
    modelled_revenue_high numeric, modelled_half_width numeric, modelled_interval_low numeric,
    modelled_interval_high numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH of_pool AS (
        SELECT line.environment, line.developer_copy, CASE WHEN NOT $5 THEN line.ad_network_id END AS ad_network_id,
               CASE WHEN $5 THEN line.advertised_app_id END AS advertised_app_id, level.sequence_index, level.currency,
               attribution.total(level.postbacks) AS postbacks, attribution.total(level.known) AS known,
               attribution.total(level.withheld) AS withheld, attribution.total(level.ambiguous) AS ambiguous,
               attribution.total(level.revenue_low) AS revenue_low,
               attribution.total(level.revenue_middle) AS revenue_middle,
               attribution.total(level.revenue_high) AS revenue_high,
               attribution.total(level.revenue_open) AS revenue_open,
               sum(level.modelled_withheld) AS modelled_withheld, sum(level.app_withheld) AS app_withheld,
               sum(CASE level.modelled_from WHEN 'none' THEN level.modelled_withheld ELSE 0 END) AS missing,
               sum(level.estimate_low) AS estimate_low, sum(level.estimate_middle) AS estimate_middle,
               sum(level.estimate_high) AS estimate_high,
               attribution.modelled_variance(sum(level.own_variance), sum(level.own_weighted), sum(level.app_withheld),
                                             max(level.app_variance), max(level.app_known)) AS variance
          FROM attribution.modelled_levels($1, $2, $3, $4) AS level
          JOIN attribution.line ON line.line = level.level
         GROUP BY 1, 2, 3, 4, level.pool, level.week, level.sequence_index, level.currency
    ),
    summed AS (
        SELECT environment, developer_copy, ad_network_id, advertised_app_id, sequence_index, currency,
               attribution.total(postbacks) AS postbacks, attribution.total(known) AS known,
               attribution.total(withheld) AS withheld, attribution.total(ambiguous) AS ambiguous,
               attribution.money(attribution.total(revenue_low)) AS revenue_low,
               attribution.money(attribution.total(revenue_middle)) AS revenue_middle,
               attribution.money(attribution.total(revenue_high)) AS revenue_high,
               attribution.total(revenue_open) AS revenue_open,
               round(sum(modelled_withheld), 6) AS modelled_withheld, round(sum(app_withheld), 6) AS app_withheld,
               round(sum(missing), 6) AS missing, sum(estimate_low) AS estimate_low,
               sum(estimate_middle) AS estimate_middle, sum(estimate_high) AS estimate_high,
               round(1.96 * sqrt(sum(variance)), 6) AS half_width
          FROM of_pool
         GROUP BY environment, developer_copy, ad_network_id, advertised_app_id, sequence_index, currency
    )
    SELECT environment, developer_copy, ad_network_id, advertised_app_id, sequence_index, nullif(currency, ''),
           postbacks, known, withheld, ambiguous, revenue_low, revenue_middle, revenue_high, revenue_open,
           modelled_withheld, app_withheld, missing, revenue_low + estimate_low, revenue_middle + estimate_middle,
           revenue_high + estimate_high, half_width, greatest(revenue_low, revenue_low + estimate_low - half_width),
           revenue_high + estimate_high + half_width
      FROM summed
$$;
COMMENT ON FUNCTION attribution.modelled_sums(date, date, bigint, integer, boolean) IS
    'Modelled revenue, summed over its levels by app or by network';

-- COHORTS
--
-- What the windows brought, side by side. A window is a postback of its own: nobody outside can tell which of them are
-- of one person, so their numbers are never added.

-- Each campaign is summed by itself, as in answer_sums. Postbacks without a currency stand in the row of the cohort's
-- only currency, if it has one.
CREATE FUNCTION attribution.cohorts(first_day date, last_day date, an_advertised_app_id bigint, by_week boolean)
RETURNS TABLE (
    environment text, developer_copy boolean, week date, day date, protocol text, ad_network_id text,
    campaign_type text, campaign text, advertised_app_id bigint, currency text,
    postbacks_0 bigint, mapped_0 bigint, revenue_0_low numeric, revenue_0_middle numeric, revenue_0_high numeric,
    revenue_0_open bigint, complete_0 boolean,
    postbacks_1 bigint, mapped_1 bigint, revenue_1_low numeric, revenue_1_middle numeric, revenue_1_high numeric,
    revenue_1_open bigint, complete_1 boolean,
    postbacks_2 bigint, mapped_2 bigint, revenue_2_low numeric, revenue_2_middle numeric, revenue_2_high numeric,
    revenue_2_open bigint, complete_2 boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, developer_copy, CASE WHEN $4 THEN cohort_day END, CASE WHEN NOT $4 THEN cohort_day END,
           protocol, ad_network_id, campaign_type, campaign, line.advertised_app_id, currency,
           postbacks_0, mapped_0, attribution.money(low_0), attribution.money(middle_0), attribution.money(high_0),
           open_0, attribution.is_complete(until.day, until.has_windows, 0::smallint, measurement_window_hours,
                                           (SELECT attribution.answers_up_to())),
           postbacks_1, mapped_1, attribution.money(low_1), attribution.money(middle_1), attribution.money(high_1),
           open_1, attribution.is_complete(until.day, until.has_windows, 1::smallint, measurement_window_hours,
                                           (SELECT attribution.answers_up_to())),
           postbacks_2, mapped_2, attribution.money(low_2), attribution.money(middle_2), attribution.money(high_2),
           open_2, attribution.is_complete(until.day, until.has_windows, 2::smallint, measurement_window_hours,
                                           (SELECT attribution.answers_up_to()))
      FROM attribution.line
     CROSS JOIN LATERAL (
           SELECT cohort_day, coalesce(nullif(currency, ''), only_currency) AS currency,
                  attribution.total(postbacks) FILTER (WHERE sequence_index = 0) AS postbacks_0,
                  attribution.total(mapped) FILTER (WHERE sequence_index = 0) AS mapped_0,
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = 0) AS low_0,
                  attribution.total(revenue_middle) FILTER (WHERE sequence_index = 0) AS middle_0,
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = 0) AS high_0,
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = 0) AS open_0,
                  attribution.total(postbacks) FILTER (WHERE sequence_index = 1) AS postbacks_1,
                  attribution.total(mapped) FILTER (WHERE sequence_index = 1) AS mapped_1,
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = 1) AS low_1,
                  attribution.total(revenue_middle) FILTER (WHERE sequence_index = 1) AS middle_1,
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = 1) AS high_1,
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = 1) AS open_1,
                  attribution.total(postbacks) FILTER (WHERE sequence_index = 2) AS postbacks_2,
                  attribution.total(mapped) FILTER (WHERE sequence_index = 2) AS mapped_2,
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = 2) AS low_2,
                  attribution.total(revenue_middle) FILTER (WHERE sequence_index = 2) AS middle_2,
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = 2) AS high_2,
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = 2) AS open_2
             FROM (SELECT *, CASE WHEN min(nullif(currency, '')) OVER cohort = max(currency) OVER cohort
                                  THEN max(currency) OVER cohort END AS only_currency
                     FROM (SELECT *, CASE WHEN $4 THEN attribution.week(day) ELSE day END AS cohort_day
                             FROM attribution.answer_daily) AS daily
                    WHERE answer_table = attribution.answer_table('install', 'campaign') AND daily.line = line.line
                      AND day BETWEEN $1 AND $2 AND did_win AND postbacks > 0
                   WINDOW cohort AS (PARTITION BY cohort_day)) AS answer
            GROUP BY cohort_day, coalesce(nullif(currency, ''), only_currency)) AS cohort
     CROSS JOIN LATERAL (
           SELECT least(CASE WHEN $4 THEN cohort_day + 6 ELSE cohort_day END, $2) AS day,
                  campaign_type = 'source-identifier' AS has_windows) AS until
      LEFT JOIN attribution.measurement_window
             ON measurement_window.advertised_app_id = line.advertised_app_id
            AND until.day BETWEEN from_day AND to_day
     WHERE $3 IS NULL OR line.advertised_app_id = $3
$$;
COMMENT ON FUNCTION attribution.cohorts(date, date, bigint, boolean) IS
    'Revenue of each window beside the number of its postbacks, by campaign and install day or week';

-- COST
--
-- A network bills by its campaign. So cost and answers are joined by network (without the suffix of a protocol),
-- advertised app and `campaign_id` of the mapping. Cost has no environment. It stands beside the figures of
-- each environment in which the app has postbacks, and beside production in any case.

-- The currency of cost, unless a query says another: the one of most rows that the network reported for the app.
CREATE FUNCTION attribution.spend_currency(first_day date, last_day date, an_advertised_app_id bigint)
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
CREATE FUNCTION attribution.currency_factors(first_day date, last_day date)
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
CREATE FUNCTION attribution.campaign_spend(
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
CREATE FUNCTION attribution.campaign_cost(
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
CREATE FUNCTION attribution.cost_place(first_day date, last_day date, an_advertised_app_id bigint, in_currency text)
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
CREATE FUNCTION attribution.is_cost_complete(
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
CREATE FUNCTION attribution.costs(
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
                      coalesce(low_0, 0) * unit_0 AS low_0, coalesce(middle_0, 0) * unit_0 AS middle_0,
                      coalesce(high_0, 0) * unit_0 AS high_0,
                      coalesce(low_1, 0) * unit_1 AS low_1, coalesce(middle_1, 0) * unit_1 AS middle_1,
                      coalesce(high_1, 0) * unit_1 AS high_1,
                      coalesce(low_2, 0) * unit_2 AS low_2, coalesce(middle_2, 0) * unit_2 AS middle_2,
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
                             attribution.total(mapped) FILTER (WHERE number = 0 AND lacks_rate) AS without_rate_0,
                             attribution.total(mapped) FILTER (WHERE number = 1 AND lacks_rate) AS without_rate_1,
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
                -- Millionths as units; NULL if a rate is missing.
                CROSS JOIN LATERAL (
                      SELECT CASE WHEN without_rate_0 > 0 THEN NULL ELSE 0.000001 END AS unit_0,
                             CASE WHEN without_rate_1 > 0 THEN NULL ELSE 0.000001 END AS unit_1,
                             CASE WHEN without_rate_2 > 0 THEN NULL ELSE 0.000001 END AS unit_2) AS unit
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
        OR high_0 IS DISTINCT FROM 0 OR high_1 IS DISTINCT FROM 0 OR high_2 IS DISTINCT FROM 0
$$;
COMMENT ON FUNCTION attribution.costs(date, date, bigint, text, boolean) IS
    'Cost beside installs and revenue by mapped campaign, by install day or summed over a range';

-- COST PER EVENT
--
-- The cost of a campaign beside each of its events and windows. The cost is the same in all rows of a campaign: it is
-- not divided among events, and must not be added over them.
--
-- Each campaign joins its own days, as in costs. Most quotients of a row are of the same numbers; then they are that of
-- its postbacks.
CREATE FUNCTION attribution.event_costs(
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

-- For each row here the function REPORT of a range of days, and the views REPORT_all and REPORT of all days. They have the
-- columns of a family but those that are left out; a view of production has no environment and no developer_copy either.
DO $make$
DECLARE
    report  record;
    columns text[];
    types   text[];
BEGIN
    FOR report IN
        SELECT name, family, arguments, left_out, subject,
               CASE WHEN family LIKE 'modelled%' THEN ', minimum integer DEFAULT attribution.least_known()'
                    WHEN family LIKE '%costs' THEN ', in_currency text DEFAULT NULL' ELSE '' END AS last_parameter
          FROM (VALUES
            ('report_modelled_revenue', 'modelled_revenue', '$1, $2, $3, $4', '{}'::text[],
             'Modelled revenue by campaign and install week'),
            ('report_modelled_revenue_by_app', 'modelled_sums', '$1, $2, $3, $4, true', '{ad_network_id}',
             'Modelled revenue, summed by app'),
            ('report_modelled_revenue_by_network', 'modelled_sums', '$1, $2, $3, $4, false', '{advertised_app_id}',
             'Modelled revenue, summed by network'),
            ('report_cohort', 'cohorts', '$1, $2, $3, true', '{day}',
             'Revenue of each window by campaign and install week'),
            ('report_cohort_daily', 'cohorts', '$1, $2, $3, false', '{week}',
             'Revenue of each window by campaign and install day'),
            ('report_cost', 'costs', '$1, $2, $3, $4, false', '{day}',
             'Cost, installs and revenue by mapped campaign'),
            ('report_cost_daily', 'costs', '$1, $2, $3, $4, true',
             '{installs_low, installs_high, cost_per_install_low, cost_per_install_high}',
             'Cost, installs and revenue by mapped campaign and install day'),
            ('report_event_cost', 'event_costs', '$1, $2, $3, $4, false', '{day}',
             'Cost per event by mapped campaign and window'),
            ('report_event_cost_daily', 'event_costs', '$1, $2, $3, $4, true', '{}',
             'Cost per event by mapped campaign, window and install day')
          ) AS made (name, family, arguments, left_out, subject) LOOP
        SELECT array_agg(quote_ident(argument) ORDER BY number),
               array_agg(format('%I %s', argument, type::regtype) ORDER BY number) INTO columns, types
          FROM pg_proc, unnest(proargnames, proargmodes, proallargtypes) WITH ORDINALITY AS a (argument, mode, type, number)
         WHERE pronamespace = 'attribution'::regnamespace AND proname = report.family AND mode = 't'
           AND argument <> ALL (report.left_out);
        EXECUTE format(
            'CREATE FUNCTION attribution.%I(first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL%s)
             RETURNS TABLE (%s) LANGUAGE sql STABLE PARALLEL SAFE AS $body$SELECT %s FROM attribution.%I(%s)$body$',
            report.name, report.last_parameter, array_to_string(types, ', '), array_to_string(columns, ', '),
            report.family, report.arguments);
        EXECUTE format('CREATE VIEW attribution.%I AS SELECT * FROM attribution.%I(''-infinity'', ''infinity'')',
                       report.name || '_all', report.name);
        EXECUTE format(
            'CREATE VIEW attribution.%I AS
             SELECT %s FROM attribution.%I WHERE environment = ''production'' AND NOT developer_copy',
            report.name, array_to_string(columns[3:], ', '), report.name || '_all');
        EXECUTE format('COMMENT ON FUNCTION attribution.%I IS %L', report.name,
                       report.subject || ', over a range of install days');
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', report.name || '_all',
                       report.subject || '; all environments');
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', report.name, report.subject || '; production');
    END LOOP;
END $make$;

-- What the columns of these views mean. `_n` stands for the windows 0, 1 and 2. A column without a text here means what it
-- means in report_install_campaign and report_install_event.
DO $comments$
DECLARE
    described record;
BEGIN
    FOR described IN
        WITH meaning (pattern, name, text) AS (VALUES
            ('%', 'week', 'The Monday of the install week, UTC'),
            ('%', 'day', 'The UTC day of the install, and of the cost'),
            ('report_modelled_revenue%', 'campaign',
             'The campaign id, or the last two digits of the source identifiers'),
            ('%', 'currency', 'The currency, ISO 4217; NULL if none is known'),
            ('report_modelled%', 'postbacks', 'Winning postbacks'),
            ('report_event%', 'postbacks', 'Postbacks whose value says that the event has happened'),
            ('%', 'mapped', 'Of these, values to which a scheme gives a meaning: the known ones'),
            ('%', 'withheld', 'Of these, values that Apple withheld for privacy'),
            ('%', 'ambiguous',
             'Of these, values that the app may have set before or after a change of scheme; they are in no revenue'),
            ('%', 'modelled_from',
             'What the model rests on: campaign (the known values of the row), small_campaigns (those of the app''s '
             'campaigns with too few), app (all of the app), none (fewer than two); NULL if nothing is withheld'),
            ('%', 'modelled_known', 'The number of known values on which the model rests'),
            ('%', 'modelled_below_minimum',
             'Whether something is withheld and the row has fewer known values than the minimum'),
            ('%', 'modelled_withheld',
             'The withheld values that are modelled in this currency; those without a currency are shared'),
            ('%', 'modelled_missing', 'Of these, those for which no model is possible; they are in no figure'),
            ('%', 'modelled_revenue_low',
             'revenue_low, and as much for each withheld value as a known one has on average'),
            ('%', 'modelled_revenue_middle', 'The same of revenue_middle'),
            ('%', 'modelled_revenue_high', 'The same of revenue_high'),
            ('%', 'modelled_half_width', '1.96 standard errors of what the withheld values are worth'),
            ('%', 'modelled_interval_low', 'modelled_revenue_low less the half width, but not less than revenue_low'),
            ('%', 'modelled_interval_high', 'modelled_revenue_high and the half width'),
            ('%', 'modelled_from_app',
             'Of these, those that are modelled from the app: from its small campaigns, or from all'),
            ('%', 'postbacks_n', 'Winning postbacks of window {n}'),
            ('%', 'mapped_n', 'Of these, values to which a scheme gives a meaning'),
            ('%', 'revenue_n_low', 'The least revenue of window {n}'),
            ('%', 'revenue_n_middle', 'The middles of the ranges of window {n}'),
            ('%', 'revenue_n_high',
             'The greatest revenue of window {n}; the least one for a range without an upper end'),
            ('%', 'revenue_n_open', 'Values of window {n} whose range has no upper end'),
            ('%', 'complete_n', 'Whether all postbacks of window {n} have arrived, but for late deliveries'),
            ('%', 'network_name', 'The network without the suffix of a protocol'),
            ('%', 'campaign_id', 'The campaign of mapping and spend; NULL for postbacks that the mapping does not name'),
            ('%', 'campaign_name', 'Its name in the mapping'),
            ('%', 'cost', 'What the campaign cost; NULL without spend, or if a rate is missing'),
            ('%', 'cost_without_rate', 'Rows of spend above 0 without a currency rate'),
            ('%', 'network_impressions', 'Impressions as the network reports them'),
            ('%', 'network_clicks', 'Clicks as the network reports them'),
            ('%', 'network_installs', 'Installs as the network reports them'),
            ('%', 'installs', 'First installs by winning postbacks of window 0'),
            ('%', 'redownloads', 'Redownloads'),
            ('%', 'reengagements', 'Re-engagements'),
            ('%', 'installs_low', 'Installs a day or more inside the range'),
            ('%', 'installs_high', 'Installs of the range and a day around it'),
            ('%', 'cost_per_install_low', 'cost ÷ installs_high'),
            ('%', 'cost_per_install', 'cost ÷ installs'),
            ('%', 'cost_per_install_high', 'cost ÷ installs_low'),
            ('%', 'cost_per_install_or_engagement', 'cost ÷ (installs + reengagements)'),
            ('%', 'cost_per_conversion', 'cost ÷ (installs + redownloads + reengagements)'),
            ('%', 'installs_complete', 'Whether all postbacks of window 0 have arrived, but for late deliveries'),
            ('%', 'revenue_without_rate',
             'Known values of campaigns, days, windows and currencies that have revenue and no currency rate; the revenue '
             'of their window is NULL'),
            ('%', 'roas_n_low', 'revenue_{n}_low ÷ cost'),
            ('%', 'roas_n_middle', 'revenue_{n}_middle ÷ cost'),
            ('%', 'roas_n_high', 'revenue_{n}_high ÷ cost'),
            ('%', 'roas_low', 'The least revenue of all windows ÷ cost'),
            ('%', 'roas_middle', 'The same of the middles'),
            ('%', 'roas_high', 'The same of the greatest revenue'),
            ('%', 'revenue_complete', 'Whether all postbacks of all windows have arrived, but for late deliveries'),
            ('%', 'cost_per_postback_low', 'cost ÷ (postbacks + possible)'),
            ('%', 'cost_per_postback_middle', 'cost ÷ (postbacks + half of possible)'),
            ('%', 'cost_per_postback_high', 'cost ÷ postbacks'),
            ('%', 'cost_per_event_low', 'cost ÷ count_high; NULL if one has no upper end'),
            ('%', 'cost_per_event_middle', 'cost ÷ the middle of count_low and count_high'),
            ('%', 'cost_per_event_high', 'cost ÷ count_low'))
        SELECT view.relname, attname, coalesce(replace(text, '{n}', coalesce(n, '')), elsewhere) AS text
          FROM pg_class AS view
          JOIN pg_attribute AS attribute ON attrelid = view.oid AND attnum > 0
         CROSS JOIN LATERAL (SELECT substring(attname FROM '_([012])(?:_|$)')) AS own_window (n)
          LEFT JOIN meaning ON relname LIKE pattern AND name = regexp_replace(attname, '_[012](_|$)', '_n\1')
          LEFT JOIN LATERAL (
               SELECT min(col_description(attrelid, attnum)) AS elsewhere
                 FROM pg_attribute AS alike
                WHERE alike.attname = attribute.attname
                  AND attrelid IN ('attribution.report_install_campaign_daily_all'::regclass,
                                   'attribution.report_install_event_daily_all'::regclass)) AS of_answers ON true
         WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
           AND relname ~ '^report_(modelled_revenue|cohort|cost|event_cost)' LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.%I.%I IS %L', described.relname, described.attname,
                       described.text);
    END LOOP;
END $comments$;

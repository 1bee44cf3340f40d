-- Modelled revenue, by the sums of answers by install day. Money is bigint in millionths in the tables, and numeric in
-- units of the currency in reports.
--
-- A value that Apple withheld is taken to be worth as much as the values that are known beside it:
-- known revenue × (known + withheld) ÷ known. It is computed at one level and summed from there, never again at a
-- higher one. docs/money.md has the source and the interval.

-- The Monday of a day's week. date_trunc would compute with time stamps, and is slower.
CREATE OR REPLACE FUNCTION attribution.week(day date) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT day - ((day - date '2000-01-03') % 7 + 7) % 7 $$;
COMMENT ON FUNCTION attribution.week(date) IS 'The Monday of the week of a day';

-- An amount divided by a number of something; NULL if there is none.
CREATE OR REPLACE FUNCTION attribution.per(amount numeric, number numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(amount / nullif(number, 0), 6) $$;
COMMENT ON FUNCTION attribution.per(numeric, numeric) IS
    'An amount divided by a number, to six places; NULL if it is 0';

CREATE OR REPLACE FUNCTION attribution.least_known() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 30 $$;
COMMENT ON FUNCTION attribution.least_known() IS
    'With fewer known values a level of modelled revenue rests on those of the app, unless a query says another number';

-- The campaign of a level of modelled revenue: the campaign id, or the last two digits, which each postback has.
CREATE OR REPLACE FUNCTION attribution.two_digits(campaign_type text, campaign text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE campaign_type WHEN 'source-identifier' THEN right(campaign, 2) ELSE campaign END $$;
COMMENT ON FUNCTION attribution.two_digits(text, text) IS
    'The campaign id, or the last two digits of a source identifier';

-- The variance of what the withheld values of levels that share their known ones are worth.
--
-- w values of mean m are estimated by k known values with the variance v: m·w has the variance v·w²÷k, and the w values
-- themselves vary by v·w around it. Levels that rest on the app share one mean, so their w are added first. If that
-- mean is made of the known values of the other levels too, the two go together: the covariance is v ÷ k of the app.
CREATE OR REPLACE FUNCTION attribution.modelled_variance(
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
CREATE OR REPLACE FUNCTION attribution.value_variance(known bigint, revenue bigint, revenue_square numeric) RETURNS numeric
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
CREATE OR REPLACE FUNCTION attribution.modelled_levels(
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
                      attribution.total(revenue_unknown) AS revenue_unknown,
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
               attribution.total(revenue_unknown) AS revenue_unknown, sum(revenue_square) AS revenue_square
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
               revenue_middle, revenue_high, revenue_open, revenue_unknown, revenue_square,
               CASE WHEN currency = '' AND EXISTS (SELECT FROM shared WHERE (level, week, sequence_index)
                                                    = (measured.level, measured.week, measured.sequence_index))
                    THEN 0 ELSE withheld END::numeric AS modelled_withheld
          FROM measured
        UNION ALL
        SELECT level, pool, week, sequence_index, currency, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, withheld FROM shared
    ),
    level AS (
        SELECT level, pool, week, sequence_index, currency,
               attribution.total(postbacks) AS postbacks, attribution.total(known) AS known,
               attribution.total(withheld) AS withheld, attribution.total(ambiguous) AS ambiguous,
               attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
               attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
               attribution.total(revenue_unknown) AS revenue_unknown,
               sum(revenue_square) AS revenue_square, sum(modelled_withheld) AS modelled_withheld
          FROM part
         GROUP BY level, pool, week, sequence_index, currency
    ),
    based AS (
        SELECT level.*,
               CASE WHEN modelled_withheld = 0 THEN NULL
                    -- One value has no variance, and nobody knows the mean of values of which one is unknown.
                    WHEN level.known >= greatest($4, 2) AND currency <> ''
                    THEN CASE WHEN level.revenue_unknown > 0 THEN 'none' ELSE 'campaign' END
                    WHEN app.revenue_unknown > 0 THEN 'none'
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
           CASE WHEN revenue_unknown = 0 THEN revenue_middle END, revenue_high, revenue_open, modelled_withheld,
           modelled_from, modelled_known,
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
CREATE OR REPLACE FUNCTION attribution.modelled_revenue(
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
CREATE OR REPLACE FUNCTION attribution.modelled_sums(
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
               CASE WHEN count(level.revenue_middle) = count(*) THEN attribution.total(level.revenue_middle) END
                   AS revenue_middle,
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
               CASE WHEN count(revenue_middle) = count(*) THEN attribution.money(attribution.total(revenue_middle)) END
                   AS revenue_middle,
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

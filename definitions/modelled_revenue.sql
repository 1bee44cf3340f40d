-- Modelled revenue, by the sums of answers by install day. Money is bigint in millionths in the tables, and numeric in
-- units of the currency in reports.
--
-- A value that Apple withheld is taken to be worth as much as the mapped values beside it, those to which a scheme gives a
-- meaning: revenue × (mapped + withheld) ÷ mapped. It is computed at one level and summed from there, never again at a
-- higher one. docs/money.md has the source, the interval and what the interval holds.

-- The Monday of a day's week. date_trunc would compute with time stamps, and is slower.
CREATE OR REPLACE FUNCTION attribution.week(day date) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT day - ((day - date '2000-01-03') % 7 + 7) % 7 $$;
COMMENT ON FUNCTION attribution.week(date) IS 'The Monday of the week of a day';

-- An amount divided by a number of something; NULL if there is none.
CREATE OR REPLACE FUNCTION attribution.per(amount numeric, number numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(amount / nullif(number, 0), 6) $$;
COMMENT ON FUNCTION attribution.per(numeric, numeric) IS
    'An amount divided by a number, to six places; NULL if it is 0';

CREATE OR REPLACE FUNCTION attribution.least_mapped() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 30 $$;
COMMENT ON FUNCTION attribution.least_mapped() IS
    'With fewer mapped values a level of modelled revenue rests on those of the app, unless a query says another number';

CREATE OR REPLACE FUNCTION attribution.least_for_interval() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 10 $$;
COMMENT ON FUNCTION attribution.least_for_interval() IS
    'With fewer mapped values modelled revenue has no interval';

-- How much campaigns differ that rest on the mapped values of others. It is not estimated: with few payers, an estimate
-- is mostly 0.
CREATE OR REPLACE FUNCTION attribution.campaign_spread() RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 0.5 $$;
COMMENT ON FUNCTION attribution.campaign_spread() IS
    'The standard deviation of the mean of a campaign without enough mapped values, as a share of the mean it rests on';

-- A quantile of a gamma distribution, by Wilson and Hilferty's approximation: 0.6 % too low at shape 1, 8 % at 0.2.
-- A table, not a value: PostgreSQL inlines it then.
CREATE OR REPLACE FUNCTION attribution.gamma_quantile(
    mean double precision, variance double precision, standard_normal_quantile double precision)
RETURNS TABLE (quantile double precision)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN mean <= 0 OR variance <= 0 THEN mean ELSE variance / mean * shape * root * root * root END
      FROM (SELECT mean, variance, shape, greatest(0, 1 - 1 / (9 * shape) + $3 / (3 * sqrt(shape))) AS root
              FROM (SELECT mean, variance, greatest(0.1, mean * mean / nullif(variance, 0)) AS shape
                      FROM (SELECT $1 AS mean, $2 AS variance OFFSET 0) AS moments OFFSET 0) AS shaped
            OFFSET 0) AS rooted
$$;
COMMENT ON FUNCTION attribution.gamma_quantile(double precision, double precision, double precision) IS
    'A quantile of the gamma distribution with this mean and variance, by that of the standard normal distribution';

-- The variance of values, from their number, their sum and the sum of their squares.
CREATE OR REPLACE FUNCTION attribution.value_variance(mapped bigint, revenue numeric, revenue_square numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN mapped > 1 THEN greatest(0, (revenue_square - revenue * revenue / mapped) / (mapped - 1)) END
$$;
COMMENT ON FUNCTION attribution.value_variance(bigint, numeric, numeric) IS
    'The variance of values, from their number, their sum and the sum of their squares';

-- What the values of schemes say of one payer: the averages over the values whose middle is above 0. The newest scheme of
-- an app and currency that began by the last day counts, so that a report of past days stays as it is. Open ranges are
-- those of all schemes until then, since values of earlier weeks may be in them: the one that begins last.
CREATE OR REPLACE FUNCTION attribution.scheme_payers(last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    advertised_app_id bigint, sequence_index smallint, currency text, revenue_low numeric, revenue_middle numeric,
    revenue_high numeric, revenue_square numeric, open_from numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT advertised_app_id, sequence_index, currency,
           round(avg(revenue_low) FILTER (WHERE is_payer), 6), round(avg(revenue_middle) FILTER (WHERE is_payer), 6),
           round(avg(coalesce(revenue_high, revenue_low)) FILTER (WHERE is_payer), 6),
           round(avg(revenue_middle * revenue_middle) FILTER (WHERE is_payer), 6),
           max(revenue_low) FILTER (WHERE revenue_high IS NULL)
      FROM (SELECT advertised_app_id, currency, valid_from,
                   valid_from = max(valid_from) OVER (PARTITION BY advertised_app_id, currency) AS is_newest
              FROM attribution.conversion_scheme
             WHERE currency IS NOT NULL AND attribution.day_of(valid_from) <= $1
               AND ($2 IS NULL OR advertised_app_id = $2)) AS scheme
      JOIN attribution.value_meaning USING (advertised_app_id, valid_from)
     CROSS JOIN LATERAL (SELECT is_newest AND revenue_middle > 0) AS of_value (is_payer)
     GROUP BY advertised_app_id, sequence_index, currency
$$;
COMMENT ON FUNCTION attribution.scheme_payers(date, bigint) IS
    'The averages of revenue over the values of a scheme that bring any, and the low end of its open range';

-- The levels of modelled revenue. `level`, `pool`, `app` and `network` stand for a level, for all levels of an app and
-- version class, for those of an app, and for those of a network: the first line of each. Numbers are quicker to group by
-- than texts. `basis` are the mapped values on which the model of a level rests, in units of the currency.
--
-- A withheld value has the currency of the scheme in which the app must have set it. Without one it is shared among the
-- currencies of the mapped values of its level, or if there are none, of its app.
CREATE OR REPLACE FUNCTION attribution.modelled_levels(
    first_day date, last_day date, an_advertised_app_id bigint, minimum integer)
RETURNS TABLE (
    level integer, pool integer, app integer, network integer, week date, sequence_index smallint, currency text,
    postbacks bigint, mapped bigint, withheld bigint, ambiguous bigint, revenue_low bigint, revenue_middle bigint,
    revenue_high bigint, revenue_open bigint, revenue_unknown bigint, revenue_square numeric, modelled_withheld numeric,
    modelled_from text, basis_mapped bigint, basis_low numeric, basis_middle numeric, basis_high numeric,
    basis_square numeric, basis_open bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH level_line AS (
        SELECT min(line) AS level,
               min(min(line)) OVER (PARTITION BY environment, developer_copy, protocol, campaign_type, advertised_app_id)
                   AS pool,
               min(min(line)) OVER (PARTITION BY environment, developer_copy, advertised_app_id) AS app,
               min(min(line)) OVER (PARTITION BY environment, developer_copy, ad_network_id) AS network,
               min(min(line)) OVER (PARTITION BY network, developer_copy, campaign_type, advertised_app_id) AS app_line,
               attribution.two_digits_number(campaign_type, campaign) AS two_digits
          FROM attribution.line
         WHERE $3 IS NULL OR advertised_app_id = $3
         GROUP BY network, environment, developer_copy, protocol, campaign_type, advertised_app_id, ad_network_id,
                  attribution.two_digits_number(campaign_type, campaign)
    ),
    -- Each network of an app is summed by itself, by the index that begins with the line.
    summed AS MATERIALIZED (
        SELECT app_line, sums.*
          FROM (SELECT DISTINCT app_line FROM level_line) AS of_app
         CROSS JOIN LATERAL (
               SELECT traits AS two_digits, attribution.week(day) AS week, sequence_index, currency,
                      attribution.total(postbacks) AS postbacks, attribution.total(mapped) AS mapped,
                      attribution.total(withheld) AS withheld, attribution.total(ambiguous) AS ambiguous,
                      attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
                      attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
                      attribution.total(revenue_unknown) AS revenue_unknown,
                      coalesce(sum(revenue_square), 0) AS revenue_square
                 FROM attribution.answer_daily
                WHERE answer_table = attribution.answer_table('install', 'two_digits') AND line = app_line
                  AND did_win AND postbacks > 0 AND day BETWEEN $1 AND $2
                GROUP BY traits, attribution.week(day), sequence_index, currency) AS sums
    ),
    measured AS MATERIALIZED (
        SELECT level, pool, app, network, week, sequence_index, currency, postbacks, mapped, withheld, ambiguous,
               revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown, revenue_square
          FROM summed
          JOIN level_line USING (app_line, two_digits)
    ),
    -- What levels with too few mapped values rest on: on such levels of the app alone if they have enough together.
    shared_basis AS MATERIALIZED (
        SELECT pool, week, sequence_index, currency, all_mapped, small_ones_do,
               CASE WHEN small_ones_do THEN small_mapped ELSE all_mapped END AS mapped,
               CASE WHEN small_ones_do THEN small_low ELSE all_low END AS revenue_low,
               CASE WHEN small_ones_do THEN small_middle ELSE all_middle END AS revenue_middle,
               CASE WHEN small_ones_do THEN small_high ELSE all_high END AS revenue_high,
               CASE WHEN small_ones_do THEN small_open ELSE all_open END AS revenue_open,
               CASE WHEN small_ones_do THEN small_unknown ELSE all_unknown END AS revenue_unknown,
               CASE WHEN small_ones_do THEN small_square ELSE all_square END AS revenue_square
          FROM (SELECT pool, week, sequence_index, currency, attribution.total(mapped) AS all_mapped,
                       attribution.total(mapped) FILTER (WHERE is_small) AS small_mapped,
                       attribution.total(revenue_low) AS all_low,
                       attribution.total(revenue_low) FILTER (WHERE is_small) AS small_low,
                       attribution.total(revenue_middle) AS all_middle,
                       attribution.total(revenue_middle) FILTER (WHERE is_small) AS small_middle,
                       attribution.total(revenue_high) AS all_high,
                       attribution.total(revenue_high) FILTER (WHERE is_small) AS small_high,
                       attribution.total(revenue_open) AS all_open,
                       attribution.total(revenue_open) FILTER (WHERE is_small) AS small_open,
                       attribution.total(revenue_unknown) AS all_unknown,
                       attribution.total(revenue_unknown) FILTER (WHERE is_small) AS small_unknown,
                       sum(revenue_square) AS all_square, sum(revenue_square) FILTER (WHERE is_small) AS small_square
                  FROM measured
                 CROSS JOIN LATERAL (SELECT mapped < greatest($4, 2)) AS size (is_small)
                 WHERE currency <> ''
                 GROUP BY pool, week, sequence_index, currency) AS both_sums
         CROSS JOIN LATERAL (SELECT small_mapped >= greatest($4, 2)) AS enough (small_ones_do)
         WHERE all_mapped > 0
    ),
    -- Withheld values without a currency, shared: by the mapped values of the level, or by those of the app.
    shared AS MATERIALIZED (
        SELECT level, pool, app, network, week, sequence_index, share.currency,
               without.withheld * share.mapped / sum(share.mapped) OVER (PARTITION BY level, week, sequence_index)
                   AS withheld
          FROM (SELECT level, pool, app, network, week, sequence_index, withheld,
                       EXISTS (SELECT FROM measured AS beside
                                WHERE beside.currency <> '' AND beside.mapped > 0 AND beside.level = measured.level
                                  AND beside.week = measured.week
                                  AND beside.sequence_index = measured.sequence_index) AS has_mapped
                  FROM measured WHERE currency = '' AND withheld > 0) AS without
          JOIN (SELECT true AS has_mapped, level AS key, week, sequence_index, currency, mapped
                  FROM measured WHERE currency <> '' AND mapped > 0
                UNION ALL
                SELECT false, pool, week, sequence_index, currency, all_mapped FROM shared_basis) AS share
         USING (has_mapped, week, sequence_index)
         WHERE share.key = CASE WHEN has_mapped THEN level ELSE pool END
    ),
    -- With what a level has a share of, also in a currency in which it has no postback itself.
    level AS (
        SELECT level, coalesce(measured.pool, shared.pool) AS pool, coalesce(measured.app, shared.app) AS app,
               coalesce(measured.network, shared.network) AS network, week, sequence_index, currency,
               coalesce(postbacks, 0) AS postbacks, coalesce(mapped, 0) AS mapped,
               coalesce(measured.withheld, 0) AS withheld, coalesce(ambiguous, 0) AS ambiguous,
               coalesce(revenue_low, 0) AS revenue_low, coalesce(revenue_middle, 0) AS revenue_middle,
               coalesce(revenue_high, 0) AS revenue_high, coalesce(revenue_open, 0) AS revenue_open,
               coalesce(revenue_unknown, 0) AS revenue_unknown, coalesce(revenue_square, 0) AS revenue_square,
               CASE WHEN currency = '' AND (level, week, sequence_index) IN (
                                           SELECT of_level.level, of_level.week, of_level.sequence_index
                                             FROM shared AS of_level) THEN 0
                    ELSE coalesce(measured.withheld, 0) END + coalesce(shared.withheld, 0) AS modelled_withheld
          FROM measured
          FULL JOIN shared USING (level, week, sequence_index, currency)
    ),
    based AS (
        SELECT level.*,
               CASE WHEN modelled_withheld = 0 THEN NULL
                    -- One value has no variance, and nobody knows the mean of values of which one is unknown.
                    WHEN level.mapped >= greatest($4, 2) AND currency <> ''
                    THEN CASE WHEN level.revenue_unknown > 0 THEN 'none' ELSE 'campaign' END
                    WHEN basis.revenue_unknown > 0 THEN 'none'
                    WHEN small_ones_do THEN 'small_campaigns'
                    WHEN basis.mapped >= 2 THEN 'app'
                    ELSE 'none' END AS modelled_from,
               basis.mapped AS shared_mapped, basis.revenue_low AS shared_low,
               basis.revenue_middle AS shared_middle, basis.revenue_high AS shared_high,
               basis.revenue_square AS shared_square, basis.revenue_open AS shared_open
          FROM level
          LEFT JOIN shared_basis AS basis USING (pool, week, sequence_index, currency)
    )
    SELECT level, pool, app, network, week, sequence_index, currency, postbacks, based.mapped, withheld, ambiguous,
           based.revenue_low, based.revenue_middle, based.revenue_high, based.revenue_open, based.revenue_unknown,
           based.revenue_square,
           modelled_withheld, modelled_from, basis.mapped, attribution.money(basis.low),
           attribution.money(basis.middle), attribution.money(basis.high), round(basis.square, 12), basis.open
      FROM based
     CROSS JOIN LATERAL (
           SELECT CASE WHEN modelled_from = 'campaign' THEN mapped
                       WHEN modelled_from <> 'none' THEN shared_mapped END AS mapped,
                  CASE modelled_from WHEN 'campaign' THEN revenue_low ELSE shared_low END AS low,
                  CASE modelled_from WHEN 'campaign' THEN revenue_middle ELSE shared_middle END AS middle,
                  CASE modelled_from WHEN 'campaign' THEN revenue_high ELSE shared_high END AS high,
                  CASE modelled_from WHEN 'campaign' THEN revenue_square ELSE shared_square END AS square,
                  CASE modelled_from WHEN 'campaign' THEN revenue_open ELSE shared_open END AS open) AS basis
$$;
COMMENT ON FUNCTION attribution.modelled_levels(date, date, bigint, integer) IS
    'The levels of modelled revenue, each with the mapped values on which its model rests';

-- What one withheld value of a line is worth. Those without a currency are shared among several. A level may be of several
-- campaigns of an operator, so each of its withheld values is taken to be worth the same. `missing` is 1 if no model is
-- possible, or a part of 1 for each of several currencies. It is not inlined, and the planner expects few rows, so that it
-- hashes them.
CREATE OR REPLACE FUNCTION attribution.withheld_worth(first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    line integer, week date, sequence_index smallint, currency text, missing numeric, low numeric, middle numeric,
    high numeric)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
SET jit = off
AS $$
    WITH worth AS MATERIALIZED (
        SELECT level, week, sequence_index, nullif(currency, '') AS currency,
               CASE modelled_from WHEN 'none' THEN modelled_withheld ELSE 0 END / of_level.withheld AS missing,
               coalesce(round(modelled_withheld * basis_low / basis_mapped, 6), 0) / of_level.withheld AS low,
               coalesce(round(modelled_withheld * basis_middle / basis_mapped, 6), 0) / of_level.withheld AS middle,
               coalesce(round(modelled_withheld * basis_high / basis_mapped, 6), 0) / of_level.withheld AS high
          FROM (SELECT *, sum(withheld) OVER (PARTITION BY level, week, sequence_index) AS all_withheld
                  FROM attribution.modelled_levels($1, $2, $3, attribution.least_mapped())
                 WHERE withheld > 0 OR modelled_withheld > 0) AS levels
         CROSS JOIN LATERAL (SELECT nullif(all_withheld, 0) AS withheld) AS of_level
         WHERE modelled_withheld > 0
    ),
    level_line AS (
        SELECT min(line) AS level, array_agg(line) AS lines
          FROM attribution.line
         WHERE $3 IS NULL OR advertised_app_id = $3
         GROUP BY network, developer_copy, campaign_type, advertised_app_id,
                  attribution.two_digits_number(campaign_type, campaign)
    )
    SELECT line, week, sequence_index, currency, missing, low, middle, high
      FROM worth
      JOIN (SELECT level, unnest(lines) AS line FROM level_line) AS of_level USING (level)
$$;
COMMENT ON FUNCTION attribution.withheld_worth(date, date, bigint) IS
    'What one withheld value of a line is worth by the model, by week, window and currency';

-- Modelled revenue by campaign and week (a row for each level and currency), or summed by app or by network. A week that
-- the range cuts has the days within it. `subject` is the first line of the campaign, the app or the network. An end of an
-- interval is never added to another: what follows from the mapped values is.
--
-- w withheld values that rest on n mapped ones, of the sum S and the squares Q, are worth M = w·S÷n. They vary by
-- w·(w+n)÷n² · (Q − S²÷n): by themselves, and by the error of the mean. Campaigns that rest on the same mapped values are
-- one part, with their w added. The high end has a quarter of an effective payer of the app more, and at least the app's
-- spread of amounts. So it does not vanish if no payer was seen. With some payers it is farther out, since the rare large
-- ones are often not among the mapped values. Each app's part goes from the middles of ranges to their low or high ends.
-- docs/money.md has the formula.
CALL attribution.make_family(
    'modelled', 'Modelled revenue with its interval, by campaign and week, by app or by network',
    'first_day date, last_day date, an_advertised_app_id bigint, minimum integer, withheld_worth numrange, row_of text',
    $body$
    WITH level AS MATERIALIZED (SELECT * FROM attribution.modelled_levels($1, $2, $3, $4)),
    -- What is known of the payers of an app. Its scheme counts as one payer, so it says something before the first.
    payer AS MATERIALIZED (
        SELECT app, sequence_index, currency, open_from,
               round((square + coalesce(scheme.revenue_square, 0)) / amount, 6) AS size,
               round((low + coalesce(scheme.revenue_low, 0)) / amount, 9) AS low_share,
               round((high + coalesce(scheme.revenue_high, 0)) / amount, 9) AS high_share,
               coalesce(round(middle * middle / nullif(square, 0), 2), 0) AS payers
          FROM (SELECT app, sequence_index, currency, sum(attribution.money(revenue_low)) AS low,
                       sum(attribution.money(revenue_middle)) AS middle,
                       sum(attribution.money(revenue_high)) AS high, sum(revenue_square) AS square
                  FROM level
                 GROUP BY app, sequence_index, currency) AS summed
          JOIN attribution.line ON line = app
          LEFT JOIN attribution.scheme_payers($2, $3) AS scheme USING (advertised_app_id, sequence_index, currency)
         CROSS JOIN LATERAL (SELECT nullif(middle + coalesce(scheme.revenue_middle, 0), 0)) AS one_more (amount)
    ),
    of_subject AS NOT MATERIALIZED (
        SELECT CASE $6 WHEN 'campaign' THEN level WHEN 'app' THEN app ELSE network END AS subject,
               CASE $6 WHEN 'campaign' THEN week ELSE '-infinity' END AS subject_week, level.*
          FROM level
    ),
    -- A page asks for one week after the other: these two are computed once.
    figures AS MATERIALIZED (
        SELECT subject, subject_week, sequence_index, currency,
               attribution.total(postbacks) AS postbacks, attribution.total(mapped) AS mapped,
               attribution.total(withheld) AS withheld, attribution.total(ambiguous) AS ambiguous,
               attribution.total(revenue_low) AS low,
               CASE WHEN attribution.total(revenue_unknown) = 0 THEN attribution.total(revenue_middle) END AS middle,
               attribution.total(revenue_high) AS high, attribution.total(revenue_open) AS revenue_open,
               attribution.total(revenue_unknown) AS revenue_unknown, max(modelled_from) AS modelled_from,
               max(basis_mapped) AS modelled_mapped
          FROM of_subject
         GROUP BY subject, subject_week, sequence_index, currency
    ),
    -- Levels that rest on the same mapped values: one that rests on its own, or those of an app that rest on others.
    -- Of those, each may differ from the mean of all by campaign_spread.
    part AS (
        SELECT subject, subject_week, app, pool, week, sequence_index, currency, modelled_from, basis_mapped AS n,
               basis_middle AS amount, basis_square AS square, basis_open, sum(modelled_withheld) AS w,
               sum(round(modelled_withheld * basis_low / basis_mapped, 6)) AS estimate_low,
               sum(round(modelled_withheld * basis_middle / basis_mapped, 6)) AS estimate_middle,
               sum(round(modelled_withheld * basis_high / basis_mapped, 6)) AS estimate_high,
               CASE WHEN modelled_from <> 'campaign'
                    THEN attribution.campaign_spread() ^ 2 * sum(modelled_withheld * modelled_withheld) END AS spread
          FROM of_subject
         WHERE modelled_withheld > 0
         GROUP BY subject, subject_week, app, pool, week, sequence_index, currency, modelled_from, basis_mapped,
                  basis_middle, basis_square, basis_open, CASE modelled_from WHEN 'campaign' THEN level END
    ),
    of_app AS (
        SELECT subject, subject_week, app, sequence_index, currency, sum(w) AS modelled_withheld,
               sum(CASE WHEN modelled_from IN ('app', 'small_campaigns') THEN w ELSE 0 END) AS from_app,
               sum(CASE modelled_from WHEN 'none' THEN w ELSE 0 END) AS missing,
               sum(estimate_low) AS estimate_low, sum(estimate_middle) AS estimate_middle,
               sum(estimate_high) AS estimate_high, max(round(w / n, 9)) AS ratio,
               sum(round(w * (w + n) * amount / (n * n), 6)) AS first_moment,
               sum(round(w * (w + n) * square / (n * n), 12)) AS second_moment,
               sum(round(w * (w + n) * amount * amount / (n * n * n), 12)) AS square_of_mean,
               sum(coalesce(round(spread * amount * amount / (n * n), 12), 0)
                   -- The mean of the whole app goes along with those of its campaigns that rest on themselves.
                   + CASE modelled_from WHEN 'app' THEN coalesce(round(2 * w * own_weighted / n, 12), 0) ELSE 0 END)
                   AS more_variance,
               sum(CASE WHEN n >= attribution.least_for_interval() AND size IS NOT NULL THEN 0 ELSE w END)
                   AS without_low,
               sum(CASE WHEN n >= attribution.least_for_interval() AND size IS NOT NULL
                         AND (basis_open = 0 OR basis_open * open_from <= 0.1 * amount) THEN 0 ELSE w END)
                   AS without_high
          FROM (SELECT part.*,
                       sum(w * attribution.value_variance(n, amount, square)) FILTER (WHERE modelled_from = 'campaign')
                           OVER (PARTITION BY subject, pool, week, sequence_index, currency) AS own_weighted
                  FROM part) AS part
          LEFT JOIN payer USING (app, sequence_index, currency)
         GROUP BY subject, subject_week, app, sequence_index, currency
    ),
    model AS (
        SELECT subject, subject_week, sequence_index, currency, sum(modelled_withheld) AS modelled_withheld,
               sum(from_app) AS from_app, sum(missing) AS missing, sum(without_low) AS without_low,
               sum(without_high) AS without_high, sum(estimate_low) AS estimate_low,
               sum(estimate_middle) AS estimate_middle, sum(estimate_high) AS estimate_high, min(payers) AS payers,
               sum(low_share * estimate_middle) AS low_mean,
               sum(low_share * low_share * (greatest(0, second_moment - square_of_mean) + more_variance)) AS low_variance,
               sum(low_share * first_moment) AS low_first, sum(low_share * low_share * second_moment) AS low_second,
               sum(high_share * estimate_middle) + 0.25 * max(ratio * high_share * size) AS high_mean,
               sum(high_share * high_share
                   * (greatest(0, greatest(second_moment, size * first_moment) - square_of_mean) + more_variance))
               + 0.25 * max(ratio * (1 + ratio) * high_share * high_share * size * size) AS high_variance
          FROM of_app
          LEFT JOIN payer USING (app, sequence_index, currency)
         GROUP BY subject, subject_week, sequence_index, currency
    ),
    -- Each end is that of the withheld values. With more than a tenth of them that say nothing there is none.
    interval_of AS MATERIALIZED (
        SELECT model.*,
               CASE WHEN without_low <= 0.1 * modelled_withheld
                    THEN round(greatest(0, low.quantile - half.payer)::numeric
                               * greatest(0, coalesce(lower($5), 0)), 6) END AS low_end,
               CASE WHEN without_high <= 0.1 * modelled_withheld AND upper($5) IS NOT NULL
                    THEN round(greatest(high_mean, high.quantile)::numeric * upper($5), 6) END AS high_end
          FROM model
         CROSS JOIN LATERAL (
               SELECT CASE WHEN low_variance > 0 THEN low_second::double precision / nullif(2 * low_first, 0) ELSE 0 END
               ) AS half (payer)
         CROSS JOIN LATERAL attribution.gamma_quantile(low_mean, low_variance, -1.96) AS low
         CROSS JOIN LATERAL (
               SELECT high_mean::double precision * high_mean::double precision
                      / nullif(high_variance, 0)::double precision AS high_shape
               OFFSET 0) AS of_high
         CROSS JOIN LATERAL attribution.gamma_quantile(
               high_mean, high_variance, 1.96 + least(0.05 * high_shape, 2 / sqrt(high_shape))) AS high
    )
    SELECT environment, developer_copy, nullif(subject_week, '-infinity'), protocol, ad_network_id, campaign_type,
           attribution.two_digits(campaign_type, campaign), advertised_app_id, sequence_index, nullif(currency, ''),
           postbacks, mapped, withheld, ambiguous, money.low, money.middle, money.high, revenue_open, modelled_from,
           modelled_mapped, coalesce(round(modelled_withheld, 6), 0) > 0 AND mapped < $4,
           coalesce(round(modelled_withheld, 6), 0),
           coalesce(round(from_app, 6), 0), coalesce(round(missing, 6), 0),
           coalesce(money.low, nothing) + coalesce(estimate_low, 0),
           coalesce(money.middle, nothing) + coalesce(estimate_middle, 0),
           coalesce(money.high, nothing) + coalesce(estimate_high, 0),
           CASE WHEN modelled_withheld IS NULL THEN money.low
                WHEN low_end IS NOT NULL THEN coalesce(money.low, nothing) + least(estimate_low, low_end) END,
           CASE WHEN revenue_unknown > 0 THEN NULL
                WHEN modelled_withheld IS NULL THEN money.high
                WHEN high_end IS NOT NULL THEN coalesce(money.high, nothing) + greatest(estimate_high, high_end) END,
           payers
      FROM figures
      -- Each row of interval_of has one of figures. PostgreSQL makes no FULL JOIN by loops, which too low an estimate would
      -- make it choose.
      FULL JOIN interval_of USING (subject, subject_week, sequence_index, currency)
      JOIN attribution.line ON line = subject
     -- Without a mapped value nobody knows the revenue. If something is modelled, there is nothing to add it to.
     CROSS JOIN LATERAL (
           SELECT CASE WHEN mapped > 0 THEN attribution.money(figures.low) END,
                  CASE WHEN mapped > 0 THEN attribution.money(figures.middle) END,
                  CASE WHEN mapped > 0 THEN attribution.money(figures.high) END,
                  CASE WHEN mapped = 0 AND modelled_withheld > coalesce(missing, 0) THEN 0 END)
           AS money (low, middle, high, nothing)
$body$);

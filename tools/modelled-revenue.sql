-- How often the interval of modelled revenue holds the truth: it makes up many apps, withholds values, and asks the report.
--
--     psql "$DATABASE_URL" -v apps=1000 -f tools/modelled-revenue.sql
--
-- The database has the schema and no answers. What is made up is in one transaction that is rolled back, so the database
-- stays as it is. `apps` is the number of apps a cell (default 100). `seed` is another sample (default 1); the same
-- numbers give the same apps. With 1,000 apps it takes some minutes, and 2 GB.
--
-- Each app has a scheme of 20 amounts, 0.59 to 149.64, most 1.35 times the one before. Of its users a share pays. What a user
-- pays is one draw:
--   lognormal 1, lognormal 1.5   8 and 5 times e to the power of 1 and 1.5 normal draws, put to an amount of the scheme
--   prices                       4.99 for 70 %, 14.99 for 25 %, 99.99 for 5 %, put to an amount of the scheme
--   12 campaigns                 lognormal 1.5; mapped 4 to 400 and withheld 40 to 20; payers are the same in all of them
--   ranges                       lognormal 1; each value says a range, and the last range is open; users pay any amount
--   Pareto                       the same, but amounts are 3 times a Pareto draw of exponent 1.5: few, and large
--   tiers                        12 campaigns of 5 to 500 installs a week, lognormal 1.5, payers differ by 0.5; a value is
--                                withheld if the campaign has fewer than 10 installs that day
-- But for `12 campaigns` and `tiers` an app has one campaign. As many values are withheld as are mapped, or four times as
-- many; they are like the mapped ones.
--
-- A row: of the apps of a cell, `NULL, %` have no interval. Of the others it holds the revenue of all users, mapped and
-- withheld, in `holds, %`. In `above, %` the truth is above it. `before` is the earlier interval: 1.96 standard errors of
-- the mean around the middle.

\set ON_ERROR_STOP on
\set QUIET on
SET search_path = pg_catalog, pg_temp;
SET client_min_messages = warning;
\pset footer off
\if :{?apps}
\else
    \set apps 100
\endif
\if :{?seed}
\else
    \set seed 1
\endif

DO $$ BEGIN
    IF EXISTS (SELECT FROM attribution.answer_daily) THEN RAISE EXCEPTION 'the store has answers'; END IF;
END $$;

BEGIN;
SET LOCAL work_mem = '256MB';
SET LOCAL max_parallel_workers_per_gather = 0;
SET LOCAL jit = off;

-- A number from 0 to 1, both excluded, that depends only on the row, the purpose and the seed.
CREATE FUNCTION pg_temp.draw(row_number bigint, purpose integer, seed integer) RETURNS double precision LANGUAGE sql
AS $$ SELECT ((hashint8extended($1, $2 + 100 * $3) & 4503599627370495) + 0.5::double precision) / 4503599627370496 $$;

CREATE TEMPORARY TABLE kind (kind integer, name text, ratio integer, campaigns integer[], is_exact boolean) ON COMMIT DROP;
INSERT INTO kind VALUES
    (1, 'lognormal 1', 1, NULL, true), (2, 'lognormal 1.5', 1, NULL, true), (3, 'prices', 1, NULL, true),
    (4, 'lognormal 1.5', 4, NULL, true), (5, '12 campaigns', NULL, '{4,6,8,10,15,20,25,40,60,100,200,400}', true),
    (6, 'ranges', 1, NULL, false), (7, 'Pareto', 1, NULL, false),
    (8, 'tiers', NULL, '{5,8,12,20,30,45,70,100,150,220,320,500}', true);

CREATE TEMPORARY TABLE amount ON COMMIT DROP AS
SELECT number, round(low::numeric, 6) AS low, round((low * (1 + CASE WHEN number < 20 THEN 1.35 ELSE 1 END) / 2)::numeric, 6)
           AS middle, CASE WHEN number < 20 THEN round((low * 1.35)::numeric, 6) END AS high
  FROM (SELECT number, 0.5 * 1.35::double precision ^ (number - 1) AS low FROM generate_series(1, 20) AS number) AS each;

-- A campaign: `mapped` values, of `users`; in tiers that is not known yet.
CREATE TEMPORARY TABLE campaign ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY kind, share, n, app_number, place)::integer AS line,
       dense_rank() OVER (ORDER BY kind, share, n, app_number) AS app, kind, share, n, place, mapped, users,
       CASE kind WHEN 8 THEN least(0.95, share * exp(0.5 * sqrt(-2 * ln(pg_temp.draw(row_number() OVER (
                     ORDER BY kind, share, n, app_number, place), 1, :seed))) * cos(2 * pi() * pg_temp.draw(
                     row_number() OVER (ORDER BY kind, share, n, app_number, place), 2, :seed)) - 0.125))
                 ELSE share END AS chance
  FROM (SELECT kind, share, n, 1 AS place, n AS mapped, (1 + ratio) * n AS users
          FROM kind, unnest('{10,30,100,1000}'::integer[]) AS n, unnest('{0.005,0.01,0.03,0.1,0.4}'::float8[]) AS share
         WHERE campaigns IS NULL
        UNION ALL
        SELECT kind, share, 0, place, size,
               CASE kind WHEN 5 THEN size + ('{40,40,36,36,30,24,20,20,20,20,20,20}'::integer[])[place] ELSE size END
          FROM kind, unnest(campaigns) WITH ORDINALITY AS each (size, place),
               unnest('{0.005,0.01,0.03,0.1,0.4}'::float8[]) AS share) AS cell,
       generate_series(1, :apps) AS app_number;

-- The users of tiers that have a value: those of days with 10 installs of the campaign.
CREATE TEMPORARY TABLE crowd ON COMMIT DROP AS
SELECT line, day, count(*) >= 10 AS is_mapped, count(*) AS users
  FROM campaign, generate_series(1, users) AS "user",
       LATERAL (SELECT floor(7 * pg_temp.draw(line * 10000::bigint + "user", 3, :seed)) AS day OFFSET 0) AS of
 WHERE kind = 8
 GROUP BY line, day;

CREATE TEMPORARY TABLE payer ON COMMIT DROP AS
SELECT line, CASE WHEN kind = 8 THEN crowd.is_mapped ELSE "user" <= mapped END AS is_mapped,
       CASE WHEN is_exact THEN amount.middle ELSE paid::numeric END AS paid,
       CASE WHEN is_exact THEN amount.middle ELSE amount.low END AS low, amount.middle,
       CASE WHEN is_exact THEN amount.middle ELSE coalesce(amount.high, amount.low) END AS high,
       NOT is_exact AND amount.high IS NULL AS is_open
  FROM (SELECT drawn.*,
               CASE WHEN kind IN (1, 6) THEN 8 * exp(normal)
                    WHEN kind IN (2, 4, 5, 8) THEN 5 * exp(1.5 * normal)
                    WHEN kind = 7 THEN 3 * uniform ^ (-1 / 1.5)
                    WHEN uniform < 0.7 THEN 4.99 WHEN uniform < 0.95 THEN 14.99 ELSE 99.99 END AS paid
          FROM (SELECT payer.*, floor(7 * pg_temp.draw(place, 3, :seed)) AS day, pg_temp.draw(place, 4, :seed) AS uniform,
                       sqrt(-2 * ln(pg_temp.draw(place, 4, :seed))) * cos(2 * pi() * pg_temp.draw(place, 5, :seed)) AS normal
                  FROM (SELECT line, kind, mapped, "user", line * 10000::bigint + "user" AS place
                          FROM campaign, generate_series(1, users) AS "user"
                         WHERE pg_temp.draw(line * 10000::bigint + "user", 6, :seed) < chance) AS payer
                OFFSET 0) AS drawn
        OFFSET 0) AS drawn
  JOIN kind USING (kind)
  JOIN amount ON amount.number = least(20, greatest(1, 1 + floor(ln(paid / 0.5) / ln(1.35))))
  LEFT JOIN crowd USING (line, day);

CREATE TEMPORARY TABLE level ON COMMIT DROP AS
SELECT line, app, kind, share, n, coalesce(of_crowd.mapped, campaign.mapped) AS mapped,
       coalesce(of_crowd.withheld, users - campaign.mapped) AS withheld, coalesce(low, 0) AS low,
       coalesce(middle, 0) AS middle, coalesce(high, 0) AS high, coalesce(square, 0) AS square, coalesce(open, 0) AS open,
       coalesce(paid, 0) AS paid
  FROM campaign
  LEFT JOIN (SELECT line, coalesce(sum(users) FILTER (WHERE is_mapped), 0) AS mapped,
                    coalesce(sum(users) FILTER (WHERE NOT is_mapped), 0) AS withheld
               FROM crowd GROUP BY line) AS of_crowd USING (line)
  LEFT JOIN (SELECT line, sum(low) FILTER (WHERE is_mapped) AS low, sum(middle) FILTER (WHERE is_mapped) AS middle,
                    sum(high) FILTER (WHERE is_mapped) AS high, sum(middle * middle) FILTER (WHERE is_mapped) AS square,
                    count(*) FILTER (WHERE is_mapped AND is_open) AS open, sum(paid) AS paid
               FROM payer GROUP BY line) AS paying USING (line);

INSERT INTO attribution.network (network, environment, protocol, ad_network_id)
VALUES (1, 'production', 'skadnetwork', 'example.skadnetwork');
INSERT INTO attribution.line (line, network, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign,
                              advertised_app_id)
SELECT line, 1, 'production', 'skadnetwork', 'example.skadnetwork', false, 'source-identifier', (10 + place)::text, app
  FROM campaign;
INSERT INTO attribution.conversion_scheme (advertised_app_id, valid_from, name, currency, document, sha256, loaded_at)
SELECT DISTINCT app, timestamptz '2026-01-01 00:00Z', 'amounts', 'USD', '{}'::jsonb, ''::bytea, now() FROM campaign;
INSERT INTO attribution.value_meaning (advertised_app_id, valid_from, sequence_index, value, locks, revenue_low,
                                       revenue_middle, revenue_high, events, possible_events)
SELECT app, timestamptz '2026-01-01 00:00Z', 0, number, false, CASE WHEN is_exact THEN middle ELSE low END, middle,
       CASE WHEN is_exact THEN middle ELSE high END, '{purchase}', '{}'
  FROM (SELECT DISTINCT app, is_exact FROM campaign JOIN kind USING (kind)) AS app, amount;
-- As folded: by campaign, and by the last two digits, of which each campaign has its own.
INSERT INTO attribution.answer_daily (
       answer_table, line, traits, day, sequence_index, did_win, currency, postbacks, redownloads, reengagements, fine, coarse,
       withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle,
       revenue_high, revenue_open, revenue_unknown, revenue_square)
SELECT attribution.answer_table('install', split_by), stored.line, stored.traits, '2026-07-06', 0, true, 'USD',
       mapped + withheld, 0, 0, mapped, 0, withheld, 0, mapped, 0, 0, 0, 0, 0, 0, low * 1000000, middle * 1000000,
       high * 1000000, open, 0, square
  FROM level
  JOIN attribution.line USING (line)
  JOIN attribution.app_line USING (line)
 CROSS JOIN LATERAL (VALUES ('campaign', line.line, NULL),
                            ('two_digits', app_line, attribution.two_digits_number(campaign_type, campaign)))
       AS stored (split_by, line, traits);
ANALYZE attribution.line, attribution.answer_daily, attribution.conversion_scheme, attribution.value_meaning, level;

CREATE TEMPORARY TABLE model ON COMMIT DROP AS
SELECT advertised_app_id AS app, modelled_interval_low AS low, modelled_interval_high AS high
  FROM attribution.report_modelled_revenue_by_app('2026-07-06', '2026-07-12');

-- The earlier interval. Campaigns with fewer than 30 mapped values rest on these together, or if they have too few, on all
-- of the app.
CREATE TEMPORARY TABLE earlier ON COMMIT DROP AS
SELECT app, sum(low) AS mapped_low, sum(high) AS mapped_high, sum(withheld) AS withheld, sum(mapped) AS mapped,
       sum(low + estimate_low) AS low, sum(high + estimate_high) AS high,
       1.96 * sqrt(sum(own_variance) + coalesce(
           max(variance * (shared_withheld ^ 2 / basis_mapped + shared_withheld)) FILTER (WHERE rests), 0)) AS half_width
  FROM (SELECT based.*, withheld * basis_low / basis_mapped AS estimate_low, withheld * basis_high / basis_mapped AS estimate_high,
               sum(withheld) FILTER (WHERE rests) OVER of_app AS shared_withheld,
               CASE WHEN NOT rests THEN variance * (withheld::numeric ^ 2 / basis_mapped + withheld) ELSE 0 END AS own_variance
          FROM (SELECT chosen.*, greatest(0, (basis_square - basis_middle ^ 2 / basis_mapped) / nullif(basis_mapped - 1, 0))
                           AS variance
                  FROM (SELECT app, rests, low, high, withheld, mapped,
                               CASE WHEN NOT rests THEN mapped WHEN small_ones_do THEN small_mapped ELSE all_mapped END::numeric
                                   AS basis_mapped,
                               CASE WHEN NOT rests THEN low WHEN small_ones_do THEN small_low ELSE all_low END AS basis_low,
                               CASE WHEN NOT rests THEN middle WHEN small_ones_do THEN small_middle ELSE all_middle END
                                   AS basis_middle,
                               CASE WHEN NOT rests THEN high WHEN small_ones_do THEN small_high ELSE all_high END AS basis_high,
                               CASE WHEN NOT rests THEN square WHEN small_ones_do THEN small_square ELSE all_square END
                                   AS basis_square
                          FROM (SELECT level.*, mapped < 30 AS rests,
                                       sum(mapped) FILTER (WHERE mapped < 30) OVER of_app >= 30 AS small_ones_do,
                                       sum(mapped) FILTER (WHERE mapped < 30) OVER of_app AS small_mapped,
                                       sum(low) FILTER (WHERE mapped < 30) OVER of_app AS small_low,
                                       sum(middle) FILTER (WHERE mapped < 30) OVER of_app AS small_middle,
                                       sum(high) FILTER (WHERE mapped < 30) OVER of_app AS small_high,
                                       sum(square) FILTER (WHERE mapped < 30) OVER of_app AS small_square,
                                       sum(mapped) OVER of_app AS all_mapped, sum(low) OVER of_app AS all_low,
                                       sum(middle) OVER of_app AS all_middle, sum(high) OVER of_app AS all_high,
                                       sum(square) OVER of_app AS all_square
                                  FROM level WINDOW of_app AS (PARTITION BY app)) AS level) AS chosen) AS based
        WINDOW of_app AS (PARTITION BY app)) AS based
 GROUP BY app;

SELECT name AS amounts, round((share * 100)::numeric, 1) AS "payers, %", round(avg(truth.mapped)) AS mapped,
       round(avg(truth.withheld)) AS withheld, round((avg(truth.mapped) * share)::numeric, 1) AS "expected payers",
       round(100.0 * count(*) FILTER (WHERE is_null) / count(*), 1) AS "NULL, %",
       round(100.0 * count(*) FILTER (WHERE paid BETWEEN model.low AND model.high)
             / nullif(count(*) FILTER (WHERE NOT is_null), 0), 1) AS "holds, %",
       round(100.0 * count(*) FILTER (WHERE NOT is_null AND paid > model.high)
             / nullif(count(*) FILTER (WHERE NOT is_null), 0), 1) AS "above, %",
       round(100.0 * count(*) FILTER (WHERE NOT is_null AND paid < model.low)
             / nullif(count(*) FILTER (WHERE NOT is_null), 0), 1) AS "below, %",
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY model.high - model.low))::numeric, 1) AS "median width",
       round(100.0 * count(*) FILTER (WHERE paid BETWEEN before.low AND before.high) / count(*), 1) AS "before: holds, %",
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY before.high - before.low))::numeric, 1) AS "before: width"
  FROM (SELECT app, kind, share, n, sum(mapped) AS mapped, sum(withheld) AS withheld, sum(paid) AS paid
          FROM level GROUP BY app, kind, share, n) AS truth
  JOIN kind USING (kind)
  JOIN (SELECT *, low IS NULL OR high IS NULL AS is_null FROM model) AS model USING (app)
  JOIN (SELECT app, greatest(mapped_low, low - half_width) AS low, high + half_width AS high FROM earlier) AS before USING (app)
 GROUP BY kind, name, share, n
 ORDER BY kind, n, share;

ROLLBACK;

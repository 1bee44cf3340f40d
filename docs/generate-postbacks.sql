-- Fills an empty store with many postbacks, to see how it does when it is big; see docs/performance.md.
--
--     psql "$DATABASE_URL" -v count=10000000 -f docs/generate-postbacks.sql
--
-- This is no way to receive postbacks, and nothing here came from Apple: the rows are made up inside the database, the
-- signatures in them are noise that no key verifies, and they count as `production` only so that the reports show them.
-- So never run it on a database that matters; it refuses one that holds postbacks. What is true to life is what decides
-- the cost: the widths of the rows, their order of arrival, how many rows share a key, the random order of the
-- transaction ids. The same `count` gives the same rows.
--
-- SKAdNetwork 4.0, one network, evenly over the 90 days from 2025-08-23 on. There are 100 source identifiers of four
-- digits, each for one of three apps. Of ten postbacks seven tell all its digits, two the last three, one the last two;
-- 20 apps showed the ads, and a third of the postbacks tell which. Of a hundred, 12 belong to the second or third
-- window and 10 did not win. Of a hundred winning ones of the first window, 45 have a fine value and 30 a coarse one;
-- of later windows, 60 have a coarse one.

\set ON_ERROR_STOP on
\if :{?count}
\else
    \set count 10000000
\endif

DO $$ BEGIN
    IF EXISTS (SELECT FROM attribution.postback) THEN RAISE EXCEPTION 'attribution.postback is not empty'; END IF;
END $$;

BEGIN;
SET LOCAL work_mem = '256MB';

-- hashint8extended(n, seed) & 1023: a draw of 0 to 1023 that depends on nothing but the row and what is drawn. JSON is
-- put together by hand, as its text is kept as it came. OFFSET 0 keeps the planner from working a column out again at
-- each place where it is used. Rows come in the order of n, and so of their receipt.
INSERT INTO attribution.postback
       (environment, protocol, version, ad_network_id, transaction_id, sequence_index, did_win, campaign_type, campaign,
        advertised_app_id, source_app_id, redownload, fidelity_type, conversion_value, first_conversion_value,
        coarse_value, first_coarse_value, received_at, developer_copy, relay_normalised, signing_key, payload)
SELECT 'production', 'skadnetwork', '4.0', 'example123.skadnetwork', transaction_id, sequence_index, did_win,
       'source-identifier', campaign, advertised_app_id, source_app_id, redownload, fidelity_type,
       fine, fine, coarse, coarse, received_at, false, false, 'apple-cas-identifier/0',
       concat(
           '{"version":"4.0","ad-network-id":"example123.skadnetwork","source-identifier":"', campaign,
           '","transaction-id":"', transaction_id,
           '","app-id":', advertised_app_id,
           ',"attribution-signature":"MEUCIQ', noise, left(noise, 25),
           '=","redownload":', redownload::text,
           ',"source-app-id":' || source_app_id,
           ',"fidelity-type":', fidelity_type,
           ',"did-win":', did_win::text,
           ',"postback-sequence-index":', sequence_index,
           ',"conversion-value":' || fine,
           ',"coarse-conversion-value":"' || coarse || '"',
           '}')::json
  FROM (
    SELECT *,
           CASE WHEN first_win AND value_draw < 461 THEN fine_draw END AS fine,
           CASE WHEN (first_win AND value_draw BETWEEN 461 AND 767) OR (sequence_index > 0 AND value_draw < 614)
                THEN (ARRAY['low', 'medium', 'high'])[1 + fine_draw % 3] END AS coarse
      FROM (
        SELECT md5(n::text)::uuid AS transaction_id,
               encode(sha256(int8send(n)), 'hex') AS noise,
               right((1000 + identifier * 89)::text, CASE WHEN digits_draw < 717 THEN 4
                                                          WHEN digits_draw < 922 THEN 3
                                                          ELSE 2 END) AS campaign,
               (ARRAY[525463029, 1234567891, 10738027756])[1 + identifier % 3] AS advertised_app_id,
               CASE WHEN source_draw < 341 AND did_win THEN 1500000000 + source_draw % 20 END AS source_app_id,
               redownload_draw < 205 AS redownload,
               (redownload_draw & 1)::smallint AS fidelity_type,
               CASE WHEN NOT did_win OR window_draw < 870 THEN 0
                    WHEN window_draw < 960 THEN 1
                    ELSE 2 END::smallint AS sequence_index,
               did_win,
               did_win AND window_draw < 870 AS first_win,
               value_draw,
               (fine_draw & 63)::smallint AS fine_draw,
               timestamptz '2025-08-23 00:00:00+00' + n * (interval '90 days' / :count) AS received_at
          FROM (
            SELECT n,
                   abs(hashint8extended(n, 1) % 100)::integer AS identifier,
                   hashint8extended(n, 2) & 1023 AS digits_draw,
                   hashint8extended(n, 3) & 1023 AS source_draw,
                   hashint8extended(n, 4) & 1023 AS redownload_draw,
                   hashint8extended(n, 5) & 1023 AS window_draw,
                   (hashint8extended(n, 6) & 1023) >= 102 AS did_win,
                   hashint8extended(n, 7) & 1023 AS value_draw,
                   hashint8extended(n, 8) & 1023 AS fine_draw
              FROM generate_series(0::bigint, :count - 1) AS n
            OFFSET 0
          ) AS drawn
        OFFSET 0
      ) AS chosen
    OFFSET 0
  ) AS made;

-- The figures, by a count of those rows, so that docs/recount.sql finds nothing.
INSERT INTO attribution.source_app_daily_base
       (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
        source_app, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum,
        raised, conflicts, later_windows)
SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       source_app,
       count(*) FILTER (WHERE first_win AND NOT redownload),
       count(*) FILTER (WHERE first_win AND redownload),
       0,
       count(*) FILTER (WHERE NOT did_win),
       count(*) FILTER (WHERE first_win AND conversion_value IS NOT NULL),
       count(*) FILTER (WHERE first_win AND coarse_value IS NOT NULL),
       count(*) FILTER (WHERE first_win AND conversion_value IS NULL AND coarse_value IS NULL),
       coalesce(sum(conversion_value) FILTER (WHERE first_win), 0),
       0, 0,
       count(*) FILTER (WHERE sequence_index > 0)
  FROM (SELECT *, (received_at AT TIME ZONE 'UTC')::date AS day, coalesce(source_app_id::text, '') AS source_app,
               did_win AND sequence_index = 0 AS first_win
          FROM attribution.postback) AS fact
 GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
          source_app;

INSERT INTO attribution.campaign_daily_base
       (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
        installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum, raised,
        conflicts, later_windows)
SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sum(installs), sum(redownloads), 0, sum(assists), sum(value_known), sum(value_coarse), sum(value_null),
       sum(value_sum), 0, 0, sum(later_windows)
  FROM attribution.source_app_daily_base
 GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id;

INSERT INTO attribution.conversion_value_daily_base
       (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
        sequence_index, did_win, conversion_value, coarse_value, postbacks)
SELECT (received_at AT TIME ZONE 'UTC')::date AS day, environment, developer_copy, protocol, ad_network_id,
       campaign_type, campaign, advertised_app_id, sequence_index, did_win, coalesce(conversion_value, -1),
       coalesce(coarse_value, ''), count(*)
  FROM attribution.postback
 GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
          sequence_index, did_win, conversion_value, coarse_value;

COMMIT;

-- What autovacuum would begin on its own, sooner or later.
VACUUM (ANALYZE) attribution.postback, attribution.source_app_daily_base, attribution.campaign_daily_base,
    attribution.conversion_value_daily_base;

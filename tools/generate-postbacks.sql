-- Fills an empty store with many postbacks, to measure a large store; see docs/growth.md.
--
--     psql "$DATABASE_URL" -v count=10000000 -f tools/generate-postbacks.sql
--     psql "$DATABASE_URL" -v count=1000000 -v lines=100 -v span='100 seconds' -v unfolded=1 \
--         -f tools/generate-postbacks.sql
--     psql "$DATABASE_URL" -v count=10000000 -v sources=zipf:100000 -v lines=zipf:20000 \
--         -f tools/generate-postbacks.sql
--
-- These postbacks are not Apple's: the rows are made up inside the database, and no key verifies their signatures. They
-- count as `production` only so that the reports show them. Never run this on a database that you need. It refuses a
-- database that holds postbacks. The rows are like real ones in what decides the cost. That is their widths, their
-- order of arrival, how many share a key, and the random order of the transaction ids. The same variables give the same
-- rows.
--
-- SKAdNetwork 4.0, evenly over the 90 days from 2025-08-23 on: three networks, 20 apps, 2,000 lines, 20 sources. `span`
-- is a shorter time, from 2025-08-23 on as well. With `unfolded` the figures are not folded (time-folds.sql).
--
-- `lines` is another number of lines, 20 to 20,000, and `sources` another number of sources, 1 to 100,000,000. Each
-- gets equally many postbacks. With `zipf:` before the number they follow Zipf's law: the nth one gets 1/n of what the
-- first one gets. Of `zipf:100000`, the first source gets 8 percent and the rarer half 6 percent. Of `zipf:20000`, the
-- first line gets 9 percent; its app is 525463000. `domains` says how many of a hundred sources are web sites (default
-- 0).
--
-- A line is a source identifier of a network for one app. Of ten, seven have four digits, two have three, one has two.
-- Apps or web sites showed the ads, and a third of the postbacks tell which. Of a hundred, 12 belong to the second or
-- third window and 10 did not win. Of a hundred winning ones of the first window, 45 have a fine value and 30 a coarse
-- one. Of later windows, 60 have a coarse one.

\set ON_ERROR_STOP on
SET search_path = pg_catalog, pg_temp;
\if :{?count}
\else
    \set count 10000000
\endif
\if :{?lines}
\else
    \set lines 2000
\endif
\if :{?span}
\else
    \set span '90 days'
\endif
\if :{?sources}
\else
    \set sources 20
\endif
\if :{?domains}
\else
    \set domains 0
\endif

DO $$ BEGIN
    IF EXISTS (SELECT FROM attribution.postback_state) THEN RAISE EXCEPTION 'the store is not empty'; END IF;
END $$;

BEGIN;
SET LOCAL work_mem = '256MB';

SELECT attribution.add_partitions('2025-08-23', 90);

-- How many there are, of 'NUMBER' or 'zipf:NUMBER'; NULL if it is neither, which the columns below refuse.
CREATE FUNCTION pg_temp.size_of(population text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT substring(population FROM '^(?:zipf:)?([1-9][0-9]{0,8})$')::integer
$$;

-- One of them, from 1 on, as a hash chooses. By Zipf's law the first k of them have the share H(k) / H(size) of all.
-- H(k) is a harmonic number, nearly ln(k + 0.5) + 0.57721567; the first one gets 1.7 percent too little. This is solved
-- for k.
CREATE FUNCTION pg_temp.chosen(population text, hash bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN population LIKE 'zipf:%'
                THEN least(pg_temp.size_of(population),
                           ceil(exp((hash & 9007199254740991) / 9007199254740992.0::double precision
                                        * (ln(pg_temp.size_of(population) + 0.5::double precision) + 0.57721567)
                                    - 0.57721567) - 0.5))::integer
                ELSE 1 + abs(hash % pg_temp.size_of(population))::integer END
$$;

INSERT INTO attribution.network (network, environment, protocol, ad_network_id)
SELECT n, 'production', 'skadnetwork', 'example' || n || '.skadnetwork' FROM generate_series(1, 3) AS n;

-- Line n belongs to network n % 3 and to app n % 20, so every network advertises each app. An app has lines of the same
-- digits only, but of other digits in each further 2,000 lines.
INSERT INTO attribution.line
       (line, network, environment, protocol, ad_network_id, developer_copy, campaign_type, campaign, advertised_app_id)
SELECT n, 1 + n % 3, 'production', 'skadnetwork', 'example' || 1 + n % 3 || '.skadnetwork', false, 'source-identifier',
       CASE WHEN (n + n / 2000) % 10 < 7 THEN 1000 + (n + n / 9000) % 9000
            WHEN (n + n / 2000) % 10 < 9 THEN 100 + n % 2000 / 3 + n / 2000
            ELSE 10 + n % 2000 / 23 END::text,
       525463000 + n % 20
  FROM generate_series(0, pg_temp.size_of(:'lines') - 1) AS n;

-- A server that comes later numbers its lines behind these.
SELECT setval(pg_get_serial_sequence('attribution.line', 'line'), pg_temp.size_of(:'lines'), false);

-- The domain of the nth source if it is a web site, and its number.
CREATE FUNCTION pg_temp.domain_of(n integer, domains integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN n::bigint * domains / 100 > (n - 1)::bigint * domains / 100 THEN 'publisher' || n || '.example' END
$$;
CREATE FUNCTION pg_temp.source_of(n integer, domains integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(attribution.source_number(pg_temp.domain_of(n, domains)), 1500000000 + n)
$$;

INSERT INTO attribution.source (source, source_domain)
SELECT pg_temp.source_of(n, :domains), domain
  FROM generate_series(1, pg_temp.size_of(:'sources')) AS n, pg_temp.domain_of(n, :domains) AS domain
 WHERE domain IS NOT NULL;

INSERT INTO attribution.signing_key (signing_key, name) VALUES (1, 'apple-cas-identifier/0');

INSERT INTO attribution.traits (traits, signing_key, version, redownload, fidelity_type, relay_normalised)
SELECT 1 + 2 * fidelity_type + redownload, 1, '4.0', redownload = 1, fidelity_type, false
  FROM generate_series(0, 1) AS fidelity_type, generate_series(0, 1) AS redownload;

-- hashint8extended(n, seed) & 1023 is a number of 0 to 1023 that depends only on the row and the seed. OFFSET 0 keeps
-- the planner from computing a column again wherever it is used. Rows come in the order of n, which is the order of
-- their receipt. Each 200 consecutive rows are a batch in each lane.
CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT transaction_id, line, source, 1 + 2 * (redownload_draw & 1) + (redownload_draw < 205)::integer AS traits,
       sequence_index, did_win, received_at, noise, lane,
       attribution.first_position(received_at::date) + 1 + n / 200 AS position, (1 + n % 200)::smallint AS ordinal,
       CASE WHEN first_win AND value_draw < 461 THEN fine_draw & 63
            WHEN first_win AND value_draw < 768 OR sequence_index > 0 AND value_draw < 614 THEN 101 + fine_draw % 3
            ELSE -1 END::smallint AS value
  FROM (
    SELECT drawn.*,
           CASE WHEN NOT did_win OR window_draw < 870 THEN 0 WHEN window_draw < 960 THEN 1 ELSE 2 END::smallint
               AS sequence_index,
           did_win AND window_draw < 870 AS first_win,
           CASE WHEN source_draw < 341 AND did_win
                THEN pg_temp.source_of(pg_temp.chosen(:'sources', source_hash), :domains) ELSE 0 END AS source,
           lane.lane
      FROM (
        SELECT n, hex::uuid AS transaction_id,
               encode(sha256(int8send(n)), 'hex') AS noise,
               ((('x' || substr(hex, 1, 8))::bit(32)::bigint # ('x' || substr(hex, 9, 8))::bit(32)::bigint
                 # ('x' || substr(hex, 17, 8))::bit(32)::bigint # ('x' || substr(hex, 25, 8))::bit(32)::bigint)
                * 1640531527) & 4294967295 AS hash,
               timestamptz '2025-08-23 00:00:00+00' + n * (interval :'span' / :count) AS received_at,
               pg_temp.chosen(:'lines', hashint8extended(n, 1)) - 1 AS line,
               hashint8extended(n, 9) AS source_hash,
               hashint8extended(n, 3) & 1023 AS source_draw,
               hashint8extended(n, 4) & 1023 AS redownload_draw,
               hashint8extended(n, 5) & 1023 AS window_draw,
               (hashint8extended(n, 6) & 1023) >= 102 AS did_win,
               hashint8extended(n, 7) & 1023 AS value_draw,
               hashint8extended(n, 8) & 1023 AS fine_draw
          FROM (SELECT n, md5(n::text) AS hex FROM generate_series(0::bigint, :count - 1) AS n OFFSET 0) AS numbered
        OFFSET 0
      ) AS drawn
      JOIN attribution.lane ON hash BETWEEN lane.first_hash AND lane.last_hash
    OFFSET 0
  ) AS chosen;

INSERT INTO attribution.postback_state
       (transaction_id, received_at, position, line, source, traits, conflicts, lane, network, sequence_index, value,
        first_value, previous_value, ordinal, did_win)
SELECT transaction_id, received_at, position, line, source, traits, 0, lane, 1 + line % 3, sequence_index, value,
       value, -1, ordinal, did_win
  FROM made;

-- The JSON is written by hand, because a body is stored as it was received.
INSERT INTO attribution.postback_body
       (position, received_at, transaction_id, line, lane, ordinal, source_address, user_agent, payload)
SELECT position, received_at, transaction_id, line, lane, ordinal, '17.58.56.232',
       'App%20Store/3.0 iOS/17.1 model/iPhone15,2 (6; dt:301)',
       concat(
           '{"version":"4.0","ad-network-id":"', ad_network_id, '","source-identifier":"', campaign,
           '","transaction-id":"', transaction_id,
           '","app-id":', advertised_app_id,
           ',"attribution-signature":"MEUCIQ', noise, left(noise, 25),
           '=","redownload":', redownload::text,
           ',"source-app-id":' || attribution.source_app_id(source),
           ',"source-domain":"' || source_domain || '"',
           ',"fidelity-type":', fidelity_type,
           ',"did-win":', did_win::text,
           ',"postback-sequence-index":', sequence_index,
           ',"conversion-value":' || attribution.fine_value(value),
           ',"coarse-conversion-value":"' || attribution.coarse_value(value) || '"',
           '}')
  FROM made
  JOIN attribution.line USING (line)
  LEFT JOIN attribution.source USING (source)
  JOIN attribution.traits USING (traits);

INSERT INTO attribution.postback_log
       (position, written_at, received_at, transaction_id, line, source, traits, lane, ordinal, event, sequence_index,
        value, previous_value, did_win)
SELECT position, received_at, received_at, transaction_id, line, source, traits, lane, ordinal, 0, sequence_index,
       value, -1, did_win
  FROM made;

COMMIT;

ANALYZE attribution.postback_state, attribution.postback_body, attribution.postback_log;

-- The figures, folded as a server folds them.
\if :{?unfolded}
\else
    DO $$
    BEGIN
        WHILE (SELECT attribution.fold(array_agg(lane.lane), 250000) FROM attribution.lane) > 0 LOOP
            COMMIT;
        END LOOP;
    END $$;
\endif

-- What autovacuum would begin on its own, sooner or later.
VACUUM (ANALYZE) attribution.postback_state, attribution.postback_body, attribution.postback_log,
    attribution.campaign_daily, attribution.source_app_daily, attribution.conversion_value_daily;
ANALYZE attribution.network, attribution.line, attribution.source, attribution.traits, attribution.signing_key;

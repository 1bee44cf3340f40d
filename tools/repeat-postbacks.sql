-- Makes a store of generate-postbacks.sql longer: its 90 days once more for each of the `times` periods of 90 days
-- before them. For measurements of a large store only; see docs/growth.md.
--
--     psql "$DATABASE_URL" -v times=9 -f tools/repeat-postbacks.sql
--
-- Everything must be folded before. It copies the state of the postbacks, under other transaction ids, and all daily
-- tables. So state and figures agree, as `PostbackServer recount` says. The copies have neither
-- bodies nor log: their days are entered as dropped. `times` is 1 to 255. Schemes must be valid for the earlier days as
-- they are for the others (generate-schemes.sql). Never run it on a database that you need, nor twice.
--
-- The primary key is built anew at the end, so that this takes minutes instead of hours. Its pages are as full as those
-- of an index that took random transaction ids one by one.

\set ON_ERROR_STOP on
SET search_path = pg_catalog, pg_temp;
SET work_mem = '256MB';

DO $$ BEGIN
    IF (SELECT min(received_at) <> '2025-08-23 00:00:00+00' FROM attribution.postback_state) THEN
        RAISE EXCEPTION 'the store does not begin as generate-postbacks.sql makes it';
    END IF;
END $$;

-- The hash of a transaction id is that of the XOR of its four words. If two words change in the same bits, it stays the
-- same. So a copy is in the lane of its original.
CREATE FUNCTION pg_temp.other_id(id uuid, number integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT encode(set_byte(set_byte(uuid_send(id), 0, get_byte(uuid_send(id), 0) # number),
                           4, get_byte(uuid_send(id), 4) # number), 'hex')::uuid
$$;

-- Period by period, so that rows lie in the order of their days, as in a store that grew.
CREATE PROCEDURE pg_temp.repeat_state(times integer) LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMPORARY TABLE once ON COMMIT DROP AS SELECT * FROM attribution.postback_state;
    FOR period IN 1 .. times LOOP
        INSERT INTO attribution.postback_state
               (transaction_id, received_at, position, line, source, traits, conflicts, lane, network, sequence_index,
                value, first_value, previous_value, ordinal, did_win)
        SELECT pg_temp.other_id(transaction_id, period), received_at - period * interval '90 days',
               position - ((period * 90)::bigint << 32), line, source, traits, conflicts, lane, network, sequence_index,
               value, first_value, previous_value, ordinal, did_win
          FROM once;
    END LOOP;
END $$;

BEGIN;
ALTER TABLE attribution.postback_state DROP CONSTRAINT postback_key;

CALL pg_temp.repeat_state(:times);

ALTER TABLE attribution.postback_state
    ADD CONSTRAINT postback_key PRIMARY KEY (transaction_id, lane, network, sequence_index, did_win)
        WITH (fillfactor = 68);

INSERT INTO attribution.dropped_day (part, day, dropped_at)
SELECT part, date '2025-08-23' - number, now()
  FROM generate_series(1, :times * 90) AS number, (VALUES ('body'), ('log')) AS parts (part)
    ON CONFLICT DO NOTHING;

INSERT INTO attribution.dropped_place (lane, position, ordinal)
SELECT lane, attribution.first_position('2025-08-23') - 1, 32767
  FROM attribution.lane
    ON CONFLICT DO NOTHING;
COMMIT;

-- The daily tables. The days of installs of two periods overlap, so sums are added to those that are there. The catalog
-- says which columns are the key of a table, and which are sums.
CREATE PROCEDURE pg_temp.repeat_daily(daily regclass, times integer) LANGUAGE plpgsql AS $$
DECLARE
    keys text;
    sums text;
BEGIN
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY array_position(indkey::smallint[], attnum))
               FILTER (WHERE attnum = ANY (indkey)),
           string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attnum <> ALL (indkey))
      INTO keys, sums
      FROM pg_index
      JOIN pg_attribute ON attrelid = indrelid
     WHERE indrelid = daily AND indisunique AND attnum > 0 AND attgenerated = '' AND NOT attisdropped;
    EXECUTE format('CREATE TEMPORARY TABLE once AS SELECT * FROM %s ORDER BY %s', daily, keys);
    FOR period IN 1 .. times LOOP
        EXECUTE format('INSERT INTO %1$s AS stored (%2$s, %3$s) SELECT %4$s, %3$s FROM once
                            ON CONFLICT (%2$s) DO UPDATE SET %5$s',
                       daily, keys, sums, regexp_replace(keys, '(\w*day)', '\1 - ' || period * 90, 'g'),
                       regexp_replace(sums, '(\w+)', '\1 = attribution.added(stored.\1, excluded.\1)', 'g'));
        COMMIT;
    END LOOP;
    DROP TABLE once;
END $$;

CALL pg_temp.repeat_daily('attribution.campaign_daily', :times);
CALL pg_temp.repeat_daily('attribution.source_app_daily', :times);
CALL pg_temp.repeat_daily('attribution.conversion_value_daily', :times);
CALL pg_temp.repeat_daily('attribution.answer_daily', :times);
CALL pg_temp.repeat_daily('attribution.answer_split_daily', :times);
CALL pg_temp.repeat_daily('attribution.answer_event_daily', :times);

-- Costs and rates, if generate-spend.sql has loaded them.
INSERT INTO attribution.spend_daily (
    day, ad_network_id, advertised_app_id, campaign_id, currency, spend, impressions, clicks, installs, source_file,
    loaded_at)
SELECT day - period * 90, ad_network_id, advertised_app_id, campaign_id, currency, spend, impressions, clicks, installs,
       source_file, loaded_at
  FROM generate_series(1, :times) AS period, attribution.spend_daily
    ON CONFLICT DO NOTHING;

INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
SELECT day - period * 90, currency, units_per_usd, loaded_at
  FROM generate_series(1, :times) AS period, attribution.currency_rate
    ON CONFLICT DO NOTHING;

VACUUM (ANALYZE) attribution.postback_state, attribution.campaign_daily, attribution.source_app_daily,
    attribution.conversion_value_daily, attribution.answer_daily, attribution.answer_split_daily,
    attribution.answer_event_daily, attribution.spend_daily, attribution.currency_rate;

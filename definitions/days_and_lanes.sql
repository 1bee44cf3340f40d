-- Days and lanes: which lane a postback has, which day a position has, and the partitions of days.

-- The day of a time in reports, and when such a day begins. They are made of `attribution.time_zone()`, whose days may have
-- 23 or 25 hours. PostgreSQL puts a strict function in place only if all in it are strict, so `time_zone` is.
CREATE OR REPLACE FUNCTION attribution.day_of(at timestamptz) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (at AT TIME ZONE attribution.time_zone())::date $$;

-- Where clocks go back at one o'clock, as in the Azores, midnight is twice, and PostgreSQL takes the later one. The first
-- one is an hour after eleven o'clock. It is in UTC, since PostgreSQL computes only times without a time zone in place.
CREATE OR REPLACE FUNCTION attribution.day_begins(day date) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT least(day::timestamp AT TIME ZONE attribution.time_zone(),
                 ((day::timestamp - interval '1 hour') AT TIME ZONE attribution.time_zone() AT TIME ZONE 'UTC'
                  + interval '1 hour') AT TIME ZONE 'UTC')
$$;

-- Chooses the time zone of the days of reports, before anything is counted, and returns whether PostgreSQL knows it. Names of
-- abbreviations and POSIX texts are none: their sign says the opposite of what people expect.
CREATE OR REPLACE FUNCTION attribution.choose_time_zone(zone text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF zone NOT IN (SELECT name FROM pg_timezone_names) THEN RETURN false; END IF;
    EXECUTE format('CREATE OR REPLACE FUNCTION attribution.time_zone() RETURNS text LANGUAGE sql IMMUTABLE STRICT
                        PARALLEL SAFE AS $f$ SELECT text %L $f$', zone);
    RETURN true;
END $$;

COMMENT ON FUNCTION attribution.day_of(timestamptz) IS 'The day of a time in reports, in the time zone of the installation';
COMMENT ON FUNCTION attribution.day_begins(date) IS 'When a day of reports begins';
COMMENT ON FUNCTION attribution.choose_time_zone(text) IS 'Chooses the time zone of the days of reports, before anything is counted';

-- The oldest day of writing of a lane that is not closed.
CREATE OR REPLACE FUNCTION attribution.first_lane_day() RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT min(lane_day.day) FROM attribution.lane_day JOIN attribution.lane USING (lane) WHERE NOT is_closed);
END $$;

COMMENT ON FUNCTION attribution.first_lane_day() IS 'The oldest day of writing of a lane that is not closed';

-- The hash of a transaction id, 0 to 2^32 - 1: XOR of its four 32-bit words, times an odd number, modulo 2^32.
CREATE OR REPLACE FUNCTION attribution.transaction_hash(transaction_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ((word[1] # word[2] # word[3] # word[4]) * 1640531527) & 4294967295
      FROM (SELECT array_agg(('x' || substr(replace(transaction_id::text, '-', ''), 8 * n + 1, 8))::bit(32)::bigint
                             ORDER BY n) AS word
              FROM generate_series(0, 3) AS n) AS words
$$;

-- The first position of a day, and the day of a position. migrations/0002_postback.sql says what a position is.
CREATE OR REPLACE FUNCTION attribution.first_position(day date) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (day - date '2000-01-01')::bigint << 32 $$;

CREATE OR REPLACE FUNCTION attribution.day_of_writing(a_position bigint) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT date '2000-01-01' + (a_position >> 32)::integer $$;

-- Creates the partition of a table for a day, and returns whether it was missing. Others can read and write during
-- ATTACH, but not during CREATE … PARTITION OF.
--
-- SECURITY DEFINER: a server that may not make tables may make these. Batches and archives read partitions by their own
-- names, so each has the rights of its table.
CREATE OR REPLACE FUNCTION attribution.add_partition(partitioned text, day date) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    partition text := partitioned || to_char(day, '_YYYYMMDD');
    a_right   text;
BEGIN
    IF partitioned NOT IN ('postback_body', 'postback_log') THEN
        RAISE EXCEPTION 'the table % has no days', partitioned USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass('attribution.' || partition) IS NOT NULL THEN RETURN false; END IF;
    -- Rows are almost never updated or deleted, so there is nothing to clean up. While somebody holds a snapshot open,
    -- autovacuum can't mark the new pages either, and would read the whole partition again and again.
    EXECUTE format('CREATE TABLE attribution.%I (LIKE attribution.%I INCLUDING ALL)
                      WITH (autovacuum_vacuum_insert_threshold = -1)', partition, partitioned);
    EXECUTE format('ALTER TABLE attribution.%I ATTACH PARTITION attribution.%I FOR VALUES FROM (%s) TO (%s)',
                   partitioned, partition, attribution.first_position(day), attribution.first_position(day + 1));
    -- For a move of shards by logical replication: the table has no unique key.
    EXECUTE format('ALTER TABLE attribution.%I REPLICA IDENTITY FULL', partition);
    FOR a_right IN
        SELECT format('GRANT %s ON attribution.%I TO %s%s', privilege_type, partition,
                      CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
                      CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
          FROM pg_class, aclexplode(relacl)
         WHERE pg_class.oid = ('attribution.' || partitioned)::regclass AND grantee <> relowner LOOP
        EXECUTE a_right;
    END LOOP;
    RETURN true;
END $$;

REVOKE EXECUTE ON FUNCTION attribution.add_partition(text, date) FROM PUBLIC;

-- Creates the partitions of some days, and returns how many were missing.
CREATE OR REPLACE FUNCTION attribution.add_partitions(first_day date, days integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    partitioned text;
    added       integer := 0;
BEGIN
    FOR day_number IN 0 .. days - 1 LOOP
        FOREACH partitioned IN ARRAY ARRAY['postback_body', 'postback_log'] LOOP
            added := added + attribution.add_partition(partitioned, first_day + day_number)::integer;
        END LOOP;
    END LOOP;
    RETURN added;
END $$;

-- The same for the days in which batches will be written. A first day after today, by the clock of the database, is replaced
-- by today, and one before every lane's day of writing by the oldest of these.
--
-- SECURITY DEFINER, although `add_partition` is: on a cluster one transaction can't read shards as one role and make some as
-- another.
CREATE OR REPLACE FUNCTION attribution.add_coming_partitions(first_day date, days integer) RETURNS integer LANGUAGE sql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT attribution.add_partitions(
               greatest(least(first_day, (clock_timestamp() AT TIME ZONE 'UTC')::date), attribution.first_lane_day()), days)
$$;

REVOKE EXECUTE ON FUNCTION attribution.add_coming_partitions(date, integer) FROM PUBLIC;

-- Retention: days of bodies and of the log leave, and archived bodies come back. State stays. docs/retention.md
-- explains what follows from it.
--
-- Everything here works on whole days of writing. Days from the oldest day of writing of a lane on are never touched.
-- So only these functions change rows of the days before. They all take one lock, so one server, or one command, at a
-- time works on days.
--
-- Those that drop or alter a partition are SECURITY DEFINER: a server does not own tables. On a cluster one transaction
-- can't read shards as one role and change tables as another, so they do all of their work as the owner.

-- The days that have a partition, in order.
CREATE OR REPLACE FUNCTION attribution.written_days(a_part text) RETURNS SETOF date LANGUAGE sql STABLE ROWS 100 AS $$
    SELECT to_date(right(partition.relname, 8), 'YYYYMMDD')
      FROM pg_catalog.pg_inherits AS part
      JOIN pg_catalog.pg_class AS partition ON partition.oid = part.inhrelid
     WHERE part.inhparent = ('attribution.postback_' || a_part)::regclass
       AND partition.relname ~ ('^postback_' || a_part || '_[0-9]{8}$')
     ORDER BY 1
$$;

COMMENT ON FUNCTION attribution.written_days(text) IS 'The days of writing of which there are bodies (body) or log (log)';

-- Days before it are over: nothing is written in them any more.
CREATE OR REPLACE FUNCTION attribution.first_open_day() RETURNS date LANGUAGE sql STABLE AS $$
    SELECT least(attribution.first_lane_day(), (clock_timestamp() AT TIME ZONE 'UTC')::date)
$$;

COMMENT ON FUNCTION attribution.first_open_day() IS
    'The first day of writing that is not over: of the lane that is furthest behind, today at the latest';

-- The readers that have not read a day of the log to its end. A reader without a place in a lane is at its beginning.
CREATE OR REPLACE FUNCTION attribution.readers_in(a_day date) RETURNS SETOF text LANGUAGE plpgsql STABLE ROWS 1
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    partition text := 'postback_log' || to_char(a_day, '_YYYYMMDD');
    place     record;
    last_one  text;
    is_unread boolean;
BEGIN
    IF to_regclass('attribution.' || partition) IS NULL THEN RETURN; END IF;
    FOR place IN SELECT named.reader, lane.lane, coalesce(known.position, 0) AS position,
                        coalesce(known.ordinal, 0) AS ordinal
                   FROM (SELECT DISTINCT reader FROM attribution.log_reader) AS named
                  CROSS JOIN attribution.lane
                   LEFT JOIN attribution.log_reader AS known ON known.reader = named.reader AND known.lane = lane.lane
                  ORDER BY named.reader, lane.lane LOOP
        CONTINUE WHEN place.reader = last_one;
        EXECUTE format('SELECT true
                          FROM attribution.%I
                         WHERE lane = %s AND position >= %s AND (position, ordinal) > (%s, %s)
                         LIMIT 1', partition, place.lane, place.position, place.position, place.ordinal) INTO is_unread;
        IF is_unread THEN
            last_one := place.reader;
            RETURN NEXT last_one;
        END IF;
    END LOOP;
END $$;

COMMENT ON FUNCTION attribution.readers_in(date) IS 'The readers that have not read this day of the log to its end';

-- Takes the lock of retention to the end of the transaction, or fails with 55P03 if somebody else has it.
CREATE OR REPLACE FUNCTION attribution.lock_retention() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(7421001651) THEN
        RAISE EXCEPTION 'another server or command works on days' USING ERRCODE = 'lock_not_available';
    END IF;
END $$;

COMMENT ON FUNCTION attribution.lock_retention() IS 'Lets one session at a time work on days that are over';

-- Drops a day of bodies or of the log, unless a reader needs it. With `drop_readers` the readers that need it are
-- removed first, but not if `figures` or `answers` is among them: their sums would stay wrong.
--
-- DROP takes a lock on the partitioned table that counting waits for. It waits a tenth of a second for it at most and
-- then fails with 55P03. If a transaction that began more than a second ago holds the table, it fails without waiting.
-- Such a report or dump may take hours, and counting would wait at each attempt. The files are removed after the lock
-- is released.
CREATE OR REPLACE FUNCTION attribution.drop_day(
    a_part text, a_day date, drop_readers boolean DEFAULT false, an_archive text DEFAULT NULL,
    some_bodies bigint DEFAULT NULL, a_sha256 bytea DEFAULT NULL,
    OUT is_dropped boolean, OUT needed_by text[], OUT dropped_readers text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms' SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    partition  text := 'postback_' || a_part || to_char(a_day, '_YYYYMMDD');
    has_rows   boolean;
    a_lane     smallint;
    last_place record;
BEGIN
    is_dropped := false;
    needed_by := '{}';
    dropped_readers := '{}';
    IF a_part NOT IN ('body', 'log') THEN
        RAISE EXCEPTION 'the part must be body or log, not %', a_part USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM attribution.lock_retention();
    IF attribution.is_distributed() THEN
        -- The workers wait no longer either.
        SET LOCAL citus.propagate_set_commands = 'local';
        SET LOCAL lock_timeout = '100ms';
    END IF;
    IF a_day >= attribution.first_open_day() THEN
        RAISE EXCEPTION 'the day % is not over: days before % are', a_day, attribution.first_open_day()
            USING ERRCODE = 'object_in_use';
    END IF;
    IF to_regclass('attribution.' || partition) IS NULL THEN RETURN; END IF;
    needed_by := ARRAY(SELECT attribution.readers_in(a_day));
    IF drop_readers AND NOT needed_by && ARRAY['figures', 'answers'] THEN
        DELETE FROM attribution.log_reader WHERE reader = ANY (needed_by);
        dropped_readers := needed_by;
        needed_by := '{}';
    END IF;
    IF cardinality(needed_by) > 0 THEN RETURN; END IF;
    IF EXISTS (SELECT
                 FROM pg_catalog.pg_locks AS held
                 JOIN pg_catalog.pg_stat_activity AS session USING (pid)
                WHERE held.locktype = 'relation' AND held.granted AND held.pid <> pg_backend_pid()
                  AND held.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
                  AND held.relation = ANY (ARRAY[to_regclass('attribution.postback_' || a_part),
                                                 to_regclass('attribution.' || partition)]::oid[])
                  AND session.xact_start < clock_timestamp() - interval '1 second') THEN
        RAISE EXCEPTION 'a long transaction holds the table' USING ERRCODE = 'lock_not_available';
    END IF;
    EXECUTE format('SELECT true FROM attribution.%I LIMIT 1', partition) INTO has_rows;
    IF a_part = 'log' THEN
        FOR a_lane IN SELECT lane FROM attribution.lane LOOP
            EXECUTE format('SELECT position, ordinal
                              FROM attribution.%I
                             WHERE lane = %s
                             ORDER BY position DESC, ordinal DESC
                             LIMIT 1', partition, a_lane) INTO last_place;
            CONTINUE WHEN last_place.position IS NULL;
            INSERT INTO attribution.dropped_place AS known (lane, position, ordinal)
            VALUES (a_lane, last_place.position, last_place.ordinal)
            ON CONFLICT (lane) DO UPDATE SET position = excluded.position, ordinal = excluded.ordinal
             WHERE (known.position, known.ordinal) < (excluded.position, excluded.ordinal);
        END LOOP;
    END IF;
    EXECUTE format('DROP TABLE attribution.%I', partition);
    is_dropped := true;
    -- Of an empty day nothing is missing.
    IF has_rows IS NULL THEN RETURN; END IF;
    -- If a day was put back and leaves again without an archive, the old archive still holds its bodies.
    INSERT INTO attribution.dropped_day AS known (part, day, dropped_at, archive, bodies, sha256)
    VALUES (a_part, a_day, clock_timestamp(), an_archive, some_bodies, a_sha256)
    ON CONFLICT (part, day) DO UPDATE
       SET dropped_at = excluded.dropped_at, restored_at = NULL, is_whole = false,
           archive = CASE WHEN an_archive IS NULL THEN known.archive ELSE excluded.archive END,
           bodies = CASE WHEN an_archive IS NULL THEN known.bodies ELSE excluded.bodies END,
           sha256 = CASE WHEN an_archive IS NULL THEN known.sha256 ELSE excluded.sha256 END;
END $$;

COMMENT ON FUNCTION attribution.drop_day(text, date, boolean, text, bigint, bytea) IS
    'Drops a day of bodies (body) or of the log (log) that is over, unless a reader needs it';

REVOKE EXECUTE ON FUNCTION attribution.drop_day(text, date, boolean, text, bigint, bytea) FROM PUBLIC;

-- The size of a table in bytes; on a cluster that of its largest shard.
CREATE OR REPLACE FUNCTION attribution.table_size(a_table text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    size bigint := pg_relation_size(a_table::regclass);
BEGIN
    IF attribution.is_distributed() THEN
        EXECUTE 'SELECT max(result::bigint) FROM run_command_on_shards($1, $2)'
           INTO size USING a_table::regclass, $command$SELECT pg_relation_size('%s')$command$;
    END IF;
    RETURN size;
END $$;

COMMENT ON FUNCTION attribution.table_size(text) IS
    'The size of a table in bytes; on a cluster that of its largest shard';

-- Tells autovacuum to remove old versions of bodies of a day at once: they hold addresses that are removed, and the next ones
-- take their place. Returns how many pages the day has; NULL if there is no such day.
CREATE OR REPLACE FUNCTION attribution.vacuum_bodies_at_once(a_day date) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
    partition text := 'postback_body' || to_char(a_day, '_YYYYMMDD');
BEGIN
    IF to_regclass('attribution.' || partition) IS NULL THEN RETURN NULL; END IF;
    EXECUTE format('ALTER TABLE attribution.%I SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 0)',
                   partition);
    RETURN attribution.table_size('attribution.' || quote_ident(partition)) / current_setting('block_size')::bigint;
END $$;

COMMENT ON FUNCTION attribution.vacuum_bodies_at_once(date) IS
    'Lets autovacuum remove old versions of bodies of a day at once, and returns how many pages the day has';

REVOKE EXECUTE ON FUNCTION attribution.vacuum_bodies_at_once(date) FROM PUBLIC;

-- Prepares a day of bodies for `forget_addresses`, and returns how many pages it has; NULL if there is no such day.
-- From now on bodies of the day are put back without addresses: they may come to pages that are done already.
CREATE OR REPLACE FUNCTION attribution.begin_to_forget_addresses(a_day date) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
BEGIN
    PERFORM attribution.lock_retention();
    IF a_day >= attribution.first_open_day()
       OR to_regclass('attribution.postback_body' || to_char(a_day, '_YYYYMMDD')) IS NULL THEN RETURN NULL; END IF;
    INSERT INTO attribution.dropped_day (part, day) VALUES ('address', a_day) ON CONFLICT (part, day) DO NOTHING;
    RETURN attribution.vacuum_bodies_at_once(a_day);
END $$;

COMMENT ON FUNCTION attribution.begin_to_forget_addresses(date) IS
    'Prepares a day of bodies for forget_addresses, and returns how many pages it has';

REVOKE EXECUTE ON FUNCTION attribution.begin_to_forget_addresses(date) FROM PUBLIC;

-- Removes source addresses and User-Agents from some pages of a day of bodies, and returns from how many bodies. If an
-- address is given, only from the bodies that came from it.
CREATE OR REPLACE FUNCTION attribution.forget_addresses(
    a_day date, first_page bigint, pages bigint, an_address inet DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SET lock_timeout = '100ms' SET enable_seqscan = off AS $$
DECLARE
    partition text := 'postback_body' || to_char(a_day, '_YYYYMMDD');
    bodies    bigint;
BEGIN
    PERFORM attribution.lock_retention();
    IF to_regclass('attribution.' || partition) IS NULL THEN RETURN 0; END IF;
    EXECUTE format(
        'UPDATE attribution.%I
            SET source_address = NULL, user_agent = NULL
          WHERE ctid >= %L AND ctid < %L AND %s',
        partition, format('(%s,0)', first_page), format('(%s,0)', first_page + pages),
        CASE WHEN an_address IS NULL THEN '(source_address IS NOT NULL OR user_agent IS NOT NULL)'
             ELSE format('source_address = %L', an_address) END);
    GET DIAGNOSTICS bodies = ROW_COUNT;
    RETURN bodies;
END $$;

COMMENT ON FUNCTION attribution.forget_addresses(date, bigint, bigint, inet) IS
    'Removes source addresses and User-Agents from some pages of a day of bodies';

-- The same for the quarantine, in some rows at once: for what was first seen before a day, or for what came from an
-- address. It takes the lock of the quarantine's usage first, as everybody does who changes rows, since User-Agents are
-- counted there.
CREATE OR REPLACE FUNCTION attribution.forget_rejected_addresses(
    a_day date, at_most bigint, an_address inet DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql
SET lock_timeout = '100ms' AS $$
DECLARE
    day_begins timestamptz := a_day::timestamp AT TIME ZONE 'UTC';
    forgotten  bigint;
BEGIN
    PERFORM FROM attribution.rejected_postback_usage ORDER BY protected FOR UPDATE;
    WITH chosen AS (
        SELECT key, protected, leaves, raised_leaves,
               CASE WHEN leaves THEN octet_length(user_agent) END AS bytes,
               CASE WHEN raised_leaves THEN octet_length(raised_user_agent) END AS raised_bytes
          FROM attribution.rejected_postback
         CROSS JOIN LATERAL (
               SELECT CASE WHEN an_address IS NULL
                           THEN first_seen_at < day_begins AND (source_address IS NOT NULL OR user_agent IS NOT NULL)
                           ELSE source_address = an_address END AS leaves,
                      CASE WHEN an_address IS NULL
                           THEN raised_at < day_begins
                                AND (raised_source_address IS NOT NULL OR raised_user_agent IS NOT NULL)
                           ELSE raised_source_address = an_address END AS raised_leaves) AS origin
         WHERE leaves OR raised_leaves
         LIMIT at_most
    ),
    usage AS (
        UPDATE attribution.rejected_postback_usage AS usage
           SET bytes = usage.bytes - freed.bytes
          FROM (SELECT protected, sum(coalesce(bytes, 0) + coalesce(raised_bytes, 0)) AS bytes
                  FROM chosen
                 GROUP BY protected) AS freed
         WHERE usage.protected = freed.protected
    )
    UPDATE attribution.rejected_postback AS rejected
       SET source_address = CASE WHEN leaves IS NOT TRUE THEN source_address END,
           user_agent = CASE WHEN leaves IS NOT TRUE THEN user_agent END,
           raised_source_address = CASE WHEN raised_leaves IS NOT TRUE THEN raised_source_address END,
           raised_user_agent = CASE WHEN raised_leaves IS NOT TRUE THEN raised_user_agent END
      FROM chosen
     WHERE rejected.key = chosen.key;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$;

COMMENT ON FUNCTION attribution.forget_rejected_addresses(date, bigint, inet) IS
    'Removes source addresses and User-Agents from rows of the quarantine: before a day, or from an address';

-- Creates the partition of a day of bodies that are put back, and notes that the service must not drop it again.
CREATE OR REPLACE FUNCTION attribution.begin_to_restore(a_day date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF attribution.add_partition('postback_body', a_day) THEN
        INSERT INTO attribution.dropped_day (part, day, dropped_at, restored_at)
        VALUES ('body', a_day, clock_timestamp(), clock_timestamp())
        ON CONFLICT (part, day) DO UPDATE SET restored_at = excluded.restored_at, is_whole = false;
    END IF;
END $$;

COMMENT ON FUNCTION attribution.begin_to_restore(date) IS 'Creates the partition of a day of bodies that are put back';

-- The days whose bodies are not all there, so nothing can be recounted from the bodies of postbacks of these days.
CREATE OR REPLACE VIEW attribution.missing_day AS
SELECT part, day FROM attribution.dropped_day WHERE part <> 'address' AND NOT is_whole;

COMMENT ON VIEW attribution.missing_day IS 'Days of writing whose bodies or log were dropped and are not there again';
COMMENT ON COLUMN attribution.missing_day.part IS 'What is missing: the bodies or the log';
COMMENT ON COLUMN attribution.missing_day.day IS 'The UTC day of writing';

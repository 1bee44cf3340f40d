-- The store on a Citus cluster. On plain PostgreSQL nothing here is used but `is_distributed`.
--
-- The tables that grow with postbacks are distributed by lane: state, bodies, log, days of writing, progress of
-- imports. Everything else stays on the coordinator: dimensions, daily figures, readers, the App Store. So a report sees figures and
-- the places of their reader in one snapshot, and a new line needs no worker. A query that joins the two kinds reads the
-- rows that it needs from the workers and joins them on the coordinator (citus.local_table_join_policy).
--
-- Servers write batches on the worker that has the lane, into its shards, behind `hold_shards`. If they can't reach it,
-- they call functions whose names end in `_in_shard`: Citus sends the call to the worker.

-- Whether the lanes are distributed.
CREATE OR REPLACE FUNCTION attribution.is_distributed() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    found boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition
                                 WHERE logicalrelid = ''attribution.postback_state''::regclass)' INTO found;
    END IF;
    RETURN found;
END $$;

COMMENT ON FUNCTION attribution.is_distributed() IS
    'Whether the lanes are distributed over the nodes of a Citus cluster';

-- The distributed tables. The first one decides where the shards are, the others follow it.
CREATE OR REPLACE FUNCTION attribution.distributed_tables() RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
    VALUES ('postback_state'), ('postback_body'), ('postback_log'), ('lane_day'), ('import_progress')
$$;

COMMENT ON FUNCTION attribution.distributed_tables() IS 'The tables that are distributed by lane on a cluster';

-- The shards of tables that have a lane: their numbers and their names, in the order of the tables.
--
-- They are read from the catalog, in the snapshot of the query that asks. The functions of Citus for this read a cache
-- that each session fills table by table. While a split is being committed, one table in it can be as before the split,
-- and another one as after it.
CREATE OR REPLACE FUNCTION attribution.lane_shards(a_lane smallint, tables text[], OUT numbers bigint[], OUT names text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
    missing text := (SELECT name FROM unnest(tables) AS name WHERE to_regclass('attribution.' || name) IS NULL LIMIT 1);
BEGIN
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'there is no table %', missing USING ERRCODE = 'undefined_table';
    END IF;
    SELECT array_agg(shardid ORDER BY place), array_agg(shard_name(logicalrelid, shardid) ORDER BY place)
      INTO numbers, names
      FROM unnest(tables) WITH ORDINALITY AS wanted (name, place)
      JOIN pg_dist_shard ON logicalrelid = to_regclass('attribution.' || name)
     WHERE worker_hash(a_lane) BETWEEN shardminvalue::integer AND shardmaxvalue::integer;
    IF cardinality(numbers) IS DISTINCT FROM cardinality(tables) THEN
        RAISE EXCEPTION 'lane % has no shards', a_lane USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;

COMMENT ON FUNCTION attribution.lane_shards(smallint, text[]) IS
    'Numbers and names of the shards of tables that have a lane';

-- Holds a lane until the transaction ends, and shards on this node: Citus waits with a move or a split of them.
--
-- A batch names every shard that it writes. A move or a split leaves old shards behind, and Citus drops them some seconds
-- later with all that was written to them. So each shard must have the lane and be on this node, else it fails with 55000.
-- If somebody else holds the lane and `waits` is false, it fails with 55P03.
--
-- SECURITY DEFINER: Citus lets only the owner of a table lock its shards.
CREATE OR REPLACE FUNCTION attribution.hold_shards(a_lane smallint, shards bigint[], waits boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hash CONSTANT integer := worker_hash(a_lane);
BEGIN
    -- The lock that Citus's own writes take (5 is SHARE). A move or a split takes EXCLUSIVE ones on all shards of the
    -- lane, so one is enough here. The query behind it has a new snapshot.
    PERFORM lock_shard_metadata(5, shards[1:1]);
    IF (SELECT count(*)
          FROM pg_dist_shard
          JOIN pg_dist_placement USING (shardid)
         WHERE shardid = ANY (shards) AND shardstate = 1 AND groupid = (SELECT groupid FROM pg_dist_local_group)
           AND hash >= shardminvalue::integer AND hash <= shardmaxvalue::integer)
       IS DISTINCT FROM cardinality(shards) THEN
        RAISE EXCEPTION 'lane % is not in these shards, or they are not on this node', a_lane
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF waits THEN
        PERFORM pg_advisory_xact_lock(742100164, a_lane);
    ELSIF NOT pg_try_advisory_xact_lock(742100164, a_lane) THEN
        RAISE EXCEPTION 'lane % is held', a_lane USING ERRCODE = 'lock_not_available';
    END IF;
END $$;

COMMENT ON FUNCTION attribution.hold_shards(smallint, bigint[], boolean) IS
    'Holds a lane and its shards on this node until the transaction ends';

REVOKE EXECUTE ON FUNCTION attribution.hold_shards(smallint, bigint[], boolean) FROM PUBLIC;

-- The same for a session that the coordinator has opened: settings of the server's session do not reach the worker.
-- Returns the names of the shards, in the order of the tables.
CREATE OR REPLACE FUNCTION attribution.hold_lane_in_shard(a_lane smallint, tables text[], waits boolean) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    shards record;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the worker must have default_transaction_isolation = ''read committed'''
            USING ERRCODE = 'config_file_error';
    END IF;
    PERFORM set_config('synchronous_commit', 'on', true);
    SELECT * INTO shards FROM attribution.lane_shards(a_lane, tables);
    PERFORM attribution.hold_shards(a_lane, shards.numbers, waits);
    RETURN shards.names;
END $$;

COMMENT ON FUNCTION attribution.hold_lane_in_shard(smallint, text[], boolean) IS
    'Holds a lane and its shards on this node until the transaction ends, with the settings of a batch';

-- Counts a batch of a lane. `a_statement` is the statement of the server, with these names to be filled in: the shards
-- of state, bodies, log, the log's partition of the day, and days of writing. The arrays are its parameters.
CREATE OR REPLACE FUNCTION attribution.count_in_shard(
    a_lane smallint, a_transaction_id uuid[], a_network smallint[], a_sequence_index smallint[], a_did_win boolean[],
    a_line integer[], a_source bigint[], a_traits integer[], a_value smallint[], a_received_at timestamptz[],
    a_source_address inet[], a_user_agent text[], a_payload text[], a_statement text, a_partition text, waits boolean)
RETURNS TABLE (ordinal bigint, event smallint, confirmed bigint) LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off AS $$
DECLARE
    names CONSTANT text[] := attribution.hold_lane_in_shard(
        a_lane, ARRAY['postback_state', 'postback_body', 'postback_log', a_partition, 'lane_day'], waits);
    violated text;
    reason   text;
BEGIN
    RETURN QUERY EXECUTE format(a_statement, VARIADIC names)
    USING a_lane, a_transaction_id, a_network, a_sequence_index, a_did_win, a_line, a_source, a_traits, a_value,
          a_received_at, a_source_address, a_user_agent, a_payload;
EXCEPTION WHEN check_violation THEN
    -- Without the name of a constraint it means that a partition is missing. A coordinator does not pass names on.
    GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME, reason = MESSAGE_TEXT;
    IF violated = '' THEN
        RAISE;
    END IF;
    RAISE EXCEPTION USING MESSAGE = reason, ERRCODE = 'integrity_constraint_violation';
END $$;

COMMENT ON FUNCTION attribution.count_in_shard IS 'Counts a batch of a lane on the worker that has it';

-- Moves a lane's day of writing forward as the server's own statement does, and returns it.
CREATE OR REPLACE FUNCTION attribution.move_day_in_shard(a_lane smallint, a_day date, waits boolean) RETURNS date
LANGUAGE plpgsql AS $$
DECLARE
    names CONSTANT text[] := attribution.hold_lane_in_shard(a_lane, ARRAY['lane_day'], waits);
    moved date;
BEGIN
    EXECUTE format('UPDATE %s
                       SET day = greatest(day, least($2, (clock_timestamp() AT TIME ZONE ''UTC'')::date + 1))
                     WHERE lane = $1
                    RETURNING day', names[1]) INTO moved USING a_lane, a_day;
    RETURN moved;
END $$;

COMMENT ON FUNCTION attribution.move_day_in_shard(smallint, date, boolean) IS
    'Moves the day of writing of a lane forward on the worker that has it';

-- Fails with AA001: the numbers of the dimensions must be read again.
CREATE OR REPLACE FUNCTION attribution.refuse_timeline() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'another database server has taken over' USING ERRCODE = 'AA001';
END $$;

COMMENT ON FUNCTION attribution.refuse_timeline() IS 'Fails, since the timeline of the database is another one';

-- New lanes for so many shards: one for each, with equal shares of the hashes, in the order of the shards. Numbers that
-- were used before are left out.
CREATE OR REPLACE FUNCTION attribution.lanes_of_shards(shards integer) RETURNS smallint[] LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN ARRAY(
        SELECT min(number)::smallint
          FROM (SELECT number, least((worker_hash(number::smallint)::bigint + 2147483648) / (4294967296 / shards),
                                     shards - 1) AS shard
                  FROM generate_series(0, 32767) AS number) AS possible
         WHERE NOT EXISTS (SELECT FROM attribution.lane WHERE lane.lane = possible.number)
         GROUP BY shard
         ORDER BY shard);
END $$;

COMMENT ON FUNCTION attribution.lanes_of_shards(integer) IS
    'Numbers of new lanes, of which each is in a shard of its own';

-- Closes all lanes and moves postbacks and their bodies to new ones. The log stays, for readers that have not read it.
-- The caller has folded it, and nobody writes.
--
-- The new lanes begin a new day of writing, since two bodies of a postback must not have one place.
CREATE OR REPLACE FUNCTION attribution.change_lanes(new_lanes smallint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    count   bigint := cardinality(new_lanes);
    new_day date := (SELECT max(day) + 1 FROM attribution.lane_day);
BEGIN
    IF EXISTS (SELECT FROM attribution.import_file AS file
                 JOIN attribution.import_progress AS progress USING (fingerprint)
                 JOIN attribution.lane USING (lane)
                WHERE progress.position < file.size AND NOT is_closed) THEN
        RAISE EXCEPTION 'an import is not complete: finish it first' USING ERRCODE = 'object_in_use';
    END IF;
    UPDATE attribution.lane SET is_closed = true;
    INSERT INTO attribution.lane (lane, first_hash, last_hash)
    SELECT lane, ((number - 1) << 32) / count, (number << 32) / count - 1
      FROM unnest(new_lanes) WITH ORDINALITY AS new (lane, number);
    INSERT INTO attribution.lane_day (lane, day) SELECT unnest(new_lanes), new_day;
    INSERT INTO attribution.log_reader (reader, lane, position, ordinal, moved_at)
    SELECT reader, lane, 0, 0, clock_timestamp()
      FROM unnest(new_lanes) AS lane, (VALUES ('figures'), ('answers')) AS own (reader);
    UPDATE attribution.postback_state
       SET lane = new_lanes[(attribution.transaction_hash(transaction_id) * count >> 32) + 1];
    UPDATE attribution.postback_body
       SET lane = new_lanes[(attribution.transaction_hash(transaction_id) * count >> 32) + 1];
    -- Of archives that are complete, the first new lane has the counts.
    INSERT INTO attribution.import_progress (
        fingerprint, lane, run, position, lines, accepted, raised, duplicates, refused, updated_at)
    SELECT done.fingerprint, new.lane, done.run, done.position, done.lines,
           CASE number WHEN 1 THEN done.accepted ELSE 0 END, CASE number WHEN 1 THEN done.raised ELSE 0 END,
           CASE number WHEN 1 THEN done.duplicates ELSE 0 END, CASE number WHEN 1 THEN done.refused ELSE 0 END,
           done.updated_at
      FROM (SELECT fingerprint, (array_agg(run))[1] AS run, min(position) AS position, max(lines) AS lines,
                   sum(accepted) AS accepted, sum(raised) AS raised, sum(duplicates) AS duplicates,
                   sum(refused) AS refused, max(updated_at) AS updated_at
              FROM attribution.import_progress
             GROUP BY fingerprint) AS done
     CROSS JOIN unnest(new_lanes) WITH ORDINALITY AS new (lane, number);
    DELETE FROM attribution.import_progress WHERE lane <> ALL (new_lanes);
END $$;

COMMENT ON FUNCTION attribution.change_lanes(smallint[]) IS
    'Closes all lanes and moves postbacks and bodies to new ones';

-- Functions that are sent to the workers, and those of a query that must stay whole: if it were inlined, Citus could
-- not plan the tables inside. (`line_mapping` has settings of its own, so it is whole everywhere.)
CREATE OR REPLACE FUNCTION attribution.cluster_functions(purpose text) RETURNS SETOF regprocedure LANGUAGE sql STABLE AS $$
    SELECT oid::regprocedure
      FROM pg_catalog.pg_proc
     WHERE pronamespace = 'attribution'::regnamespace
       AND CASE purpose WHEN 'sent' THEN proname LIKE '%\_in\_shard'
                                          OR proname IN ('lane_shards', 'hold_shards', 'time_zone', 'day_of', 'day_begins')
                        WHEN 'whole' THEN proname = 'answer' END
$$;

COMMENT ON FUNCTION attribution.cluster_functions(text) IS
    'Functions that workers run (sent), and those that must not become part of a query (whole)';

-- Lets the view of AppsFlyer's columns join bodies instead of looking each up: Citus joins shards, but looks nothing up
-- in them for rows that are on the coordinator.
CREATE OR REPLACE FUNCTION attribution.join_appsflyer_bodies() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    a_view CONSTANT text := 'attribution.appsflyer_postback';
    plain  text := pg_get_viewdef(a_view::regclass);
    joined text := regexp_replace(
        plain, 'LEFT JOIN LATERAL \( SELECT max\(stored\.payload\).*?\) body ON \(true\)',
        'LEFT JOIN attribution.postback_body body
                ON body.lane = state.lane AND body.position = state.position AND body.ordinal = state.ordinal
               AND body.transaction_id = state.transaction_id');
BEGIN
    IF EXISTS (SELECT FROM attribution.plain_view WHERE plain_view.view = a_view) THEN RETURN; END IF;
    IF joined = plain THEN
        RAISE EXCEPTION 'the view % has no look-up of bodies', a_view USING ERRCODE = 'internal_error';
    END IF;
    EXECUTE format('CREATE OR REPLACE VIEW %s AS %s', a_view, joined);
    INSERT INTO attribution.plain_view (view, definition) VALUES (a_view, plain);
END $$;

COMMENT ON FUNCTION attribution.join_appsflyer_bodies() IS 'Changes the view of AppsFlyer''s columns for a cluster';

-- Gives definitions the form that they have on a cluster; `migrate` does so again when it has replaced them.
CREATE OR REPLACE FUNCTION attribution.distribute_definitions() RETURNS void LANGUAGE plpgsql
SET client_min_messages = error AS $$
DECLARE
    function regprocedure;
BEGIN
    -- The definition of a view is kept as PostgreSQL shows it, which leaves out schemas of the path.
    PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
    FOR function IN SELECT attribution.cluster_functions('sent') LOOP
        IF (SELECT proname FROM pg_proc WHERE oid = function) IN ('count_in_shard', 'move_day_in_shard', 'write_events_in_shard') THEN
            PERFORM create_distributed_function(
                function, 'a_lane', colocate_with => 'attribution.postback_state', force_delegation => true);
        ELSE
            PERFORM create_distributed_function(function);
        END IF;
    END LOOP;
    -- What follows is for the coordinator only.
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    FOR function IN SELECT attribution.cluster_functions('whole') LOOP
        EXECUTE format('ALTER FUNCTION %s SET jit = off', function);
    END LOOP;
    PERFORM attribution.join_appsflyer_bodies();
END $$;

COMMENT ON FUNCTION attribution.distribute_definitions() IS 'Gives definitions the form that they have on a cluster';

-- Distributes the tables that grow with postbacks, into so many shards. What is distributed already stays as it is.
CREATE OR REPLACE FUNCTION attribution.distribute(shards integer) RETURNS void LANGUAGE plpgsql
SET client_min_messages = error AS $$
DECLARE
    a_table  text;
    relation regclass;
BEGIN
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
    -- For the sessions that the coordinator opens on workers: Citus tells it to all nodes, also to those that come later.
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = pg_catalog, pg_temp',
                   current_user, current_database());
    FOR a_table IN SELECT attribution.distributed_tables() LOOP
        relation := 'attribution.' || a_table;
        CONTINUE WHEN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = relation);
        IF a_table = 'postback_state' THEN
            PERFORM create_distributed_table(relation, 'lane', shard_count => shards, colocate_with => 'none');
        ELSE
            PERFORM create_distributed_table(relation, 'lane', colocate_with => 'attribution.postback_state');
        END IF;
    END LOOP;
    PERFORM attribution.distribute_definitions();
    EXECUTE format('ALTER DATABASE %I SET citus.local_table_join_policy = ''prefer-distributed''', current_database());
END $$;

COMMENT ON FUNCTION attribution.distribute(integer) IS
    'Distributes the tables that grow with postbacks over a Citus cluster';

-- Puts all rows back on the coordinator. Lanes keep their numbers.
--
-- Citus makes the tables again, and the views on them. So what it leaves out, comments and rights, is put back.
CREATE OR REPLACE FUNCTION attribution.undistribute() RETURNS void LANGUAGE plpgsql
SET client_min_messages = error AS $$
DECLARE
    statements  text[];
    a_statement text;
    a_table     text;
    plain       record;
    function    regprocedure;
BEGIN
    PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
    SELECT array_agg(made.text) INTO statements
      FROM (SELECT format('COMMENT ON %s %I.%I IS %L', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END,
                          nspname, relname, description) AS text
              FROM pg_class
              JOIN pg_namespace ON pg_namespace.oid = relnamespace
              JOIN pg_description ON objoid = pg_class.oid AND classoid = 'pg_class'::regclass AND objsubid = 0
             WHERE nspname IN ('attribution', 'appsflyer') AND relkind IN ('v', 'r', 'p')
            UNION ALL
            SELECT format('COMMENT ON COLUMN %I.%I.%I IS %L', nspname, relname, attname, description)
              FROM pg_class
              JOIN pg_namespace ON pg_namespace.oid = relnamespace
              JOIN pg_attribute ON attrelid = pg_class.oid
              JOIN pg_description ON objoid = pg_class.oid AND classoid = 'pg_class'::regclass AND objsubid = attnum
             WHERE nspname IN ('attribution', 'appsflyer') AND relkind IN ('v', 'r', 'p')
            UNION ALL
            SELECT format('GRANT %s%s ON %I.%I TO %s%s', privilege_type, '(' || quote_ident(granted.attname) || ')',
                          nspname, relname,
                          CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
                          CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
              FROM pg_class
              JOIN pg_namespace ON pg_namespace.oid = relnamespace
             CROSS JOIN LATERAL (
                   SELECT NULL::name AS attname, relacl AS acl
                    UNION ALL
                   SELECT attname, attacl FROM pg_attribute WHERE attrelid = pg_class.oid) AS granted,
                   aclexplode(granted.acl)
             WHERE nspname IN ('attribution', 'appsflyer') AND relkind IN ('v', 'r', 'p') AND grantee <> relowner)
           AS made;
    FOR a_table IN SELECT attribution.distributed_tables() LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_dist_partition
                                   WHERE logicalrelid = ('attribution.' || a_table)::regclass);
        PERFORM undistribute_table(('attribution.' || a_table)::regclass);
    END LOOP;
    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
    FOR plain IN DELETE FROM attribution.plain_view RETURNING * LOOP
        EXECUTE format('CREATE OR REPLACE VIEW %s AS %s', plain.view, plain.definition);
    END LOOP;
    FOREACH a_statement IN ARRAY statements LOOP EXECUTE a_statement; END LOOP;
    FOR function IN SELECT attribution.cluster_functions('whole') LOOP
        EXECUTE format('ALTER FUNCTION %s RESET jit', function);
    END LOOP;
    EXECUTE format('ALTER DATABASE %I RESET citus.local_table_join_policy', current_database());
END $$;

COMMENT ON FUNCTION attribution.undistribute() IS 'Puts all rows of a Citus cluster back on the coordinator';

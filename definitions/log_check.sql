-- Whether state, bodies and log fit together: looked at on a schedule, and what is missing in the log written again.
--
-- A batch writes all three in one statement. A place (lane, position, ordinal) belongs to one delivery. A postback that was
-- accepted has its row of state, its event and its body at one place. Each raise has its event and its body at one place,
-- and the row of state names the place of the last one. Figures are built from the log: if an event is missing there,
-- reports are too low. tools/recount-log.sql compares everything at once.
--
-- Each query reads one lane and no other table. So on a cluster it is one query of one worker, and sees one snapshot.

-- The first day of writing of the lanes that are not closed. If the number of lanes was changed, events before it are in
-- another lane than their state and bodies.
CREATE OR REPLACE FUNCTION attribution.first_day_of_lanes() RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN coalesce((SELECT max(lane_day.day) + 1 FROM attribution.lane_day JOIN attribution.lane USING (lane)
                      WHERE is_closed), date '2000-01-01');
END $$;

COMMENT ON FUNCTION attribution.first_day_of_lanes() IS
    'The first day of writing of the lanes that are not closed, since their number was changed the last time';

-- Compares state, bodies and log of a lane behind one position and up to another.
--
-- Almost always all of it fits. Then the number of places and a hash of all of them are equal, which costs a third of
-- grouping them. `event` 0 is a postback that was accepted.
CREATE OR REPLACE FUNCTION attribution.compare_log(a_lane smallint, behind bigint, up_to bigint)
RETURNS TABLE ("position" bigint, problem text, postbacks bigint, example uuid) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT (events.count, events.hash, events.accepted, events.accepted_hash)
               IS NOT DISTINCT FROM (bodies.count, bodies.hash, states.count, states.hash)
          FROM (SELECT count(*), bit_xor(place) AS hash, count(*) FILTER (WHERE event = 0) AS accepted,
                       bit_xor(place) FILTER (WHERE event = 0) AS accepted_hash
                  FROM (SELECT event, uuid_hash_extended(transaction_id, (position << 15) + ordinal) AS place
                          FROM attribution.postback_log
                         WHERE lane = a_lane AND position > behind AND position <= up_to AND event < 3) AS log) AS events,
               (SELECT count(*), bit_xor(uuid_hash_extended(transaction_id, (position << 15) + ordinal)) AS hash
                  FROM attribution.postback_body
                 WHERE lane = a_lane AND position > behind AND position <= up_to) AS bodies,
               (SELECT count(*), bit_xor(uuid_hash_extended(transaction_id, (position << 15) + ordinal)) AS hash
                  FROM attribution.postback_state
                 WHERE lane = a_lane AND position > behind AND position <= up_to) AS states) THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT position, problem, count(*), min(transaction_id::text)::uuid
      FROM (SELECT position, transaction_id,
                   CASE WHEN sum(events) = 0 THEN 'missing_event'
                        WHEN sum(events) > 1 THEN 'doubled_event'
                        WHEN sum(bodies) = 0 THEN 'missing_body'
                        WHEN sum(bodies) > 1 THEN 'doubled_body'
                        WHEN sum(states) > 1 THEN 'doubled_state'
                        WHEN max(event) = 0 AND sum(states) = 0 THEN 'missing_state' END AS problem
              FROM (SELECT position, ordinal, transaction_id, 0 AS states, 0 AS bodies, 1 AS events, event
                      FROM attribution.postback_log
                     WHERE lane = a_lane AND position > behind AND position <= up_to AND event < 3
                    UNION ALL
                    SELECT position, ordinal, transaction_id, 0, 1, 0, NULL
                      FROM attribution.postback_body
                     WHERE lane = a_lane AND position > behind AND position <= up_to
                    UNION ALL
                    SELECT position, ordinal, transaction_id, 1, 0, 0, NULL
                      FROM attribution.postback_state
                     WHERE lane = a_lane AND position > behind AND position <= up_to) AS written
             GROUP BY position, ordinal, transaction_id) AS place
     WHERE problem IS NOT NULL
     GROUP BY position, problem;
END $$;

COMMENT ON FUNCTION attribution.compare_log(smallint, bigint, bigint) IS
    'Compares state, bodies and log of a lane between two positions; returns what does not fit together';

-- Raises that only the row of state names: neither event nor body is there, so `compare_log` can't see them. It reads the
-- rows of state that were received since a time.
CREATE OR REPLACE FUNCTION attribution.missing_raises(a_lane smallint, behind bigint, up_to bigint, since timestamptz)
RETURNS TABLE ("position" bigint, problem text, postbacks bigint, example uuid) LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT raised_position, 'missing_raise', count(*), min(transaction_id::text)::uuid
      FROM attribution.postback_state AS state
     WHERE lane = a_lane AND received_at >= since AND raised_position > behind AND raised_position <= up_to
       AND NOT EXISTS (SELECT FROM attribution.postback_log AS event
                        WHERE event.lane = a_lane AND event.position = state.raised_position
                          AND event.ordinal = state.raised_ordinal
                          AND event.transaction_id = state.transaction_id)
       AND NOT EXISTS (SELECT FROM attribution.postback_body AS body
                        WHERE body.lane = a_lane AND body.position = state.raised_position
                          AND body.ordinal = state.raised_ordinal
                          AND body.transaction_id = state.transaction_id)
     GROUP BY raised_position;
END $$;

COMMENT ON FUNCTION attribution.missing_raises(smallint, bigint, bigint, timestamptz) IS
    'Raises of a lane between two positions that have neither an event nor a body';

-- A position of a lane behind which there are about `at_most` events up to it, or the end if there are fewer. Events and
-- bodies both count, since one of them may be missing.
CREATE OR REPLACE FUNCTION attribution.log_slice(a_lane smallint, behind bigint, up_to bigint, at_most bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    ahead record;
BEGIN
    SELECT max(position) AS position, count(*) AS events INTO ahead
      FROM (SELECT position FROM attribution.postback_log
             WHERE lane = a_lane AND position > behind AND position <= up_to
             ORDER BY position LIMIT at_most) AS event;
    IF ahead.events = at_most THEN RETURN ahead.position; END IF;
    SELECT max(position) AS position, count(*) AS events INTO ahead
      FROM (SELECT position FROM attribution.postback_body
             WHERE lane = a_lane AND position > behind AND position <= up_to
             ORDER BY position LIMIT at_most) AS body;
    RETURN CASE WHEN ahead.events = at_most THEN ahead.position ELSE up_to END;
END $$;

COMMENT ON FUNCTION attribution.log_slice(smallint, bigint, bigint, bigint) IS
    'A position of a lane up to which there are about so many events';

-- Compares a whole day of a lane, in parts of about `at_most` events.
CREATE OR REPLACE FUNCTION attribution.compare_log_day(a_lane smallint, a_day date, at_most bigint, since timestamptz)
RETURNS TABLE ("position" bigint, problem text, postbacks bigint, example uuid) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
    -- The last position of the day before; a position counts from 1.
    behind bigint := attribution.first_position(a_day);
    up_to  bigint := behind;
    last   bigint := attribution.first_position(a_day + 1) - 1;
BEGIN
    RETURN QUERY SELECT * FROM attribution.missing_raises(a_lane, behind, last, since);
    WHILE up_to < last LOOP
        behind := up_to;
        up_to := attribution.log_slice(a_lane, behind, last, at_most);
        RETURN QUERY SELECT * FROM attribution.compare_log(a_lane, behind, up_to);
    END LOOP;
END $$;

COMMENT ON FUNCTION attribution.compare_log_day(smallint, date, bigint, timestamptz) IS
    'Compares state, bodies and log of a lane and a day of writing; returns what does not fit together';

-- The lanes to compare. A new one is compared from the beginning of its day of writing.
CREATE OR REPLACE FUNCTION attribution.lanes_to_compare() RETURNS SETOF smallint LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM attribution.lane LEFT JOIN attribution.log_check USING (lane)
                WHERE is_closed = (log_check.lane IS NOT NULL)) THEN
        DELETE FROM attribution.log_check USING attribution.lane WHERE lane.lane = log_check.lane AND is_closed;
        -- What was found in them can't be compared again: their state and bodies are in other lanes.
        DELETE FROM attribution.log_problem USING attribution.lane WHERE lane.lane = log_problem.lane AND is_closed;
        INSERT INTO attribution.log_check (lane, position, again_position, day, checked_at)
        SELECT lane, attribution.first_position(lane_day.day), 0, lane_day.day - 1, clock_timestamp()
          FROM attribution.lane JOIN attribution.lane_day USING (lane)
         WHERE NOT is_closed
        ON CONFLICT (lane) DO NOTHING;
    END IF;
    RETURN QUERY SELECT lane FROM attribution.log_check ORDER BY lane;
END $$;

COMMENT ON FUNCTION attribution.lanes_to_compare() IS 'The lanes whose state, bodies and log are compared on a schedule';

-- Stores what was found in a lane behind one position and up to another: rows of `compare_log`, as an array of JSON. It
-- replaces what was known of these positions; what is still so keeps its time. Raises that only the state names are
-- replaced if the caller has looked for them. Returns how many places were not known before. If there are any, it stores
-- nothing unless `stores`.
CREATE OR REPLACE FUNCTION attribution.store_log_problems(
    a_lane smallint, behind bigint, up_to bigint, has_raises boolean, differing jsonb, stores boolean)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    unknown jsonb;
BEGIN
    unknown := (
        SELECT jsonb_agg(difference)
          FROM jsonb_to_recordset(differing) AS difference ("position" bigint, problem text, postbacks bigint, example uuid)
         WHERE NOT EXISTS (SELECT FROM attribution.log_problem AS known
                            WHERE known.lane = a_lane AND known.position = difference.position
                              AND known.problem = difference.problem AND known.postbacks = difference.postbacks));
    IF unknown IS NULL OR stores THEN
        DELETE FROM attribution.log_problem AS known
         WHERE lane = a_lane AND position > behind AND position <= up_to AND (has_raises OR problem <> 'missing_raise')
           AND NOT EXISTS (
               SELECT FROM jsonb_to_recordset(differing) AS difference ("position" bigint, problem text, postbacks bigint)
                WHERE known.position = difference.position AND known.problem = difference.problem
                  AND known.postbacks = difference.postbacks);
        INSERT INTO attribution.log_problem (lane, position, problem, postbacks, example, found_at)
        SELECT a_lane, position, problem, postbacks, example, clock_timestamp()
          FROM jsonb_to_recordset(unknown) AS difference ("position" bigint, problem text, postbacks bigint, example uuid);
    END IF;
    RETURN (SELECT coalesce(sum((difference ->> 'postbacks')::bigint), 0) FROM jsonb_array_elements(unknown) AS difference);
END $$;

COMMENT ON FUNCTION attribution.store_log_problems(smallint, bigint, bigint, boolean, jsonb, boolean) IS
    'Stores what does not fit together in a lane between two positions';

-- Compares what was written to a lane since it was compared last, about `at_most` events, or else the next whole day that
-- is over. Returns how many places do not fit together and were not known before; NULL if there is nothing to compare or
-- another session compares. If there are such places, the lane stays where it was, unless `stores`: then they are stored.
--
-- On a cluster a session may have read a table as it was before a split that is just being committed. So the caller looks
-- again some seconds later before it stores.
CREATE OR REPLACE FUNCTION attribution.check_log(a_lane smallint, at_most bigint, stores boolean) RETURNS bigint LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    known     attribution.log_check;
    behind    bigint;
    last      bigint;
    is_day    boolean;
    differing jsonb;
    unknown   bigint;
BEGIN
    SELECT * INTO known FROM attribution.log_check WHERE lane = a_lane FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN NULL; END IF;
    behind := known.position;
    last := greatest(
        (SELECT max(position) FROM attribution.postback_log WHERE lane = a_lane AND position > behind),
        (SELECT max(position) FROM attribution.postback_body WHERE lane = a_lane AND position > behind));
    is_day := last IS NULL;
    IF last IS NOT NULL THEN
        last := attribution.log_slice(a_lane, behind, last, at_most);
        differing := (SELECT jsonb_agg(c) FROM attribution.compare_log(a_lane, behind, last) AS c);
        known.position := last;
    ELSIF known.day + 1 < attribution.first_open_day() THEN
        known.day := known.day + 1;
        behind := attribution.first_position(known.day);
        last := attribution.first_position(known.day + 1) - 1;
        IF NOT EXISTS (SELECT FROM attribution.missing_day WHERE missing_day.day = known.day) THEN
            -- Apple raises a value within days. Later raises are compared from their events and bodies.
            differing := (SELECT jsonb_agg(c)
                            FROM attribution.compare_log_day(
                                     a_lane, known.day, at_most, (known.day - 3)::timestamp AT TIME ZONE 'UTC') AS c);
        END IF;
    ELSE
        RETURN NULL;
    END IF;
    unknown := attribution.store_log_problems(a_lane, behind, last, is_day, differing, stores);
    IF unknown = 0 OR stores THEN
        UPDATE attribution.log_check
           SET position = known.position, day = known.day, checked_at = clock_timestamp()
         WHERE lane = a_lane;
    END IF;
    RETURN unknown;
END $$;

COMMENT ON FUNCTION attribution.check_log(smallint, bigint, boolean) IS
    'Compares the next part of a lane, and stores what does not fit together';

-- Compares a part of the days that are not over again, about `at_most` events, and begins anew at their end. So what is
-- removed later is found as well. Returns the same as `check_log`.
CREATE OR REPLACE FUNCTION attribution.check_log_again(a_lane smallint, at_most bigint, stores boolean) RETURNS bigint
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    known     attribution.log_check;
    behind    bigint;
    last      bigint;
    differing jsonb;
    unknown   bigint;
BEGIN
    SELECT * INTO known FROM attribution.log_check WHERE lane = a_lane FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN NULL; END IF;
    behind := attribution.first_position(known.day + 1);
    IF known.again_position > behind AND known.again_position < known.position THEN behind := known.again_position; END IF;
    last := behind;
    unknown := 0;
    IF behind < known.position THEN
        last := attribution.log_slice(a_lane, behind, known.position, at_most);
        differing := (SELECT jsonb_agg(c) FROM attribution.compare_log(a_lane, behind, last) AS c);
        unknown := attribution.store_log_problems(a_lane, behind, last, false, differing, stores);
    END IF;
    IF unknown = 0 OR stores THEN
        UPDATE attribution.log_check SET again_position = last, checked_at = clock_timestamp() WHERE lane = a_lane;
    END IF;
    RETURN unknown;
END $$;

COMMENT ON FUNCTION attribution.check_log_again(smallint, bigint, boolean) IS
    'Compares a part of the days that are not over again, and stores what does not fit together';

-- Compares the days anew that have problems, and stores what is left of them. Returns the places of it.
CREATE OR REPLACE FUNCTION attribution.recheck_log_problems(at_most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    place record;
BEGIN
    PERFORM attribution.lanes_to_compare();
    FOR place IN SELECT DISTINCT lane, attribution.day_of_writing(position) AS day
                   FROM attribution.log_problem ORDER BY lane, day LOOP
        PERFORM attribution.store_log_problems(
            place.lane, attribution.first_position(place.day), attribution.first_position(place.day + 1) - 1, true,
            (SELECT jsonb_agg(c)
               FROM attribution.compare_log_day(place.lane, place.day, at_most, '-infinity') AS c
              WHERE NOT EXISTS (SELECT FROM attribution.missing_day WHERE missing_day.day = place.day)), true);
    END LOOP;
    RETURN (SELECT coalesce(sum(postbacks), 0) FROM attribution.log_problem);
END $$;

COMMENT ON FUNCTION attribution.recheck_log_problems(bigint) IS
    'Compares the days again that have problems, and stores what is left of them';

-- The events of a lane between two positions that are missing in the log, as state and bodies say they were. An event that
-- can't be made again has no `event`: of a raise between others, if its body does not say which postback it was.
--
-- State names the place of the first delivery and of the last raise. Raises between them have bodies only. What such a raise
-- was comes from its body; the value before it is that of the event before it.
CREATE OR REPLACE FUNCTION attribution.missing_events(a_lane smallint, behind bigint, up_to bigint) RETURNS TABLE (
    "position" bigint, ordinal smallint, transaction_id uuid, line integer, source bigint, traits integer,
    received_at timestamptz, event smallint, sequence_index smallint, value smallint, previous_value smallint,
    did_win boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH event AS MATERIALIZED (
        SELECT log.position, log.ordinal, log.transaction_id
          FROM attribution.postback_log AS log
         WHERE lane = a_lane AND log.position > behind AND log.position <= up_to AND log.event < 3
    ),
    named AS MATERIALIZED (
        SELECT state.position, state.ordinal, state.transaction_id, line, source, traits, received_at,
               0::smallint AS event, sequence_index, first_value AS value, (-1)::smallint AS previous_value, did_win
          FROM attribution.postback_state AS state
         WHERE lane = a_lane AND state.position > behind AND state.position <= up_to
        UNION ALL
        SELECT raised_position, raised_ordinal, state.transaction_id, line, source, traits, received_at,
               CASE WHEN previous_value = first_value THEN 1 ELSE 2 END::smallint, sequence_index, value,
               previous_value, did_win
          FROM attribution.postback_state AS state
         WHERE lane = a_lane AND raised_position > behind AND raised_position <= up_to
    ),
    between_others AS MATERIALIZED (
        SELECT body.position, body.ordinal, body.transaction_id, body.line,
               replace(body.payload, '\u0000', '\ufffd')::json AS document
          FROM attribution.postback_body AS body
         WHERE lane = a_lane AND body.position > behind AND body.position <= up_to
           AND (body.position, body.ordinal, body.transaction_id) NOT IN (SELECT e.position, e.ordinal, e.transaction_id FROM event AS e)
           AND (body.position, body.ordinal, body.transaction_id) NOT IN (SELECT n.position, n.ordinal, n.transaction_id FROM named AS n)
    ),
    raised AS MATERIALIZED (
        SELECT body.position, body.ordinal, body.transaction_id, min(state.line) AS line, min(source) AS source,
               min(traits) AS traits, min(received_at) AS received_at, min(sequence_index) AS sequence_index,
               min(first_value) AS first_value, count(state.line) AS postbacks,
               -- A number in quotes is no value.
               min(CASE WHEN sequence_index = 0 AND (document -> 'conversion-value')::text ~ '^([0-9]|[1-5][0-9]|6[0-3])$'
                        THEN (document ->> 'conversion-value')::smallint
                        ELSE CASE lower(document ->> 'coarse-conversion-value')
                             WHEN 'low' THEN 101 WHEN 'medium' THEN 102 WHEN 'high' THEN 103 END END) AS value
          FROM between_others AS body
          LEFT JOIN attribution.postback_state AS state
            ON state.lane = a_lane AND state.transaction_id = body.transaction_id AND state.line = body.line
           AND did_win AND state.position <= body.position AND raised_position >= body.position
         GROUP BY body.position, body.ordinal, body.transaction_id
    ),
    -- All events of these postbacks that are known, so that each raise finds the value before it.
    value_of AS (
        SELECT log.position, log.ordinal, log.transaction_id, log.sequence_index, log.value
          FROM attribution.postback_log AS log
         WHERE lane = a_lane AND log.event < 3 AND log.did_win
           AND log.transaction_id IN (SELECT r.transaction_id FROM raised AS r)
        UNION ALL
        SELECT r.position, r.ordinal, r.transaction_id, r.sequence_index, r.value::smallint FROM raised AS r
    ),
    made AS (
        SELECT r.*, coalesce((SELECT v.value
                                FROM value_of AS v
                               WHERE v.transaction_id = r.transaction_id AND v.sequence_index = r.sequence_index
                                 AND (v.position, v.ordinal) < (r.position, r.ordinal)
                               ORDER BY v.position DESC, v.ordinal DESC LIMIT 1), first_value) AS value_before
          FROM raised AS r
    )
    SELECT n.*
      FROM named AS n
     WHERE (n.position, n.ordinal, n.transaction_id) NOT IN (SELECT e.position, e.ordinal, e.transaction_id FROM event AS e)
    UNION ALL
    SELECT m.position, m.ordinal, m.transaction_id, m.line, m.source, m.traits, m.received_at,
           CASE WHEN postbacks <> 1 OR m.value IS NULL THEN NULL WHEN value_before = first_value THEN 1 ELSE 2 END::smallint,
           m.sequence_index, m.value::smallint, value_before, true
      FROM made AS m
     ORDER BY 1, 2;
END $$;

COMMENT ON FUNCTION attribution.missing_events(smallint, bigint, bigint) IS
    'The events of a lane that are missing in the log, as state and bodies say they were';

-- Writes missing events of a lane again, at their places. `missing` is an array of rows of `missing_events`. If another event
-- has the place, the event comes behind all others of the position, and its body and the row of state follow it. It returns
-- how many were written: what is in the log by now, or has moved, is left out. On a cluster the worker of the lane runs it.
--
-- A reader that is behind a place reads its event there. One that has passed it does not. So no reader reads an event twice.
CREATE OR REPLACE FUNCTION attribution.write_events_in_shard(a_lane smallint, missing jsonb, is_distributed boolean) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    names   text[] := ARRAY['postback_state', 'postback_body', 'postback_log'];
    row     record;
    place   record;
    written bigint := 0;
BEGIN
    IF is_distributed THEN
        names := attribution.hold_lane_in_shard(a_lane, names, true);
    ELSE
        names := ARRAY(SELECT 'attribution.' || name FROM unnest(names) WITH ORDINALITY AS t (name, number) ORDER BY number);
        PERFORM pg_advisory_xact_lock(742100164, a_lane);
    END IF;
    FOR row IN SELECT *
                 FROM jsonb_to_recordset(missing) AS m (
                      "position" bigint, ordinal smallint, transaction_id uuid, line integer, source bigint,
                      traits integer, received_at timestamptz, event smallint, sequence_index smallint, value smallint,
                      previous_value smallint, did_win boolean)
                ORDER BY m.position, m.ordinal LOOP
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %1$s AS state
                             WHERE transaction_id = $4 AND lane = $1
                               AND ((position, ordinal) = ($2, $3) OR (raised_position, raised_ordinal) = ($2, $3)))
                    OR EXISTS (SELECT FROM %2$s WHERE lane = $1 AND position = $2 AND ordinal = $3 AND transaction_id = $4)
                        AS is_named,
                    bool_or(ordinal = $3 AND transaction_id = $4 AND event < 3) AS is_written,
                    bool_or(ordinal = $3) AS is_taken,
                    greatest(max(ordinal), (SELECT max(ordinal) FROM %2$s WHERE lane = $1 AND position = $2))::smallint AS last
               FROM %3$s
              WHERE lane = $1 AND position = $2', VARIADIC names)
           INTO place USING a_lane, row.position, row.ordinal, row.transaction_id;
        CONTINUE WHEN NOT place.is_named OR place.is_written;
        EXECUTE format(
            'INSERT INTO %3$s (position, written_at, received_at, transaction_id, line, source, traits, lane, ordinal,
                               event, sequence_index, value, previous_value, did_win)
             VALUES ($1, clock_timestamp(), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', VARIADIC names)
          USING row.position, row.received_at, row.transaction_id, row.line, row.source, row.traits, a_lane,
                CASE WHEN place.is_taken THEN place.last + 1 ELSE row.ordinal END::smallint, row.event, row.sequence_index,
                row.value, row.previous_value, row.did_win;
        written := written + 1;
        CONTINUE WHEN place.is_taken IS NOT TRUE;
        EXECUTE format('UPDATE %2$s SET ordinal = $5
                         WHERE lane = $1 AND position = $2 AND ordinal = $3 AND transaction_id = $4', VARIADIC names)
          USING a_lane, row.position, row.ordinal, row.transaction_id, (place.last + 1)::smallint;
        EXECUTE format(
            'UPDATE %1$s
                SET ordinal = CASE WHEN (position, ordinal) = ($2, $3) THEN $5 ELSE ordinal END,
                    raised_ordinal = CASE WHEN (raised_position, raised_ordinal) = ($2, $3) THEN $5 ELSE raised_ordinal END
              WHERE transaction_id = $4 AND lane = $1 AND sequence_index = $6 AND did_win = $7
                AND ((position, ordinal) = ($2, $3) OR (raised_position, raised_ordinal) = ($2, $3))', VARIADIC names)
          USING a_lane, row.position, row.ordinal, row.transaction_id, (place.last + 1)::smallint, row.sequence_index,
                row.did_win;
    END LOOP;
    RETURN written;
END $$;

COMMENT ON FUNCTION attribution.write_events_in_shard(smallint, jsonb, boolean) IS
    'Writes missing events of a lane again, on the node that has it';

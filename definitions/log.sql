-- Reading the log: what a reader has not read yet, what it has read, and the newest events.

-- The events of these lanes: of each those behind one position and up to another. They are read lane by lane, so that
-- the planner knows the positions and leaves out the partitions that can't hold them. Nothing is joined here: so on a
-- cluster each lane is one query of its worker.
CREATE OR REPLACE FUNCTION attribution.log_events(lanes smallint[], behind bigint[], up_to bigint[]) RETURNS TABLE (
    line integer, source bigint, traits integer, received_at timestamptz, event smallint, sequence_index smallint,
    value smallint, previous_value smallint, did_win boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE
-- A generic plan would include all partitions, and making it takes longer than most reports.
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    FOR place IN 1 .. coalesce(cardinality(lanes), 0) LOOP
        RETURN QUERY
        SELECT log.line, log.source, log.traits, log.received_at, log.event, log.sequence_index, log.value,
               log.previous_value, log.did_win
          FROM attribution.postback_log AS log
         WHERE log.lane = lanes[place] AND log.position > behind[place] AND log.position <= up_to[place];
    END LOOP;
END $$;

-- The changes that these events cause: one each, or two for a raise.
CREATE OR REPLACE FUNCTION attribution.log_changes(lanes smallint[], behind bigint[], up_to bigint[]) RETURNS TABLE (
    line integer, source bigint, traits integer, received_at timestamptz, day date, sequence_index smallint,
    did_win boolean, kind text, value smallint, postbacks integer, raised integer, conflicts integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT log.line, log.source, log.traits, log.received_at, attribution.day_of(log.received_at),
           log.sequence_index, log.did_win, traits.kind,
           CASE side WHEN 1 THEN log.value ELSE log.previous_value END, CASE WHEN log.event = 3 THEN 0 ELSE side END,
           CASE WHEN log.event = 1 AND side = 1 THEN 1 ELSE 0 END, CASE WHEN log.event = 3 THEN 1 ELSE 0 END
      FROM attribution.log_events($1, $2, $3) AS log
      JOIN attribution.traits USING (traits)
      JOIN (VALUES (1), (-1)) AS sides (side) ON side = 1 OR log.event IN (1, 2)
$$;

-- What a reader has not read yet. Of each of these lanes that has events, it gives the reader's place and a position
-- ahead of it; and the number of all these events. There are about `at_most` events of each lane, since all events of a
-- position are read together. It locks the places of the reader.
CREATE OR REPLACE FUNCTION attribution.log_ahead(
    a_reader text, a_lanes smallint[], at_most bigint,
    OUT lanes smallint[], OUT behind bigint[], OUT up_to bigint[], OUT events bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    place record;
    part  record;
BEGIN
    lanes := '{}';
    behind := '{}';
    up_to := '{}';
    events := 0;
    FOR place IN SELECT reader.lane, reader.position
                   FROM attribution.log_reader AS reader
                  WHERE reader.reader = a_reader AND reader.lane = ANY (a_lanes)
                  ORDER BY reader.lane
                    FOR UPDATE LOOP
        SELECT max(ahead.position) AS position, count(*) AS events INTO part
          FROM (SELECT log.position
                  FROM attribution.postback_log AS log
                 WHERE log.lane = place.lane AND log.position > place.position
                 ORDER BY log.position
                 LIMIT at_most) AS ahead;
        CONTINUE WHEN part.events = 0;
        lanes := lanes || place.lane;
        behind := behind || place.position;
        up_to := up_to || part.position;
        events := events + part.events;
    END LOOP;
END $$;

-- Moves the places of a reader to these positions.
CREATE OR REPLACE FUNCTION attribution.move_reader(a_reader text, lanes smallint[], up_to bigint[]) RETURNS void
LANGUAGE sql AS $$
    UPDATE attribution.log_reader AS reader
       SET position = moved.position, ordinal = 32767, moved_at = clock_timestamp()
      FROM unnest(lanes, up_to) AS moved (lane, position)
     WHERE reader.reader = a_reader AND reader.lane = moved.lane
$$;

-- The state of the postbacks of some lines, of all if `lines` is NULL, and the events that a reader has not read of them. Rows
-- of state have the event -1, and their first value as the previous one. Each lane is one query, so both are of one snapshot,
-- also on a cluster.
CREATE OR REPLACE FUNCTION attribution.state_and_unread(a_reader text, lines integer[]) RETURNS TABLE (
    line integer, source bigint, traits integer, received_at timestamptz, event smallint, sequence_index smallint,
    value smallint, previous_value smallint, did_win boolean, conflicts integer)
LANGUAGE plpgsql STABLE ROWS 100000
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    IF cardinality(lines) = 0 THEN RETURN; END IF;
    FOR place IN SELECT reader.lane, reader.position
                   FROM attribution.log_reader AS reader WHERE reader.reader = a_reader ORDER BY reader.lane LOOP
        RETURN QUERY
        SELECT line, source, traits, received_at, (-1)::smallint, sequence_index, value, first_value, did_win, conflicts
          FROM attribution.postback_state
         WHERE lane = place.lane AND (lines IS NULL OR line = ANY (lines))
        UNION ALL
        SELECT line, source, traits, received_at, event, sequence_index, value, previous_value, did_win, 0
          FROM attribution.postback_log
         WHERE lane = place.lane AND position > place.position AND (lines IS NULL OR line = ANY (lines));
    END LOOP;
END $$;

-- What a reader has read of some lines, or of all if `lines` is NULL: their state, less the changes that the reader has not
-- read. The sums of the reader must be equal to these. The caller holds the lock of the reader's folding, or
-- sees the sums and the reader's place in one snapshot.
CREATE OR REPLACE FUNCTION attribution.read_changes(a_reader text, lines integer[]) RETURNS TABLE (
    line integer, source bigint, traits integer, received_at timestamptz, day date, sequence_index smallint,
    did_win boolean, kind text, value smallint, postbacks integer, raised integer, conflicts integer)
LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT found.line, found.source, found.traits, found.received_at, attribution.day_of(found.received_at),
           found.sequence_index, found.did_win, traits.kind,
           CASE side WHEN 1 THEN found.value ELSE found.previous_value END,
           CASE found.event WHEN -1 THEN 1 WHEN 3 THEN 0 ELSE -side END,
           CASE WHEN found.event = -1 THEN (found.value <> found.previous_value)::integer
                WHEN found.event = 1 AND side = 1 THEN -1 ELSE 0 END,
           CASE found.event WHEN -1 THEN found.conflicts WHEN 3 THEN -1 ELSE 0 END
      FROM attribution.state_and_unread($1, $2) AS found
      JOIN attribution.traits USING (traits)
      JOIN (VALUES (1), (-1)) AS sides (side) ON side = 1 OR found.event IN (1, 2)
$$;

-- How many events were written in the last second. It counts at most so many of each lane.
--
-- On a cluster each query goes to the worker of its lane. So it calls none of our functions, which a worker lacks.
CREATE OR REPLACE FUNCTION attribution.events_of_last_second(at_most bigint) RETURNS bigint LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    a_lane    smallint;
    events    bigint := 0;
    yesterday bigint := attribution.first_position((now() AT TIME ZONE 'UTC')::date - 1);
BEGIN
    FOR a_lane IN SELECT lane FROM attribution.lane LOOP
        events := events + (
            SELECT count(*)
              FROM (SELECT log.written_at
                      FROM attribution.postback_log AS log
                     WHERE log.lane = a_lane AND log.position > yesterday
                     ORDER BY log.position DESC
                     LIMIT at_most) AS newest
             WHERE newest.written_at > now() - interval '1 second');
    END LOOP;
    RETURN events;
END $$;

COMMENT ON FUNCTION attribution.events_of_last_second(bigint) IS
    'How many events were written to the log in the last second; of each lane at most so many';

-- The newest events of the last days of each lane, for the page: at most so many of each. Each query reads one lane, as
-- above.
CREATE OR REPLACE FUNCTION attribution.newest_events(at_most bigint, days integer)
RETURNS TABLE (lane smallint, "position" bigint, ordinal smallint, event smallint, value smallint, line integer,
               traits integer, sequence_index smallint, transaction_id uuid, written_at timestamptz)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    a_lane smallint;
    first  bigint := attribution.first_position((now() AT TIME ZONE 'UTC')::date - days);
BEGIN
    FOR a_lane IN SELECT stored.lane FROM attribution.lane AS stored LOOP
        RETURN QUERY
        SELECT log.lane, log.position, log.ordinal, log.event, log.value, log.line, log.traits, log.sequence_index,
               log.transaction_id, log.written_at
          FROM attribution.postback_log AS log
         WHERE log.lane = a_lane AND log.position >= first
         ORDER BY log.position DESC, log.ordinal DESC
         LIMIT at_most;
    END LOOP;
END $$;

COMMENT ON FUNCTION attribution.newest_events(bigint, integer) IS
    'The newest events of the log of the last days; of each lane at most so many';

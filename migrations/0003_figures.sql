-- Figures. Each is defined here and nowhere else. Folding, the reports and the recount use these definitions.
--
-- A change says by how many postbacks a figure changes. It is 1 for a new postback and 0 for a conflict. A raise is -1
-- with the old value and 1 with the new one. `figures` and `window_figures` turn a change into the columns of the
-- reports. The log gives changes (`log_changes`), and so does the state of each postback (`state_change`). Sums over
-- both are equal; docs/recount.sql compares them.

-- A sum of bigint that stays bigint. sum(bigint) computes with numeric, which takes much of a report's time.
CREATE AGGREGATE attribution.total(bigint) (
    SFUNC = int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);

-- The average of fine values, to four places; NULL if there are none.
CREATE FUNCTION attribution.average(value_sum bigint, value_known bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(value_sum::numeric / nullif(value_known, 0), 4) $$;

-- The figures of one window. Values are those of its winning postbacks. Only the first window has kinds.
CREATE FUNCTION attribution.window_figures(
    postbacks integer, sequence_index smallint, did_win boolean, kind text, value smallint)
RETURNS TABLE (
    winning integer, installs integer, redownloads integer, reengagements integer, assists integer,
    value_known integer, value_null integer, value_sum integer,
    coarse_low integer, coarse_medium integer, coarse_high integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN did_win THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND sequence_index = 0 AND kind = 'install' THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND sequence_index = 0 AND kind = 'redownload' THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND sequence_index = 0 AND kind = 're-engagement' THEN postbacks ELSE 0 END,
           CASE WHEN did_win THEN 0 ELSE postbacks END,
           CASE WHEN did_win AND value BETWEEN 0 AND 63 THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND value < 0 THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND value BETWEEN 0 AND 63 THEN postbacks * value ELSE 0 END,
           CASE WHEN did_win AND value = 101 THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND value = 102 THEN postbacks ELSE 0 END,
           CASE WHEN did_win AND value = 103 THEN postbacks ELSE 0 END
$$;

-- The figures by campaign. Values are those of the first window.
CREATE FUNCTION attribution.figures(
    postbacks integer, sequence_index smallint, did_win boolean, kind text, value smallint)
RETURNS TABLE (
    installs integer, redownloads integer, reengagements integer, assists integer,
    value_known integer, value_coarse integer, value_null integer, value_sum integer, later_windows integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT w.installs, w.redownloads, w.reengagements, w.assists,
           CASE WHEN sequence_index = 0 THEN w.value_known ELSE 0 END,
           CASE WHEN sequence_index = 0 THEN w.coarse_low + w.coarse_medium + w.coarse_high ELSE 0 END,
           CASE WHEN sequence_index = 0 THEN w.value_null ELSE 0 END,
           CASE WHEN sequence_index = 0 THEN w.value_sum ELSE 0 END,
           CASE WHEN sequence_index > 0 THEN postbacks ELSE 0 END
      FROM attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS w
$$;

-- The state of a postback as one change. The recount sums these.
CREATE VIEW attribution.state_change AS
SELECT state.line, state.source, state.traits, state.received_at,
       (state.received_at AT TIME ZONE 'UTC')::date AS day, state.sequence_index, state.did_win, traits.kind, state.value,
       1 AS postbacks, (state.value <> state.first_value)::integer AS raised, state.conflicts
  FROM attribution.postback_state AS state
  JOIN attribution.traits USING (traits);

-- The daily tables: sums of changes up to the place of the reader `figures`. Day is the UTC day of first receipt.
-- Keys begin with the line, so a report for one campaign or app reads only its rows. A BRIN index finds days.

CREATE TABLE attribution.campaign_daily (
    line          integer NOT NULL,
    day           date    NOT NULL,
    -- Signed by the service, by UTC day of signing; the other figures come from the log.
    impressions   bigint  NOT NULL DEFAULT 0,
    installs      bigint  NOT NULL DEFAULT 0,
    redownloads   bigint  NOT NULL DEFAULT 0,
    reengagements bigint  NOT NULL DEFAULT 0,
    assists       bigint  NOT NULL DEFAULT 0,
    value_known   bigint  NOT NULL DEFAULT 0,
    value_coarse  bigint  NOT NULL DEFAULT 0,
    value_null    bigint  NOT NULL DEFAULT 0,
    value_sum     bigint  NOT NULL DEFAULT 0,
    raised        bigint  NOT NULL DEFAULT 0,
    conflicts     bigint  NOT NULL DEFAULT 0,
    later_windows bigint  NOT NULL DEFAULT 0,
    value_average numeric GENERATED ALWAYS AS (attribution.average(value_sum, value_known)) STORED,
    CONSTRAINT campaign_daily_key PRIMARY KEY (line, day)
);
CREATE INDEX campaign_daily_day ON attribution.campaign_daily USING brin (day);

CREATE TABLE attribution.source_app_daily (
    line          integer NOT NULL,
    day           date    NOT NULL,
    source        integer NOT NULL,
    installs      bigint  NOT NULL,
    redownloads   bigint  NOT NULL,
    reengagements bigint  NOT NULL,
    assists       bigint  NOT NULL,
    value_known   bigint  NOT NULL,
    value_coarse  bigint  NOT NULL,
    value_null    bigint  NOT NULL,
    value_sum     bigint  NOT NULL,
    raised        bigint  NOT NULL,
    conflicts     bigint  NOT NULL,
    later_windows bigint  NOT NULL,
    value_average numeric GENERATED ALWAYS AS (attribution.average(value_sum, value_known)) STORED,
    CONSTRAINT source_app_daily_key PRIMARY KEY (line, day, source)
);
CREATE INDEX source_app_daily_day ON attribution.source_app_daily USING brin (day);

CREATE TABLE attribution.conversion_value_daily (
    line           integer  NOT NULL,
    day            date     NOT NULL,
    sequence_index smallint NOT NULL,
    value          smallint NOT NULL,
    -- A raise moves a postback from one value to another, so 0 is possible.
    postbacks      bigint   NOT NULL,
    CONSTRAINT conversion_value_daily_key PRIMARY KEY (line, day, sequence_index, value)
);
CREATE INDEX conversion_value_daily_day ON attribution.conversion_value_daily USING brin (day);
-- Window and value depend on each other. Without this the planner expects far too many groups.
CREATE STATISTICS attribution.conversion_value_kinds (ndistinct) ON sequence_index, value
  FROM attribution.conversion_value_daily;

CREATE TABLE attribution.window_daily (
    line           integer  NOT NULL,
    day            date     NOT NULL,
    sequence_index smallint NOT NULL,
    winning        bigint   NOT NULL,
    installs       bigint   NOT NULL,
    redownloads    bigint   NOT NULL,
    reengagements  bigint   NOT NULL,
    assists        bigint   NOT NULL,
    value_known    bigint   NOT NULL,
    value_null     bigint   NOT NULL,
    value_sum      bigint   NOT NULL,
    coarse_low     bigint   NOT NULL,
    coarse_medium  bigint   NOT NULL,
    coarse_high    bigint   NOT NULL,
    CONSTRAINT window_daily_key PRIMARY KEY (line, day, sequence_index)
);
CREATE INDEX window_daily_day ON attribution.window_daily USING brin (day);

COMMENT ON TABLE attribution.campaign_daily IS 'Folded figures by line and day, and impressions';
COMMENT ON TABLE attribution.source_app_daily IS 'Folded figures by line, day and source';
COMMENT ON TABLE attribution.conversion_value_daily IS 'Folded numbers of postbacks by line, day, window and value';
COMMENT ON TABLE attribution.window_daily IS 'Folded figures by line, day and window';

-- The events of these lanes: of each those behind one position and up to another. They are read lane by lane, so that
-- the planner knows the positions and leaves out the partitions that can't hold them. Nothing is joined here: so on a
-- cluster each lane is one query of its worker.
CREATE FUNCTION attribution.log_events(lanes smallint[], behind bigint[], up_to bigint[]) RETURNS TABLE (
    line integer, source integer, traits integer, received_at timestamptz, event smallint, sequence_index smallint,
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
CREATE FUNCTION attribution.log_changes(lanes smallint[], behind bigint[], up_to bigint[]) RETURNS TABLE (
    line integer, source integer, traits integer, received_at timestamptz, day date, sequence_index smallint,
    did_win boolean, kind text, value smallint, postbacks integer, raised integer, conflicts integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT log.line, log.source, log.traits, log.received_at, (log.received_at AT TIME ZONE 'UTC')::date,
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
CREATE FUNCTION attribution.log_ahead(
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
CREATE FUNCTION attribution.move_reader(a_reader text, lanes smallint[], up_to bigint[]) RETURNS void
LANGUAGE sql AS $$
    UPDATE attribution.log_reader AS reader
       SET position = moved.position, ordinal = 32767, moved_at = clock_timestamp()
      FROM unnest(lanes, up_to) AS moved (lane, position)
     WHERE reader.reader = a_reader AND reader.lane = moved.lane
$$;

-- The state of the postbacks of some lines, and the events that a reader has not read of them. Rows of state have the event
-- -1, and their first value as the previous one. Each lane is one query, so both are of one snapshot, also on a cluster.
CREATE FUNCTION attribution.state_and_unread(a_reader text, lines integer[]) RETURNS TABLE (
    line integer, source integer, traits integer, received_at timestamptz, event smallint, sequence_index smallint,
    value smallint, previous_value smallint, did_win boolean, conflicts integer)
LANGUAGE plpgsql STABLE ROWS 100000
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    place record;
BEGIN
    IF coalesce(cardinality(lines), 0) = 0 THEN RETURN; END IF;
    FOR place IN SELECT reader.lane, reader.position
                   FROM attribution.log_reader AS reader WHERE reader.reader = a_reader ORDER BY reader.lane LOOP
        RETURN QUERY
        SELECT line, source, traits, received_at, (-1)::smallint, sequence_index, value, first_value, did_win, conflicts
          FROM attribution.postback_state
         WHERE lane = place.lane AND line = ANY (lines)
        UNION ALL
        SELECT line, source, traits, received_at, event, sequence_index, value, previous_value, did_win, 0
          FROM attribution.postback_log
         WHERE lane = place.lane AND position > place.position AND line = ANY (lines);
    END LOOP;
END $$;

-- What a reader has read of some lines: their state, less the changes that the reader has not read. The sums of the reader
-- must be equal to these. The caller holds the lock of the reader's folding.
CREATE FUNCTION attribution.read_changes(a_reader text, lines integer[]) RETURNS TABLE (
    line integer, source integer, traits integer, received_at timestamptz, day date, sequence_index smallint,
    did_win boolean, kind text, value smallint, postbacks integer, raised integer, conflicts integer)
LANGUAGE sql STABLE ROWS 100000 AS $$
    SELECT found.line, found.source, found.traits, found.received_at, (found.received_at AT TIME ZONE 'UTC')::date,
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

-- Adds the changes of these lanes behind one position and up to another, and what the reader `figures` has read of some
-- lines, to the daily tables. Fold and refold use one of the two, the other is empty.
--
-- All of it is one statement, because each update of a row of a daily table leaves a dead version behind.
CREATE FUNCTION attribution.add_figures(lanes smallint[], behind bigint[], up_to bigint[], lines integer[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    WITH change AS MATERIALIZED (
        SELECT * FROM attribution.log_changes(lanes, behind, up_to)
        UNION ALL
        SELECT * FROM attribution.read_changes('figures', lines)
    ),
    campaigns AS (
        INSERT INTO attribution.campaign_daily AS stored (
            line, day, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum,
            raised, conflicts, later_windows)
        SELECT line, day, sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists),
               sum(f.value_known), sum(f.value_coarse), sum(f.value_null), sum(f.value_sum),
               sum(change.raised), sum(change.conflicts), sum(f.later_windows)
          FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
         GROUP BY line, day
         ORDER BY line, day
        ON CONFLICT (line, day) DO UPDATE SET
            installs = stored.installs + excluded.installs,
            redownloads = stored.redownloads + excluded.redownloads,
            reengagements = stored.reengagements + excluded.reengagements,
            assists = stored.assists + excluded.assists,
            value_known = stored.value_known + excluded.value_known,
            value_coarse = stored.value_coarse + excluded.value_coarse,
            value_null = stored.value_null + excluded.value_null,
            value_sum = stored.value_sum + excluded.value_sum,
            raised = stored.raised + excluded.raised,
            conflicts = stored.conflicts + excluded.conflicts,
            later_windows = stored.later_windows + excluded.later_windows
    ),
    source_apps AS (
        INSERT INTO attribution.source_app_daily AS stored (
            line, day, source, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
            value_sum, raised, conflicts, later_windows)
        SELECT line, day, source, sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists),
               sum(f.value_known), sum(f.value_coarse), sum(f.value_null), sum(f.value_sum),
               sum(change.raised), sum(change.conflicts), sum(f.later_windows)
          FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
         GROUP BY line, day, source
         ORDER BY line, day, source
        ON CONFLICT (line, day, source) DO UPDATE SET
            installs = stored.installs + excluded.installs,
            redownloads = stored.redownloads + excluded.redownloads,
            reengagements = stored.reengagements + excluded.reengagements,
            assists = stored.assists + excluded.assists,
            value_known = stored.value_known + excluded.value_known,
            value_coarse = stored.value_coarse + excluded.value_coarse,
            value_null = stored.value_null + excluded.value_null,
            value_sum = stored.value_sum + excluded.value_sum,
            raised = stored.raised + excluded.raised,
            conflicts = stored.conflicts + excluded.conflicts,
            later_windows = stored.later_windows + excluded.later_windows
    ),
    conversion_values AS (
        INSERT INTO attribution.conversion_value_daily AS stored (line, day, sequence_index, value, postbacks)
        SELECT line, day, sequence_index, value, sum(postbacks)
          FROM change
         WHERE postbacks <> 0
         GROUP BY line, day, sequence_index, value
         ORDER BY line, day, sequence_index, value
        ON CONFLICT (line, day, sequence_index, value) DO UPDATE SET
            postbacks = stored.postbacks + excluded.postbacks
    )
    INSERT INTO attribution.window_daily AS stored (
        line, day, sequence_index, winning, installs, redownloads, reengagements, assists, value_known, value_null,
        value_sum, coarse_low, coarse_medium, coarse_high)
    SELECT line, day, sequence_index, sum(f.winning), sum(f.installs), sum(f.redownloads), sum(f.reengagements),
           sum(f.assists), sum(f.value_known), sum(f.value_null), sum(f.value_sum),
           sum(f.coarse_low), sum(f.coarse_medium), sum(f.coarse_high)
      FROM change, attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS f
     WHERE postbacks <> 0
     GROUP BY line, day, sequence_index
     ORDER BY line, day, sequence_index
    ON CONFLICT (line, day, sequence_index) DO UPDATE SET
        winning = stored.winning + excluded.winning,
        installs = stored.installs + excluded.installs,
        redownloads = stored.redownloads + excluded.redownloads,
        reengagements = stored.reengagements + excluded.reengagements,
        assists = stored.assists + excluded.assists,
        value_known = stored.value_known + excluded.value_known,
        value_null = stored.value_null + excluded.value_null,
        value_sum = stored.value_sum + excluded.value_sum,
        coarse_low = stored.coarse_low + excluded.coarse_low,
        coarse_medium = stored.coarse_medium + excluded.coarse_medium,
        coarse_high = stored.coarse_high + excluded.coarse_high;
END $$;

-- Adds the changes of these lanes behind the place of the reader `figures` to the daily tables, and moves the place. It
-- folds about `at_most` events of each lane and returns the number of all. The caller holds the lock of folding.
CREATE FUNCTION attribution.fold(a_lanes smallint[], at_most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    ahead record;
BEGIN
    SELECT * INTO ahead FROM attribution.log_ahead('figures', a_lanes, at_most);
    IF ahead.events > 0 THEN
        PERFORM attribution.add_figures(ahead.lanes, ahead.behind, ahead.up_to, NULL);
        PERFORM attribution.move_reader('figures', ahead.lanes, ahead.up_to);
    END IF;
    RETURN ahead.events;
END $$;

-- Sums the figures of some lines anew, up to the place of the reader `figures`. Impressions stay as they are. The caller holds
-- the lock of folding.
CREATE FUNCTION attribution.refold_figures(lines integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE attribution.campaign_daily
       SET installs = 0, redownloads = 0, reengagements = 0, assists = 0, value_known = 0, value_coarse = 0, value_null = 0,
           value_sum = 0, raised = 0, conflicts = 0, later_windows = 0
     WHERE line = ANY (lines);
    DELETE FROM attribution.source_app_daily WHERE line = ANY (lines);
    DELETE FROM attribution.conversion_value_daily WHERE line = ANY (lines);
    DELETE FROM attribution.window_daily WHERE line = ANY (lines);
    PERFORM attribution.add_figures('{}', '{}', '{}', lines);
END $$;

-- The changes that are not folded yet. SECURITY DEFINER: somebody who may read a report needs no rights on the log.
-- pg_temp is last in the path: if it is not named, types and tables of the caller's session come before all others, and
-- their code would run as the owner.
CREATE FUNCTION attribution.unfolded() RETURNS TABLE (
    line integer, source integer, day date, sequence_index smallint, did_win boolean, kind text, value smallint,
    postbacks integer, raised integer, conflicts integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    reader record;
BEGIN
    SELECT array_agg(lane) AS lanes, array_agg(position) AS behind,
           array_agg(9223372036854775807) AS up_to INTO reader
      FROM attribution.log_reader WHERE log_reader.reader = 'figures';
    RETURN QUERY SELECT line, source, day, sequence_index, did_win, kind, value, postbacks, raised, conflicts
                   FROM attribution.log_changes(reader.lanes, reader.behind, reader.up_to);
END $$;

REVOKE EXECUTE ON FUNCTION attribution.unfolded() FROM PUBLIC;

-- Daily tables and unfolded changes together: at any moment equal to a recount. If a row of a daily table has unfolded
-- changes, their sum is shown instead of the row. The condition is outside the UNION, so that a report for one app can
-- use the index of the daily table.

CREATE VIEW attribution.campaign_figure AS
SELECT line, day, impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       value_sum, raised, conflicts, later_windows, value_average
  FROM (SELECT false AS is_sum, line, day, impressions, installs, redownloads, reengagements, assists, value_known,
               value_coarse, value_null, value_sum, raised, conflicts, later_windows, value_average
          FROM attribution.campaign_daily
        UNION ALL
        SELECT true, line, day, coalesce(folded.impressions, 0), fresh.installs + coalesce(folded.installs, 0),
               fresh.redownloads + coalesce(folded.redownloads, 0),
               fresh.reengagements + coalesce(folded.reengagements, 0), fresh.assists + coalesce(folded.assists, 0),
               fresh.value_known + coalesce(folded.value_known, 0),
               fresh.value_coarse + coalesce(folded.value_coarse, 0),
               fresh.value_null + coalesce(folded.value_null, 0), fresh.value_sum + coalesce(folded.value_sum, 0),
               fresh.raised + coalesce(folded.raised, 0), fresh.conflicts + coalesce(folded.conflicts, 0),
               fresh.later_windows + coalesce(folded.later_windows, 0),
               attribution.average(fresh.value_sum + coalesce(folded.value_sum, 0),
                                   fresh.value_known + coalesce(folded.value_known, 0))
          FROM (SELECT line, day, sum(f.installs) AS installs, sum(f.redownloads) AS redownloads,
                       sum(f.reengagements) AS reengagements, sum(f.assists) AS assists,
                       sum(f.value_known) AS value_known, sum(f.value_coarse) AS value_coarse,
                       sum(f.value_null) AS value_null, sum(f.value_sum) AS value_sum, sum(change.raised) AS raised,
                       sum(change.conflicts) AS conflicts, sum(f.later_windows) AS later_windows
                  FROM attribution.unfolded() AS change,
                       attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
                 GROUP BY line, day) AS fresh
          LEFT JOIN attribution.campaign_daily AS folded USING (line, day)) AS figure
 WHERE (is_sum OR (line, day) NOT IN (SELECT line, day FROM attribution.unfolded()));

CREATE VIEW attribution.source_app_figure AS
SELECT line, day, source, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       value_sum, raised, conflicts, later_windows, value_average
  FROM (SELECT false AS is_sum, line, day, source, installs, redownloads, reengagements, assists, value_known,
               value_coarse, value_null, value_sum, raised, conflicts, later_windows, value_average
          FROM attribution.source_app_daily
        UNION ALL
        SELECT true, line, day, source, fresh.installs + coalesce(folded.installs, 0),
               fresh.redownloads + coalesce(folded.redownloads, 0),
               fresh.reengagements + coalesce(folded.reengagements, 0), fresh.assists + coalesce(folded.assists, 0),
               fresh.value_known + coalesce(folded.value_known, 0),
               fresh.value_coarse + coalesce(folded.value_coarse, 0),
               fresh.value_null + coalesce(folded.value_null, 0), fresh.value_sum + coalesce(folded.value_sum, 0),
               fresh.raised + coalesce(folded.raised, 0), fresh.conflicts + coalesce(folded.conflicts, 0),
               fresh.later_windows + coalesce(folded.later_windows, 0),
               attribution.average(fresh.value_sum + coalesce(folded.value_sum, 0),
                                   fresh.value_known + coalesce(folded.value_known, 0))
          FROM (SELECT line, day, source, sum(f.installs) AS installs, sum(f.redownloads) AS redownloads,
                       sum(f.reengagements) AS reengagements, sum(f.assists) AS assists,
                       sum(f.value_known) AS value_known, sum(f.value_coarse) AS value_coarse,
                       sum(f.value_null) AS value_null, sum(f.value_sum) AS value_sum, sum(change.raised) AS raised,
                       sum(change.conflicts) AS conflicts, sum(f.later_windows) AS later_windows
                  FROM attribution.unfolded() AS change,
                       attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
                 GROUP BY line, day, source) AS fresh
          LEFT JOIN attribution.source_app_daily AS folded USING (line, day, source)) AS figure
 WHERE (is_sum OR (line, day, source) NOT IN (SELECT line, day, source FROM attribution.unfolded()));

CREATE VIEW attribution.conversion_value_figure AS
SELECT line, day, sequence_index, value, postbacks
  FROM (SELECT false AS is_sum, line, day, sequence_index, value, postbacks
          FROM attribution.conversion_value_daily
        UNION ALL
        SELECT true, line, day, sequence_index, value, fresh.postbacks + coalesce(folded.postbacks, 0)
          FROM (SELECT line, day, sequence_index, value, sum(postbacks) AS postbacks
                  FROM attribution.unfolded() AS change
                 GROUP BY line, day, sequence_index, value) AS fresh
          LEFT JOIN attribution.conversion_value_daily AS folded USING (line, day, sequence_index, value)) AS figure
 WHERE (is_sum OR (line, day, sequence_index, value) NOT IN (SELECT line, day, sequence_index, value FROM attribution.unfolded()))
   AND postbacks <> 0;

CREATE VIEW attribution.window_figure AS
SELECT line, day, sequence_index, winning, installs, redownloads, reengagements, assists, value_known, value_null,
       value_sum, coarse_low, coarse_medium, coarse_high
  FROM (SELECT false AS is_sum, line, day, sequence_index, winning, installs, redownloads, reengagements, assists,
               value_known, value_null, value_sum, coarse_low, coarse_medium, coarse_high
          FROM attribution.window_daily
        UNION ALL
        SELECT true, line, day, sequence_index, fresh.winning + coalesce(folded.winning, 0),
               fresh.installs + coalesce(folded.installs, 0), fresh.redownloads + coalesce(folded.redownloads, 0),
               fresh.reengagements + coalesce(folded.reengagements, 0), fresh.assists + coalesce(folded.assists, 0),
               fresh.value_known + coalesce(folded.value_known, 0), fresh.value_null + coalesce(folded.value_null, 0),
               fresh.value_sum + coalesce(folded.value_sum, 0), fresh.coarse_low + coalesce(folded.coarse_low, 0),
               fresh.coarse_medium + coalesce(folded.coarse_medium, 0),
               fresh.coarse_high + coalesce(folded.coarse_high, 0)
          FROM (SELECT line, day, sequence_index, sum(f.winning) AS winning, sum(f.installs) AS installs,
                       sum(f.redownloads) AS redownloads, sum(f.reengagements) AS reengagements,
                       sum(f.assists) AS assists, sum(f.value_known) AS value_known, sum(f.value_null) AS value_null,
                       sum(f.value_sum) AS value_sum, sum(f.coarse_low) AS coarse_low,
                       sum(f.coarse_medium) AS coarse_medium, sum(f.coarse_high) AS coarse_high
                  FROM attribution.unfolded() AS change,
                       attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS f
                 GROUP BY line, day, sequence_index) AS fresh
          LEFT JOIN attribution.window_daily AS folded USING (line, day, sequence_index)) AS figure
 WHERE (is_sum OR (line, day, sequence_index) NOT IN (SELECT line, day, sequence_index FROM attribution.unfolded()));

-- The recount: each row of a figure that differs from the postbacks. docs/recount.sql shows it.
CREATE VIEW attribution.recount AS
WITH change AS (
    SELECT * FROM attribution.state_change
),
checked AS (
    SELECT 'campaign_daily' AS table_name, (line, day)::text AS key,
           ARRAY[installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum,
                 raised, conflicts, later_windows]::bigint[] AS stored,
           NULL::bigint[] AS recounted
      FROM attribution.campaign_figure
    UNION ALL
    SELECT 'campaign_daily', (line, day)::text, NULL,
           ARRAY[sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists), sum(f.value_known),
                 sum(f.value_coarse), sum(f.value_null), sum(f.value_sum), sum(change.raised), sum(change.conflicts),
                 sum(f.later_windows)]::bigint[]
      FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
     GROUP BY line, day
    UNION ALL
    SELECT 'source_app_daily', (line, day, source)::text,
           ARRAY[installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum,
                 raised, conflicts, later_windows]::bigint[],
           NULL
      FROM attribution.source_app_figure
    UNION ALL
    SELECT 'source_app_daily', (line, day, source)::text, NULL,
           ARRAY[sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists), sum(f.value_known),
                 sum(f.value_coarse), sum(f.value_null), sum(f.value_sum), sum(change.raised), sum(change.conflicts),
                 sum(f.later_windows)]::bigint[]
      FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
     GROUP BY line, day, source
    UNION ALL
    SELECT 'conversion_value_daily', (line, day, sequence_index, value)::text, ARRAY[postbacks]::bigint[], NULL
      FROM attribution.conversion_value_figure
    UNION ALL
    SELECT 'conversion_value_daily', (line, day, sequence_index, value)::text, NULL, ARRAY[sum(postbacks)]::bigint[]
      FROM change
     GROUP BY line, day, sequence_index, value
    UNION ALL
    SELECT 'window_daily', (line, day, sequence_index)::text,
           ARRAY[winning, installs, redownloads, reengagements, assists, value_known, value_null, value_sum,
                 coarse_low, coarse_medium, coarse_high]::bigint[],
           NULL
      FROM attribution.window_figure
    UNION ALL
    SELECT 'window_daily', (line, day, sequence_index)::text, NULL,
           ARRAY[sum(f.winning), sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists),
                 sum(f.value_known), sum(f.value_null), sum(f.value_sum), sum(f.coarse_low), sum(f.coarse_medium),
                 sum(f.coarse_high)]::bigint[]
      FROM change, attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS f
     GROUP BY line, day, sequence_index
)
SELECT table_name, key, max(stored) AS stored, max(recounted) AS recounted
  FROM checked
 GROUP BY table_name, key
HAVING coalesce(max(stored), array_fill(0::bigint, ARRAY[cardinality(max(recounted))]))
       IS DISTINCT FROM
       coalesce(max(recounted), array_fill(0::bigint, ARRAY[cardinality(max(stored))]));

COMMENT ON VIEW attribution.recount IS 'Figures that differ from the postbacks; no row if all are right';
COMMENT ON COLUMN attribution.recount.table_name IS 'The daily table';
COMMENT ON COLUMN attribution.recount.key IS 'The row: line, day and the other columns of the table''s key';
COMMENT ON COLUMN attribution.recount.stored IS 'What reports read';
COMMENT ON COLUMN attribution.recount.recounted IS 'What the postbacks say';

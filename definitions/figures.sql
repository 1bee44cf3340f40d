-- Figures. Each is defined here and nowhere else. Folding, the reports and the recount use these definitions.
--
-- A change says by how many postbacks a figure changes. It is 1 for a new postback and 0 for a conflict. A raise is -1
-- with the old value and 1 with the new one. `figures` and `window_figures` turn a change into the columns of the
-- reports. The log gives changes (`log_changes`), and so does the state of each postback (`state_change`). Sums over
-- both are equal; tools/recount.sql compares them.

-- A sum of bigint that stays bigint. sum(bigint) computes with numeric, which takes much of a report's time.
CREATE OR REPLACE AGGREGATE attribution.total(bigint) (
    SFUNC = int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);

-- The figures of one window. Values are those of its winning postbacks. Only the first window has kinds.
CREATE OR REPLACE FUNCTION attribution.window_figures(
    postbacks integer, sequence_index smallint, did_win boolean, kind text, value smallint)
RETURNS TABLE (
    winning integer, installs integer, redownloads integer, reengagements integer, assists integer,
    fine integer, no_value integer, value_sum integer,
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
CREATE OR REPLACE FUNCTION attribution.figures(
    postbacks integer, sequence_index smallint, did_win boolean, kind text, value smallint)
RETURNS TABLE (
    installs integer, redownloads integer, reengagements integer, assists integer,
    fine integer, coarse integer, no_value integer, value_sum integer, later_windows integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT w.installs, w.redownloads, w.reengagements, w.assists,
           CASE WHEN sequence_index = 0 THEN w.fine ELSE 0 END,
           CASE WHEN sequence_index = 0 THEN w.coarse_low + w.coarse_medium + w.coarse_high ELSE 0 END,
           CASE WHEN sequence_index = 0 THEN w.no_value ELSE 0 END,
           CASE WHEN sequence_index = 0 THEN w.value_sum ELSE 0 END,
           CASE WHEN sequence_index > 0 THEN postbacks ELSE 0 END
      FROM attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS w
$$;

-- The state of a postback as one change. The recount sums these.
CREATE OR REPLACE VIEW attribution.state_change AS
SELECT state.line, state.source, state.traits, state.received_at,
       (state.received_at AT TIME ZONE 'UTC')::date AS day, state.sequence_index, state.did_win, traits.kind, state.value,
       1 AS postbacks, (state.value <> state.first_value)::integer AS raised, state.conflicts
  FROM attribution.postback_state AS state
  JOIN attribution.traits USING (traits);
COMMENT ON VIEW attribution.state_change IS 'Each postback as one change of figures, for a recount';

-- The changes that are not folded yet. SECURITY DEFINER: somebody who may read a report needs no rights on the log.
-- pg_temp is last in the path: if it is not named, types and tables of the caller's session come before all others, and
-- their code would run as the owner.
CREATE OR REPLACE FUNCTION attribution.unfolded() RETURNS TABLE (
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

CREATE OR REPLACE VIEW attribution.campaign_figure AS
SELECT line, day, impressions, installs, redownloads, reengagements, assists, fine, coarse, no_value,
       value_sum, raised, conflicts, later_windows, value_average
  FROM (SELECT false AS is_sum, line, day, impressions, installs, redownloads, reengagements, assists, fine,
               coarse, no_value, value_sum, raised, conflicts, later_windows, value_average
          FROM attribution.campaign_daily
        UNION ALL
        SELECT true, line, day, coalesce(folded.impressions, 0), fresh.installs + coalesce(folded.installs, 0),
               fresh.redownloads + coalesce(folded.redownloads, 0),
               fresh.reengagements + coalesce(folded.reengagements, 0), fresh.assists + coalesce(folded.assists, 0),
               fresh.fine + coalesce(folded.fine, 0),
               fresh.coarse + coalesce(folded.coarse, 0),
               fresh.no_value + coalesce(folded.no_value, 0), fresh.value_sum + coalesce(folded.value_sum, 0),
               fresh.raised + coalesce(folded.raised, 0), fresh.conflicts + coalesce(folded.conflicts, 0),
               fresh.later_windows + coalesce(folded.later_windows, 0),
               attribution.average(fresh.value_sum + coalesce(folded.value_sum, 0),
                                   fresh.fine + coalesce(folded.fine, 0))
          FROM (SELECT line, day, sum(f.installs) AS installs, sum(f.redownloads) AS redownloads,
                       sum(f.reengagements) AS reengagements, sum(f.assists) AS assists,
                       sum(f.fine) AS fine, sum(f.coarse) AS coarse,
                       sum(f.no_value) AS no_value, sum(f.value_sum) AS value_sum, sum(change.raised) AS raised,
                       sum(change.conflicts) AS conflicts, sum(f.later_windows) AS later_windows
                  FROM attribution.unfolded() AS change,
                       attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
                 GROUP BY line, day) AS fresh
          LEFT JOIN attribution.campaign_daily AS folded USING (line, day)) AS figure
 WHERE (is_sum OR (line, day) NOT IN (SELECT line, day FROM attribution.unfolded()));

CREATE OR REPLACE VIEW attribution.source_app_figure AS
SELECT line, day, source, installs, redownloads, reengagements, assists, fine, coarse, no_value,
       value_sum, raised, conflicts, later_windows, value_average
  FROM (SELECT false AS is_sum, line, day, source, installs, redownloads, reengagements, assists, fine,
               coarse, no_value, value_sum, raised, conflicts, later_windows, value_average
          FROM attribution.source_app_daily
        UNION ALL
        SELECT true, line, day, source, fresh.installs + coalesce(folded.installs, 0),
               fresh.redownloads + coalesce(folded.redownloads, 0),
               fresh.reengagements + coalesce(folded.reengagements, 0), fresh.assists + coalesce(folded.assists, 0),
               fresh.fine + coalesce(folded.fine, 0),
               fresh.coarse + coalesce(folded.coarse, 0),
               fresh.no_value + coalesce(folded.no_value, 0), fresh.value_sum + coalesce(folded.value_sum, 0),
               fresh.raised + coalesce(folded.raised, 0), fresh.conflicts + coalesce(folded.conflicts, 0),
               fresh.later_windows + coalesce(folded.later_windows, 0),
               attribution.average(fresh.value_sum + coalesce(folded.value_sum, 0),
                                   fresh.fine + coalesce(folded.fine, 0))
          FROM (SELECT line, day, source, sum(f.installs) AS installs, sum(f.redownloads) AS redownloads,
                       sum(f.reengagements) AS reengagements, sum(f.assists) AS assists,
                       sum(f.fine) AS fine, sum(f.coarse) AS coarse,
                       sum(f.no_value) AS no_value, sum(f.value_sum) AS value_sum, sum(change.raised) AS raised,
                       sum(change.conflicts) AS conflicts, sum(f.later_windows) AS later_windows
                  FROM attribution.unfolded() AS change,
                       attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
                 GROUP BY line, day, source) AS fresh
          LEFT JOIN attribution.source_app_daily AS folded USING (line, day, source)) AS figure
 WHERE (is_sum OR (line, day, source) NOT IN (SELECT line, day, source FROM attribution.unfolded()));

CREATE OR REPLACE VIEW attribution.conversion_value_figure AS
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

CREATE OR REPLACE VIEW attribution.window_figure AS
SELECT line, day, sequence_index, winning, installs, redownloads, reengagements, assists, fine, no_value,
       value_sum, coarse_low, coarse_medium, coarse_high
  FROM (SELECT false AS is_sum, line, day, sequence_index, winning, installs, redownloads, reengagements, assists,
               fine, no_value, value_sum, coarse_low, coarse_medium, coarse_high
          FROM attribution.window_daily
        UNION ALL
        SELECT true, line, day, sequence_index, fresh.winning + coalesce(folded.winning, 0),
               fresh.installs + coalesce(folded.installs, 0), fresh.redownloads + coalesce(folded.redownloads, 0),
               fresh.reengagements + coalesce(folded.reengagements, 0), fresh.assists + coalesce(folded.assists, 0),
               fresh.fine + coalesce(folded.fine, 0), fresh.no_value + coalesce(folded.no_value, 0),
               fresh.value_sum + coalesce(folded.value_sum, 0), fresh.coarse_low + coalesce(folded.coarse_low, 0),
               fresh.coarse_medium + coalesce(folded.coarse_medium, 0),
               fresh.coarse_high + coalesce(folded.coarse_high, 0)
          FROM (SELECT line, day, sequence_index, sum(f.winning) AS winning, sum(f.installs) AS installs,
                       sum(f.redownloads) AS redownloads, sum(f.reengagements) AS reengagements,
                       sum(f.assists) AS assists, sum(f.fine) AS fine, sum(f.no_value) AS no_value,
                       sum(f.value_sum) AS value_sum, sum(f.coarse_low) AS coarse_low,
                       sum(f.coarse_medium) AS coarse_medium, sum(f.coarse_high) AS coarse_high
                  FROM attribution.unfolded() AS change,
                       attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS f
                 GROUP BY line, day, sequence_index) AS fresh
          LEFT JOIN attribution.window_daily AS folded USING (line, day, sequence_index)) AS figure
 WHERE (is_sum OR (line, day, sequence_index) NOT IN (SELECT line, day, sequence_index FROM attribution.unfolded()));
COMMENT ON VIEW attribution.campaign_figure IS 'campaign_daily and what is not folded yet';
COMMENT ON VIEW attribution.source_app_figure IS 'source_app_daily and what is not folded yet';
COMMENT ON VIEW attribution.conversion_value_figure IS 'conversion_value_daily and what is not folded yet';
COMMENT ON VIEW attribution.window_figure IS 'window_daily and what is not folded yet';

-- Their columns mean what they mean in reports; these are only here.
DO $$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT relname, attname, coalesce(own.meaning, of_reports.meaning) AS meaning
          FROM pg_class
          JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
          LEFT JOIN (VALUES
            ('line', 'The campaign and the app, a row of attribution.line'),
            ('source', 'Where the ad was shown, a row of attribution.source; 0: not said'),
            ('traits', 'Other facts, a row of attribution.traits'),
            ('received_at', 'The first receipt'),
            ('value', 'The value as one number: -1 none, 0 to 63 fine, 101 low, 102 medium, 103 high'),
            ('value_sum', 'The sum of the fine values'),
            ('postbacks', 'Postbacks of this row'),
            ('winning', 'Winning postbacks')) AS own (name, meaning) ON own.name = attname
          LEFT JOIN LATERAL attribution.catalog_columns(ARRAY[attname::text], '{campaigns,digits,counts}') AS of_reports
                 ON true
         WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
           AND (relname LIKE '%\_figure' OR relname = 'state_change') LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.%I.%I IS %L', described.relname, described.attname,
                       described.meaning);
    END LOOP;
END $$;

-- The recount: each row of a figure that differs from the postbacks. tools/recount.sql shows it.
CREATE OR REPLACE VIEW attribution.recount AS
WITH change AS (
    SELECT * FROM attribution.state_change
),
checked AS (
    SELECT 'campaign_daily' AS table_name, (line, day)::text AS key,
           ARRAY[installs, redownloads, reengagements, assists, fine, coarse, no_value, value_sum,
                 raised, conflicts, later_windows]::bigint[] AS stored,
           NULL::bigint[] AS recounted
      FROM attribution.campaign_figure
    UNION ALL
    SELECT 'campaign_daily', (line, day)::text, NULL,
           ARRAY[sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists), sum(f.fine),
                 sum(f.coarse), sum(f.no_value), sum(f.value_sum), sum(change.raised), sum(change.conflicts),
                 sum(f.later_windows)]::bigint[]
      FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
     GROUP BY line, day
    UNION ALL
    SELECT 'source_app_daily', (line, day, source)::text,
           ARRAY[installs, redownloads, reengagements, assists, fine, coarse, no_value, value_sum,
                 raised, conflicts, later_windows]::bigint[],
           NULL
      FROM attribution.source_app_figure
    UNION ALL
    SELECT 'source_app_daily', (line, day, source)::text, NULL,
           ARRAY[sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists), sum(f.fine),
                 sum(f.coarse), sum(f.no_value), sum(f.value_sum), sum(change.raised), sum(change.conflicts),
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
           ARRAY[winning, installs, redownloads, reengagements, assists, fine, no_value, value_sum,
                 coarse_low, coarse_medium, coarse_high]::bigint[],
           NULL
      FROM attribution.window_figure
    UNION ALL
    SELECT 'window_daily', (line, day, sequence_index)::text, NULL,
           ARRAY[sum(f.winning), sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists),
                 sum(f.fine), sum(f.no_value), sum(f.value_sum), sum(f.coarse_low), sum(f.coarse_medium),
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

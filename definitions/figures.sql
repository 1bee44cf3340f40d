-- Figures. Each is defined here and nowhere else. Folding, the reports and the recount use these definitions.
--
-- A change says by how many postbacks a figure changes. It is 1 for a new postback and 0 for a conflict. A raise is -1
-- with the old value and 1 with the new one. `campaign_figures` and `figures` turn a change into the columns of the
-- daily tables. The log gives changes (`log_changes`), and so does the state of each postback (`read_changes`). Sums over
-- both are equal; the view `recount` compares them.

-- A sum of bigint that stays bigint. sum(bigint) computes with numeric, which takes much of a report's time.
CREATE OR REPLACE AGGREGATE attribution.total(bigint) (
    SFUNC = int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);
CREATE OR REPLACE AGGREGATE attribution.total(integer) (
    SFUNC = int84pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);

-- The sum of two figures of daily tables, in which NULL is 0.
CREATE OR REPLACE FUNCTION attribution.added(stored integer, more integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT nullif(coalesce($1, 0) + coalesce($2, 0), 0) $$;
CREATE OR REPLACE FUNCTION attribution.added(stored bigint, more bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT nullif(coalesce($1, 0) + coalesce($2, 0), 0) $$;
CREATE OR REPLACE FUNCTION attribution.added(stored numeric, more numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT nullif(coalesce($1, 0) + coalesce($2, 0), 0) $$;

COMMENT ON FUNCTION attribution.added(integer, integer) IS 'The sum of two figures of daily tables, in which NULL is 0';
COMMENT ON FUNCTION attribution.added(bigint, bigint) IS 'The sum of two figures of daily tables, in which NULL is 0';
COMMENT ON FUNCTION attribution.added(numeric, numeric) IS 'The sum of two figures of daily tables, in which NULL is 0';

-- The average of fine values, to four places; NULL if there are none.
CREATE OR REPLACE FUNCTION attribution.average(value_sum bigint, fine bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(value_sum::numeric / nullif(fine, 0), 4) $$;

-- The figures of a line and day, and those from which the figures of each window follow. A change that does not count in
-- a figure has NULL there.
--
-- Only the first window has kinds and fine values. Values are those of winning postbacks. Names without a number are
-- figures of the first window, but for `assists` and `later_windows`.
CREATE OR REPLACE FUNCTION attribution.campaign_figures(
    postbacks integer, sequence_index smallint, did_win boolean, kind text, value smallint)
RETURNS TABLE (
    installs integer, redownloads integer, reengagements integer, assists integer, fine integer, coarse integer,
    no_value integer, value_sum integer, later_windows integer, coarse_low integer, coarse_medium integer,
    assists_1 integer, coarse_low_1 integer, coarse_medium_1 integer, coarse_high_1 integer,
    postbacks_2 integer, assists_2 integer, coarse_low_2 integer, coarse_medium_2 integer, coarse_high_2 integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN did_win AND sequence_index = 0 AND kind = 'install' THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND kind = 'redownload' THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND kind = 're-engagement' THEN postbacks END,
           CASE WHEN NOT did_win THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND value BETWEEN 0 AND 63 THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND value > 63 THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND value < 0 THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND value BETWEEN 0 AND 63 THEN postbacks * value END,
           CASE WHEN sequence_index > 0 THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND value = 101 THEN postbacks END,
           CASE WHEN did_win AND sequence_index = 0 AND value = 102 THEN postbacks END,
           CASE WHEN sequence_index = 1 AND NOT did_win THEN postbacks END,
           CASE WHEN sequence_index = 1 AND did_win AND value = 101 THEN postbacks END,
           CASE WHEN sequence_index = 1 AND did_win AND value = 102 THEN postbacks END,
           CASE WHEN sequence_index = 1 AND did_win AND value = 103 THEN postbacks END,
           CASE WHEN sequence_index = 2 THEN postbacks END,
           CASE WHEN sequence_index = 2 AND NOT did_win THEN postbacks END,
           CASE WHEN sequence_index = 2 AND did_win AND value = 101 THEN postbacks END,
           CASE WHEN sequence_index = 2 AND did_win AND value = 102 THEN postbacks END,
           CASE WHEN sequence_index = 2 AND did_win AND value = 103 THEN postbacks END
$$;

-- The figures by source. Values are those of the first window.
CREATE OR REPLACE FUNCTION attribution.figures(
    postbacks integer, sequence_index smallint, did_win boolean, kind text, value smallint)
RETURNS TABLE (
    installs integer, redownloads integer, reengagements integer, assists integer,
    fine integer, coarse integer, no_value integer, value_sum integer, later_windows integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT c.installs, c.redownloads, c.reengagements, c.assists, c.fine, c.coarse, c.no_value, c.value_sum,
           c.later_windows
      FROM attribution.campaign_figures(postbacks, sequence_index, did_win, kind, value) AS c
$$;

-- The changes that are not folded yet. SECURITY DEFINER: somebody who may read a report needs no rights on the log.
-- pg_temp is last in the path: if it is not named, types and tables of the caller's session come before all others, and
-- their code would run as the owner.
CREATE OR REPLACE FUNCTION attribution.unfolded() RETURNS TABLE (
    line integer, source bigint, day date, sequence_index smallint, did_win boolean, kind text, value smallint,
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

-- The tables of figures. Their views, the recount and folding are made of this list. `figures` are the columns that a
-- change counts in. They follow from the change by `definition`; without one they are columns of the change.
CREATE OR REPLACE VIEW attribution.catalog_figure_table AS
SELECT subject, replace(keys, ' ', ', ') AS keys, replace(figures, ' ', ', ') AS figures,
       replace(concat_ws(' ', beside, figures), ' ', ', ') AS stored, figures ~ '\mvalue_sum\M' AS has_average,
       'change' || coalesce(', attribution.' || definition || '(postbacks, sequence_index, did_win, kind, value)', '')
           AS changes
  FROM (VALUES
    ('campaign', 'line day',
     'installs redownloads reengagements assists fine coarse no_value value_sum raised conflicts later_windows '
     || 'coarse_low coarse_medium assists_1 coarse_low_1 coarse_medium_1 coarse_high_1 '
     || 'postbacks_2 assists_2 coarse_low_2 coarse_medium_2 coarse_high_2',
     'impressions', 'campaign_figures'),
    ('source_app', 'line day source',
     'installs redownloads reengagements assists fine coarse no_value value_sum raised conflicts later_windows',
     NULL, 'figures'),
    ('conversion_value', 'line day sequence_index value', 'postbacks', NULL, NULL))
    AS list (subject, keys, figures, beside, definition);
COMMENT ON VIEW attribution.catalog_figure_table IS 'The tables of figures';
COMMENT ON COLUMN attribution.catalog_figure_table.subject IS 'The table is SUBJECT_daily, its view SUBJECT_figure';
COMMENT ON COLUMN attribution.catalog_figure_table.keys IS 'The key of the table';
COMMENT ON COLUMN attribution.catalog_figure_table.figures IS 'The columns that a change counts in';
COMMENT ON COLUMN attribution.catalog_figure_table.stored IS 'All columns of the table but the key';
COMMENT ON COLUMN attribution.catalog_figure_table.has_average IS 'Whether the view shows the average of fine values';
COMMENT ON COLUMN attribution.catalog_figure_table.changes IS 'What follows FROM in a sum of changes';

-- Daily tables, with 0 in place of NULL, and unfolded changes together: at any moment equal to a recount. If a row of a
-- daily table has unfolded changes, their sum is shown instead of the row. The condition is outside the UNION, so that
-- a report for one app can use the index of the daily table.
DO $make$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT subject, keys, changes, stored || CASE WHEN has_average THEN ', value_average' ELSE '' END AS shown,
               stored || CASE WHEN has_average THEN ', attribution.average(value_sum, fine) AS value_average' ELSE '' END
                   AS computed,
               regexp_replace(stored, '\w+', 'coalesce(\&, 0)::bigint AS \&', 'g') AS folded,
               regexp_replace(figures, '\w+', 'sum(\&) AS \&', 'g') AS sums,
               regexp_replace(
                   regexp_replace(stored, '\w+', 'coalesce(fresh.\&, 0) + coalesce(folded.\&, 0) AS \&', 'g'),
                   'coalesce\(fresh.impressions, 0\) \+ ', '') AS totals
          FROM attribution.catalog_figure_table LOOP
        EXECUTE format(
            'CREATE OR REPLACE VIEW attribution.%1$s_figure AS
             SELECT %2$s, %3$s
               FROM (SELECT false AS is_sum, %2$s, %4$s
                       FROM (SELECT %2$s, %5$s FROM attribution.%1$s_daily) AS folded
                     UNION ALL
                     SELECT true, %2$s, %4$s
                       FROM (SELECT %2$s, %6$s
                               FROM (SELECT %2$s, %7$s FROM attribution.unfolded() AS %8$s GROUP BY %2$s) AS fresh
                               LEFT JOIN attribution.%1$s_daily AS folded USING (%2$s)) AS total) AS figure
              WHERE (is_sum OR (%2$s) NOT IN (SELECT %2$s FROM attribution.unfolded()))%9$s',
            made.subject, made.keys, made.shown, made.computed, made.folded, made.totals, made.sums, made.changes,
            CASE made.shown WHEN 'postbacks' THEN ' AND postbacks <> 0' END);
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', made.subject || '_figure',
                       made.subject || '_daily and what is not folded yet');
    END LOOP;
END $make$;

-- The figures of one window from those of campaign_figure of a day, or from their sums over days.
CREATE OR REPLACE FUNCTION attribution.window_figures(
    sequence_index smallint, installs bigint, redownloads bigint, reengagements bigint, assists bigint, fine bigint,
    coarse bigint, no_value bigint, value_sum bigint, later_windows bigint, coarse_low bigint, coarse_medium bigint,
    assists_1 bigint, coarse_low_1 bigint, coarse_medium_1 bigint, coarse_high_1 bigint, postbacks_2 bigint,
    assists_2 bigint, coarse_low_2 bigint, coarse_medium_2 bigint, coarse_high_2 bigint)
RETURNS TABLE (
    winning bigint, installs bigint, redownloads bigint, reengagements bigint, assists bigint, fine bigint,
    no_value bigint, value_sum bigint, coarse_low bigint, coarse_medium bigint, coarse_high bigint)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE $1 WHEN 0 THEN $2 + $3 + $4 WHEN 1 THEN $10 - $17 - $13 ELSE $17 - $18 END,
           CASE $1 WHEN 0 THEN $2 ELSE 0 END,
           CASE $1 WHEN 0 THEN $3 ELSE 0 END,
           CASE $1 WHEN 0 THEN $4 ELSE 0 END,
           CASE $1 WHEN 0 THEN $5 - $13 - $18 WHEN 1 THEN $13 ELSE $18 END,
           CASE $1 WHEN 0 THEN $6 ELSE 0 END,
           CASE $1 WHEN 0 THEN $8 WHEN 1 THEN $10 - $17 - $13 - $14 - $15 - $16 ELSE $17 - $18 - $19 - $20 - $21 END,
           CASE $1 WHEN 0 THEN $9 ELSE 0 END,
           CASE $1 WHEN 0 THEN $11 WHEN 1 THEN $14 ELSE $19 END,
           CASE $1 WHEN 0 THEN $12 WHEN 1 THEN $15 ELSE $20 END,
           CASE $1 WHEN 0 THEN $7 - $11 - $12 WHEN 1 THEN $16 ELSE $21 END
$$;
COMMENT ON FUNCTION attribution.window_figures IS 'The figures of a window from those of all windows of a line and day';

-- The windows of a line and day that have postbacks, a row each. The planner takes <> for true of nearly all rows; with
-- > 0 it would expect a third of them, and sort instead of hashing.
CREATE OR REPLACE VIEW attribution.window_figure AS
SELECT line, day, windows.sequence_index, figures.*
  FROM attribution.campaign_figure AS daily
 CROSS JOIN (VALUES (0::smallint), (1::smallint), (2::smallint)) AS windows (sequence_index)
 CROSS JOIN LATERAL attribution.window_figures(
       windows.sequence_index, daily.installs, daily.redownloads, daily.reengagements, daily.assists, daily.fine,
       daily.coarse, daily.no_value, daily.value_sum, later_windows, daily.coarse_low, daily.coarse_medium, assists_1,
       coarse_low_1, coarse_medium_1, coarse_high_1, postbacks_2, assists_2, coarse_low_2, coarse_medium_2,
       coarse_high_2) AS figures
 WHERE figures.winning + figures.assists <> 0;
COMMENT ON VIEW attribution.window_figure IS 'campaign_figure by window: a row for each that has postbacks';

-- Their columns mean what they mean in reports; these are only here.
DO $$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT relname, attname,
               concat('In window ' || substring(attname FROM '_([12])$') || ': ', coalesce(own.meaning, of_reports.meaning))
                   AS meaning
          FROM pg_class
          JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
          LEFT JOIN (VALUES
            ('line', 'The campaign and the app, a row of attribution.line'),
            ('source', 'Where the ad was shown, see attribution.source; 0: not said'),
            ('value', 'The value as one number: -1 none, 0 to 63 fine, 101 low, 102 medium, 103 high'),
            ('value_sum', 'The sum of the fine values'),
            ('postbacks', 'Postbacks of this row'),
            ('winning', 'Winning postbacks')) AS own (name, meaning) ON own.name = regexp_replace(attname, '_[12]$', '')
          LEFT JOIN LATERAL attribution.catalog_columns(
                ARRAY[regexp_replace(attname, '_[12]$', '')], '{campaigns,digits,counts}') AS of_reports ON true
         WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
           AND relname LIKE '%\_figure' LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.%I.%I IS %L', described.relname, described.attname,
                       described.meaning);
    END LOOP;
END $$;

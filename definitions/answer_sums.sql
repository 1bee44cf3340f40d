-- Sums of answers: what every report of answers is made of.

-- For the days on which an app has a scheme: for how many hours after the install the app may set values. NULL if one of
-- the schemes from this day on does not say it, or if there is a gap behind one of them. The greatest of these schemes
-- counts, since values of an install can be set by the next scheme.
CREATE OR REPLACE VIEW attribution.measurement_window AS
SELECT advertised_app_id,
       attribution.day_of(valid_from - interval '1 microsecond') + 1 AS from_day,
       attribution.day_of(coalesce(valid_to, 'infinity') - interval '1 microsecond') AS to_day,
       CASE WHEN bool_and(measurement_window_hours IS NOT NULL AND valid_to IS NOT DISTINCT FROM next_from) OVER later
            THEN max(measurement_window_hours) OVER later END AS measurement_window_hours
  FROM (SELECT *, lead(valid_from) OVER (PARTITION BY advertised_app_id ORDER BY valid_from) AS next_from
          FROM attribution.conversion_scheme) AS scheme
WINDOW later AS (PARTITION BY advertised_app_id ORDER BY valid_from DESC);

COMMENT ON VIEW attribution.measurement_window IS
    'For how many hours after an install of a day an app may set values, by its schemes; no row: nobody knows';
COMMENT ON COLUMN attribution.measurement_window.advertised_app_id IS 'The app';
COMMENT ON COLUMN attribution.measurement_window.from_day IS 'The first day';
COMMENT ON COLUMN attribution.measurement_window.to_day IS 'The last day';
COMMENT ON COLUMN attribution.measurement_window.measurement_window_hours IS
    'The greatest measurement window of this scheme and of those after it; NULL if one of them is not known';

-- What measurement_window says of an app and a day.
CREATE OR REPLACE FUNCTION attribution.measurement_window_of(an_advertised_app_id bigint, a_day date)
RETURNS TABLE (measurement_window_hours smallint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT measurement_window_hours
      FROM attribution.measurement_window
     WHERE advertised_app_id = $1 AND $2 BETWEEN from_day AND to_day
$$;
COMMENT ON FUNCTION attribution.measurement_window_of(bigint, date) IS
    'The measurement window of an app for installs of a day; no row: nobody knows';

-- `at` is used once: callers give a subquery. If a function uses such an argument twice, PostgreSQL does not inline it.
CREATE OR REPLACE FUNCTION attribution.is_day_complete(
    day_of text, a_day date, campaign_type text, environment text, sequence_index smallint,
    measurement_window_hours smallint, at timestamptz)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 = 'install'
                THEN attribution.is_complete($2, $3 = 'source-identifier', $5, $6, $7, $4 = 'development') END
$$;
COMMENT ON FUNCTION attribution.is_day_complete IS
    'Whether all postbacks of an install day and a window of a line have arrived; NULL for days of arrival';

-- Money of the tables in units of the currency, exact to six places.
CREATE OR REPLACE FUNCTION attribution.money(millionths bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT $1 * 0.000001 $$;

COMMENT ON FUNCTION attribution.money(bigint) IS 'Money in millionths as units of the currency';

-- The figures that follow from the sums of a row of folded_answer. Conversions are those of window_figure: winning
-- postbacks of the first window. Only lines with source identifiers have tiers.
CREATE OR REPLACE FUNCTION attribution.derived_figures(
    campaign_type text, sequence_index smallint, did_win boolean, postbacks bigint, redownloads bigint,
    reengagements bigint, fine bigint, coarse bigint, withheld bigint, not_set bigint, mapped bigint, unmapped bigint,
    ambiguous bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint)
RETURNS TABLE (
    installs bigint, redownloads bigint, reengagements bigint, not_applicable bigint, no_scheme bigint,
    tier_unsure bigint)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN $3 AND $2 = 0 THEN $4 - $5 - $6 ELSE 0 END,
           CASE WHEN $3 AND $2 = 0 THEN $5 ELSE 0 END,
           CASE WHEN $3 AND $2 = 0 THEN $6 ELSE 0 END,
           $4 - $7 - $8 - $9 - $10,
           $7 + $8 - $11 - $12 - $13,
           CASE $1 WHEN 'source-identifier' THEN $4 - $14 - $15 - $16 - $17 ELSE 0 END
$$;

COMMENT ON FUNCTION attribution.derived_figures IS
    'Installs, redownloads, re-engagements, not_applicable, no_scheme and tier_unsure of a sum of answers';

-- The rows of answer_daily that have postbacks, with 0 in place of NULL.
CREATE OR REPLACE VIEW attribution.folded_answer AS
SELECT answer_table, line, day, sequence_index, did_win, postbacks::bigint AS postbacks,
       coalesce(redownloads, 0)::bigint AS redownloads, coalesce(reengagements, 0)::bigint AS reengagements,
       coalesce(fine, 0)::bigint AS fine, coalesce(coarse, 0)::bigint AS coarse,
       coalesce(withheld, 0)::bigint AS withheld, coalesce(not_set, 0)::bigint AS not_set,
       coalesce(mapped, 0)::bigint AS mapped, coalesce(unmapped, 0)::bigint AS unmapped,
       coalesce(ambiguous, 0)::bigint AS ambiguous, coalesce(tier_0, 0)::bigint AS tier_0,
       coalesce(tier_1, 0)::bigint AS tier_1, coalesce(tier_2, 0)::bigint AS tier_2,
       coalesce(tier_3, 0)::bigint AS tier_3, coalesce(revenue_low, 0) AS revenue_low,
       coalesce(revenue_middle, 0) AS revenue_middle, coalesce(revenue_high, 0) AS revenue_high,
       coalesce(revenue_open, 0)::bigint AS revenue_open, coalesce(revenue_unknown, 0)::bigint AS revenue_unknown,
       NULL::bigint AS source, traits, currency, coalesce(revenue_square, 0) AS revenue_square
  FROM attribution.answer_daily
 WHERE postbacks > 0;

-- The rows of answer_event_daily that have postbacks, likewise.
CREATE OR REPLACE VIEW attribution.folded_event AS
SELECT answer_table, line, day, sequence_index, currency, event,
       coalesce(postbacks, 0)::bigint AS postbacks, coalesce(possible, 0)::bigint AS possible,
       coalesce(count_low, 0) AS count_low, coalesce(count_high, 0) AS count_high,
       coalesce(count_open, 0)::bigint AS count_open, coalesce(revenue_low, 0) AS revenue_low,
       coalesce(revenue_middle, 0) AS revenue_middle, coalesce(revenue_high, 0) AS revenue_high,
       coalesce(revenue_open, 0)::bigint AS revenue_open, coalesce(revenue_unknown, 0)::bigint AS revenue_unknown
  FROM attribution.answer_event_daily
 WHERE postbacks > 0 OR possible > 0;

COMMENT ON COLUMN attribution.folded_answer.source IS 'A source, in rows of answers_of_line that are by source; else NULL';
COMMENT ON VIEW attribution.folded_answer IS 'The rows of answer_daily that have postbacks, with 0 in place of NULL';
COMMENT ON VIEW attribution.folded_event IS 'The rows of answer_event_daily that have postbacks, with 0 in place of NULL';
DO $$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT shown.attrelid::regclass AS name, attname, col_description(stored.attrelid, stored.attnum) AS meaning
          FROM (VALUES ('attribution.folded_answer'::regclass, 'attribution.answer_daily'::regclass),
                       ('attribution.folded_event', 'attribution.answer_event_daily')) AS view_of (view, daily)
          JOIN pg_attribute AS shown ON shown.attrelid = view AND shown.attnum > 0
          JOIN pg_attribute AS stored USING (attname)
         WHERE stored.attrelid = daily LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', described.name, described.attname, described.meaning);
    END LOOP;
END $$;

-- What split_sums sums: the rows of answer_split_daily of one line. If they are by source, those that name none are all
-- postbacks less those that name one: of a campaign all are those by campaign, of all campaigns of an app those by version.
-- Both are folded in one transaction. So `split_number` is 0 in rows of all postbacks; and each row that names a source stands
-- here a second time, with 0 and negative figures.
--
-- The key begins with the day of the install. By the day of arrival, only so many days before it are read as a postback
-- can take.
CREATE OR REPLACE FUNCTION attribution.split_parts(
    a_line integer, day_of text, split_by text, first_day date, last_day date)
RETURNS TABLE (
    split_number bigint, day date, sequence_index smallint, did_win boolean, currency text,
    postbacks integer, redownloads integer, reengagements integer, fine integer, coarse integer, withheld integer,
    not_set integer, mapped integer, unmapped integer, ambiguous integer, tier_0 integer, tier_1 integer,
    tier_2 integer, tier_3 integer, revenue_low bigint, revenue_middle bigint, revenue_high bigint,
    revenue_open integer, revenue_unknown integer)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT CASE side WHEN 1 THEN split_number ELSE 0 END, of.day, sequence_index, did_win, currency,
       side * postbacks, side * redownloads, side * reengagements, side * fine, side * coarse, side * withheld,
       side * not_set, side * mapped, side * unmapped, side * ambiguous, side * tier_0, side * tier_1, side * tier_2,
       side * tier_3, side * revenue_low, side * revenue_middle, side * revenue_high, side * revenue_open,
       side * revenue_unknown
  FROM attribution.answer_split_daily
 CROSS JOIN LATERAL (
       SELECT CASE $2 WHEN 'install' THEN install_day WHEN 'arrival' THEN arrival_day END AS day) AS of
  JOIN (VALUES (1), (-1)) AS sides (side) ON side = 1 OR $3 IN ('source', 'app_source')
 WHERE split = attribution.answer_split($3) AND line = $1 AND of.day BETWEEN $4 AND $5
   AND ($2 = 'install' OR install_day BETWEEN $4 - attribution.greatest_lag() AND $5) AND postbacks > 0
UNION ALL
SELECT 0, day, sequence_index, did_win, currency,
       postbacks, redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0,
       tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown
  FROM attribution.answer_daily
 WHERE answer_table = attribution.answer_table(
           $2, CASE $3 WHEN 'source' THEN 'campaign' WHEN 'app_source' THEN 'version' END)
   AND line = $1 AND day BETWEEN $4 AND $5 AND postbacks > 0
$$;

COMMENT ON FUNCTION attribution.split_parts IS
    'What split_sums sums of a line: rows of answer_split_daily, and by source what leaves the postbacks that name none';

-- The sums of answer_split_daily of one line, each day by itself, or summed over the days of a range. In a sum `day` is
-- NULL. By source, postbacks that name none have the number 0.
CREATE OR REPLACE FUNCTION attribution.split_sums(
    a_line integer, day_of text, split_by text, by_day boolean, first_day date, last_day date)
RETURNS TABLE (
    split_number bigint, day date, sequence_index smallint, did_win boolean, currency text,
    postbacks bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint, withheld bigint,
    not_set bigint, mapped bigint, unmapped bigint, ambiguous bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint,
    tier_3 bigint, revenue_low bigint, revenue_middle bigint, revenue_high bigint, revenue_open bigint,
    revenue_unknown bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT *
  FROM (SELECT split_number, day, sequence_index, did_win, currency,
               attribution.total(postbacks) AS postbacks, attribution.total(redownloads) AS redownloads,
               attribution.total(reengagements) AS reengagements, attribution.total(fine) AS fine,
               attribution.total(coarse) AS coarse, attribution.total(withheld) AS withheld,
               attribution.total(not_set) AS not_set, attribution.total(mapped) AS mapped,
               attribution.total(unmapped) AS unmapped, attribution.total(ambiguous) AS ambiguous,
               attribution.total(tier_0) AS tier_0, attribution.total(tier_1) AS tier_1,
               attribution.total(tier_2) AS tier_2, attribution.total(tier_3) AS tier_3,
               attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
               attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
               attribution.total(revenue_unknown) AS revenue_unknown
          FROM attribution.split_parts($1, $2, $3, $5, $6)
         GROUP BY split_number, day, sequence_index, did_win, currency
        HAVING attribution.total(postbacks) > 0) AS of_days
 WHERE $4
UNION ALL
SELECT *
  FROM (SELECT split_number, NULL::date, sequence_index, did_win, currency,
               attribution.total(postbacks) AS postbacks, attribution.total(redownloads) AS redownloads,
               attribution.total(reengagements) AS reengagements, attribution.total(fine) AS fine,
               attribution.total(coarse) AS coarse, attribution.total(withheld) AS withheld,
               attribution.total(not_set) AS not_set, attribution.total(mapped) AS mapped,
               attribution.total(unmapped) AS unmapped, attribution.total(ambiguous) AS ambiguous,
               attribution.total(tier_0) AS tier_0, attribution.total(tier_1) AS tier_1,
               attribution.total(tier_2) AS tier_2, attribution.total(tier_3) AS tier_3,
               attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
               attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
               attribution.total(revenue_unknown) AS revenue_unknown
          FROM attribution.split_parts($1, $2, $3, $5, $6)
         GROUP BY split_number, sequence_index, did_win, currency
        HAVING attribution.total(postbacks) > 0) AS of_range
 WHERE NOT $4
$$;

COMMENT ON FUNCTION attribution.split_sums IS
    'The sums of answer_split_daily of a line, by day or over a range of days, by traits, source or app_source';

-- The rows of folded_answer of one line, each day by itself, or summed over the days of a range. In a sum `day`,
-- `answer_table` and `revenue_square` are NULL; by traits, source or app_source the last two are NULL of a day as well. In the
-- sums by campaign `traits` is NULL, so grouping by it costs nothing.
--
-- A day has a branch of its own, since an expression in GROUP BY, even NULL, costs a tenth of the time: then PostgreSQL
-- copies each row before it sums it. Constants that decide stand outside of a sum: inside they would leave a sum of no rows
-- in the plan, once for each line.
CREATE OR REPLACE FUNCTION attribution.answers_of_line(
    a_line integer, day_of text, split_by text, by_day boolean, first_day date, last_day date)
RETURNS SETOF attribution.folded_answer
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT *
  FROM attribution.folded_answer
 WHERE $4 AND answer_table = attribution.answer_table($2, $3) AND line = $1 AND day BETWEEN $5 AND $6
UNION ALL
SELECT *
  FROM (SELECT NULL::smallint, $1, NULL::date, sequence_index, did_win,
               attribution.total(postbacks) AS postbacks, attribution.total(redownloads) AS redownloads,
               attribution.total(reengagements) AS reengagements, attribution.total(fine) AS fine,
               attribution.total(coarse) AS coarse, attribution.total(withheld) AS withheld,
               attribution.total(not_set) AS not_set, attribution.total(mapped) AS mapped,
               attribution.total(unmapped) AS unmapped, attribution.total(ambiguous) AS ambiguous,
               attribution.total(tier_0) AS tier_0, attribution.total(tier_1) AS tier_1,
               attribution.total(tier_2) AS tier_2, attribution.total(tier_3) AS tier_3,
               attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
               attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
               attribution.total(revenue_unknown) AS revenue_unknown,
               NULL::bigint, traits, currency, NULL::numeric
          FROM attribution.answer_daily
         WHERE answer_table = attribution.answer_table($2, $3) AND line = $1 AND day BETWEEN $5 AND $6 AND postbacks > 0
         GROUP BY traits, sequence_index, did_win, currency) AS sums
 WHERE NOT $4 AND $3 IN ('campaign', 'version')
UNION ALL
SELECT NULL::smallint, $1, day, sequence_index, did_win,
       postbacks, redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0,
       tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown,
       CASE WHEN $3 <> 'traits' THEN split_number END, CASE WHEN $3 = 'traits' THEN split_number END::integer,
       currency, NULL::numeric
  FROM attribution.split_sums($1, $2, $3, $4, $5, $6)
 WHERE $3 IN ('traits', 'source', 'app_source')
$$;

COMMENT ON FUNCTION attribution.answers_of_line IS
    'The rows of folded_answer of a line, by day or summed over a range of days, by campaign, traits, source, version or app_source';

-- The sums of all lines, or of those of an app, and the figures that follow from them. Money is in millionths.
--
-- revenue_middle is the sum of those middles that are known. report_columns.sql says that it is NULL in reports if one is
-- unknown.
--
-- Each line is summed by itself, by the index that begins with it: its groups are few and stay in the cache. One grouping
-- over all lines took twice as long, and its plan depended on statistics that autovacuum does not make for a partitioned
-- table.
--
-- For a page of a report over a range, the planner of answer_sums reads lines in the order of the keys, by the index
-- line_order, and sums only those of the page. For a whole report it reads them as they are stored: their sums lie in that
-- order too.
--
-- Sums of all campaigns of an app stand under the lines of app_line (app_answer_sums). No index has these few lines in the
-- order of the keys, so they are sorted. With each day by itself the order begins with the day: then the keys are NULL, and
-- nothing is sorted.
DO $make$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT * FROM (VALUES
            ('answer_sums', 'attribution.line',
             'Sums of answers by campaign, traits or source, of all lines or those of an app. Money is in millionths'),
            ('app_answer_sums',
             '(SELECT *
                 FROM attribution.line
                WHERE line IN (SELECT min(line)
                                 FROM attribution.line
                                WHERE $6 IS NULL OR advertised_app_id = $6
                                GROUP BY network, developer_copy, campaign_type, advertised_app_id)
                ORDER BY CASE WHEN NOT $3 THEN environment END, CASE WHEN NOT $3 THEN developer_copy END,
                         CASE WHEN NOT $3 THEN protocol END, CASE WHEN NOT $3 THEN ad_network_id END,
                         CASE WHEN NOT $3 THEN campaign_type END, CASE WHEN NOT $3 THEN advertised_app_id END)',
             'Sums of the answers of all campaigns of an app, by version or source, of all apps or one. Money is in millionths'))
            AS function (name, lines, meaning) LOOP
        EXECUTE format($function$
CREATE OR REPLACE FUNCTION attribution.%1$I(
    day_of text, split_by text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    campaign text, advertised_app_id bigint, traits integer, source bigint, sequence_index smallint, did_win boolean,
    currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low bigint, revenue_middle bigint, revenue_high bigint, revenue_open bigint, revenue_unknown bigint,
    complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign,
       line.advertised_app_id, traits, source, sequence_index, did_win, currency,
       postbacks, derived.installs, derived.redownloads, derived.reengagements,
       fine, coarse, withheld, not_set, derived.not_applicable,
       mapped, unmapped, ambiguous, derived.no_scheme,
       tier_0, tier_1, tier_2, tier_3, derived.tier_unsure,
       revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown,
       attribution.is_day_complete(
           $1, coalesce(day, $5), campaign_type, environment, sequence_index, measurement_window_hours,
           (SELECT attribution.answers_up_to()))
  FROM %2$s AS line
 CROSS JOIN LATERAL attribution.answers_of_line(line.line, $1, $2, $3, $4, $5) AS sums
 CROSS JOIN LATERAL attribution.derived_figures(
       campaign_type, sequence_index, did_win, postbacks, sums.redownloads, sums.reengagements, fine, coarse,
       withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3) AS derived
  LEFT JOIN attribution.measurement_window_of(
            CASE WHEN $1 = 'install' AND campaign_type = 'campaign-id' THEN line.advertised_app_id END,
            coalesce(sums.day, $5)) ON true
 WHERE $6 IS NULL OR line.advertised_app_id = $6
$body$ $function$, made.name, made.lines);
        EXECUTE format('COMMENT ON FUNCTION attribution.%I IS %L', made.name, made.meaning);
    END LOOP;
END $make$;

-- The rows of folded_event of one line, as answers_of_line gives those of folded_answer.
CREATE OR REPLACE FUNCTION attribution.events_of_line(
    a_line integer, day_of text, by_day boolean, first_day date, last_day date)
RETURNS SETOF attribution.folded_event
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT *
  FROM attribution.folded_event
 WHERE $3 AND answer_table = attribution.answer_table($2, 'campaign') AND line = $1 AND day BETWEEN $4 AND $5
UNION ALL
SELECT NULL::smallint, $1, NULL::date, sequence_index, currency, event,
       attribution.total(postbacks), attribution.total(possible), attribution.total(count_low),
       attribution.total(count_high), attribution.total(count_open), attribution.total(revenue_low),
       attribution.total(revenue_middle), attribution.total(revenue_high), attribution.total(revenue_open),
       attribution.total(revenue_unknown)
  FROM attribution.answer_event_daily
 WHERE NOT $3 AND answer_table = attribution.answer_table($2, 'campaign') AND line = $1 AND day BETWEEN $4 AND $5
   AND (postbacks > 0 OR possible > 0)
 GROUP BY sequence_index, currency, event
$$;

COMMENT ON FUNCTION attribution.events_of_line IS
    'The rows of folded_event of a line, by day or summed over a range of days';

-- Sums like those of answer_daily, by line, traits and source together, from the postbacks themselves: for lines whose
-- mapping needs both, and for a recount. It reads all postbacks that can have arrived for these days.
CREATE OR REPLACE FUNCTION attribution.recounted_answers(lines integer[], day_of text, first_day date, last_day date)
RETURNS SETOF attribution.folded_answer
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    IF cardinality(lines) = 0 THEN RETURN; END IF;
    -- $2, since postback_answer has a column of the name day_of.
    RETURN QUERY
    SELECT NULL::smallint, line, day, sequence_index, did_win, count(*),
           count(*) FILTER (WHERE traits.kind = 'redownload'), count(*) FILTER (WHERE traits.kind = 're-engagement'),
           count(*) FILTER (WHERE value BETWEEN 0 AND 63), count(*) FILTER (WHERE value > 63),
           count(*) FILTER (WHERE no_value_kind = 'withheld'), count(*) FILTER (WHERE no_value_kind = 'not_set'),
           count(*) FILTER (WHERE decoding = 'mapped'), count(*) FILTER (WHERE decoding = 'unmapped'),
           count(*) FILTER (WHERE decoding = 'ambiguous'),
           count(*) FILTER (WHERE tier_low = 0 AND tier_high = 0), count(*) FILTER (WHERE tier_low = 1 AND tier_high = 1),
           count(*) FILTER (WHERE tier_low = 2 AND tier_high = 2), count(*) FILTER (WHERE tier_low = 3 AND tier_high = 3),
           (coalesce(sum(revenue_low), 0) * 1000000)::bigint, (coalesce(sum(revenue_middle), 0) * 1000000)::bigint,
           (coalesce(sum(coalesce(revenue_high, revenue_low)), 0) * 1000000)::bigint,
           count(*) FILTER (WHERE revenue_low IS NOT NULL AND revenue_high IS NULL),
           count(*) FILTER (WHERE revenue_low IS NOT NULL AND revenue_middle IS NULL), source, shown_traits,
           coalesce(currency, ''), coalesce(sum(revenue_middle * revenue_middle), 0)
      FROM attribution.postback_answer
      JOIN attribution.traits USING (traits)
      JOIN attribution.shown_traits USING (traits)
     CROSS JOIN LATERAL (
           SELECT CASE $2 WHEN 'install' THEN install_day ELSE attribution.day_of(received_at) END AS day
           ) AS of
     WHERE (lines IS NULL OR line = ANY (lines)) AND day BETWEEN first_day AND last_day
       AND received_at >= attribution.day_begins(first_day)
       AND received_at < attribution.day_begins(
               last_day + 1 + CASE $2 WHEN 'install' THEN attribution.greatest_lag() ELSE 0 END)
     GROUP BY line, day, shown_traits, source, sequence_index, did_win, currency;
END $$;

COMMENT ON FUNCTION attribution.recounted_answers IS
    'Sums of postback_answer by line, traits and source as rows of folded_answer; for all lines if `lines` is NULL';

-- A number of postbacks a day as a range of round numbers: 1, 2 to 4, 5 to 9, 10 to 19 and so on.
CREATE OR REPLACE FUNCTION attribution.volume_range(postbacks bigint) RETURNS TABLE (volume_low bigint, volume_high bigint)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT bounds[n], bounds[n + 1] - 1
      FROM (SELECT ARRAY[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000]::bigint[]
                   AS bounds) AS steps,
           width_bucket($1, bounds) AS n
$$;

COMMENT ON FUNCTION attribution.volume_range(bigint) IS
    'The range of round numbers that a number of postbacks is in; the last one has no upper end (NULL)';

-- Rows of folded_answer of lines whose mapping rows have a country, a source app, or both: split by as much as these need.
-- It is not inlined: PostgreSQL plans it only if there is such a line, and there is seldom one.
CREATE OR REPLACE FUNCTION attribution.split_answers(
    by_country integer[], by_source integer[], by_both integer[], day_of text, first_day date, last_day date)
RETURNS SETOF attribution.folded_answer
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
SET jit = off
AS $$
    SELECT sums.*
      FROM (SELECT DISTINCT unnest($1) AS line) AS own
     CROSS JOIN LATERAL attribution.answers_of_line(own.line, $4, 'traits', true, $5, $6) AS sums
    UNION ALL
    SELECT sums.*
      FROM (SELECT DISTINCT unnest($2) AS line) AS own
     CROSS JOIN LATERAL attribution.answers_of_line(own.line, $4, 'source', true, $5, $6) AS sums
    UNION ALL
    SELECT * FROM attribution.recounted_answers($3, $4, $5, $6)
$$;

COMMENT ON FUNCTION attribution.split_answers IS
    'Rows of folded_answer of lines: of some by traits, of some by source, of some by both';

-- Sums like those of answer_event_daily, by traits and source too, from the postbacks themselves: for lines whose mapping
-- rows have a country or a source app. It reads all postbacks that can have arrived for these days.
CREATE OR REPLACE FUNCTION attribution.recounted_events(lines integer[], day_of text, first_day date, last_day date)
RETURNS TABLE (traits integer, source bigint, event attribution.folded_event)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    IF cardinality(lines) = 0 THEN RETURN; END IF;
    RETURN QUERY
    SELECT traits, source,
           (NULL::smallint, line, of.day, answer.sequence_index, coalesce(answer.currency, ''), meaning.event,
            count(*) FILTER (WHERE count_low > 0), count(*) FILTER (WHERE count_low = 0), sum(count_low)::bigint,
            sum(coalesce(count_high, count_low))::bigint, count(*) FILTER (WHERE count_high IS NULL),
            (sum(meaning.revenue_low) * 1000000)::bigint,
            coalesce(sum((middle.revenue_middle * 1000000)::bigint), 0)::bigint,
            (sum(coalesce(meaning.revenue_high, meaning.revenue_low)) * 1000000)::bigint,
            count(*) FILTER (WHERE meaning.revenue_high IS NULL),
            count(*) FILTER (WHERE middle.revenue_middle IS NULL))::attribution.folded_event
      FROM attribution.postback_answer AS answer
      JOIN attribution.line USING (line)
      JOIN attribution.conversion_meaning AS meaning
        ON meaning.advertised_app_id = line.advertised_app_id AND meaning.valid_from = answer.scheme_valid_from
       AND meaning.sequence_index = answer.sequence_index AND meaning.value = answer.value
     CROSS JOIN LATERAL (
           SELECT attribution.revenue_middle(meaning.revenue_low, meaning.revenue_high)) AS middle (revenue_middle)
     CROSS JOIN LATERAL (
           SELECT CASE $2 WHEN 'install' THEN install_day ELSE attribution.day_of(received_at) END AS day
           ) AS of
     WHERE line = ANY (lines) AND of.day BETWEEN first_day AND last_day AND decoding = 'mapped'
       AND meaning.event IS NOT NULL
       AND received_at >= attribution.day_begins(first_day)
       AND received_at < attribution.day_begins(
               last_day + 1 + CASE $2 WHEN 'install' THEN attribution.greatest_lag() ELSE 0 END)
     GROUP BY traits, source, line, of.day, answer.sequence_index, answer.currency, meaning.event;
END $$;

COMMENT ON FUNCTION attribution.recounted_events IS
    'Events of postback_answer by line, traits and source as rows of folded_event';

-- The scheme of an app that was in force on all days of a range whenever the app may have set a value of a window. A
-- value then means for certain what this scheme says. Without one its meaning is not the same on all of these days, or
-- not known.
CREATE OR REPLACE FUNCTION attribution.certain_scheme(first_day date, last_day date)
RETURNS TABLE (
    advertised_app_id bigint, has_windows boolean, is_development boolean, sequence_index smallint,
    valid_from timestamptz, currency text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT advertised_app_id, has_windows, is_development, sequence_index::smallint, valid_from, currency
      FROM (VALUES (false, 0), (true, 0), (true, 1), (true, 2)) AS part (has_windows, sequence_index)
     CROSS JOIN (VALUES (false), (true)) AS times (is_development)
     CROSS JOIN attribution.value_set_hours(has_windows, sequence_index::smallint, is_development) AS set_hours
      JOIN attribution.conversion_scheme
             ON valid_from <= attribution.day_begins($1) - set_hours_high * interval '1 hour'
            AND coalesce(valid_to, 'infinity') >= attribution.day_begins($2 + 1) - set_hours_low * interval '1 hour'
$$;
COMMENT ON FUNCTION attribution.certain_scheme(date, date) IS
    'The scheme by which an app set all values of a window that arrived on the days of a range; no row if there may be two';

-- The recount: what the daily tables must hold, counted again from the rows, each row that differs, and how it is mended.
--
-- A daily table is the sum of what its reader has read: the state of each postback, less the changes that the reader has
-- not read (`read_changes`). Both are read by one query of each lane. So a recount needs no lock, and is right while servers
-- write and fold, also on a cluster, which has no snapshot of all nodes: whatever a lane has counted since the snapshot of
-- the coordinator is both in its state and among the changes that are not read.
--
-- `key` names a row of a table by its key, `line` is the one it belongs to. `stored` is what the table has, `recounted` what
-- the rows say. A row that is missing on one side counts as zeros, as does NULL.

-- The figures of these lines that differ from the postbacks, of all lines if `lines` is NULL.
DO $make$ BEGIN
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION attribution.recount_figures(lines integer[])
         RETURNS TABLE (table_name text, key text, line integer, stored numeric[], recounted numeric[])
         LANGUAGE plpgsql STABLE
         SET plan_cache_mode = force_custom_plan AS $body$
         #variable_conflict use_column
         BEGIN
             RETURN QUERY
             WITH change AS MATERIALIZED (
                 SELECT * FROM attribution.read_changes(''figures'', lines)
             ),
             checked AS (
                 %s
             )
             SELECT table_name, key, line, max(stored), max(recounted)
               FROM checked
              GROUP BY table_name, key, line
             HAVING coalesce(max(stored), array_fill(0::numeric, ARRAY[cardinality(max(recounted))]))
                    <> coalesce(max(recounted), array_fill(0::numeric, ARRAY[cardinality(max(stored))]));
         END $body$',
        (SELECT string_agg(
                    format('SELECT %1$L || ''_daily'' AS table_name, (%2$s)::text AS key, line,
                                   ARRAY[%3$s]::numeric[] AS stored, NULL::numeric[] AS recounted
                              FROM attribution.%1$s_daily
                             WHERE lines IS NULL OR line = ANY (lines)
                            UNION ALL
                            SELECT %1$L || ''_daily'', (%2$s)::text, line, NULL, ARRAY[%4$s]::numeric[]
                              FROM %5$s
                             GROUP BY %2$s',
                           subject, keys, regexp_replace(figures, '\w+', 'coalesce(\&, 0)', 'g'),
                           regexp_replace(figures, '\w+', 'coalesce(sum(\&), 0)', 'g'), changes),
                    ' UNION ALL ')
           FROM attribution.catalog_figure_table));
END $make$;

COMMENT ON FUNCTION attribution.recount_figures(integer[]) IS
    'Rows of figures of some lines, or of all if `lines` is NULL, that differ from the postbacks';

-- Apps whose answers wait to be folded anew, since a scheme was loaded for past days. Their answers are those of the old
-- scheme, so they are not compared.
CREATE OR REPLACE FUNCTION attribution.lines_to_refold() RETURNS SETOF integer LANGUAGE sql STABLE AS $$
    SELECT line FROM attribution.line JOIN attribution.answer_refold USING (advertised_app_id)
$$;

COMMENT ON FUNCTION attribution.lines_to_refold() IS 'Lines whose answers wait to be folded anew';

-- The sums of answers of these lines that differ from the postbacks, of all lines if `lines` is NULL. Sums of all campaigns
-- of an app need all lines of the app.
--
-- Folding and this have no text in common but `attribution.answer`, which says what one postback means. Each postback is
-- decoded on its own here, as in the view `postback_answer`.
CREATE OR REPLACE FUNCTION attribution.recount_answers(lines integer[])
RETURNS TABLE (table_name text, key text, line integer, stored numeric[], recounted numeric[])
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    waiting CONSTANT integer[] := ARRAY(SELECT attribution.lines_to_refold());
BEGIN
    RETURN QUERY
    WITH change AS MATERIALIZED (
        SELECT line, source, traits, received_at, sequence_index, did_win, kind, value, sum(postbacks) AS postbacks
          FROM attribution.read_changes('answers', lines)
         WHERE line <> ALL (waiting)
         GROUP BY line, source, traits, received_at, sequence_index, did_win, kind, value
        HAVING sum(postbacks) <> 0
    ),
    -- The views of a line's and of traits' numbers read whole tables: they are read once, before the postbacks are decoded.
    app_line AS MATERIALIZED (SELECT * FROM attribution.app_line),
    shown_traits AS MATERIALIZED (SELECT * FROM attribution.shown_traits),
    split AS MATERIALIZED (
        SELECT change.line, app_line, source, change.traits, shown_traits, version_traits, received_at, sequence_index,
               did_win, kind, value, postbacks
          FROM change
          JOIN app_line USING (line)
          JOIN shown_traits USING (traits)
    ),
    answered AS MATERIALIZED (
        SELECT split.line, app_line, source, shown_traits, version_traits, split.sequence_index, split.did_win,
               split.kind, split.value, postbacks, line.advertised_app_id,
               attribution.two_digits_number(line.campaign_type, line.campaign) AS two_digits,
               answer.scheme_valid_from, no_value_kind, decoding, tier_low, tier_high, revenue_low, revenue_middle, revenue_high, coalesce(answer.currency, '') AS currency,
               attribution.day_of(received_at) AS arrival_day,
               attribution.day_of(received_at - install_hours * interval '1 hour') AS install_day
          FROM split
          JOIN attribution.line USING (line)
          JOIN attribution.traits USING (traits)
         CROSS JOIN LATERAL attribution.answer(
               line.advertised_app_id, line.protocol, traits.version, length(line.campaign), split.sequence_index,
               split.did_win, split.value, source <> 0, traits.country_code IS NOT NULL,
               traits.marketplace_identifier IS NOT NULL, received_at, line.environment = 'development') AS answer
    ),
    summed AS (
        SELECT day_of, CASE day_of WHEN 'install' THEN install_day ELSE arrival_day END AS day,
               CASE WHEN GROUPING(shown_traits) = 0 THEN 'traits' WHEN GROUPING(version_traits) = 0 THEN 'version'
                    WHEN GROUPING(two_digits) = 0 THEN 'two_digits' WHEN GROUPING(source) = 1 THEN 'campaign' WHEN GROUPING(app_line) = 0 THEN 'app_source'
                    ELSE 'source' END AS split_by,
               coalesce(line, app_line) AS line, coalesce(version_traits, two_digits) AS version_traits,
               coalesce(shown_traits, source) AS split_number,
               sequence_index, did_win, currency,
               ARRAY[sum(postbacks), sum(postbacks) FILTER (WHERE kind = 'redownload'),
                     sum(postbacks) FILTER (WHERE kind = 're-engagement'),
                     sum(postbacks) FILTER (WHERE value BETWEEN 0 AND 63), sum(postbacks) FILTER (WHERE value > 63),
                     sum(postbacks) FILTER (WHERE no_value_kind = 'withheld'),
                     sum(postbacks) FILTER (WHERE no_value_kind = 'not_set'),
                     sum(postbacks) FILTER (WHERE decoding = 'mapped'),
                     sum(postbacks) FILTER (WHERE decoding = 'unmapped'),
                     sum(postbacks) FILTER (WHERE decoding = 'ambiguous'),
                     sum(postbacks) FILTER (WHERE tier_low = 0 AND tier_high = 0),
                     sum(postbacks) FILTER (WHERE tier_low = 1 AND tier_high = 1),
                     sum(postbacks) FILTER (WHERE tier_low = 2 AND tier_high = 2),
                     sum(postbacks) FILTER (WHERE tier_low = 3 AND tier_high = 3),
                     sum(postbacks * revenue_low) * 1000000, sum(postbacks * revenue_middle) * 1000000,
                     sum(postbacks * coalesce(revenue_high, revenue_low)) * 1000000,
                     sum(postbacks) FILTER (WHERE revenue_low IS NOT NULL AND revenue_high IS NULL),
                     sum(postbacks) FILTER (WHERE revenue_low IS NOT NULL AND revenue_middle IS NULL),
                     sum(postbacks * revenue_middle * revenue_middle)] AS sums
          FROM answered, (VALUES ('arrival'), ('install')) AS days (day_of)
         GROUP BY day_of, day, sequence_index, did_win, currency,
                  GROUPING SETS ((line), (app_line, version_traits), (app_line, two_digits), (line, shown_traits),
                                 (line, source), (app_line, source))
        HAVING (GROUPING(source) = 1 OR source <> 0) AND (GROUPING(two_digits) = 1 OR day_of = 'install')
    ),
    happened AS (
        SELECT answered.line, answered.sequence_index, currency, event, postbacks, count_low,
               coalesce(count_high, count_low) AS count_high, count_high IS NULL AS count_open, meaning.revenue_low,
               middle.revenue_middle, coalesce(meaning.revenue_high, meaning.revenue_low) AS revenue_high,
               meaning.revenue_high IS NULL AS revenue_open, arrival_day, install_day
          FROM answered
          JOIN attribution.conversion_meaning AS meaning
            ON meaning.advertised_app_id = answered.advertised_app_id
           AND meaning.valid_from = answered.scheme_valid_from
           AND meaning.sequence_index = answered.sequence_index AND meaning.value = answered.value
         CROSS JOIN LATERAL (
               SELECT attribution.revenue_middle(meaning.revenue_low, meaning.revenue_high)) AS middle (revenue_middle)
         WHERE decoding = 'mapped' AND event IS NOT NULL
    ),
    checked AS (
        SELECT 'answer_daily' AS table_name,
               (answer_table, line, day, traits, sequence_index, did_win, currency)::text AS key, line,
               ARRAY[postbacks, redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous,
                     tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open,
                     revenue_unknown, revenue_square] AS stored,
               NULL::numeric[] AS recounted
          FROM attribution.answer_daily
         WHERE line <> ALL (waiting) AND (lines IS NULL OR line = ANY (lines))
        UNION ALL
        SELECT 'answer_daily',
               (attribution.answer_table(day_of, split_by), line, day, version_traits, sequence_index, did_win,
                currency)::text, line, NULL, sums
          FROM summed
         WHERE split_by IN ('campaign', 'version', 'two_digits')
        UNION ALL
        -- This table has both days, and a report sums it by one of them.
        SELECT 'answer_split_daily',
               (split, line, day_of, day, split_number, sequence_index, did_win, currency)::text, line,
               ARRAY[sum(postbacks), sum(redownloads), sum(reengagements), sum(fine), sum(coarse), sum(withheld),
                     sum(not_set), sum(mapped), sum(unmapped), sum(ambiguous), sum(tier_0), sum(tier_1), sum(tier_2),
                     sum(tier_3), sum(revenue_low), sum(revenue_middle), sum(revenue_high), sum(revenue_open),
                     sum(revenue_unknown)],
               NULL
          FROM attribution.answer_split_daily
         CROSS JOIN LATERAL (VALUES ('arrival', arrival_day), ('install', install_day)) AS days (day_of, day)
         WHERE line <> ALL (waiting) AND (lines IS NULL OR line = ANY (lines))
         GROUP BY split, line, day_of, day, split_number, sequence_index, did_win, currency
        UNION ALL
        SELECT 'answer_split_daily',
               (attribution.answer_split(split_by), line, day_of, day, split_number, sequence_index, did_win,
                currency)::text, line, NULL, trim_array(sums, 1)
          FROM summed
         WHERE split_by NOT IN ('campaign', 'version', 'two_digits')
        UNION ALL
        SELECT 'answer_event_daily', (answer_table, line, day, sequence_index, currency, event)::text, line,
               ARRAY[postbacks, possible, count_low, count_high, count_open, revenue_low, revenue_middle, revenue_high,
                     revenue_open, revenue_unknown],
               NULL
          FROM attribution.answer_event_daily
         WHERE line <> ALL (waiting) AND (lines IS NULL OR line = ANY (lines))
        UNION ALL
        SELECT 'answer_event_daily',
               (attribution.answer_table(day_of, 'campaign'), line,
                CASE day_of WHEN 'install' THEN install_day ELSE arrival_day END, sequence_index, currency, event)::text,
               line, NULL,
               ARRAY[sum(postbacks) FILTER (WHERE count_low > 0), sum(postbacks) FILTER (WHERE count_low = 0),
                     sum(postbacks * count_low), sum(postbacks * count_high), sum(postbacks) FILTER (WHERE count_open),
                     sum(postbacks * revenue_low) * 1000000, sum(postbacks * revenue_middle) * 1000000,
                     sum(postbacks * revenue_high) * 1000000, sum(postbacks) FILTER (WHERE revenue_open),
                     sum(postbacks) FILTER (WHERE revenue_middle IS NULL)]
          FROM happened, (VALUES ('arrival'), ('install')) AS days (day_of)
         GROUP BY day_of, line, CASE day_of WHEN 'install' THEN install_day ELSE arrival_day END, sequence_index,
                  currency, event
    ),
    compared AS (
        SELECT table_name, key, line, array_replace(max(stored), NULL, 0) AS stored,
               array_replace(max(recounted), NULL, 0) AS recounted,
               array_fill(0::numeric, ARRAY[coalesce(cardinality(max(stored)), cardinality(max(recounted)))]) AS zeros
          FROM checked
         GROUP BY table_name, key, line
    )
    SELECT table_name, key, line, stored, recounted
      FROM compared
     WHERE coalesce(stored, zeros) <> coalesce(recounted, zeros);
END $$;

COMMENT ON FUNCTION attribution.recount_answers(integer[]) IS
    'Rows of answers of some lines, or of all if `lines` is NULL, that differ from the postbacks';

-- What a row of the quarantine counts for the limit of bytes: its values, and 512 for what PostgreSQL adds to a row and its
-- indexes.
CREATE OR REPLACE FUNCTION attribution.rejected_bytes(stored attribution.rejected_postback) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (octet_length($1.body) + coalesce(octet_length($1.raised_body), 0)
            + coalesce(octet_length($1.checked_message), 0) + octet_length($1.detail)
            + coalesce(octet_length($1.ad_network_id), 0) + coalesce(octet_length($1.user_agent), 0)
            + coalesce(octet_length($1.raised_user_agent), 0) + 512)::bigint
$$;

COMMENT ON FUNCTION attribution.rejected_bytes(attribution.rejected_postback) IS
    'The bytes of a row of the quarantine that count for its limit';

-- The sizes of the quarantine's halves that differ from its rows. A half belongs to no line.
CREATE OR REPLACE FUNCTION attribution.recount_quarantine()
RETURNS TABLE (table_name text, key text, line integer, stored numeric[], recounted numeric[])
LANGUAGE sql STABLE AS $$
    SELECT 'rejected_postback_usage', ROW(protected)::text, NULL::integer,
           ARRAY[usage.rows, usage.bytes]::numeric[], ARRAY[counted.rows, counted.bytes]::numeric[]
      FROM attribution.rejected_postback_usage AS usage
     CROSS JOIN LATERAL (
           SELECT count(*) AS rows, coalesce(sum(attribution.rejected_bytes(stored)), 0) AS bytes
             FROM attribution.rejected_postback AS stored
            WHERE stored.protected = usage.protected) AS counted
     WHERE usage.rows <> counted.rows OR usage.bytes <> counted.bytes
$$;

COMMENT ON FUNCTION attribution.recount_quarantine() IS 'Sizes of the quarantine that differ from its rows';

-- All of them, of some lines or of all if `lines` is NULL. Answers are compared for all lines of the apps of these lines.
CREATE OR REPLACE FUNCTION attribution.recount_of(lines integer[])
RETURNS TABLE (table_name text, key text, line integer, stored numeric[], recounted numeric[])
LANGUAGE sql STABLE AS $$
    SELECT * FROM attribution.recount_figures($1)
    UNION ALL
    SELECT * FROM attribution.recount_answers(
               CASE WHEN $1 IS NOT NULL
                    THEN $1 || ARRAY(SELECT of_app.line
                                       FROM attribution.line AS of_app
                                      WHERE of_app.advertised_app_id IN (
                                            SELECT own.advertised_app_id FROM attribution.line AS own
                                             WHERE own.line = ANY ($1)))
               END)
    UNION ALL
    SELECT * FROM attribution.recount_quarantine()
$$;

COMMENT ON FUNCTION attribution.recount_of(integer[]) IS
    'Rows of figures of some lines, or of all if `lines` is NULL, that differ from the rows they are made of';

CREATE OR REPLACE VIEW attribution.recount AS SELECT * FROM attribution.recount_of(NULL);

COMMENT ON VIEW attribution.recount IS 'Figures that differ from the rows they are made of; no row if all are right';
COMMENT ON COLUMN attribution.recount.table_name IS 'The table of the figures';
COMMENT ON COLUMN attribution.recount.key IS 'The row: the columns of the table''s key';
COMMENT ON COLUMN attribution.recount.line IS 'The line that it belongs to; NULL for the quarantine';
COMMENT ON COLUMN attribution.recount.stored IS 'What the table has, in the order of `figure_names`; NULL if there is no row';
COMMENT ON COLUMN attribution.recount.recounted IS 'What the rows say; NULL if they have nothing of this key';

-- The names of the figures of a table, in the order of `stored` and `recounted`.
CREATE OR REPLACE FUNCTION attribution.figure_names(table_name text) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT CASE $1
        WHEN 'answer_daily' THEN all_answers || ARRAY['revenue_square']
        WHEN 'answer_split_daily' THEN all_answers
        WHEN 'answer_event_daily' THEN
            ARRAY['postbacks', 'possible', 'count_low', 'count_high', 'count_open', 'revenue_low', 'revenue_middle',
                  'revenue_high', 'revenue_open', 'revenue_unknown']
        WHEN 'rejected_postback_usage' THEN ARRAY['rows', 'bytes']
        ELSE (SELECT string_to_array(figures, ', ') FROM attribution.catalog_figure_table WHERE subject || '_daily' = $1)
    END
      FROM (SELECT ARRAY['postbacks', 'redownloads', 'reengagements', 'fine', 'coarse', 'withheld', 'not_set', 'mapped',
                         'unmapped', 'ambiguous', 'tier_0', 'tier_1', 'tier_2', 'tier_3', 'revenue_low',
                         'revenue_middle', 'revenue_high', 'revenue_open', 'revenue_unknown'] AS all_answers) AS names
$$;

COMMENT ON FUNCTION attribution.figure_names(text) IS 'The names of the figures of a table that `recount` compares';

-- Sums figures and answers of these lines anew, up to the places of their readers, and the sizes of the quarantine.
-- Impressions stay as they are. The caller holds both locks of folding.
--
-- Rows with impressions are locked in the order in which servers add impressions. So neither waits for the other in a circle.
CREATE OR REPLACE FUNCTION attribution.mend_figures(lines integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    an_app bigint;
BEGIN
    PERFORM FROM attribution.campaign_daily AS daily
      WHERE daily.line = ANY (lines) ORDER BY daily.line, daily.day FOR UPDATE;
    PERFORM attribution.refold_figures(lines);
    -- Rows of a line that does not exist belong to no app.
    DELETE FROM attribution.answer_daily WHERE line = ANY (lines);
    DELETE FROM attribution.answer_split_daily WHERE line = ANY (lines);
    DELETE FROM attribution.answer_event_daily WHERE line = ANY (lines);
    FOR an_app IN SELECT DISTINCT advertised_app_id FROM attribution.line WHERE line = ANY (lines) ORDER BY 1 LOOP
        PERFORM attribution.refold_answers(an_app);
    END LOOP;
    -- Whoever writes a half holds this lock, so nobody writes one until the commit.
    IF EXISTS (SELECT FROM attribution.recount_quarantine()) THEN
        PERFORM FROM attribution.rejected_postback_usage ORDER BY protected FOR UPDATE;
        UPDATE attribution.rejected_postback_usage AS usage
           SET rows = difference.recounted[1], bytes = difference.recounted[2]
          FROM attribution.recount_quarantine() AS difference
         WHERE difference.key = ROW(usage.protected)::text;
    END IF;
END $$;

COMMENT ON FUNCTION attribution.mend_figures(integer[]) IS
    'Sums figures and answers of some lines anew, and the sizes of the quarantine';

-- Recounts the sums of answers from the postbacks and returns the rows that differ. If all are right, it returns none.
--
--     psql "$DATABASE_URL" -f tools/recount-answers.sql
--
-- It is one statement and sees one snapshot. Sums of answers are behind the postbacks by what is not folded yet, so
-- fold first (`PostbackServer fold`) and let nothing be written in between. A row that is missing on one side counts as
-- zeros, as does NULL. `key` names the row, `stored` is what reports read, `recounted` what `postback_answer` says.

SET search_path = pg_catalog, pg_temp;

WITH recounted_rows AS (
    SELECT 'arrival' AS day_of, r.*
      FROM attribution.recounted_answers(NULL, 'arrival', '-infinity', 'infinity') AS r
    UNION ALL
    SELECT 'install', r.*
      FROM attribution.recounted_answers(NULL, 'install', '-infinity', 'infinity') AS r
),
happened AS (
    SELECT line, sequence_index, coalesce(currency, '') AS currency, event, count_low, count_high, count_open,
           meaning.revenue_low, meaning.revenue_high, meaning.revenue_open,
           meaning.revenue_open AND meaning.revenue_low = 0 AS revenue_unknown,
           (answer.received_at AT TIME ZONE attribution.time_zone())::date AS arrival_day, answer.install_day
      FROM attribution.postback_answer AS answer
      JOIN attribution.line USING (line)
      JOIN (SELECT advertised_app_id, valid_from AS scheme_valid_from, sequence_index, value, event, count_low,
                   coalesce(count_high, count_low) AS count_high, count_high IS NULL AS count_open, revenue_low,
                   coalesce(revenue_high, revenue_low) AS revenue_high, revenue_high IS NULL AS revenue_open
              FROM attribution.conversion_meaning
             WHERE event IS NOT NULL) AS meaning
     USING (advertised_app_id, scheme_valid_from, sequence_index, value)
),
summed AS (
    SELECT day_of,
           CASE WHEN GROUPING(traits) = 0 THEN 'traits' WHEN GROUPING(version_traits) = 0 THEN 'version'
                WHEN GROUPING(app_line) = 0 THEN 'app_source' WHEN GROUPING(source) = 0 THEN 'source'
                ELSE 'campaign' END AS split_by,
           coalesce(line, app_line) AS line, day, version_traits, coalesce(traits, source) AS split_number,
           sequence_index, did_win, currency,
           ARRAY[sum(postbacks), sum(redownloads), sum(reengagements), sum(fine), sum(coarse), sum(withheld),
                 sum(not_set), sum(mapped), sum(unmapped), sum(ambiguous), sum(tier_0), sum(tier_1), sum(tier_2),
                 sum(tier_3), sum(revenue_low), sum(revenue_middle), sum(revenue_high), sum(revenue_open),
                 sum(revenue_unknown), sum(revenue_square)] AS sums
      FROM recounted_rows
      JOIN attribution.app_line USING (line)
      JOIN attribution.shown_traits USING (traits)
     GROUP BY day_of, day, sequence_index, did_win, currency,
              GROUPING SETS ((line), (line, traits), (line, source), (app_line, version_traits), (app_line, source))
    HAVING GROUPING(source) = 1 OR source <> 0
),
checked AS (
    SELECT 'answer_daily' AS table_name,
           (answer_table, line, day, traits, sequence_index, did_win, currency)::text AS key,
           array_replace(ARRAY[postbacks, redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped,
                               ambiguous, tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high,
                               revenue_open, revenue_unknown, revenue_square], NULL, 0) AS stored,
           NULL::numeric[] AS recounted
      FROM attribution.answer_daily
    UNION ALL
    SELECT 'answer_daily',
           (attribution.answer_table(day_of, split_by), line, day, version_traits, sequence_index, did_win, currency)::text,
           NULL, sums
      FROM summed
     WHERE split_by IN ('campaign', 'version')
    UNION ALL
    -- This table has both days, and a report sums it by one of them.
    SELECT 'answer_split_daily',
           (split, line, day_of, day, split_number, sequence_index, did_win, currency)::text,
           array_replace(ARRAY[sum(postbacks), sum(redownloads), sum(reengagements), sum(fine), sum(coarse),
                               sum(withheld), sum(not_set), sum(mapped), sum(unmapped), sum(ambiguous), sum(tier_0),
                               sum(tier_1), sum(tier_2), sum(tier_3), sum(revenue_low), sum(revenue_middle),
                               sum(revenue_high), sum(revenue_open), sum(revenue_unknown)], NULL, 0),
           NULL
      FROM attribution.answer_split_daily
     CROSS JOIN LATERAL (VALUES ('arrival', arrival_day), ('install', install_day)) AS days (day_of, day)
     GROUP BY split, line, day_of, day, split_number, sequence_index, did_win, currency
    UNION ALL
    SELECT 'answer_split_daily',
           (attribution.answer_split(split_by), line, day_of, day, split_number, sequence_index, did_win, currency)::text,
           NULL, trim_array(sums, 1)
      FROM summed
     WHERE split_by NOT IN ('campaign', 'version')
    UNION ALL
    SELECT 'answer_event_daily', (answer_table, line, day, sequence_index, currency, event)::text,
           array_replace(ARRAY[postbacks, possible, count_low, count_high, count_open, revenue_low, revenue_middle,
                               revenue_high, revenue_open, revenue_unknown]::numeric[], NULL, 0),
           NULL
      FROM attribution.answer_event_daily
    UNION ALL
    SELECT 'answer_event_daily',
           (attribution.answer_table(day_of, 'campaign'), line,
            CASE day_of WHEN 'install' THEN install_day ELSE arrival_day END, sequence_index, currency, event)::text,
           NULL,
           ARRAY[count(*) FILTER (WHERE count_low > 0), count(*) FILTER (WHERE count_low = 0), sum(count_low),
                 sum(count_high), count(*) FILTER (WHERE count_open), sum(revenue_low) * 1000000,
                 sum(round((revenue_low + revenue_high) / 2, 6)) * 1000000, sum(revenue_high) * 1000000,
                 count(*) FILTER (WHERE revenue_open), count(*) FILTER (WHERE revenue_unknown)]
      FROM happened, (VALUES ('arrival'), ('install')) AS days (day_of)
     GROUP BY day_of, line, CASE day_of WHEN 'install' THEN install_day ELSE arrival_day END, sequence_index, currency,
              event
),
compared AS (
    SELECT table_name, key, max(stored) AS stored, max(recounted) AS recounted,
           array_fill(0::numeric, ARRAY[coalesce(cardinality(max(stored)), cardinality(max(recounted)))]) AS zeros
      FROM checked
     GROUP BY table_name, key
)
SELECT table_name, key, stored, recounted
  FROM compared
 WHERE coalesce(stored, zeros) <> coalesce(recounted, zeros)
 ORDER BY table_name, key;

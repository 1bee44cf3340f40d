-- Recounts all figures from the state of the postbacks and returns the rows that differ. If all are right, it returns
-- none.
--
--     psql "$DATABASE_URL" -f docs/recount.sql
--
-- It is one statement and sees one snapshot, so it may run while servers write. It sums `state_change` by the same
-- definitions as folding (migrations/0003_figures.sql). It compares the sums with what reports read: the daily tables
-- and what is not folded yet. A row that is missing on one side counts as zeros. `key` names the row (line, day and the
-- other columns of the table's key), `stored` is what reports read, `recounted` what the postbacks say. Impressions are
-- not recounted.

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
       coalesce(max(recounted), array_fill(0::bigint, ARRAY[cardinality(max(stored))]))
 ORDER BY table_name, key;

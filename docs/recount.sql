-- Recounts all aggregates from attribution.postback and returns the rows that differ: none, if all is well.
--
--     psql "$DATABASE_URL" -f docs/recount.sql
--
-- One statement, so one snapshot: it may run while servers write. A row that is absent on either side counts as
-- zeros. `key` names the row, `stored` what the aggregate says, `recounted` what the postbacks say.

WITH fact AS (
    SELECT (received_at AT TIME ZONE 'UTC')::date AS day,
           environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           coalesce(source_app_id::text, source_domain, '') AS source_app,
           sequence_index,
           coalesce(conversion_value, -1) AS value_key,
           coalesce(coarse_value, '') AS coarse_key,
           did_win AND sequence_index = 0 AS first_win,
           CASE
               WHEN conversion_type = 're-engagement' THEN 'reengagement'
               WHEN conversion_type = 'redownload' THEN 'redownload'
               WHEN conversion_type IS NULL AND redownload THEN 'redownload'
               ELSE 'install'
           END AS kind,
           did_win, conversion_value, coarse_value, conflicts,
           (conversion_value, coarse_value) IS DISTINCT FROM (first_conversion_value, first_coarse_value) AS is_raised
      FROM attribution.postback
),
recounted AS (
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           source_app,
           ARRAY[
               count(*) FILTER (WHERE first_win AND kind = 'install'),
               count(*) FILTER (WHERE first_win AND kind = 'redownload'),
               count(*) FILTER (WHERE first_win AND kind = 'reengagement'),
               count(*) FILTER (WHERE NOT did_win),
               count(*) FILTER (WHERE first_win AND conversion_value IS NOT NULL),
               count(*) FILTER (WHERE first_win AND coarse_value IS NOT NULL),
               count(*) FILTER (WHERE first_win AND conversion_value IS NULL AND coarse_value IS NULL),
               coalesce(sum(conversion_value) FILTER (WHERE first_win), 0),
               count(*) FILTER (WHERE is_raised),
               sum(conflicts),
               count(*) FILTER (WHERE sequence_index > 0)
           ]::bigint[] AS figures
      FROM fact
     GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
              GROUPING SETS ((source_app), ())
),
-- GROUPING SETS leave source_app NULL in the rows by campaign alone; a real one is never NULL here.
checked AS (
    SELECT 'campaign_daily' AS table_name,
           (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id)::text AS key,
           ARRAY[installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum,
                 raised, conflicts, later_windows] AS stored,
           NULL::bigint[] AS recounted
      FROM attribution.campaign_daily
    UNION ALL
    SELECT 'campaign_daily',
           (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id)::text,
           NULL, figures
      FROM recounted WHERE source_app IS NULL
    UNION ALL
    SELECT 'source_app_daily',
           (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id, source_app)::text,
           ARRAY[installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum,
                 raised, conflicts, later_windows],
           NULL
      FROM attribution.source_app_daily
    UNION ALL
    SELECT 'source_app_daily',
           (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id, source_app)::text,
           NULL, figures
      FROM recounted WHERE source_app IS NOT NULL
    UNION ALL
    SELECT 'conversion_value_daily',
           (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id, sequence_index, did_win, conversion_value, coarse_value)::text,
           ARRAY[postbacks], NULL
      FROM attribution.conversion_value_daily
    UNION ALL
    SELECT 'conversion_value_daily',
           (day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id, sequence_index, did_win, value_key, coarse_key)::text,
           NULL, ARRAY[count(*)]
      FROM fact
     GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
              sequence_index, did_win, value_key, coarse_key
)
SELECT table_name, key, max(stored) AS stored, max(recounted) AS recounted
  FROM checked
 GROUP BY table_name, key
HAVING coalesce(max(stored), array_fill(0::bigint, ARRAY[cardinality(max(recounted))]))
       IS DISTINCT FROM
       coalesce(max(recounted), array_fill(0::bigint, ARRAY[cardinality(max(stored))]))
 ORDER BY table_name, key;

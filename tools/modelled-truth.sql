-- How far modelled revenue is from the truth of a simulation in time, by app and by size of campaign.
--
--     psql "$DATABASE_URL" -f tools/modelled-truth.sql < truth.ndjson
--
-- The database holds the simulation's postbacks and the schemes of its apps, folded, and no others of these apps. It is
-- only read. Compared are winning postbacks of window 0 whose value is mapped or withheld: what their users paid in this
-- window, and what the reports say. docs/money.md explains it.

\set QUIET on
SET search_path = pg_catalog, pg_temp;
\pset footer off
CREATE TEMPORARY TABLE line_of_truth (line jsonb);
-- The delimiter and the quote are bytes that JSON never has.
\copy line_of_truth FROM pstdin WITH (FORMAT csv, DELIMITER E'\x02', QUOTE E'\x01')

CREATE TEMPORARY TABLE truth AS
SELECT answer.line, (answer.no_value_kind IS NOT NULL)::integer AS withheld,
       (truth.line ->> 'revenue-in-window')::numeric / 100 AS revenue
  FROM line_of_truth AS truth
  JOIN attribution.postback_answer AS answer
    ON answer.transaction_id = (truth.line ->> 'transaction-id')::uuid
 WHERE (truth.line ->> 'sequence-index')::integer = 0 AND answer.sequence_index = 0
   AND (truth.line ->> 'did-win')::boolean AND answer.did_win
   AND (answer.decoding = 'mapped' OR answer.no_value_kind = 'withheld');

-- Off by %. Of the mapped values, how far the middles of their ranges are off. Of the withheld ones, how far the model
-- is. And both together.
\echo By app
SELECT advertised_app_id, postbacks, round(100.0 * withheld / postbacks, 1) AS "withheld, %", round(revenue, 2) AS truth,
       round(100 * (measured / nullif(of_mapped, 0) - 1), 1) AS "mapped, off by %",
       round(100 * ((modelled - measured) / nullif(revenue - of_mapped, 0) - 1), 1) AS "withheld, off by %",
       round(100 * (modelled / revenue - 1), 1) AS "all, off by %",
       round(low, 2) AS interval_low, round(high, 2) AS interval_high, revenue BETWEEN low AND high AS "interval holds"
  FROM (SELECT advertised_app_id, count(*) AS postbacks, sum(withheld) AS withheld, sum(revenue) AS revenue,
               sum(revenue * (1 - withheld)) AS of_mapped
          FROM truth
          JOIN attribution.line USING (line)
         GROUP BY advertised_app_id) AS truth
  JOIN (SELECT advertised_app_id, sum(revenue_middle) AS measured, sum(modelled_revenue_middle) AS modelled,
               sum(modelled_interval_low) AS low, sum(modelled_interval_high) AS high
          FROM attribution.report_modelled_revenue_by_app_all
         WHERE sequence_index = 0
         GROUP BY advertised_app_id) AS model USING (advertised_app_id)
 ORDER BY advertised_app_id;

\echo By size: mapped and withheld values of a campaign (network, app, two digits, version class) a week
WITH campaign AS (
    SELECT (environment, developer_copy, protocol, ad_network_id, campaign_type,
            attribution.two_digits(campaign_type, campaign), advertised_app_id) AS campaign,
           count(*) AS postbacks, sum(withheld) AS withheld, sum(revenue) AS revenue,
           sum(revenue * (1 - withheld)) AS of_mapped
      FROM truth
      JOIN attribution.line USING (line)
     GROUP BY 1
),
model AS (
    SELECT (environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id) AS campaign,
           count(DISTINCT week) AS weeks, sum(revenue_middle) AS measured, sum(modelled_revenue_middle) AS modelled
      FROM attribution.report_modelled_revenue_all
     WHERE sequence_index = 0
     GROUP BY 1
)
SELECT CASE size WHEN 0 THEN 'below 10' WHEN 1 THEN '10 to 30' WHEN 2 THEN '30 to 100' ELSE 'above' END AS "a week",
       count(*) AS campaigns, round(100.0 * sum(withheld) / sum(postbacks), 1) AS "withheld, %",
       round(sum(revenue), 2) AS truth,
       round(100 * (sum(measured) / nullif(sum(of_mapped), 0) - 1), 1) AS "mapped, off by %",
       round(100 * (sum(modelled - measured) / nullif(sum(revenue - of_mapped), 0) - 1), 1) AS "withheld, off by %",
       round(100 * (sum(modelled) / sum(revenue) - 1), 1) AS "all, off by %"
  FROM campaign
  JOIN model USING (campaign)
 CROSS JOIN LATERAL (SELECT width_bucket(postbacks::numeric / weeks, ARRAY[10, 30, 100])) AS bucket (size)
 GROUP BY size
 ORDER BY size;

-- The views that people read. Each name ending in `_all` shows everything, with environment and developer_copy among
-- its keys; the same name without it shows production without developer copies.

CREATE VIEW attribution.report_campaign_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sum(impressions)::bigint AS impressions,
       sum(installs)::bigint AS installs,
       sum(redownloads)::bigint AS redownloads,
       sum(reengagements)::bigint AS reengagements,
       sum(assists)::bigint AS assists,
       sum(value_known)::bigint AS value_known,
       sum(value_coarse)::bigint AS value_coarse,
       sum(value_null)::bigint AS value_null,
       round(sum(value_sum) / nullif(sum(value_known), 0), 4) AS value_average,
       sum(raised)::bigint AS raised,
       sum(conflicts)::bigint AS conflicts,
       sum(later_windows)::bigint AS later_windows
  FROM (
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0 AS impressions, installs, redownloads, reengagements, assists,
           value_known, value_coarse, value_null, value_sum, raised, conflicts, later_windows
      FROM attribution.campaign_daily
    UNION ALL
    SELECT environment, false, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           impressions, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
      FROM attribution.impression_daily
  ) AS figures
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id;

CREATE VIEW attribution.report_campaign_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       value_average, raised, conflicts, later_windows
  FROM attribution.report_campaign_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_campaign_all AS
SELECT environment, developer_copy,
       protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sum(impressions)::bigint AS impressions,
       sum(installs)::bigint AS installs,
       sum(redownloads)::bigint AS redownloads,
       sum(reengagements)::bigint AS reengagements,
       sum(assists)::bigint AS assists,
       sum(value_known)::bigint AS value_known,
       sum(value_coarse)::bigint AS value_coarse,
       sum(value_null)::bigint AS value_null,
       round(sum(value_sum) / nullif(sum(value_known), 0), 4) AS value_average,
       sum(raised)::bigint AS raised,
       sum(conflicts)::bigint AS conflicts,
       sum(later_windows)::bigint AS later_windows,
       min(day) AS first_day,
       max(day) AS last_day
  FROM (
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0 AS impressions, installs, redownloads, reengagements, assists,
           value_known, value_coarse, value_null, value_sum, raised, conflicts, later_windows
      FROM attribution.campaign_daily
    UNION ALL
    SELECT environment, false, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           impressions, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
      FROM attribution.impression_daily
  ) AS figures
 GROUP BY environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id;

CREATE VIEW attribution.report_campaign AS
SELECT protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       value_average, raised, conflicts, later_windows, first_day, last_day
  FROM attribution.report_campaign_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_source_app_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       nullif(source_app, '') AS source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       round(value_sum::numeric / nullif(value_known, 0), 4) AS value_average,
       raised, conflicts, later_windows
  FROM attribution.source_app_daily;

CREATE VIEW attribution.report_source_app_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id, source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.report_source_app_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_conversion_value_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index,
       nullif(conversion_value, -1) AS conversion_value,
       nullif(coarse_value, '') AS coarse_value,
       postbacks
  FROM attribution.conversion_value_daily
 WHERE postbacks <> 0; -- a raise leaves an empty row behind

CREATE VIEW attribution.report_conversion_value_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index, conversion_value, coarse_value, postbacks
  FROM attribution.report_conversion_value_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

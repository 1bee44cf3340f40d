-- The hierarchy of source identifiers (SKAdNetwork 4.0, AdAttributionKit), by their last two, three and four digits.
--
-- Apple cuts an identifier to its last digits where the crowd is small: 5239 arrives as 5239, 239 or 39. A postback
-- takes part in each level that it has digits for; one of a single digit has a level of its own, so that none is lost.

-- One row a level for each row of the aggregates. Postbacks and values come by window; installs, redownloads and
-- re-engagements are of the first window only.
CREATE VIEW attribution.source_identifier_figure AS
SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id,
       digits, right(campaign, digits) AS source_identifier, length(campaign) AS received_digits, sequence_index,
       postbacks, installs, redownloads, reengagements, assists,
       value_known, value_coarse, value_null, value_sum, coarse_low, coarse_medium, coarse_high
  FROM (
    SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign, sequence_index,
           CASE WHEN did_win THEN postbacks ELSE 0 END AS postbacks,
           0 AS installs, 0 AS redownloads, 0 AS reengagements,
           CASE WHEN did_win THEN 0 ELSE postbacks END AS assists,
           CASE WHEN did_win AND conversion_value >= 0 THEN postbacks ELSE 0 END AS value_known,
           CASE WHEN did_win AND coarse_value <> '' THEN postbacks ELSE 0 END AS value_coarse,
           CASE WHEN did_win AND conversion_value < 0 AND coarse_value = '' THEN postbacks ELSE 0 END AS value_null,
           CASE WHEN did_win AND conversion_value >= 0 THEN conversion_value * postbacks ELSE 0 END AS value_sum,
           CASE WHEN did_win AND coarse_value = 'low' THEN postbacks ELSE 0 END AS coarse_low,
           CASE WHEN did_win AND coarse_value = 'medium' THEN postbacks ELSE 0 END AS coarse_medium,
           CASE WHEN did_win AND coarse_value = 'high' THEN postbacks ELSE 0 END AS coarse_high
      FROM attribution.conversion_value_daily
     WHERE campaign_type = 'source-identifier'
    UNION ALL
    SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign, 0,
           0, installs, redownloads, reengagements, 0, 0, 0, 0, 0, 0, 0, 0
      FROM attribution.campaign_daily
     WHERE campaign_type = 'source-identifier'
  ) AS figures
 CROSS JOIN LATERAL generate_series(least(length(campaign), 2), length(campaign)) AS digits;

COMMENT ON VIEW attribution.source_identifier_figure IS 'What the views report_source_identifier… sum up';

CREATE VIEW attribution.report_source_identifier_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       sum(postbacks)::bigint AS postbacks,
       sum(installs)::bigint AS installs,
       sum(redownloads)::bigint AS redownloads,
       sum(reengagements)::bigint AS reengagements,
       sum(assists)::bigint AS assists,
       sum(value_known)::bigint AS value_known,
       sum(value_coarse)::bigint AS value_coarse,
       sum(value_null)::bigint AS value_null,
       round(sum(value_sum) / nullif(sum(value_known), 0), 4) AS value_average,
       sum(coarse_low)::bigint AS coarse_low,
       sum(coarse_medium)::bigint AS coarse_medium,
       sum(coarse_high)::bigint AS coarse_high,
       round(coalesce(sum(postbacks) FILTER (WHERE received_digits = 2), 0) / nullif(sum(postbacks), 0), 4)
           AS share_2_digits,
       round(coalesce(sum(postbacks) FILTER (WHERE received_digits = 3), 0) / nullif(sum(postbacks), 0), 4)
           AS share_3_digits,
       round(coalesce(sum(postbacks) FILTER (WHERE received_digits = 4), 0) / nullif(sum(postbacks), 0), 4)
           AS share_4_digits
  FROM attribution.source_identifier_figure
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, advertised_app_id,
          digits, source_identifier, sequence_index
HAVING sum(postbacks) + sum(assists) <> 0;

CREATE VIEW attribution.report_source_identifier_daily AS
SELECT day, protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits
  FROM attribution.report_source_identifier_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_source_identifier_all AS
SELECT environment, developer_copy,
       protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       sum(postbacks)::bigint AS postbacks,
       sum(installs)::bigint AS installs,
       sum(redownloads)::bigint AS redownloads,
       sum(reengagements)::bigint AS reengagements,
       sum(assists)::bigint AS assists,
       sum(value_known)::bigint AS value_known,
       sum(value_coarse)::bigint AS value_coarse,
       sum(value_null)::bigint AS value_null,
       round(sum(value_sum) / nullif(sum(value_known), 0), 4) AS value_average,
       sum(coarse_low)::bigint AS coarse_low,
       sum(coarse_medium)::bigint AS coarse_medium,
       sum(coarse_high)::bigint AS coarse_high,
       round(coalesce(sum(postbacks) FILTER (WHERE received_digits = 2), 0) / nullif(sum(postbacks), 0), 4)
           AS share_2_digits,
       round(coalesce(sum(postbacks) FILTER (WHERE received_digits = 3), 0) / nullif(sum(postbacks), 0), 4)
           AS share_3_digits,
       round(coalesce(sum(postbacks) FILTER (WHERE received_digits = 4), 0) / nullif(sum(postbacks), 0), 4)
           AS share_4_digits,
       min(day) FILTER (WHERE postbacks + assists <> 0) AS first_day,
       max(day) FILTER (WHERE postbacks + assists <> 0) AS last_day
  FROM attribution.source_identifier_figure
 GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id,
          digits, source_identifier, sequence_index
HAVING sum(postbacks) + sum(assists) <> 0;

CREATE VIEW attribution.report_source_identifier AS
SELECT protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits,
       first_day, last_day
  FROM attribution.report_source_identifier_all
 WHERE environment = 'production' AND NOT developer_copy;

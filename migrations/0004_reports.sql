-- The views that people read. A view whose name ends in `_all` shows everything, with environment and developer_copy
-- among its keys. The view without `_all` shows production without developer copies.

CREATE VIEW attribution.report_campaign_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.campaign_figure
  JOIN attribution.line USING (line);

CREATE VIEW attribution.report_campaign_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.report_campaign_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_campaign_all AS
SELECT line.environment, line.developer_copy, line.protocol, line.ad_network_id, line.campaign_type, line.campaign,
       line.advertised_app_id,
       attribution.total(impressions) AS impressions,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.average(attribution.total(value_sum), attribution.total(value_known)) AS value_average,
       attribution.total(raised) AS raised,
       attribution.total(conflicts) AS conflicts,
       attribution.total(later_windows) AS later_windows,
       min(day) AS first_day,
       max(day) AS last_day
  FROM attribution.campaign_figure
  JOIN attribution.line USING (line)
 GROUP BY line.line;

CREATE VIEW attribution.report_campaign AS
SELECT protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows, first_day, last_day
  FROM attribution.report_campaign_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_source_app_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       coalesce(source_app_id::text, source_domain) AS source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.source_app_figure
  JOIN attribution.line USING (line)
  JOIN attribution.source USING (source);

CREATE VIEW attribution.report_source_app_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id, source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.report_source_app_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE VIEW attribution.report_conversion_value_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index,
       attribution.fine_value(value) AS conversion_value,
       attribution.coarse_value(value) AS coarse_value,
       postbacks
  FROM attribution.conversion_value_figure
  JOIN attribution.line USING (line);

CREATE VIEW attribution.report_conversion_value_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index, conversion_value, coarse_value, postbacks
  FROM attribution.report_conversion_value_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

-- The same, summed over the days of a range, both ends included. The daily table is summed up by itself, since the
-- planner knows how many groups it has; what the log holds beyond it is added to the sums.
CREATE FUNCTION attribution.report_conversion_value(first_day date, last_day date) RETURNS TABLE (
    environment text, developer_copy boolean, protocol text, ad_network_id text, campaign_type text, campaign text,
    advertised_app_id bigint, sequence_index smallint, conversion_value smallint, coarse_value text, postbacks bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           sequence_index, attribution.fine_value(value), attribution.coarse_value(value), attribution.total(postbacks)
      FROM (SELECT line.*, sequence_index, value, attribution.total(postbacks) AS postbacks
              FROM attribution.conversion_value_daily
              JOIN attribution.line USING (line)
             WHERE day BETWEEN first_day AND last_day
             GROUP BY line.line, sequence_index, value
            UNION ALL
            SELECT line.*, sequence_index, value, sum(postbacks)
              FROM attribution.unfolded()
              JOIN attribution.line USING (line)
             WHERE day BETWEEN first_day AND last_day
             GROUP BY line.line, sequence_index, value) AS part
     GROUP BY line, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
              sequence_index, value
    HAVING attribution.total(postbacks) <> 0
$$;

-- The hierarchy of source identifiers (SKAdNetwork 4.0, AdAttributionKit), by their last two, three and four digits.
-- Apple cuts an identifier to its last digits if the crowd is small: 5239 arrives as 5239, 239 or 39. A postback takes
-- part in each level that it has digits for. An identifier of one digit has a level of its own, so none is lost.
-- A level of an identifier for each line, from the figures of its windows.
CREATE FUNCTION attribution.identifier_levels(campaign text)
RETURNS TABLE (digits integer, source_identifier text, received_digits integer)
LANGUAGE sql IMMUTABLE ROWS 3 PARALLEL SAFE AS $$
    SELECT digits, right(campaign, digits), length(campaign)
      FROM (VALUES (1), (2), (3), (4)) AS level (digits)
     WHERE digits BETWEEN least(length(campaign), 2) AND length(campaign)
$$;

CREATE VIEW attribution.report_source_identifier_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index,
       attribution.total(winning) AS postbacks,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(coarse_low + coarse_medium + coarse_high) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.average(attribution.total(value_sum), attribution.total(value_known)) AS value_average,
       attribution.total(coarse_low) AS coarse_low,
       attribution.total(coarse_medium) AS coarse_medium,
       attribution.total(coarse_high) AS coarse_high,
       attribution.average(attribution.total(CASE WHEN received_digits = 2 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_2_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 3 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_3_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 4 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_4_digits
  FROM attribution.window_figure
  JOIN attribution.line USING (line)
 CROSS JOIN LATERAL attribution.identifier_levels(campaign)
 WHERE campaign_type = 'source-identifier'
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
          sequence_index;

CREATE VIEW attribution.report_source_identifier_daily AS
SELECT day, protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits
  FROM attribution.report_source_identifier_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

-- The same, summed over the days of a range, both ends included. Days are summed up before a line takes part in up to
-- three levels.
CREATE FUNCTION attribution.report_source_identifier(first_day date, last_day date) RETURNS TABLE (
    environment text, developer_copy boolean, protocol text, ad_network_id text, advertised_app_id bigint,
    digits integer, source_identifier text, sequence_index smallint, postbacks bigint, installs bigint,
    redownloads bigint, reengagements bigint, assists bigint, value_known bigint, value_coarse bigint,
    value_null bigint, value_average numeric, coarse_low bigint, coarse_medium bigint, coarse_high bigint,
    share_2_digits numeric, share_3_digits numeric, share_4_digits numeric, first_seen date, last_seen date)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index,
       attribution.total(winning) AS postbacks,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(coarse_low + coarse_medium + coarse_high) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.average(attribution.total(value_sum), attribution.total(value_known)) AS value_average,
       attribution.total(coarse_low) AS coarse_low,
       attribution.total(coarse_medium) AS coarse_medium,
       attribution.total(coarse_high) AS coarse_high,
       attribution.average(attribution.total(CASE WHEN received_digits = 2 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_2_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 3 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_3_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 4 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_4_digits,
       min(first_day) AS first_day,
       max(last_day) AS last_day
  FROM (SELECT line.environment, line.developer_copy, line.protocol, line.ad_network_id, line.advertised_app_id,
               line.campaign, sequence_index,
               attribution.total(winning) AS winning, attribution.total(installs) AS installs,
               attribution.total(redownloads) AS redownloads, attribution.total(reengagements) AS reengagements,
               attribution.total(assists) AS assists, attribution.total(value_known) AS value_known,
               attribution.total(value_null) AS value_null, attribution.total(value_sum) AS value_sum,
               attribution.total(coarse_low) AS coarse_low, attribution.total(coarse_medium) AS coarse_medium,
               attribution.total(coarse_high) AS coarse_high, min(day) AS first_day, max(day) AS last_day
          FROM attribution.window_figure
          JOIN attribution.line USING (line)
         WHERE day BETWEEN $1 AND $2 AND line.campaign_type = 'source-identifier'
         GROUP BY line.line, sequence_index) AS figure
 CROSS JOIN LATERAL attribution.identifier_levels(campaign)
 GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
          sequence_index
$$;

CREATE VIEW attribution.report_source_identifier_all AS
SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index, postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       value_average, coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits,
       first_seen AS first_day, last_seen AS last_day
  FROM attribution.report_source_identifier('-infinity', 'infinity');

CREATE VIEW attribution.report_source_identifier AS
SELECT protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits,
       first_day, last_day
  FROM attribution.report_source_identifier_all
 WHERE environment = 'production' AND NOT developer_copy;

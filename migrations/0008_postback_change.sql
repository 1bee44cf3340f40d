-- Figures in two steps: a batch of postbacks appends what it changed, and the changes are added to the daily tables soon
-- after, many at a time.
--
-- A row of the daily tables is wanted by nearly every batch, and each postback wants three. Changing them at once made
-- writers wait for each other's commits and cost more than the postback itself. Appending waits for nobody. The views
-- `campaign_daily`, `source_app_daily` and `conversion_value_daily` show both together, so that at any moment they equal
-- a recount of the postbacks: a change is written in the transaction of its postback, and leaves `postback_change` in the
-- transaction that adds it.

ALTER TABLE attribution.campaign_daily RENAME TO campaign_daily_base;
ALTER TABLE attribution.source_app_daily RENAME TO source_app_daily_base;
ALTER TABLE attribution.conversion_value_daily RENAME TO conversion_value_daily_base;

-- The keys in the order that makes them quick to compare: what has a fixed width and tells rows apart first, what is the
-- same in nearly all rows last. Reports read a range of days.
ALTER TABLE attribution.campaign_daily_base
    DROP CONSTRAINT campaign_daily_key,
    ADD CONSTRAINT campaign_daily_key PRIMARY KEY
        (day, advertised_app_id, campaign, ad_network_id, environment, developer_copy, protocol, campaign_type);
ALTER TABLE attribution.source_app_daily_base
    DROP CONSTRAINT source_app_daily_key,
    ADD CONSTRAINT source_app_daily_key PRIMARY KEY
        (day, advertised_app_id, campaign, source_app, ad_network_id, environment, developer_copy, protocol,
         campaign_type);
ALTER TABLE attribution.conversion_value_daily_base
    DROP CONSTRAINT conversion_value_daily_key,
    ADD CONSTRAINT conversion_value_daily_key PRIMARY KEY
        (day, advertised_app_id, conversion_value, sequence_index, did_win, campaign, coarse_value, ad_network_id,
         environment, developer_copy, protocol, campaign_type);

-- By how many postbacks of one kind the figures change: 1 for a new postback; -1 and 1 for one whose value was raised,
-- with its former and its new value; 0 where only conflicts were counted.
CREATE TABLE attribution.postback_change (
    advertised_app_id bigint   NOT NULL,
    day               date     NOT NULL,
    postbacks         integer  NOT NULL,
    raised            integer  NOT NULL,
    conflicts         integer  NOT NULL,
    sequence_index    smallint NOT NULL,
    -- -1 where there is none.
    conversion_value  smallint NOT NULL,
    did_win           boolean  NOT NULL,
    developer_copy    boolean  NOT NULL,
    environment       text     NOT NULL,
    protocol          text     NOT NULL,
    ad_network_id     text     NOT NULL,
    campaign_type     text     NOT NULL,
    campaign          text     NOT NULL,
    -- '' where there is none.
    source_app        text     NOT NULL,
    coarse_value      text     NOT NULL,
    -- 'install', 'redownload' or 're-engagement'.
    kind              text     NOT NULL
);

COMMENT ON TABLE attribution.postback_change IS 'What postbacks changed and the daily tables do not hold yet';

-- The sum of whole numbers as one of them: sum(bigint) makes a numeric of each, which costs a report most of its time.
CREATE AGGREGATE attribution.total(bigint) (
    SFUNC = int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);

-- The changes as figures.
CREATE VIEW attribution.postback_change_figure AS
SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       source_app, sequence_index, did_win, conversion_value, coarse_value, postbacks,
       CASE WHEN first_win AND kind = 'install' THEN postbacks ELSE 0 END AS installs,
       CASE WHEN first_win AND kind = 'redownload' THEN postbacks ELSE 0 END AS redownloads,
       CASE WHEN first_win AND kind = 're-engagement' THEN postbacks ELSE 0 END AS reengagements,
       CASE WHEN did_win THEN 0 ELSE postbacks END AS assists,
       CASE WHEN first_win AND conversion_value >= 0 THEN postbacks ELSE 0 END AS value_known,
       CASE WHEN first_win AND coarse_value <> '' THEN postbacks ELSE 0 END AS value_coarse,
       CASE WHEN first_win AND conversion_value < 0 AND coarse_value = '' THEN postbacks ELSE 0 END AS value_null,
       CASE WHEN first_win AND conversion_value >= 0 THEN conversion_value * postbacks ELSE 0 END AS value_sum,
       raised,
       conflicts,
       CASE WHEN sequence_index > 0 THEN postbacks ELSE 0 END AS later_windows
  FROM (SELECT *, did_win AND sequence_index = 0 AS first_win FROM attribution.postback_change) AS change;

CREATE VIEW attribution.campaign_daily AS
SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.total(value_sum) AS value_sum,
       attribution.total(raised) AS raised,
       attribution.total(conflicts) AS conflicts,
       attribution.total(later_windows) AS later_windows
  FROM (
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum, raised,
           conflicts, later_windows
      FROM attribution.campaign_daily_base
    UNION ALL
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_sum, raised,
           conflicts, later_windows
      FROM attribution.postback_change_figure
  ) AS figures
 GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id;

CREATE VIEW attribution.source_app_daily AS
SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       source_app,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.total(value_sum) AS value_sum,
       attribution.total(raised) AS raised,
       attribution.total(conflicts) AS conflicts,
       attribution.total(later_windows) AS later_windows
  FROM (
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           source_app, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
           value_sum, raised, conflicts, later_windows
      FROM attribution.source_app_daily_base
    UNION ALL
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           source_app, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
           value_sum, raised, conflicts, later_windows
      FROM attribution.postback_change_figure
  ) AS figures
 GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
          source_app;

CREATE VIEW attribution.conversion_value_daily AS
SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index, did_win, conversion_value, coarse_value,
       attribution.total(postbacks) AS postbacks
  FROM (
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           sequence_index, did_win, conversion_value, coarse_value, postbacks
      FROM attribution.conversion_value_daily_base
    UNION ALL
    SELECT day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           sequence_index, did_win, conversion_value, coarse_value, postbacks
      FROM attribution.postback_change_figure
  ) AS figures
 GROUP BY day, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
          sequence_index, did_win, conversion_value, coarse_value;

-- The reports again, with the same columns: each sums up tables and changes at once.

CREATE OR REPLACE VIEW attribution.report_campaign_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       attribution.total(impressions) AS impressions,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       round(attribution.total(value_sum)::numeric / nullif(attribution.total(value_known), 0), 4) AS value_average,
       attribution.total(raised) AS raised,
       attribution.total(conflicts) AS conflicts,
       attribution.total(later_windows) AS later_windows
  FROM (
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0::bigint AS impressions, installs, redownloads, reengagements, assists,
           value_known, value_coarse, value_null, value_sum, raised, conflicts, later_windows
      FROM attribution.campaign_daily_base
    UNION ALL
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0, installs, redownloads, reengagements, assists,
           value_known, value_coarse, value_null, value_sum, raised, conflicts, later_windows
      FROM attribution.postback_change_figure
    UNION ALL
    SELECT environment, false, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           impressions, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
      FROM attribution.impression_daily
  ) AS figures
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id;

CREATE OR REPLACE VIEW attribution.report_campaign_all AS
SELECT environment, developer_copy,
       protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       attribution.total(impressions) AS impressions,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       round(attribution.total(value_sum)::numeric / nullif(attribution.total(value_known), 0), 4) AS value_average,
       attribution.total(raised) AS raised,
       attribution.total(conflicts) AS conflicts,
       attribution.total(later_windows) AS later_windows,
       min(day) AS first_day,
       max(day) AS last_day
  FROM (
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0::bigint AS impressions, installs, redownloads, reengagements, assists,
           value_known, value_coarse, value_null, value_sum, raised, conflicts, later_windows
      FROM attribution.campaign_daily_base
    UNION ALL
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0, installs, redownloads, reengagements, assists,
           value_known, value_coarse, value_null, value_sum, raised, conflicts, later_windows
      FROM attribution.postback_change_figure
    UNION ALL
    SELECT environment, false, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           impressions, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
      FROM attribution.impression_daily
  ) AS figures
 GROUP BY environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id;

CREATE OR REPLACE VIEW attribution.report_source_app_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       nullif(source_app, '') AS source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       round(value_sum::numeric / nullif(value_known, 0), 4) AS value_average,
       raised, conflicts, later_windows
  FROM attribution.source_app_daily;

CREATE OR REPLACE VIEW attribution.report_conversion_value_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index,
       nullif(conversion_value, -1) AS conversion_value,
       nullif(coarse_value, '') AS coarse_value,
       attribution.total(postbacks) AS postbacks
  FROM (
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           sequence_index, conversion_value, coarse_value, postbacks
      FROM attribution.conversion_value_daily_base
    UNION ALL
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           sequence_index, conversion_value, coarse_value, postbacks
      FROM attribution.postback_change_figure
  ) AS figures
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
          sequence_index, conversion_value, coarse_value
HAVING attribution.total(postbacks) <> 0; -- a raise leaves an empty row behind

CREATE OR REPLACE VIEW attribution.source_identifier_figure AS
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
      FROM (
        SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign_type, campaign,
               sequence_index, did_win, conversion_value, coarse_value, postbacks
          FROM attribution.conversion_value_daily_base
        UNION ALL
        SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign_type, campaign,
               sequence_index, did_win, conversion_value, coarse_value, postbacks
          FROM attribution.postback_change_figure
      ) AS value
     WHERE campaign_type = 'source-identifier'
    UNION ALL
    SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign, 0,
           0, installs, redownloads, reengagements, 0, 0, 0, 0, 0, 0, 0, 0
      FROM (
        SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign_type, campaign,
               installs, redownloads, reengagements
          FROM attribution.campaign_daily_base
        UNION ALL
        SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, campaign_type, campaign,
               installs, redownloads, reengagements
          FROM attribution.postback_change_figure
      ) AS campaign
     WHERE campaign_type = 'source-identifier'
  ) AS figures
 CROSS JOIN LATERAL generate_series(least(length(campaign), 2), length(campaign)) AS digits;

CREATE OR REPLACE VIEW attribution.report_source_identifier_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       attribution.total(postbacks) AS postbacks,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       round(attribution.total(value_sum)::numeric / nullif(attribution.total(value_known), 0), 4) AS value_average,
       attribution.total(coarse_low) AS coarse_low,
       attribution.total(coarse_medium) AS coarse_medium,
       attribution.total(coarse_high) AS coarse_high,
       round(coalesce(attribution.total(postbacks) FILTER (WHERE received_digits = 2), 0)
             / nullif(attribution.total(postbacks)::numeric, 0), 4)
           AS share_2_digits,
       round(coalesce(attribution.total(postbacks) FILTER (WHERE received_digits = 3), 0)
             / nullif(attribution.total(postbacks)::numeric, 0), 4)
           AS share_3_digits,
       round(coalesce(attribution.total(postbacks) FILTER (WHERE received_digits = 4), 0)
             / nullif(attribution.total(postbacks)::numeric, 0), 4)
           AS share_4_digits
  FROM attribution.source_identifier_figure
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, advertised_app_id,
          digits, source_identifier, sequence_index
HAVING attribution.total(postbacks) + attribution.total(assists) <> 0;

CREATE OR REPLACE VIEW attribution.report_source_identifier_all AS
SELECT environment, developer_copy,
       protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       attribution.total(postbacks) AS postbacks,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       round(attribution.total(value_sum)::numeric / nullif(attribution.total(value_known), 0), 4) AS value_average,
       attribution.total(coarse_low) AS coarse_low,
       attribution.total(coarse_medium) AS coarse_medium,
       attribution.total(coarse_high) AS coarse_high,
       round(coalesce(attribution.total(postbacks) FILTER (WHERE received_digits = 2), 0)
             / nullif(attribution.total(postbacks)::numeric, 0), 4)
           AS share_2_digits,
       round(coalesce(attribution.total(postbacks) FILTER (WHERE received_digits = 3), 0)
             / nullif(attribution.total(postbacks)::numeric, 0), 4)
           AS share_3_digits,
       round(coalesce(attribution.total(postbacks) FILTER (WHERE received_digits = 4), 0)
             / nullif(attribution.total(postbacks)::numeric, 0), 4)
           AS share_4_digits,
       min(day) FILTER (WHERE postbacks + assists <> 0) AS first_day,
       max(day) FILTER (WHERE postbacks + assists <> 0) AS last_day
  FROM attribution.source_identifier_figure
 GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id,
          digits, source_identifier, sequence_index
HAVING attribution.total(postbacks) + attribution.total(assists) <> 0;

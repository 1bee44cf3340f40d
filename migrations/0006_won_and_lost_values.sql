-- Winning and losing postbacks apart in the figures by conversion value, so that each window can be told by them.
--
-- Whatever was counted before is of SKAdNetwork 2.0, which tells winners only.

ALTER TABLE attribution.conversion_value_daily ADD COLUMN did_win boolean NOT NULL DEFAULT true;
ALTER TABLE attribution.conversion_value_daily ALTER COLUMN did_win DROP DEFAULT;
ALTER TABLE attribution.conversion_value_daily
    DROP CONSTRAINT conversion_value_daily_key,
    ADD CONSTRAINT conversion_value_daily_key PRIMARY KEY
        (environment, developer_copy, ad_network_id, day, protocol, campaign_type, campaign, advertised_app_id,
         sequence_index, did_win, conversion_value, coarse_value);

CREATE OR REPLACE VIEW attribution.report_conversion_value_daily_all AS
SELECT environment, developer_copy,
       day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index,
       nullif(conversion_value, -1) AS conversion_value,
       nullif(coarse_value, '') AS coarse_value,
       sum(postbacks)::bigint AS postbacks
  FROM attribution.conversion_value_daily
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
          sequence_index, conversion_value, coarse_value
HAVING sum(postbacks) <> 0; -- a raise leaves an empty row behind

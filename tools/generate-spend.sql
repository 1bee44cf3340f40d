-- After generate-postbacks.sql. A mapping row for each line makes each a campaign of its own. Each campaign has cost on
-- each day, in another currency than the revenue. Rows are in the order of the day, as networks report them. For
-- measurements only.

SET search_path = pg_catalog, pg_temp;

INSERT INTO attribution.campaign_mapping (
    ad_network_id, campaign_type, identifier, advertised_app_id, campaign_id, campaign_name)
SELECT ad_network_id, campaign_type, campaign, advertised_app_id, 'c' || line, 'Campaign ' || line
  FROM attribution.line
ON CONFLICT DO NOTHING;

INSERT INTO attribution.spend_daily (
    day, ad_network_id, advertised_app_id, campaign_id, currency, spend, impressions, clicks, installs, source_file,
    loaded_at)
SELECT days.day, ad_network_id, advertised_app_id, 'c' || line, 'EUR', 10 + line % 90 + random()::numeric(6,4), 1000, 100,
       50, 'generated', now()
  FROM attribution.line,
       (SELECT DISTINCT day FROM attribution.answer_daily
         WHERE answer_table = attribution.answer_table('install', 'campaign')) AS days
 ORDER BY day, line;

INSERT INTO attribution.currency_rate (day, currency, units_per_usd, loaded_at)
SELECT DISTINCT day, 'EUR', 0.92, now() FROM attribution.spend_daily;

VACUUM ANALYZE attribution.campaign_mapping;
VACUUM ANALYZE attribution.spend_daily;
VACUUM ANALYZE attribution.currency_rate;

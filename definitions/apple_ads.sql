-- Apple Ads: what Apple said of tokens, without their digests, and beside it Apple's own SKAdNetwork postbacks.
-- docs/apple-ads.md explains which of the two counts.

-- The ad-network-id of Apple's own postbacks, which Apple Ads signs since 2025-04-10 by SKAdNetwork 1 to 3 (Adjust, "Setting
-- up SKAdNetwork for Apple Search Ads").
CREATE OR REPLACE FUNCTION attribution.apple_ads_network() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT text 'com.apple.ads' $$;

COMMENT ON FUNCTION attribution.apple_ads_network() IS 'The ad-network-id of SKAdNetwork postbacks of Apple Ads';

-- Analysts read this view, not the table. On a device in developer mode Apple answers with made-up ids (Apple,
-- "attributionToken()").
CREATE OR REPLACE VIEW attribution.apple_ads_attributions AS
SELECT CASE WHEN is_test THEN 'test' WHEN org_id = 1234567890 AND campaign_id = 1234567890 THEN 'development'
            ELSE 'production' END AS environment,
       day, advertised_app_id, is_attributed, org_id, campaign_id, ad_group_id, keyword_id, ad_id, country_or_region,
       conversion_type, claim_type, supply_placement, ad_day
  FROM attribution.apple_ads_attribution;

COMMENT ON VIEW attribution.apple_ads_attributions IS 'What Apple said of each token of Apple Ads';
COMMENT ON COLUMN attribution.apple_ads_attributions.environment IS
    'production; development: Apple''s made-up answer to a device in developer mode; test: another server''s answer';
COMMENT ON COLUMN attribution.apple_ads_attributions.day IS 'The day on which the token came';
COMMENT ON COLUMN attribution.apple_ads_attributions.advertised_app_id IS 'The App Store id of the app';
COMMENT ON COLUMN attribution.apple_ads_attributions.is_attributed IS
    'Whether an ad of Apple Ads led to it; if not, the other columns are NULL';
COMMENT ON COLUMN attribution.apple_ads_attributions.org_id IS 'The organization in Apple Ads';
COMMENT ON COLUMN attribution.apple_ads_attributions.campaign_id IS 'The campaign in Apple Ads';
COMMENT ON COLUMN attribution.apple_ads_attributions.ad_group_id IS 'The ad group';
COMMENT ON COLUMN attribution.apple_ads_attributions.keyword_id IS 'The keyword; NULL without one';
COMMENT ON COLUMN attribution.apple_ads_attributions.ad_id IS 'The ad; NULL before iOS 15.2';
COMMENT ON COLUMN attribution.apple_ads_attributions.country_or_region IS 'The country or region of the campaign';
COMMENT ON COLUMN attribution.apple_ads_attributions.conversion_type IS 'Download, Redownload or Preorder';
COMMENT ON COLUMN attribution.apple_ads_attributions.claim_type IS 'Click or Impression';
COMMENT ON COLUMN attribution.apple_ads_attributions.supply_placement IS
    'Where the ad was, such as APPSTORE_SEARCH_RESULTS; NULL if Apple did not say';
COMMENT ON COLUMN attribution.apple_ads_attributions.ad_day IS
    'The day of the click or the impression; NULL unless the person allowed tracking';

-- The same installs, as far as both ways see them, so their figures stand side by side and are never added. Postbacks of
-- Apple Ads are copies for developers everywhere, since Apple is the network.
CALL attribution.make_family(
    'apple_ads_skadnetwork', 'Apple Ads by tokens and by postbacks', 'first_day date, last_day date', $body$
    SELECT environment, day, advertised_app_id, attribution.total(installs), attribution.total(redownloads),
           attribution.total(skadnetwork_installs), attribution.total(skadnetwork_redownloads)
      FROM (SELECT environment, day, advertised_app_id,
                   count(*) FILTER (WHERE conversion_type = 'Download') AS installs,
                   count(*) FILTER (WHERE conversion_type = 'Redownload') AS redownloads,
                   0::bigint AS skadnetwork_installs, 0::bigint AS skadnetwork_redownloads
              FROM attribution.apple_ads_attributions
             WHERE day BETWEEN $1 AND $2 AND is_attributed
             GROUP BY environment, day, advertised_app_id
            UNION ALL
            SELECT environment, day, advertised_app_id, 0, 0, installs, redownloads
              FROM attribution.answer_sums('install', 'campaign', true, $1, $2, NULL)
             WHERE ad_network_id = attribution.apple_ads_network() AND protocol = 'skadnetwork' AND did_win
               AND sequence_index = 0) AS part
     GROUP BY environment, day, advertised_app_id$body$);

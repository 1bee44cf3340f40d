-- Apple Ads: what another server than Apple's said of a token, by APPLE_ADS_URL, is no install.
ALTER TABLE attribution.apple_ads_attribution ADD COLUMN is_test boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN attribution.apple_ads_attribution.is_test IS 'Whether another server than Apple''s said it, by APPLE_ADS_URL';

-- Apple Ads: tokens of apps that wait to be exchanged at Apple, and what Apple said of them.
--
-- A token is a secret for as long as Apple takes it, and is gone as soon as it is exchanged or dead. It counts once by its
-- digest. Nothing here names a customer. On a cluster these tables stay on the coordinator, as those of the App Store do.

CREATE TABLE attribution.apple_ads_token (
    digest            bytea       CONSTRAINT apple_ads_token_key PRIMARY KEY CHECK (octet_length(digest) = 32),
    token             text,
    advertised_app_id bigint      NOT NULL CHECK (advertised_app_id >= 0),
    state             text        NOT NULL CHECK (state IN ('waiting', 'done', 'dead')),
    received_at       timestamptz NOT NULL,
    next_at           timestamptz NOT NULL,
    attempts          integer     NOT NULL DEFAULT 0,
    misses            smallint    NOT NULL DEFAULT 0,
    reason            text,
    CONSTRAINT apple_ads_token_is_gone CHECK ((token IS NOT NULL) = (state = 'waiting'))
);

COMMENT ON TABLE attribution.apple_ads_token IS
    'Tokens of Apple Ads: those that wait to be exchanged, and for some days those that were. No rights for analysts';
COMMENT ON COLUMN attribution.apple_ads_token.digest IS 'The SHA-256 of the token, by which it counts once';
COMMENT ON COLUMN attribution.apple_ads_token.token IS 'The token, a secret; NULL unless it waits';
COMMENT ON COLUMN attribution.apple_ads_token.advertised_app_id IS
    'The App Store id of the app that made the token, as the developer''s backend says';
COMMENT ON COLUMN attribution.apple_ads_token.state IS 'waiting; done: exchanged; dead: not exchanged, and not tried again';
COMMENT ON COLUMN attribution.apple_ads_token.received_at IS
    'When it came, by the clock of the database; it dies 24 hours later';
COMMENT ON COLUMN attribution.apple_ads_token.next_at IS
    'Until then nobody else exchanges it: a server does so, or it is tried again then';
COMMENT ON COLUMN attribution.apple_ads_token.attempts IS 'How often it was, or is being, sent to Apple';
COMMENT ON COLUMN attribution.apple_ads_token.misses IS 'How often Apple did not know it yet; at the fourth time it dies';
COMMENT ON COLUMN attribution.apple_ads_token.reason IS
    'Why it waits still, or why it is dead: bad_token, not_found, expired; NULL otherwise';

-- The order in which tokens are exchanged.
CREATE INDEX apple_ads_token_due ON attribution.apple_ads_token (next_at) WHERE state = 'waiting';
-- Those that die, and those whose retention is over.
CREATE INDEX apple_ads_token_received ON attribution.apple_ads_token (state, received_at);

CREATE TABLE attribution.apple_ads_attribution (
    digest            bytea   CONSTRAINT apple_ads_attribution_key PRIMARY KEY CHECK (octet_length(digest) = 32),
    day               date    NOT NULL,
    advertised_app_id bigint  NOT NULL,
    is_attributed     boolean NOT NULL,
    org_id            bigint,
    campaign_id       bigint,
    ad_group_id       bigint,
    keyword_id        bigint,
    ad_id             bigint,
    country_or_region text,
    conversion_type   text,
    claim_type        text,
    supply_placement  text,
    ad_day            date
);

COMMENT ON TABLE attribution.apple_ads_attribution IS
    'What Apple said of each token; attribution.apple_ads_attributions shows it without the digest';
COMMENT ON COLUMN attribution.apple_ads_attribution.digest IS 'The SHA-256 of the token';
COMMENT ON COLUMN attribution.apple_ads_attribution.day IS 'The day on which the token came';
COMMENT ON COLUMN attribution.apple_ads_attribution.advertised_app_id IS 'The App Store id of the app';
COMMENT ON COLUMN attribution.apple_ads_attribution.is_attributed IS
    'Whether an ad of Apple Ads led to it; if not, the other columns are NULL';
COMMENT ON COLUMN attribution.apple_ads_attribution.org_id IS 'The organization in Apple Ads';
COMMENT ON COLUMN attribution.apple_ads_attribution.campaign_id IS 'The campaign in Apple Ads';
COMMENT ON COLUMN attribution.apple_ads_attribution.ad_group_id IS 'The ad group';
COMMENT ON COLUMN attribution.apple_ads_attribution.keyword_id IS 'The keyword; NULL without one';
COMMENT ON COLUMN attribution.apple_ads_attribution.ad_id IS 'The ad; NULL before iOS 15.2';
COMMENT ON COLUMN attribution.apple_ads_attribution.country_or_region IS 'The country or region of the campaign';
COMMENT ON COLUMN attribution.apple_ads_attribution.conversion_type IS 'Download, Redownload or Preorder';
COMMENT ON COLUMN attribution.apple_ads_attribution.claim_type IS 'Click or Impression';
COMMENT ON COLUMN attribution.apple_ads_attribution.supply_placement IS
    'Where the ad was, such as APPSTORE_SEARCH_RESULTS; NULL if Apple did not say';
COMMENT ON COLUMN attribution.apple_ads_attribution.ad_day IS
    'The day of the click or the impression; NULL unless the person allowed tracking. The time is not kept';

-- Days of reports.
CREATE INDEX apple_ads_attribution_day ON attribution.apple_ads_attribution (day);

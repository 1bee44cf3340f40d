-- Dimensions: what many postbacks have in common, stored once and named by a small integer.
--
-- Large tables and their indexes hold these integers instead of long texts. A server adds a missing row before the
-- batch that needs it, in a transaction of its own, and remembers what it has read: a row never changes and is never
-- removed. The ids have no gaps.

-- A network, as it is seen in one environment of one protocol. It is part of a postback's key.
CREATE TABLE attribution.network (
    network       smallint PRIMARY KEY,
    environment   text     NOT NULL CHECK (environment IN ('production', 'development', 'test')),
    protocol      text     NOT NULL CHECK (protocol IN ('skadnetwork', 'adattributionkit')),
    -- In lower case.
    ad_network_id text     NOT NULL,
    CONSTRAINT network_key UNIQUE (environment, protocol, ad_network_id)
);

-- What a figure is counted for: a campaign of a network that advertises one app.
CREATE TABLE attribution.line (
    line              integer  PRIMARY KEY,
    network           smallint NOT NULL,
    -- The columns of the network once more, so that a report reads one table less.
    environment       text     NOT NULL,
    protocol          text     NOT NULL,
    ad_network_id     text     NOT NULL,
    -- Whether the postbacks are an app developer's copies of another network's.
    developer_copy    boolean  NOT NULL,
    campaign_type     text     NOT NULL CHECK (campaign_type IN ('campaign-id', 'source-identifier')),
    -- Text, since leading zeros of a source identifier count.
    campaign          text     NOT NULL,
    advertised_app_id bigint   NOT NULL,
    CONSTRAINT line_key UNIQUE (network, developer_copy, campaign_type, campaign, advertised_app_id)
);

-- The app or the web site that showed the ad. Row 0 stands for postbacks that name neither.
CREATE TABLE attribution.source (
    source        integer PRIMARY KEY,
    source_app_id bigint,
    source_domain text,
    CHECK (source_app_id IS NULL OR source_domain IS NULL),
    CONSTRAINT source_key UNIQUE NULLS NOT DISTINCT (source_app_id, source_domain)
);

INSERT INTO attribution.source (source) VALUES (0);

-- A key that verified postbacks.
CREATE TABLE attribution.signing_key (
    signing_key smallint PRIMARY KEY,
    name        text     NOT NULL,
    CONSTRAINT signing_key_key UNIQUE (name)
);

-- The other facts of a postback, which have few values each: so there are few combinations of them.
CREATE TABLE attribution.traits (
    traits                 integer  PRIMARY KEY,
    signing_key            smallint NOT NULL,
    -- `none` for AdAttributionKit.
    version                text     NOT NULL,
    redownload             boolean,
    conversion_type        text     CHECK (conversion_type IN ('download', 'redownload', 're-engagement')),
    fidelity_type          smallint CHECK (fidelity_type IN (0, 1)),
    ad_interaction_type    text     CHECK (ad_interaction_type IN ('view', 'click')),
    marketplace_identifier text,
    country_code           text,
    relay_normalised       boolean  NOT NULL,
    -- What a winning postback of the first window counts as. SKAdNetwork 1.0 does not tell, so it is an install.
    kind                   text     NOT NULL GENERATED ALWAYS AS (
        CASE WHEN conversion_type = 're-engagement' THEN 're-engagement'
             WHEN conversion_type = 'redownload' OR (conversion_type IS NULL AND redownload) THEN 'redownload'
             ELSE 'install'
        END) STORED,
    CONSTRAINT traits_key UNIQUE NULLS NOT DISTINCT (
        version, redownload, conversion_type, fidelity_type, ad_interaction_type, marketplace_identifier,
        country_code, relay_normalised, signing_key)
);

COMMENT ON TABLE attribution.network IS 'Dimension: a network in one environment and protocol';
COMMENT ON TABLE attribution.line IS 'Dimension: what figures are counted for, a campaign of a network for one app';
COMMENT ON TABLE attribution.source IS 'Dimension: the app or domain that showed the ad';
COMMENT ON TABLE attribution.signing_key IS 'Dimension: the keys that verified postbacks';
COMMENT ON TABLE attribution.traits IS 'Dimension: combinations of the facts that have few values';

-- Dimensions: texts that many postbacks share. Each is stored once, under a small integer.
--
-- Large tables and their indexes hold these integers instead of long texts. A server adds a missing row before the
-- batch that needs it, in a transaction of its own. It caches what it has read, because rows never change and are never
-- deleted. The numbers of networks, lines, keys and traits have no gaps.

-- A network in one environment and one protocol. It is part of a postback's key.
CREATE TABLE attribution.network (
    network       smallint PRIMARY KEY,
    environment   text     NOT NULL CHECK (environment IN ('production', 'development', 'test')),
    protocol      text     NOT NULL CHECK (protocol IN ('skadnetwork', 'adattributionkit')),
    -- In lower case.
    ad_network_id text     NOT NULL,
    CONSTRAINT network_key UNIQUE (environment, protocol, ad_network_id)
);

-- A line: a campaign of a network for one advertised app. Figures are counted by line.
CREATE TABLE attribution.line (
    line              integer  PRIMARY KEY,
    network           smallint NOT NULL,
    -- The network's columns again, so that a report reads one table less.
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

-- The order of the keys of reports: for a page of a report of answers, only its lines are read.
CREATE INDEX line_order ON attribution.line (
    environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id);

-- The web sites that showed ads. Elsewhere `source` is the app or the web site that showed the ad:
--     0            the postback names neither
--     1 and above  an app: its App Store id
--     -2^63        an app that is development-signed, whose id is 0
--     below 0      a web site: the row here
-- So an app needs no row, and no server waits for one.
--
-- The number of a domain follows from its text, so servers know it without asking: attribution.source_number gives
-- -1 to -2^62. If another domain has that number already, the domain gets the next free one from -2^62 - 1 downwards.
CREATE TABLE attribution.source (
    source        bigint PRIMARY KEY CHECK (source BETWEEN -9223372036854775807 AND -1),
    source_domain text   NOT NULL,
    CONSTRAINT source_key UNIQUE (source_domain)
);

-- A key that verified postbacks.
CREATE TABLE attribution.signing_key (
    signing_key smallint PRIMARY KEY,
    name        text     NOT NULL,
    CONSTRAINT signing_key_key UNIQUE (name)
);

-- The other facts of a postback. Each has few values, so there are few combinations.
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
    -- What a winning postback of the first window counts as. SKAdNetwork 1.0 does not sign it: an install.
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
COMMENT ON TABLE attribution.line IS 'Dimension: campaigns of a network for one app; figures are counted by line';
COMMENT ON TABLE attribution.source IS 'Dimension: the domains that showed ads; an app is its App Store id';
COMMENT ON TABLE attribution.signing_key IS 'Dimension: the keys that verified postbacks';
COMMENT ON TABLE attribution.traits IS 'Dimension: combinations of facts that have few values each';

-- AppsFlyer's id of an app. Without statistics the planner expects far too few lines of an app.
CREATE STATISTICS attribution.line_app_id ON ('id' || advertised_app_id::text) FROM attribution.line;

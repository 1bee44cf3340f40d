-- What operators load: names of their campaigns, what ads cost, and currency rates.

-- Names for numbers: which campaign, ad group and creative of the operator an identifier stands for, on which days.
--
-- A row has conditions (network, campaign type, identifier; and country, source app, advertised app and protocol if
-- they are given), days, and names. The most specific row whose conditions and days fit names a postback. Two rows of
-- one specificity that both fit have the same conditions, so they could tie only if their days overlapped. A trigger
-- refuses that, whoever writes.

-- The name of a network without letter case and suffix. Apple lets a network use both suffixes in both protocols. It
-- stands here, since tables have it as a column.
CREATE FUNCTION attribution.network_name(ad_network_id text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN id LIKE '_%.skadnetwork' THEN left(id, -12)
                WHEN id LIKE '_%.adattributionkit' THEN left(id, -17)
                ELSE id
           END
      FROM lower(ad_network_id) AS id
$$;

COMMENT ON FUNCTION attribution.network_name(text) IS
    'The name of a network in lower case, without .skadnetwork or .adattributionkit';

CREATE TABLE attribution.campaign_mapping (
    mapping           integer  PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    is_built_in       boolean  NOT NULL DEFAULT false,
    ad_network_id     text     NOT NULL CHECK (ad_network_id ~ '^[a-z0-9.-]{1,64}$'),
    network_name      text     NOT NULL GENERATED ALWAYS AS (attribution.network_name(ad_network_id)) STORED,
    campaign_type     text     NOT NULL CHECK (campaign_type IN ('campaign-id', 'source-identifier')),
    identifier        text     NOT NULL CHECK (
        CASE campaign_type WHEN 'campaign-id' THEN identifier ~ '^([1-9][0-9]?|100)$' ELSE identifier ~ '^[0-9]{1,4}$' END),
    country           text     CHECK (country ~ '^[A-Z]{2}$'),
    source_app        text     CHECK (source_app <> ''),
    advertised_app_id bigint   CHECK (advertised_app_id >= 0),
    protocol          text     CHECK (protocol IN ('skadnetwork', 'adattributionkit')),
    valid_from        date     NOT NULL DEFAULT '-infinity',
    valid_to          date     CHECK (valid_to >= valid_from AND valid_to < 'infinity'),
    cool_down_days    smallint NOT NULL DEFAULT 45 CHECK (cool_down_days BETWEEN 0 AND 3650),
    -- Written by the trigger.
    last_named_day    date     NOT NULL DEFAULT 'infinity',
    -- More digits come first, then country, source app, advertised app, protocol. A row of the operator is above any
    -- that is built in.
    specificity       smallint NOT NULL GENERATED ALWAYS AS (
        CASE WHEN is_built_in THEN 0 ELSE 128 END
        + CASE campaign_type WHEN 'source-identifier' THEN 16 * length(identifier) ELSE 0 END
        + CASE WHEN country IS NULL THEN 0 ELSE 8 END
        + CASE WHEN source_app IS NULL THEN 0 ELSE 4 END
        + CASE WHEN advertised_app_id IS NULL THEN 0 ELSE 2 END
        + CASE WHEN protocol IS NULL THEN 0 ELSE 1 END) STORED,
    campaign_id       text     NOT NULL CHECK (campaign_id <> ''),
    campaign_name     text     CHECK (campaign_name <> ''),
    ad_group_id       text     CHECK (ad_group_id <> ''),
    ad_group_name     text     CHECK (ad_group_name <> ''),
    creative_id       text     CHECK (creative_id <> ''),
    creative_name     text     CHECK (creative_name <> ''),
    geo               text     CHECK (geo ~ '^[A-Z]{2}$' AND (country IS NULL OR geo = country)),
    loaded_at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT campaign_mapping_key UNIQUE NULLS NOT DISTINCT (
        network_name, campaign_type, identifier, country, source_app, advertised_app_id, protocol, is_built_in,
        valid_from)
);

COMMENT ON TABLE attribution.campaign_mapping IS
    'What operators call the campaigns behind campaign ids and source identifiers, by day';
COMMENT ON COLUMN attribution.campaign_mapping.mapping IS 'The number of the row';
COMMENT ON COLUMN attribution.campaign_mapping.is_built_in IS
    'Whether the row came with the schema; a row of the operator wins over it';
COMMENT ON COLUMN attribution.campaign_mapping.ad_network_id IS 'Condition: the network, in lower case';
COMMENT ON COLUMN attribution.campaign_mapping.network_name IS
    'The network without the suffix of a protocol; networks are compared by it';
COMMENT ON COLUMN attribution.campaign_mapping.campaign_type IS 'Condition: campaign-id or source-identifier';
COMMENT ON COLUMN attribution.campaign_mapping.identifier IS
    'Condition: a campaign id, 1 to 100; or the last digits of source identifiers, leading zeros included';
COMMENT ON COLUMN attribution.campaign_mapping.country IS
    'Condition: the country code of the postback; NULL if the row is for any, or none';
COMMENT ON COLUMN attribution.campaign_mapping.source_app IS
    'Condition: the id of the source app or the source domain; NULL if the row is for any, or none';
COMMENT ON COLUMN attribution.campaign_mapping.advertised_app_id IS
    'Condition: the advertised app; NULL if the row is for all';
COMMENT ON COLUMN attribution.campaign_mapping.protocol IS
    'Condition: skadnetwork or adattributionkit; NULL if the row is for both';
COMMENT ON COLUMN attribution.campaign_mapping.valid_from IS 'The first day; -infinity if there is none';
COMMENT ON COLUMN attribution.campaign_mapping.valid_to IS
    'The last day on which the campaign may run; NULL until the next row with the same conditions begins';
COMMENT ON COLUMN attribution.campaign_mapping.cool_down_days IS
    'For how many days after valid_to late postbacks keep the names, and the identifier is not given out again';
COMMENT ON COLUMN attribution.campaign_mapping.last_named_day IS
    'The last day whose postbacks the row names: the end of the cool-down, or the day before the next row with the '
    'same conditions; infinity if neither is known';
COMMENT ON COLUMN attribution.campaign_mapping.specificity IS
    'Of the rows that fit a postback, the one with the highest number names it';
COMMENT ON COLUMN attribution.campaign_mapping.campaign_id IS 'Name: the id of the campaign at the operator';
COMMENT ON COLUMN attribution.campaign_mapping.campaign_name IS 'Name: the name of the campaign';
COMMENT ON COLUMN attribution.campaign_mapping.ad_group_id IS 'Name: the id of the ad group';
COMMENT ON COLUMN attribution.campaign_mapping.ad_group_name IS 'Name: the name of the ad group';
COMMENT ON COLUMN attribution.campaign_mapping.creative_id IS 'Name: the id of the creative';
COMMENT ON COLUMN attribution.campaign_mapping.creative_name IS 'Name: the name of the creative';
COMMENT ON COLUMN attribution.campaign_mapping.geo IS
    'Name: the country in which the ads are shown; it does not depend on whether Apple sent a country';
COMMENT ON COLUMN attribution.campaign_mapping.loaded_at IS 'When the row was written last';

-- Apple's own ads. The campaign id says where the ad was shown. The network is com.apple.ads, since 2025-04-10, up to
-- SKAdNetwork 3.0; so only developer copies have it. Sources: help.adjust.com/en/article/apple-search-ads-skan-setup,
-- kochava.com/blog/apple-search-ads-skadnetwork-registration.
INSERT INTO attribution.campaign_mapping
       (is_built_in, ad_network_id, campaign_type, identifier, valid_from, campaign_id, campaign_name)
VALUES (true, 'com.apple.ads', 'campaign-id', '10', '2025-04-10', '10', 'Apple Ads: search results'),
       (true, 'com.apple.ads', 'campaign-id', '20', '2025-04-10', '20', 'Apple Ads: Search tab'),
       (true, 'com.apple.ads', 'campaign-id', '30', '2025-04-10', '30', 'Apple Ads: Today tab'),
       (true, 'com.apple.ads', 'campaign-id', '40', '2025-04-10', '40', 'Apple Ads: product pages');

-- What people call apps, advertised ones and those that show ads: a postback has their numbers only.
CREATE TABLE attribution.app_name (
    app_id    bigint      CONSTRAINT app_name_key PRIMARY KEY CHECK (app_id >= 0),
    app_name  text        NOT NULL CHECK (app_name <> ''),
    loaded_at timestamptz NOT NULL
);

COMMENT ON TABLE attribution.app_name IS 'What the operator calls advertised apps and source apps';
COMMENT ON COLUMN attribution.app_name.app_id IS 'The id of the app, as advertised_app_id and source_app_id';
COMMENT ON COLUMN attribution.app_name.app_name IS 'The name';
COMMENT ON COLUMN attribution.app_name.loaded_at IS 'When the name was loaded or changed last';

-- What the ads cost, as the networks report it by day, and the operator's table of currency rates.

CREATE TABLE attribution.spend_daily (
    day               date          NOT NULL,
    ad_network_id     text          NOT NULL CHECK (ad_network_id ~ '^[a-z0-9.-]{1,64}$'),
    network_name      text          NOT NULL GENERATED ALWAYS AS (attribution.network_name(ad_network_id)) STORED,
    advertised_app_id bigint        NOT NULL CHECK (advertised_app_id >= 0),
    campaign_id       text          NOT NULL CHECK (campaign_id <> ''),
    ad_group_id       text          CHECK (ad_group_id <> ''),
    creative_id       text          CHECK (creative_id <> ''),
    country           text          CHECK (country ~ '^[A-Z]{2}$'),
    currency          text          NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    spend             numeric(18,6) NOT NULL CHECK (spend >= 0),
    impressions       bigint        CHECK (impressions >= 0),
    clicks            bigint        CHECK (clicks >= 0),
    installs          bigint        CHECK (installs >= 0),
    source_file       text          NOT NULL,
    loaded_at         timestamptz   NOT NULL,
    -- The currency is not part of the key. The same cost in two currencies would be counted twice.
    CONSTRAINT spend_daily_key UNIQUE NULLS NOT DISTINCT (
        day, network_name, advertised_app_id, campaign_id, ad_group_id, creative_id, country)
);

COMMENT ON TABLE attribution.spend_daily IS
    'What ads cost, as networks report it; loading a day of a network and an app again replaces it';
COMMENT ON COLUMN attribution.spend_daily.day IS 'The day of the cost, as the network bills it';
COMMENT ON COLUMN attribution.spend_daily.ad_network_id IS 'The network, in lower case';
COMMENT ON COLUMN attribution.spend_daily.network_name IS
    'The network without the suffix of a protocol; networks are compared by it';
COMMENT ON COLUMN attribution.spend_daily.advertised_app_id IS 'The advertised app';
COMMENT ON COLUMN attribution.spend_daily.campaign_id IS 'The id of the campaign, as in campaign_mapping.campaign_id';
COMMENT ON COLUMN attribution.spend_daily.ad_group_id IS 'The id of the ad group; NULL if the file has none';
COMMENT ON COLUMN attribution.spend_daily.creative_id IS 'The id of the creative; NULL if the file has none';
COMMENT ON COLUMN attribution.spend_daily.country IS
    'The country in which the ads were shown, two letters; NULL if the file has none';
COMMENT ON COLUMN attribution.spend_daily.currency IS 'The currency of spend, ISO 4217, three letters';
COMMENT ON COLUMN attribution.spend_daily.spend IS 'The cost in this currency';
COMMENT ON COLUMN attribution.spend_daily.impressions IS 'Impressions, as the network reports them';
COMMENT ON COLUMN attribution.spend_daily.clicks IS 'Clicks, as the network reports them';
COMMENT ON COLUMN attribution.spend_daily.installs IS 'Installs, as the network reports them';
COMMENT ON COLUMN attribution.spend_daily.source_file IS 'The name of the file that the row came from';
COMMENT ON COLUMN attribution.spend_daily.loaded_at IS 'When the row was loaded';

-- It has all that the spend of days and the currency of an app are made of, so they are read from it alone.
CREATE INDEX spend_daily_day ON attribution.spend_daily (day, currency, network_name, advertised_app_id)
    INCLUDE (spend);
-- For one app, its currency is read from this one alone.
CREATE INDEX spend_daily_app ON attribution.spend_daily (advertised_app_id, day, currency);
-- It has all that reports of cost show, with the days of a campaign beside each other.
CREATE INDEX spend_daily_campaign ON attribution.spend_daily (advertised_app_id, network_name, campaign_id, day)
    INCLUDE (currency, spend, impressions, clicks, installs);

CREATE TABLE attribution.currency_rate (
    day           date          NOT NULL,
    currency      text          NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    units_per_usd numeric(18,6) NOT NULL CHECK (units_per_usd > 0 AND (currency <> 'USD' OR units_per_usd = 1)),
    loaded_at     timestamptz   NOT NULL,
    CONSTRAINT currency_rate_key PRIMARY KEY (currency, day)
);

COMMENT ON TABLE attribution.currency_rate IS 'The operator''s table of currency rates';
COMMENT ON COLUMN attribution.currency_rate.day IS 'The first day on which the rate counts';
COMMENT ON COLUMN attribution.currency_rate.currency IS 'The currency, ISO 4217, three letters';
COMMENT ON COLUMN attribution.currency_rate.units_per_usd IS 'How many units of the currency one US dollar is';
COMMENT ON COLUMN attribution.currency_rate.loaded_at IS 'When the rate was loaded';

-- The loads of operators: who loaded what and when, and the rows that each load changed, so that the last load of a kind can
-- be taken back.

CREATE TABLE attribution.load (
    load          bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind          text        NOT NULL CHECK (kind IN ('mapping', 'spend', 'rates', 'scheme', 'app-names')),
    loaded_at     timestamptz NOT NULL,
    loaded_by     text        NOT NULL CHECK (loaded_by ~ '^(session|system user) .'),
    files         text[]      NOT NULL,
    digests       bytea[]     NOT NULL,
    added         bigint      NOT NULL DEFAULT 0,
    changed       bigint      NOT NULL DEFAULT 0,
    unchanged     bigint      NOT NULL DEFAULT 0,
    removed       bigint      NOT NULL DEFAULT 0,
    -- False if they are past their retention.
    has_rows      boolean     NOT NULL DEFAULT true,
    taken_back_at timestamptz,
    taken_back_by text        CHECK (taken_back_by ~ '^(session|system user) .'),
    CONSTRAINT load_files CHECK (cardinality(files) = cardinality(digests) AND cardinality(files) > 0),
    CONSTRAINT load_taken_back CHECK ((taken_back_at IS NULL) = (taken_back_by IS NULL))
);

COMMENT ON TABLE attribution.load IS 'What operators loaded, when, and by whom';
COMMENT ON COLUMN attribution.load.load IS 'The number of the load; a dry run uses a number, too, and leaves a gap';
COMMENT ON COLUMN attribution.load.kind IS 'mapping, spend, rates, scheme or app-names';
COMMENT ON COLUMN attribution.load.loaded_at IS 'When it was loaded';
COMMENT ON COLUMN attribution.load.loaded_by IS
    'session, the eight digits of a session of the page and whose it was; or system user and the name of the user who ran '
    'the command';
COMMENT ON COLUMN attribution.load.files IS 'The names of the files';
COMMENT ON COLUMN attribution.load.digests IS 'SHA-256 of each file';
COMMENT ON COLUMN attribution.load.added IS 'New rows';
COMMENT ON COLUMN attribution.load.changed IS 'Rows that were stored with other values';
COMMENT ON COLUMN attribution.load.unchanged IS 'Rows that were stored with the same values';
COMMENT ON COLUMN attribution.load.removed IS 'Stored rows that were removed, since the file did not have them';
COMMENT ON COLUMN attribution.load.has_rows IS
    'Whether load_row still has what the load changed; without it, the load can''t be taken back';
COMMENT ON COLUMN attribution.load.taken_back_at IS 'When it was taken back; NULL if it was not';
COMMENT ON COLUMN attribution.load.taken_back_by IS 'Who took it back, as in loaded_by';

CREATE INDEX load_kind ON attribution.load (kind, load);

CREATE TABLE attribution.load_row (
    load   bigint NOT NULL,
    before jsonb,
    after  jsonb,
    CONSTRAINT load_row_change CHECK (before IS NOT NULL OR after IS NOT NULL)
);

COMMENT ON TABLE attribution.load_row IS
    'The rows that loads added, changed and removed; a row that a load left as it was is not here';
COMMENT ON COLUMN attribution.load_row.load IS 'The load';
COMMENT ON COLUMN attribution.load_row.before IS
    'The row before the load, by column, with all that is needed to put it back; NULL if there was none';
COMMENT ON COLUMN attribution.load_row.after IS 'The row as it was loaded, by column; NULL if it was removed';

CREATE INDEX load_row_load ON attribution.load_row (load);

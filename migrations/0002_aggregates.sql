-- Figures by day, changed in the same transaction as the postbacks that they count; at any moment equal to a recount.
--
-- Three tables, so that a report reads no more rows than it shows: by campaign, by campaign and source app, and by
-- campaign and conversion value. Day is the UTC day of first receipt. Each can be distributed by campaign.
-- Absent values are '' and -1 here, since they are part of a key; the views show them as NULL.

CREATE TABLE attribution.campaign_daily (
    day               date     NOT NULL,
    environment       text     NOT NULL,
    developer_copy    boolean  NOT NULL,
    protocol          text     NOT NULL,
    ad_network_id     text     NOT NULL,
    campaign_type     text     NOT NULL,
    campaign          text     NOT NULL,
    advertised_app_id bigint   NOT NULL,
    installs          bigint   NOT NULL,
    redownloads       bigint   NOT NULL,
    reengagements     bigint   NOT NULL,
    assists           bigint   NOT NULL,
    value_known       bigint   NOT NULL,
    value_coarse      bigint   NOT NULL,
    value_null        bigint   NOT NULL,
    value_sum         bigint   NOT NULL,
    raised            bigint   NOT NULL,
    conflicts         bigint   NOT NULL,
    later_windows     bigint   NOT NULL,
    CONSTRAINT campaign_daily_key PRIMARY KEY
        (environment, developer_copy, ad_network_id, day, protocol, campaign_type, campaign, advertised_app_id)
);

CREATE TABLE attribution.source_app_daily (
    day               date     NOT NULL,
    environment       text     NOT NULL,
    developer_copy    boolean  NOT NULL,
    protocol          text     NOT NULL,
    ad_network_id     text     NOT NULL,
    campaign_type     text     NOT NULL,
    campaign          text     NOT NULL,
    advertised_app_id bigint   NOT NULL,
    -- The source app id in decimal, the source domain, or '' where Apple names neither.
    source_app        text     NOT NULL,
    installs          bigint   NOT NULL,
    redownloads       bigint   NOT NULL,
    reengagements     bigint   NOT NULL,
    assists           bigint   NOT NULL,
    value_known       bigint   NOT NULL,
    value_coarse      bigint   NOT NULL,
    value_null        bigint   NOT NULL,
    value_sum         bigint   NOT NULL,
    raised            bigint   NOT NULL,
    conflicts         bigint   NOT NULL,
    later_windows     bigint   NOT NULL,
    CONSTRAINT source_app_daily_key PRIMARY KEY
        (environment, developer_copy, ad_network_id, day, protocol, campaign_type, campaign, advertised_app_id,
         source_app)
);

CREATE TABLE attribution.conversion_value_daily (
    day               date     NOT NULL,
    environment       text     NOT NULL,
    developer_copy    boolean  NOT NULL,
    protocol          text     NOT NULL,
    ad_network_id     text     NOT NULL,
    campaign_type     text     NOT NULL,
    campaign          text     NOT NULL,
    advertised_app_id bigint   NOT NULL,
    sequence_index    smallint NOT NULL,
    -- -1 where there is none.
    conversion_value  smallint NOT NULL,
    -- '' where there is none.
    coarse_value      text     NOT NULL,
    postbacks         bigint   NOT NULL,
    CONSTRAINT conversion_value_daily_key PRIMARY KEY
        (environment, developer_copy, ad_network_id, day, protocol, campaign_type, campaign, advertised_app_id,
         sequence_index, conversion_value, coarse_value)
);

-- Impressions signed by the service, by UTC day of signing.
CREATE TABLE attribution.impression_daily (
    day               date     NOT NULL,
    environment       text     NOT NULL,
    protocol          text     NOT NULL,
    ad_network_id     text     NOT NULL,
    campaign_type     text     NOT NULL,
    campaign          text     NOT NULL,
    advertised_app_id bigint   NOT NULL,
    impressions       bigint   NOT NULL,
    CONSTRAINT impression_daily_key PRIMARY KEY
        (environment, ad_network_id, day, protocol, campaign_type, campaign, advertised_app_id)
);

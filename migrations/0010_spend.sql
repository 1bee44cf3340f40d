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
CREATE INDEX spend_daily_app ON attribution.spend_daily (advertised_app_id, day);

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

-- The greatest age of a rate that still counts, in days. The European Central Bank, for one, publishes none on weekends
-- and holidays; the longest such gap, over Easter or Christmas, is four days.
CREATE FUNCTION attribution.greatest_rate_age() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 7 $$;

COMMENT ON FUNCTION attribution.greatest_rate_age() IS
    'The greatest age of a currency rate that still counts, in days, unless a query says another';

CREATE FUNCTION attribution.units_per_usd(
    currency text, day date, greatest_age integer DEFAULT attribution.greatest_rate_age())
RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 = 'USD' THEN 1::numeric
                ELSE (SELECT rate.units_per_usd FROM attribution.currency_rate AS rate
                       WHERE rate.currency = $1 AND rate.day BETWEEN $2 - $3 AND $2
                       ORDER BY rate.day DESC LIMIT 1)
           END
$$;

COMMENT ON FUNCTION attribution.units_per_usd(text, date, integer) IS
    'The latest rate of a currency on or before a day; NULL if there is none, or if it is too old';

-- The amount is not rounded, so that sums are not.
CREATE FUNCTION attribution.converted(
    amount numeric, currency text, to_currency text, day date,
    greatest_age integer DEFAULT attribution.greatest_rate_age())
RETURNS numeric LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $2 = $3 OR $1 = 0 THEN $1
                ELSE $1 * attribution.units_per_usd($3, $4, $5) / attribution.units_per_usd($2, $4, $5)
           END
$$;

COMMENT ON FUNCTION attribution.converted(numeric, text, text, date, integer) IS
    'An amount of a day in another currency, at the latest rates on or before that day; NULL without; 0 needs none';

-- For joins over many days: faster than a call of `converted` for each row.
CREATE FUNCTION attribution.currency_rates(
    first_day date, last_day date, greatest_age integer DEFAULT attribution.greatest_rate_age())
RETURNS TABLE (day date, currency text, units_per_usd numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT each::date, 'USD', 1::numeric
      FROM generate_series($1::timestamp, $2, interval '1 day') AS each
    UNION ALL
    SELECT each::date, rate.currency, rate.units_per_usd
      FROM (SELECT stored.day, stored.currency, stored.units_per_usd,
                   least(stored.day + $3, lead(stored.day) OVER (PARTITION BY stored.currency ORDER BY stored.day) - 1, $2)
                   AS until
              FROM attribution.currency_rate AS stored
             WHERE stored.day BETWEEN $1 - $3 AND $2 AND stored.currency <> 'USD') AS rate,
           generate_series(greatest(rate.day, $1)::timestamp, rate.until, interval '1 day') AS each
$$;

COMMENT ON FUNCTION attribution.currency_rates(date, date, integer) IS
    'The rate of each currency that counts on each day of a range, the US dollar included; none for days without one';

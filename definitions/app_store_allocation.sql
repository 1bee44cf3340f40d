-- Net revenue of customers spread over campaigns. Nobody measures whose customers they are, so each figure is `allocated_…`.
--
-- The weight of a campaign on an install day is its modelled revenue: that of its mapped values, and what its withheld ones
-- are worth. If nobody knows that of one campaign of the day, or if it is 0 for all, their installs are the weights.
--
-- A campaign with fewer installs than the minimum is put together with the other small ones of the day. If these are too few
-- too, the whole day is left out. So each row is of a crowd, and so is what follows from rows of queries with different
-- minimums: either a campaign with enough installs, or all that have fewer than some number, which are a crowd too.
-- Whatever else decides about a row must not depend on the query: weights are those of whole weeks, and the currency in
-- which they are compared is one of the day's.

-- What an installation allows. The owner of the schema changes it in store_settings.
CREATE OR REPLACE FUNCTION attribution.least_allocated() RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce((SELECT minimum_installs FROM attribution.store_settings), 50)
$$;
COMMENT ON FUNCTION attribution.least_allocated() IS
    'What customers paid is allocated to no fewer installs of a day, whatever a query says';

-- The campaigns of a day as those of modelled revenue: the campaign id, or the last two digits. `weight` is NULL if nobody
-- knows it. Installs are first ones, since who downloads again may have bought before.
CREATE OR REPLACE FUNCTION attribution.allocation_weights(first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, advertised_app_id bigint, day date, protocol text, ad_network_id text, campaign_type text,
    campaign text, installs bigint, weight numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH answer AS MATERIALIZED (
        SELECT environment, advertised_app_id, daily.day, protocol, ad_network_id, campaign_type,
               attribution.two_digits(campaign_type, campaign) AS campaign, line.line, sequence_index,
               nullif(daily.currency, '') AS currency, postbacks - redownloads - reengagements AS first_ones, withheld,
               revenue_middle, revenue_unknown
          FROM attribution.line
          JOIN attribution.store_sides($3) USING (environment, developer_copy, advertised_app_id)
         CROSS JOIN LATERAL attribution.answers_of_line(line.line, 'install', 'campaign', true, $1, $2) AS daily
         WHERE did_win
    ),
    part AS (
        SELECT environment, advertised_app_id, day, protocol, ad_network_id, campaign_type, campaign,
               CASE sequence_index WHEN 0 THEN first_ones ELSE 0 END AS installs, currency,
               attribution.money(revenue_middle) AS revenue, revenue_unknown > 0 AS is_unknown
          FROM answer
        UNION ALL
        SELECT environment, advertised_app_id, day, protocol, ad_network_id, campaign_type, campaign, 0, worth.currency,
               withheld * worth.middle, worth.missing > 0
          FROM answer
          JOIN attribution.withheld_worth(
               CASE WHEN isfinite($1) THEN attribution.week($1) ELSE $1 END,
               CASE WHEN isfinite($2) THEN attribution.week($2) + 6 ELSE $2 END, $3) AS worth
                 ON worth.line = answer.line AND worth.sequence_index = answer.sequence_index
                AND worth.week = attribution.week(answer.day)
         WHERE withheld > 0
    ),
    converted AS (
        SELECT part.*, attribution.converted(
                   revenue, currency, max(currency) OVER (PARTITION BY environment, advertised_app_id, day), day) AS amount
          FROM part
    )
    SELECT environment, advertised_app_id, day, protocol, ad_network_id, campaign_type, campaign,
           attribution.total(installs), CASE WHEN NOT bool_or(is_unknown OR amount IS NULL) THEN sum(amount) END
      FROM converted
     GROUP BY environment, advertised_app_id, day, protocol, ad_network_id, campaign_type, campaign
$$;
COMMENT ON FUNCTION attribution.allocation_weights(date, date, bigint) IS
    'Installs and modelled revenue of each campaign by install day; no row of it is for a report';

-- What purchases that began on a day brought until now, over the campaigns of that install day.
CALL attribution.make_family(
    'app_store_allocation', 'What customers paid, spread over campaigns by modelled share',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text, minimum_installs integer,
     attributed_share numeric', $body$
    WITH required AS MATERIALIZED (
        SELECT greatest($5, attribution.least_allocated()) AS installs
    ),
    weighed AS (
        SELECT environment, advertised_app_id, day, protocol, ad_network_id, campaign_type, campaign, installs, by_installs,
               CASE WHEN by_installs THEN installs ELSE weight END AS weight
          FROM (SELECT *, NOT coalesce(bool_and(weight IS NOT NULL) OVER of_day AND sum(weight) OVER of_day > 0, false)
                          AS by_installs
                  FROM attribution.allocation_weights($1, $2, $3)
                WINDOW of_day AS (PARTITION BY environment, advertised_app_id, day)) AS known
    ),
    -- Small campaigns are one row, which has no campaign.
    crowd AS (
        SELECT environment, advertised_app_id, day, CASE WHEN is_large THEN protocol END AS protocol,
               CASE WHEN is_large THEN ad_network_id END AS ad_network_id,
               CASE WHEN is_large THEN campaign_type END AS campaign_type,
               CASE WHEN is_large THEN campaign END AS campaign, by_installs, attribution.total(weighed.installs) AS installs,
               sum(weight) AS weight
          FROM weighed
         CROSS JOIN LATERAL (SELECT weighed.installs >= (SELECT installs FROM required) AS is_large) AS size
         WHERE weighed.installs > 0 OR weight > 0
         GROUP BY environment, advertised_app_id, day, is_large, 4, 5, 6, 7, by_installs
    ),
    shown AS (
        SELECT *, min(installs) OVER of_day AS smallest, sum(weight) OVER of_day AS all_weight
          FROM crowd
        WINDOW of_day AS (PARTITION BY environment, advertised_app_id, day)
    ),
    net AS (
        SELECT environment, advertised_app_id, began_day AS day, in_target.currency,
               count(*) FILTER (WHERE amount IS NULL) AS without_rate, sum(amount) AS amount
          FROM attribution.store_purchases($1, $2, $3) AS purchases
         CROSS JOIN LATERAL (SELECT coalesce($4, purchases.currency) AS currency) AS in_target
         CROSS JOIN LATERAL (
               SELECT round(attribution.converted(
                          purchases.net, purchases.currency, in_target.currency, purchases.day), 6) AS amount) AS converted
         WHERE purchases.net IS NOT NULL AND purchases.currency IS NOT NULL
         GROUP BY environment, advertised_app_id, began_day, in_target.currency
    )
    SELECT environment, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id, net.currency,
           (SELECT installs FROM required), shown.installs, by_installs, round(weight / all_weight, 6), without_rate,
           CASE WHEN without_rate = 0 THEN round(amount * $6, 6) END,
           CASE WHEN without_rate = 0 THEN round(amount * $6 * weight / all_weight, 6) END
      FROM shown
      JOIN net USING (environment, advertised_app_id, day)
     WHERE smallest >= (SELECT installs FROM required) AND all_weight > 0
$body$);

-- The App Store beside postbacks: what a scheme implied, and what customers paid.
--
-- A postback is about nobody, a transaction about a customer, and no row here has both. Only sums over all customers of an
-- app are compared with sums over its postbacks. docs/app-store-answers.md says what is compared, and why.

-- The App Store id of an app: that of its newest notification of production, or that of the key ring. Whoever has a test root
-- can say any id, so other environments are not asked.
CREATE OR REPLACE VIEW attribution.store_app AS
SELECT bundle_id, coalesce(told.app_id, stated.app_id) AS app_id
  FROM (SELECT bundle_id FROM attribution.store_product
        UNION
        SELECT bundle_id FROM attribution.store_app_id) AS known
  LEFT JOIN attribution.store_app_id AS stated USING (bundle_id)
  LEFT JOIN LATERAL (
       SELECT notification.app_id
         FROM attribution.store_notification AS notification
        WHERE notification.environment = 'production' AND notification.bundle_id = known.bundle_id
          AND notification.app_id IS NOT NULL
        ORDER BY notification.received_at DESC, notification.app_id DESC
        LIMIT 1) AS told ON true
 WHERE coalesce(told.app_id, stated.app_id) IS NOT NULL;

COMMENT ON VIEW attribution.store_app IS 'The App Store ids of the apps of which the App Store told something';
COMMENT ON COLUMN attribution.store_app.bundle_id IS 'The bundle id, which transactions have';
COMMENT ON COLUMN attribution.store_app.app_id IS 'The App Store id, which postbacks have as advertised_app_id';

-- Which postbacks stand beside an app's customers. Apple sends a developer copies of all networks' postbacks, so these count
-- if there are any. Else those of the networks do. Never both, since a copy is the same postback again.
CREATE OR REPLACE FUNCTION attribution.store_sides(an_advertised_app_id bigint)
RETURNS TABLE (environment text, developer_copy boolean, advertised_app_id bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, bool_or(developer_copy), advertised_app_id
      FROM attribution.line
     WHERE advertised_app_id IN (SELECT app_id FROM attribution.store_app) AND ($1 IS NULL OR advertised_app_id = $1)
     GROUP BY environment, advertised_app_id
$$;
COMMENT ON FUNCTION attribution.store_sides(bigint) IS
    'Whether copies or originals of an app''s postbacks stand beside its customers';

-- Transactions of purchases that began on the days of a range. A purchase is an original transaction id, with all renewals;
-- each of its transactions says when it began. `hours` are those since then. Members of a family have bought nothing.
CREATE OR REPLACE FUNCTION attribution.store_purchases(first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, advertised_app_id bigint, began_day date, original_transaction_id text, day date, hours numeric,
    currency text, net numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, app_id, attribution.day_of(coalesce(originally_purchased_at, purchased_at)),
           original_transaction_id, day,
           greatest(0, extract(epoch FROM purchased_at - coalesce(originally_purchased_at, purchased_at)) / 3600),
           currency, net * 0.001
      FROM attribution.store_transactions
      JOIN attribution.store_app USING (bundle_id)
     WHERE coalesce(originally_purchased_at, purchased_at) >= attribution.day_begins($1)
       AND coalesce(originally_purchased_at, purchased_at) < attribution.day_begins($2 + 1)
       AND ownership IS DISTINCT FROM 'FAMILY_SHARED' AND ($3 IS NULL OR app_id = $3)
$$;
COMMENT ON FUNCTION attribution.store_purchases(date, date, bigint) IS
    'Transactions of purchases that began on the days of a range, with what is left of refunds, in units of the currency';

-- The newest scheme of an app with a currency that began by a day, as in scheme_payers: a report of past days stays.
CREATE OR REPLACE FUNCTION attribution.store_scheme(an_advertised_app_id bigint, last_day date)
RETURNS TABLE (valid_from timestamptz, currency text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT valid_from, currency
      FROM attribution.conversion_scheme
     WHERE advertised_app_id = $1 AND currency IS NOT NULL AND attribution.day_of(valid_from) <= $2
     ORDER BY valid_from DESC
     LIMIT 1
$$;
COMMENT ON FUNCTION attribution.store_scheme(bigint, date) IS
    'The newest scheme of an app with a currency that began by a day';

-- The half width of the 95 percent interval of a sum of purchases: their number is one of chance (Poisson), and so is what
-- each brings, so the variance of the sum is that of the squares.
CREATE OR REPLACE FUNCTION attribution.sum_half_width(purchases bigint, squares numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 >= attribution.least_for_interval() THEN round(1.96 * sqrt($2), 6) END
$$;
COMMENT ON FUNCTION attribution.sum_half_width(bigint, numeric) IS
    'Half of the 95 percent interval of a sum over purchases, by the sum of their squares; NULL with fewer than ten';

-- Of each window: what its mapped values implied, by install day, and what purchases that began on these days brought in the
-- hours of the window. Postbacks up to SKAdNetwork 3.0 have the hours of the scheme's measurement window.
--
-- Customers say nothing of the kind of their postbacks. So each kind has its part of what was paid, by its installs.
CALL attribution.make_family(
    'app_store_calibration', 'What a scheme implied beside what customers paid, by app and window',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text, attributed_share numeric', $body$
    WITH target AS MATERIALIZED (
        SELECT app_id AS advertised_app_id, coalesce($4, scheme.currency) AS currency, measurement_window_hours
          FROM (SELECT DISTINCT app_id FROM attribution.store_app WHERE $3 IS NULL OR app_id = $3) AS app
          LEFT JOIN LATERAL attribution.store_scheme(app_id, $2) AS scheme ON true
          LEFT JOIN LATERAL attribution.measurement_window_of(app_id, $2) ON true
    ),
    daily AS MATERIALIZED (
        SELECT environment, advertised_app_id, campaign_type, sequence_index, day, nullif(sums.currency, '') AS currency,
               attribution.total(postbacks) AS postbacks, attribution.total(installs) AS installs,
               attribution.total(mapped) AS mapped, attribution.total(withheld) AS withheld,
               attribution.total(revenue_low) AS revenue_low, attribution.total(revenue_middle) AS revenue_middle,
               attribution.total(revenue_high) AS revenue_high, attribution.total(revenue_open) AS revenue_open,
               attribution.total(revenue_unknown) AS revenue_unknown
          FROM attribution.answer_sums('install', 'campaign', true, $1, $2, $3) AS sums
          JOIN attribution.store_sides($3) USING (environment, developer_copy, advertised_app_id)
         WHERE did_win
         GROUP BY environment, advertised_app_id, campaign_type, sequence_index, day, sums.currency
    ),
    -- Each day is converted at its own rate.
    implied AS MATERIALIZED (
        SELECT environment, advertised_app_id, campaign_type, sequence_index, target.currency,
               attribution.total(postbacks) AS postbacks, attribution.total(installs) AS installs,
               attribution.total(mapped) AS mapped, attribution.total(withheld) AS withheld,
               attribution.total(revenue_open) AS revenue_open, attribution.total(revenue_unknown) AS revenue_unknown,
               count(*) FILTER (WHERE converted.high IS NULL) AS without_rate, sum(converted.low) AS low,
               sum(converted.middle) AS middle, sum(converted.high) AS high
          FROM daily
          JOIN target USING (advertised_app_id)
         CROSS JOIN LATERAL (
               SELECT round(attribution.converted(
                          attribution.money(revenue_low), daily.currency, target.currency, day), 6) AS low,
                      round(attribution.converted(
                          attribution.money(revenue_middle), daily.currency, target.currency, day), 6) AS middle,
                      round(attribution.converted(
                          attribution.money(revenue_high), daily.currency, target.currency, day), 6) AS high) AS converted
         GROUP BY environment, advertised_app_id, campaign_type, sequence_index, target.currency
    ),
    -- Only a first window has installs.
    shared AS (
        SELECT implied.*, round($5 * sum(installs) OVER (PARTITION BY environment, advertised_app_id, campaign_type)
                                / nullif(sum(installs) OVER (PARTITION BY environment, advertised_app_id), 0), 6) AS share
          FROM implied
    ),
    purchase AS MATERIALIZED (
        SELECT environment, advertised_app_id, original_transaction_id, hours, net, measurement_window_hours,
               attribution.converted(net, purchases.currency, target.currency, day) AS amount
          FROM attribution.store_purchases($1, $2, $3) AS purchases
          JOIN target USING (advertised_app_id)
    ),
    -- What purchases brought in the hours of each window, and in those of the timer. Each transaction asks for the windows that
    -- it is in, so transactions are read once, however many windows there are.
    paid AS MATERIALIZED (
        SELECT environment, advertised_app_id, campaign_type, hours_from, sum(transactions)::bigint AS transactions,
               sum(without_price)::bigint AS without_price, sum(without_rate)::bigint AS without_rate,
               count(*) FILTER (WHERE amount > 0) AS purchases, sum(amount) AS amount, sum(amount * amount) AS squares
          FROM (SELECT environment, advertised_app_id, campaign_type, hours_from, count(*) AS transactions,
                       count(*) FILTER (WHERE net IS NULL) AS without_price,
                       count(*) FILTER (WHERE net IS NOT NULL AND amount IS NULL) AS without_rate,
                       round(sum(amount), 6) AS amount
                  FROM purchase
                 CROSS JOIN LATERAL (
                       SELECT 'source-identifier' AS campaign_type, opens AS hours_from
                         FROM generate_series(0, 2) AS number, attribution.window_hours(true, number::smallint)
                        WHERE hours >= opens AND hours < closes
                       UNION ALL
                       SELECT 'campaign-id', opens
                         FROM attribution.window_hours(false, 0::smallint)
                        WHERE hours >= opens AND hours < measurement_window_hours) AS of_window
                 GROUP BY environment, advertised_app_id, campaign_type, hours_from, original_transaction_id) AS one
         GROUP BY environment, advertised_app_id, campaign_type, hours_from
    )
    SELECT environment, advertised_app_id, campaign_type, sequence_index, currency, postbacks, installs, mapped, withheld,
           implied_low, implied_middle, implied_high, revenue_open, shared.without_rate, hours_from, hours_to,
           coalesce(transactions, 0), coalesce(without_price, 0), coalesce(paid.without_rate, 0), coalesce(purchases, 0),
           paid_net, paid_net_low, paid_net_high, share,
           attribution.per(paid_net * share, implied_middle),
           CASE WHEN revenue_open = 0 THEN attribution.per(paid_net_low * share, implied_high) END,
           attribution.per(paid_net_high * share, implied_low),
           attribution.is_day_complete(
               'install', $2, campaign_type, environment, sequence_index, measurement_window_hours,
               (SELECT attribution.answers_up_to()))
           AND coalesce(attribution.day_begins($2 + 1) + hours_to * interval '1 hour' <= now(), false)
      FROM shared
     CROSS JOIN LATERAL attribution.window_hours(campaign_type = 'source-identifier', sequence_index) AS of_window
      LEFT JOIN attribution.measurement_window_of(
                CASE campaign_type WHEN 'campaign-id' THEN advertised_app_id END, $2) ON true
     CROSS JOIN LATERAL (
           SELECT opens AS hours_from,
                  CASE campaign_type WHEN 'campaign-id' THEN measurement_window_hours ELSE closes END AS hours_to) AS bounds
      LEFT JOIN paid USING (environment, advertised_app_id, campaign_type, hours_from)
     CROSS JOIN LATERAL (
           SELECT CASE WHEN mapped > 0 AND shared.without_rate = 0 THEN low END AS implied_low,
                  CASE WHEN mapped > 0 AND shared.without_rate = 0 AND revenue_unknown = 0 THEN middle END AS implied_middle,
                  CASE WHEN mapped > 0 AND shared.without_rate = 0 THEN high END AS implied_high,
                  CASE WHEN paid.without_rate = 0 THEN amount END AS paid_net,
                  attribution.sum_half_width(purchases, squares) AS half) AS known
     CROSS JOIN LATERAL (
           SELECT CASE WHEN paid_net - half IS NOT NULL THEN greatest(0, paid_net - half) END AS paid_net_low,
                  paid_net + half AS paid_net_high) AS ends
$body$);

-- What follows for the scheme: each of its ranges of revenue, times the factor of its window.
CALL attribution.make_family(
    'app_store_calibration_ranges', 'The ranges of revenue of a scheme beside those that calibration suggests',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text, attributed_share numeric', $body$
    SELECT environment, advertised_app_id, campaign_type, sequence_index, revenue_range, currency, meanings, range_low,
           range_middle, range_high, factor, round(range_middle * factor_low, 6), round(range_middle * factor, 6),
           round(range_middle * factor_high, 6)
      FROM (SELECT environment, advertised_app_id, campaign_type, sequence_index, scheme.currency, factor, factor_low,
                   factor_high, meaning.revenue_low AS range_low,
                   CASE WHEN count(meaning.revenue_middle) = count(*) THEN max(meaning.revenue_middle) END AS range_middle,
                   meaning.revenue_high AS range_high, count(*) AS meanings,
                   concat(trim_scale(meaning.revenue_low),
                          coalesce(' to ' || trim_scale(meaning.revenue_high), ' and more')) AS revenue_range
              FROM attribution.app_store_calibration($1, $2, $3, $4, $5)
             CROSS JOIN LATERAL attribution.store_scheme(advertised_app_id, $2) AS scheme
              JOIN attribution.value_meaning AS meaning USING (advertised_app_id, valid_from, sequence_index)
             -- Postbacks of campaign ids have no coarse values.
             WHERE meaning.revenue_high IS DISTINCT FROM 0 AND (campaign_type = 'source-identifier' OR meaning.value < 64)
             GROUP BY environment, advertised_app_id, campaign_type, sequence_index, scheme.currency, factor, factor_low,
                      factor_high, meaning.revenue_low, meaning.revenue_high) AS bucket
$body$);

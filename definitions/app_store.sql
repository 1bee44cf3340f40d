-- The App Store: amounts, which signed data counts, the views, and what reports of it need. docs/sql.md explains the reports.
--
-- Amounts here are milliunits of the currency and exact. Reports show units.

-- What was paid. Apple's price is of all that was bought, whatever the quantity
-- (developer.apple.com/documentation/appstoreservernotifications/price). A member of a family pays nothing, and a free trial
-- costs nothing, also if there is no price.
CREATE OR REPLACE FUNCTION attribution.store_gross(
    price bigint, ownership text, offer_discount_type text, is_trial boolean) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $2 = 'FAMILY_SHARED' OR $3 = 'FREE_TRIAL' OR $4 THEN 0::numeric ELSE $1::numeric END
$$;

COMMENT ON FUNCTION attribution.store_gross(bigint, text, text, boolean) IS
    'What was paid for a transaction, in milliunits; NULL if there is no price';

-- What was given back: thousandths of a percent of what was paid, all of it without a percentage. Half a milliunit is
-- rounded up.
CREATE OR REPLACE FUNCTION attribution.store_refunded(
    gross numeric, revoked_at timestamptz, revocation_percentage integer) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $2 IS NULL THEN $1 * 0 ELSE round($1 * coalesce($3, 100000) * 0.00001) END
$$;

COMMENT ON FUNCTION attribution.store_refunded(numeric, timestamptz, integer) IS
    'What was given back of what was paid, in milliunits; NULL if there is no price';

-- Which signed data of a transaction counts, whatever order it comes in: the one that was signed later, and of two that were
-- signed at the same time the one with the greater digest.
--
-- Version 1 has no time of signing. It never replaces signed data, and signed data always replaces it. Among version 1 the
-- later one counts, but it never takes a cancellation back.
CREATE OR REPLACE FUNCTION attribution.store_replaces(
    stored_signed_at timestamptz, stored_revoked_at timestamptz, stored_digest bytea,
    offered_signed_at timestamptz, offered_revoked_at timestamptz, offered_digest bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $4 IS NULL THEN $1 IS NULL AND ($2 IS NULL OR $5 IS NOT NULL) AND coalesce($3 <> $6, true)
                WHEN $1 IS NULL THEN true
                WHEN $4 = $1 THEN coalesce($6 > $3, $3 IS NULL AND $6 IS NOT NULL)
                ELSE $4 > $1 END
$$;

COMMENT ON FUNCTION attribution.store_replaces(timestamptz, timestamptz, bytea, timestamptz, timestamptz, bytea) IS
    'Whether the data that is offered for a transaction replaces the stored one';

-- Analysts read these views, not the tables: they have no hash of a customer's id.
CREATE OR REPLACE VIEW attribution.store_transactions AS
SELECT environment, attribution.day_of(purchased_at) AS day, bundle_id, product_id, transaction_id, original_transaction_id,
       coalesce(CASE reason WHEN 'RENEWAL' THEN true WHEN 'PURCHASE' THEN false END,
                expires_at IS NOT NULL AND transaction_id <> original_transaction_id) AS is_renewal,
       purchased_at, originally_purchased_at, expires_at, signed_at, received_at, quantity, type, ownership, reason,
       storefront, currency, price, offer_type, offer_id, offer_discount_type,
       coalesce(offer_discount_type = 'FREE_TRIAL' OR is_trial, false) AS is_free_trial, is_upgraded, revoked_at,
       revocation_reason, revocation_type, revocation_percentage,
       -- Version 1 calls an upgrade cancelled too.
       revoked_at IS NOT NULL AND ownership IS DISTINCT FROM 'FAMILY_SHARED'
       AND revocation_type IS DISTINCT FROM 'FAMILY_REVOKE' AND NOT (is_upgraded AND signed_at IS NULL) AS is_refund,
       gross, refunded, gross - refunded AS net
  FROM attribution.store_transaction
  JOIN attribution.store_product USING (product)
 CROSS JOIN LATERAL (
       -- Nobody can add a price that is in no currency.
       SELECT attribution.store_gross(
                  CASE WHEN currency IS NOT NULL THEN price END, ownership, offer_discount_type, is_trial) AS gross) AS paid
 CROSS JOIN LATERAL (
       SELECT attribution.store_refunded(gross, revoked_at, revocation_percentage) AS refunded) AS given_back;

COMMENT ON VIEW attribution.store_transactions IS 'Transactions of the App Store with their amounts; all environments';
COMMENT ON COLUMN attribution.store_transactions.environment IS 'production, development or test';
COMMENT ON COLUMN attribution.store_transactions.day IS 'The day of the purchase or the renewal';
COMMENT ON COLUMN attribution.store_transactions.bundle_id IS 'The bundle id of the app';
COMMENT ON COLUMN attribution.store_transactions.product_id IS 'The id of the product in App Store Connect';
COMMENT ON COLUMN attribution.store_transactions.transaction_id IS 'Apple''s id of the transaction';
COMMENT ON COLUMN attribution.store_transactions.original_transaction_id IS 'The id of the first transaction of the purchase';
COMMENT ON COLUMN attribution.store_transactions.is_renewal IS
    'Whether Apple renewed a subscription; version 1 does not say: whether it is not the first transaction of one';
COMMENT ON COLUMN attribution.store_transactions.purchased_at IS 'When it was bought or renewed';
COMMENT ON COLUMN attribution.store_transactions.originally_purchased_at IS 'When the first transaction was';
COMMENT ON COLUMN attribution.store_transactions.expires_at IS 'When the paid period ends; NULL if it is no subscription';
COMMENT ON COLUMN attribution.store_transactions.signed_at IS 'When Apple signed the data; NULL of version 1';
COMMENT ON COLUMN attribution.store_transactions.received_at IS 'When the notification came that brought this data';
COMMENT ON COLUMN attribution.store_transactions.quantity IS 'How many were bought';
COMMENT ON COLUMN attribution.store_transactions.type IS 'Apple''s type of the product; NULL of version 1';
COMMENT ON COLUMN attribution.store_transactions.ownership IS 'PURCHASED or FAMILY_SHARED';
COMMENT ON COLUMN attribution.store_transactions.reason IS 'PURCHASE or RENEWAL; NULL of version 1';
COMMENT ON COLUMN attribution.store_transactions.storefront IS 'The country of the store, three letters; NULL of version 1';
COMMENT ON COLUMN attribution.store_transactions.currency IS 'The currency, ISO 4217; NULL of version 1';
COMMENT ON COLUMN attribution.store_transactions.price IS 'The price of all that was bought, in milliunits of the currency; NULL of version 1';
COMMENT ON COLUMN attribution.store_transactions.offer_type IS
    '1 introductory, 2 promotional, 3 offer code, 4 win-back; NULL without an offer';
COMMENT ON COLUMN attribution.store_transactions.offer_id IS 'The id of the offer';
COMMENT ON COLUMN attribution.store_transactions.offer_discount_type IS 'FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT';
COMMENT ON COLUMN attribution.store_transactions.is_free_trial IS 'Whether the period is a free trial';
COMMENT ON COLUMN attribution.store_transactions.is_upgraded IS
    'Whether the customer changed to a higher level within the paid period';
COMMENT ON COLUMN attribution.store_transactions.revoked_at IS
    'When it was refunded or taken back; NULL if it was not, or is not any more';
COMMENT ON COLUMN attribution.store_transactions.revocation_reason IS
    '1: the customer had an issue with the app; 0: another reason';
COMMENT ON COLUMN attribution.store_transactions.revocation_type IS
    'REFUND_FULL, REFUND_PRORATED or FAMILY_REVOKE; NULL if Apple did not say';
COMMENT ON COLUMN attribution.store_transactions.revocation_percentage IS
    'How much was refunded, in thousandths of a percent; NULL: all of it';
COMMENT ON COLUMN attribution.store_transactions.is_refund IS
    'Whether money was given back: neither a family share that was taken back, nor an upgrade';
COMMENT ON COLUMN attribution.store_transactions.gross IS
    'What was paid, in milliunits: the price; 0 for family shares and free trials, NULL without a price or its currency';
COMMENT ON COLUMN attribution.store_transactions.refunded IS 'What was given back, in milliunits';
COMMENT ON COLUMN attribution.store_transactions.net IS 'gross − refunded';

CREATE OR REPLACE VIEW attribution.store_renewals AS
SELECT environment, bundle_id, product_id, original_transaction_id, auto_renew_product_id, auto_renew_status,
       expiration_intent, is_in_billing_retry, grace_period_expires_at, renews_at, renewal_price, currency,
       price_increase_status, offer_id, recent_subscription_start_at, status, signed_at,
       -- Without a status, as in version 1, the flags say it.
       CASE WHEN coalesce(status NOT IN (3, 4), is_in_billing_retry IS NOT TRUE) THEN NULL
            -- Apple tries for 60 days. Nothing of version 1 says that it gave up, and of version 2 that may be lost.
            WHEN coalesce(renews_at, signed_at, received_at) <= now() - interval '60 days' THEN NULL
            -- Members of a family have a subscription each, and pay nothing.
            WHEN EXISTS (
                 SELECT FROM attribution.store_transaction AS shared
                  WHERE shared.environment = store_renewal.environment
                    AND shared.original_transaction_id = store_renewal.original_transaction_id
                    AND shared.ownership = 'FAMILY_SHARED') THEN NULL
            WHEN coalesce(grace_period_expires_at > now(), status = 4) THEN 'grace_period'
            ELSE 'billing_retry' END AS risk
  FROM attribution.store_renewal
  JOIN attribution.store_product USING (product);

COMMENT ON VIEW attribution.store_renewals IS 'What comes next of each subscription; all environments';
COMMENT ON COLUMN attribution.store_renewals.environment IS 'production, development or test';
COMMENT ON COLUMN attribution.store_renewals.bundle_id IS 'The bundle id of the app';
COMMENT ON COLUMN attribution.store_renewals.product_id IS 'The id of the product that the customer has';
COMMENT ON COLUMN attribution.store_renewals.original_transaction_id IS 'The subscription';
COMMENT ON COLUMN attribution.store_renewals.auto_renew_product_id IS 'The product that it renews to';
COMMENT ON COLUMN attribution.store_renewals.auto_renew_status IS '1: it renews; 0: the customer has turned that off';
COMMENT ON COLUMN attribution.store_renewals.expiration_intent IS
    'Why it expired: 1 cancelled, 2 billing, 3 price increase, 4 product not for sale, 5 another reason';
COMMENT ON COLUMN attribution.store_renewals.is_in_billing_retry IS 'Whether Apple tries again to be paid';
COMMENT ON COLUMN attribution.store_renewals.grace_period_expires_at IS
    'Until when the customer has access although nothing was paid';
COMMENT ON COLUMN attribution.store_renewals.renews_at IS 'When it renews next';
COMMENT ON COLUMN attribution.store_renewals.renewal_price IS
    'The next price, in milliunits of the currency; NULL of version 1';
COMMENT ON COLUMN attribution.store_renewals.currency IS 'The currency of the next price, ISO 4217';
COMMENT ON COLUMN attribution.store_renewals.price_increase_status IS
    '0: the customer has not answered to a price increase; 1: has agreed, or need not';
COMMENT ON COLUMN attribution.store_renewals.offer_id IS 'The offer that the next period has';
COMMENT ON COLUMN attribution.store_renewals.recent_subscription_start_at IS 'When the present string of renewals began';
COMMENT ON COLUMN attribution.store_renewals.status IS
    '1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked; NULL of version 1';
COMMENT ON COLUMN attribution.store_renewals.signed_at IS 'When Apple signed the data; NULL of version 1';
COMMENT ON COLUMN attribution.store_renewals.risk IS
    'billing_retry: the customer has no access; grace_period: has access and has not paid; NULL: neither';

-- Refunds by the month of the refund, beside what was bought in that month.
CALL attribution.make_family(
    'app_store_refunds', 'Refunds of the App Store by month', 'first_day date, last_day date', $body$
    SELECT environment, date_trunc('month', day::timestamp)::date, bundle_id, product_id, storefront, currency,
           count(*) FILTER (WHERE NOT is_refund), count(*) FILTER (WHERE is_refund),
           attribution.average(count(*) FILTER (WHERE is_refund), count(*) FILTER (WHERE NOT is_refund)),
           count(*) FILTER (WHERE is_refund AND refunded IS NULL), sum(refunded) * 0.001,
           round((percentile_cont(0.5) WITHIN GROUP (ORDER BY delay))::numeric, 4),
           round((percentile_cont(0.9) WITHIN GROUP (ORDER BY delay))::numeric, 4)
      FROM (SELECT environment, day, bundle_id, product_id, storefront, currency, false AS is_refund,
                   NULL::numeric AS refunded, NULL::double precision AS delay
              FROM attribution.store_transactions
             WHERE purchased_at >= attribution.day_begins($1) AND purchased_at < attribution.day_begins($2 + 1)
               AND ownership IS DISTINCT FROM 'FAMILY_SHARED'
            UNION ALL
            SELECT environment, attribution.day_of(revoked_at), bundle_id, product_id, storefront, currency, true, refunded,
                   (extract(epoch FROM revoked_at - purchased_at) / 86400)::double precision
              FROM attribution.store_transactions
             WHERE revoked_at >= attribution.day_begins($1) AND revoked_at < attribution.day_begins($2 + 1)
               AND is_refund) AS part
     GROUP BY environment, date_trunc('month', day::timestamp)::date, bundle_id, product_id, storefront, currency$body$);

-- Subscribers by the week of their first purchase and the number of the renewal. A subscriber is an original transaction
-- id; members of a family are none. The cohort has the product of its first transaction.
--
-- The number is that of the earlier transactions. One that the customer left by an upgrade is not counted: what follows it
-- is in the same paid period. Version 2 tells of the upgrade, and does not send what was left again.
CALL attribution.make_family(
    'app_store_cohorts', 'Subscribers of the App Store by week and renewal', 'first_day date, last_day date', $body$
    WITH history AS (
        SELECT environment, bundle_id, original_transaction_id, currency, gross, net,
               first_value(product_id) OVER past AS first_product_id,
               min(coalesce(originally_purchased_at, purchased_at)) OVER (
                   PARTITION BY environment, original_transaction_id) AS began_at,
               count(*) FILTER (WHERE NOT was_left) OVER (past ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                   AS renewal_number,
               row_number() OVER (PARTITION BY environment, original_transaction_id, currency
                                  ORDER BY purchased_at, transaction_id) = 1 AS is_first
          FROM (SELECT *, is_upgraded OR coalesce(
                              lead(reason) OVER next = 'PURCHASE' AND lead(product_id) OVER next <> product_id
                              AND lead(purchased_at) OVER next < expires_at, false) AS was_left
                  FROM attribution.store_transactions AS bought
                 WHERE ownership IS DISTINCT FROM 'FAMILY_SHARED'
                   AND CASE WHEN type IS NULL THEN expires_at IS NOT NULL ELSE type = 'Auto-Renewable Subscription' END
                   -- Whole subscriptions, and only those that may have begun in the range: indexes find them.
                   AND EXISTS (
                       SELECT FROM attribution.store_transactions AS begun
                        WHERE begun.environment = bought.environment
                          AND begun.original_transaction_id = bought.original_transaction_id
                          AND coalesce(begun.originally_purchased_at, begun.purchased_at) >= attribution.day_begins($1)
                          AND coalesce(begun.originally_purchased_at, begun.purchased_at) < attribution.day_begins($2 + 1))
                WINDOW next AS (PARTITION BY environment, original_transaction_id
                                ORDER BY purchased_at, transaction_id)) AS bought
        WINDOW past AS (PARTITION BY environment, original_transaction_id ORDER BY purchased_at, transaction_id)
    ),
    renewed AS (
        SELECT environment, attribution.week(attribution.day_of(began_at)) AS week, bundle_id,
               first_product_id AS product_id, currency, renewal_number::integer AS renewal_number,
               count(*) FILTER (WHERE is_first) AS new_subscribers,
               count(DISTINCT original_transaction_id) AS retained,
               count(*) FILTER (WHERE gross IS NULL) AS without_price, sum(net) * 0.001 AS net
          FROM history
         WHERE began_at >= attribution.day_begins($1) AND began_at < attribution.day_begins($2 + 1)
         GROUP BY environment, attribution.week(attribution.day_of(began_at)), bundle_id, first_product_id, currency,
                  renewal_number
    )
    SELECT environment, week, bundle_id, product_id, currency, renewal_number, subscribers, retained,
           attribution.average(retained, subscribers), without_price, net, net_so_far,
           attribution.per(net_so_far, subscribers)
      FROM (SELECT *,
                   (sum(new_subscribers) OVER (
                       PARTITION BY environment, week, bundle_id, product_id, currency))::bigint AS subscribers,
                   sum(net) OVER (PARTITION BY environment, week, bundle_id, product_id, currency
                                  ORDER BY renewal_number) AS net_so_far
              FROM renewed) AS summed$body$);

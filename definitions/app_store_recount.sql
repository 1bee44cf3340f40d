-- The recount of the App Store: each transaction and each renewal again from the bodies of notifications that are still there.
--
-- Nothing of this is shared with the program: the payloads are decoded here. Signatures are not verified.

-- The payload of signed data: the second part of three, in base64url.
CREATE OR REPLACE FUNCTION attribution.store_payload(signed_data text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    -- translate and rpad go by characters, which takes several times as long.
    SELECT decode(part || repeat('=', -octet_length(part) & 3), 'base64')
      FROM (SELECT replace(replace(split_part($1, '.', 2), '-', '+'), '_', '/') AS part OFFSET 0) AS encoded
$$;

COMMENT ON FUNCTION attribution.store_payload(text) IS 'The payload of signed data of the App Store; nothing is verified';

CREATE OR REPLACE FUNCTION attribution.store_time(milliseconds text) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    -- Whole seconds apart: a double has no room for the microseconds of far years.
    SELECT timestamptz 'epoch' + div(said, 1000)::double precision * interval '1 second'
                               + mod(said, 1000)::double precision * interval '1 millisecond'
      FROM (SELECT nullif($1, '')::numeric AS said) AS number
$$;

COMMENT ON FUNCTION attribution.store_time(text) IS 'A time of the App Store, milliseconds since 1970; NULL if it is empty';

-- The program keeps bodies with members that it does not read. PostgreSQL refuses some of them, such as \u0000.
CREATE OR REPLACE FUNCTION attribution.store_json(bytes bytea) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN convert_from($1, 'UTF8')::jsonb;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION attribution.store_json(bytea) IS 'A document of the App Store; NULL if PostgreSQL can not hold it';

-- Columns of transactions and renewals that differ from the newest body that has them; those of renewals are
-- `renewal.COLUMN`. A row that was signed later than all bodies came from one that is gone, and is not compared. Version 1 has
-- no order, so its row must be as some body has it, and cancelled if one body says so. Bodies leave in the order in which they
-- came, so a row of version 1 that is older than all of them has lost its own.
--
-- Not compared: the time of receipt, which any of several equal bodies may have given, and the hash of the customer's id,
-- unless there is no id.
CREATE OR REPLACE FUNCTION attribution.recount_app_store()
RETURNS TABLE (environment text, transaction_id text, field text, stored text, recounted text)
LANGUAGE sql STABLE AS $$
    WITH document AS MATERIALIZED (
        SELECT kept.environment, attribution.store_json(kept.body) AS said FROM attribution.store_body AS kept
    ),
    signed AS MATERIALIZED (
        SELECT DISTINCT document.environment, part.kind, attribution.store_payload(part.signed_data) AS payload,
               told -> 'bundleId' AS bundle_id, told -> 'status' AS status
          FROM document
         CROSS JOIN LATERAL (
               SELECT attribution.store_json(attribution.store_payload(said ->> 'signedPayload')) -> 'data' AS told
               -- So that it is decoded once, and not for each member that is read.
               OFFSET 0) AS decoded
         CROSS JOIN LATERAL (
               VALUES ('transaction', told ->> 'signedTransactionInfo'), ('renewal', told ->> 'signedRenewalInfo')
               ) AS part (kind, signed_data)
         WHERE said ? 'signedPayload' AND part.signed_data IS NOT NULL
    ),
    read AS MATERIALIZED (
        SELECT signed.environment, kind, bundle_id, status, sha256(payload) AS digest, attribution.store_json(payload) AS said
          FROM signed
    ),
    -- Members beside a signed payload are nobody's, and may be anything.
    unsigned AS MATERIALIZED (
        SELECT document.environment, part.kind, said -> 'bid' AS bundle_id, one
          FROM document
         CROSS JOIN LATERAL (
               VALUES ('transaction', said #> '{unified_receipt,latest_receipt_info}'),
                      ('renewal', said #> '{unified_receipt,pending_renewal_info}')) AS part (kind, list)
         CROSS JOIN LATERAL jsonb_array_elements(
               CASE WHEN NOT said ? 'signedPayload' AND jsonb_typeof(part.list) = 'array' THEN part.list END) AS one
    ),
    offered AS MATERIALIZED (
        SELECT read.environment, kind, said ->> 'transactionId' AS id,
               attribution.store_time(said ->> 'signedDate') AS signed_at, digest,
               jsonb_build_object(
                   'original_transaction_id', said -> 'originalTransactionId',
                   'bundle_id', coalesce(said -> 'bundleId', bundle_id),
                   'product_id', said -> 'productId', 'purchased_at', attribution.store_time(said ->> 'purchaseDate'),
                   'originally_purchased_at', attribution.store_time(said ->> 'originalPurchaseDate'),
                   'expires_at', attribution.store_time(said ->> 'expiresDate'),
                   'signed_at', attribution.store_time(said ->> 'signedDate'),
                   'quantity', coalesce(said -> 'quantity', '1'), 'type', said -> 'type',
                   'ownership', said -> 'inAppOwnershipType', 'reason', said -> 'transactionReason',
                   'storefront', said -> 'storefront', 'currency', said -> 'currency', 'price', said -> 'price',
                   'offer_type', said -> 'offerType', 'offer_id', said -> 'offerIdentifier',
                   'offer_discount_type', said -> 'offerDiscountType', 'is_trial', NULL,
                   'revoked_at', attribution.store_time(said ->> 'revocationDate'),
                   'revocation_reason', said -> 'revocationReason', 'revocation_type', said -> 'revocationType',
                   'revocation_percentage', said -> 'revocationPercentage',
                   'is_upgraded', coalesce(said -> 'isUpgraded', 'false'), 'payload_sha256', digest)
               || CASE WHEN said ? 'appAccountToken' THEN '{}'::jsonb ELSE '{"account_hash": null}' END AS facts
          FROM read
         WHERE kind = 'transaction' AND said IS NOT NULL
        UNION
        SELECT read.environment, kind, said ->> 'originalTransactionId',
               attribution.store_time(said ->> 'signedDate'), digest,
               jsonb_build_object(
                   'bundle_id', coalesce(said -> 'bundleId', bundle_id), 'product_id', said -> 'productId',
                   'auto_renew_product_id', said -> 'autoRenewProductId', 'auto_renew_status', said -> 'autoRenewStatus',
                   'expiration_intent', said -> 'expirationIntent', 'is_in_billing_retry', said -> 'isInBillingRetryPeriod',
                   'grace_period_expires_at', attribution.store_time(said ->> 'gracePeriodExpiresDate'),
                   'renews_at', attribution.store_time(said ->> 'renewalDate'), 'renewal_price', said -> 'renewalPrice',
                   'currency', said -> 'currency', 'price_increase_status', said -> 'priceIncreaseStatus',
                   'offer_id', said -> 'offerIdentifier',
                   'recent_subscription_start_at', attribution.store_time(said ->> 'recentSubscriptionStartDate'),
                   'status', status, 'signed_at', attribution.store_time(said ->> 'signedDate'), 'payload_sha256', digest)
          FROM read
         WHERE kind = 'renewal' AND said IS NOT NULL
        UNION
        SELECT unsigned.environment, kind, one ->> 'transaction_id', NULL, NULL,
               jsonb_build_object(
                   'original_transaction_id', one -> 'original_transaction_id', 'bundle_id', bundle_id,
                   'product_id', one -> 'product_id',
                   'purchased_at', attribution.store_time(one ->> 'purchase_date_ms'),
                   'originally_purchased_at', attribution.store_time(one ->> 'original_purchase_date_ms'),
                   'expires_at', attribution.store_time(one ->> 'expires_date_ms'), 'signed_at', NULL,
                   'quantity', coalesce(nullif(one -> 'quantity', '""'), '1'), 'type', NULL,
                   'ownership', one -> 'in_app_ownership_type', 'reason', NULL, 'storefront', NULL, 'currency', NULL,
                   'price', NULL, 'offer_type', NULL,
                   'offer_id', coalesce(nullif(nullif(one -> 'promotional_offer_id', '""'), 'null'), one -> 'offer_code_ref_name'),
                   'offer_discount_type', NULL,
                   'is_trial', nullif(one ->> 'is_trial_period', '') IN ('true', '1'),
                   'revoked_at', attribution.store_time(one ->> 'cancellation_date_ms'),
                   'revocation_reason', one -> 'cancellation_reason', 'revocation_type', NULL,
                   'revocation_percentage', NULL,
                   'is_upgraded', coalesce((one ->> 'is_upgraded') IN ('true', '1'), false), 'payload_sha256', NULL)
               || CASE WHEN one ? 'app_account_token' THEN '{}'::jsonb ELSE '{"account_hash": null}' END
          FROM unsigned
         WHERE kind = 'transaction'
        UNION
        SELECT unsigned.environment, kind, one ->> 'original_transaction_id', NULL, NULL,
               jsonb_build_object(
                   'bundle_id', bundle_id, 'product_id', one -> 'product_id',
                   'auto_renew_product_id', one -> 'auto_renew_product_id', 'auto_renew_status', one -> 'auto_renew_status',
                   'expiration_intent', one -> 'expiration_intent',
                   'is_in_billing_retry', nullif(one ->> 'is_in_billing_retry_period', '') IN ('true', '1'),
                   'grace_period_expires_at', attribution.store_time(one ->> 'grace_period_expires_date_ms'),
                   'renews_at', NULL, 'renewal_price', NULL, 'currency', NULL,
                   'price_increase_status', one -> 'price_consent_status',
                   'offer_id', coalesce(nullif(nullif(one -> 'promotional_offer_id', '""'), 'null'), one -> 'offer_code_ref_name'),
                   'recent_subscription_start_at', NULL, 'status', NULL, 'signed_at', NULL, 'payload_sha256', NULL)
          FROM unsigned
         WHERE kind = 'renewal'
    ),
    known AS (
        SELECT 'transaction' AS kind, kept.environment, kept.transaction_id AS id, kept.signed_at, kept.received_at,
               kept.payload_sha256,
               to_jsonb(kept) || jsonb_build_object('bundle_id', bundle_id, 'product_id', product_id) AS facts
          FROM attribution.store_transaction AS kept
          LEFT JOIN attribution.store_product USING (product)
        UNION ALL
        SELECT 'renewal', kept.environment, kept.original_transaction_id, kept.signed_at, kept.received_at,
               kept.payload_sha256,
               to_jsonb(kept) || jsonb_build_object('bundle_id', bundle_id, 'product_id', product_id)
          FROM attribution.store_renewal AS kept
          LEFT JOIN attribution.store_product USING (product)
    ),
    newest AS (
        SELECT DISTINCT ON (offered.environment, offered.kind, offered.id)
               offered.environment, offered.kind, offered.id, known.facts AS kept,
               CASE WHEN known.facts IS NOT NULL THEN offered.facts
                    WHEN offered.kind = 'transaction' THEN jsonb_build_object('transaction_id', offered.id)
                    ELSE jsonb_build_object('original_transaction_id', offered.id) END AS facts,
               CASE WHEN offered.signed_at IS NULL
                    THEN known.signed_at IS NOT NULL
                         OR coalesce(known.received_at < (SELECT min(received_at) FROM attribution.store_body), false)
                    ELSE offered.digest IS DISTINCT FROM known.payload_sha256
                         AND coalesce(offered.signed_at < known.signed_at, false) END AS is_older
          FROM offered
          LEFT JOIN known
                 ON known.environment = offered.environment AND known.kind = offered.kind AND known.id = offered.id
         ORDER BY offered.environment, offered.kind, offered.id, offered.signed_at DESC NULLS LAST,
                  offered.digest DESC NULLS LAST, (offered.facts ->> 'revoked_at') IS NULL,
                  (SELECT count(*)
                     FROM jsonb_each_text(offered.facts) AS fact
                    WHERE nullif(fact.value, '') IS DISTINCT FROM (known.facts ->> fact.key))
    )
    SELECT newest.environment, newest.id, CASE kind WHEN 'renewal' THEN 'renewal.' ELSE '' END || fact.key,
           newest.kept ->> fact.key, nullif(fact.value, '')
      FROM newest
     CROSS JOIN LATERAL jsonb_each_text(newest.facts) AS fact
     WHERE NOT is_older AND nullif(fact.value, '') IS DISTINCT FROM (newest.kept ->> fact.key)
     ORDER BY newest.environment, kind DESC, newest.id, fact.key
$$;

COMMENT ON FUNCTION attribution.recount_app_store() IS
    'Columns of transactions and renewals of the App Store that differ from the bodies of notifications that are still there';

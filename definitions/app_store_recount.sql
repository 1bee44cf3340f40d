-- The recount of the App Store: each transaction again from the bodies of the notifications that are still there.
--
-- Nothing of this is shared with the program: the payloads are decoded here. Signatures are not verified.

-- The payload of signed data: the second part of three, in base64url.
CREATE OR REPLACE FUNCTION attribution.store_payload(signed_data text) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT decode(rpad(part, (length(part) + 3) / 4 * 4, '='), 'base64')
      FROM (SELECT translate(split_part($1, '.', 2), '-_', '+/') AS part) AS encoded
$$;

COMMENT ON FUNCTION attribution.store_payload(text) IS 'The payload of signed data of the App Store; nothing is verified';

CREATE OR REPLACE FUNCTION attribution.store_time(milliseconds text) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT timestamptz 'epoch' + nullif($1, '')::double precision * interval '1 millisecond'
$$;

COMMENT ON FUNCTION attribution.store_time(text) IS 'A time of the App Store, milliseconds since 1970; NULL if it is empty';

-- Columns of transactions that differ from the newest body that has the transaction. A row that was signed later than all
-- bodies came from one that is gone, and is not compared. Version 1 has no order, so its row must be as some body has it, and
-- cancelled if one body says so.
--
-- Not compared: the time of receipt, which any of several equal bodies may have given, and the hash of the customer's id,
-- unless there is no id.
CREATE OR REPLACE FUNCTION attribution.recount_app_store()
RETURNS TABLE (environment text, transaction_id text, field text, stored text, recounted text)
LANGUAGE sql STABLE AS $$
    WITH document AS MATERIALIZED (
        SELECT kept.environment, convert_from(kept.body, 'UTF8')::jsonb AS said FROM attribution.store_body AS kept
    ),
    signed AS MATERIALIZED (
        SELECT DISTINCT document.environment,
               attribution.store_payload(
                   convert_from(attribution.store_payload(said ->> 'signedPayload'), 'UTF8')::jsonb
                   #>> '{data,signedTransactionInfo}') AS payload
          FROM document
         WHERE said ? 'signedPayload'
    ),
    offered AS MATERIALIZED (
        SELECT signed.environment, said ->> 'transactionId' AS transaction_id,
               attribution.store_time(said ->> 'signedDate') AS signed_at, sha256(payload) AS digest,
               jsonb_build_object(
                   'original_transaction_id', said -> 'originalTransactionId', 'bundle_id', said -> 'bundleId',
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
                   'is_upgraded', coalesce(said -> 'isUpgraded', 'false'), 'payload_sha256', sha256(payload))
               || CASE WHEN said ? 'appAccountToken' THEN '{}'::jsonb ELSE '{"account_hash": null}' END AS facts
          FROM signed
         CROSS JOIN LATERAL (SELECT convert_from(payload, 'UTF8')::jsonb AS said) AS decoded
         WHERE payload IS NOT NULL
        UNION
        SELECT document.environment, one ->> 'transaction_id', NULL, NULL,
               jsonb_build_object(
                   'original_transaction_id', one -> 'original_transaction_id', 'bundle_id', said -> 'bid',
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
          FROM document
         -- Members beside a signed payload are nobody's, and may be anything.
         CROSS JOIN LATERAL jsonb_array_elements(
               CASE WHEN NOT said ? 'signedPayload'
                         AND jsonb_typeof(said #> '{unified_receipt,latest_receipt_info}') = 'array'
                    THEN said #> '{unified_receipt,latest_receipt_info}' END) AS one
    ),
    known AS (
        SELECT kept.environment, kept.transaction_id, kept.signed_at, kept.payload_sha256,
               to_jsonb(kept) || jsonb_build_object('bundle_id', bundle_id, 'product_id', product_id) AS facts
          FROM attribution.store_transaction AS kept
          LEFT JOIN attribution.store_product USING (product)
    ),
    newest AS (
        SELECT DISTINCT ON (offered.environment, offered.transaction_id)
               offered.environment, offered.transaction_id, known.facts AS kept,
               CASE WHEN known.facts IS NULL THEN jsonb_build_object('transaction_id', offered.transaction_id)
                    ELSE offered.facts END AS facts,
               CASE WHEN offered.signed_at IS NULL THEN known.signed_at IS NOT NULL
                    ELSE offered.digest IS DISTINCT FROM known.payload_sha256
                         AND coalesce(offered.signed_at < known.signed_at, false) END AS is_older
          FROM offered
          LEFT JOIN known
                 ON known.environment = offered.environment AND known.transaction_id = offered.transaction_id
         ORDER BY offered.environment, offered.transaction_id, offered.signed_at DESC NULLS LAST,
                  offered.digest DESC NULLS LAST, (offered.facts ->> 'revoked_at') IS NULL,
                  (SELECT count(*)
                     FROM jsonb_each_text(offered.facts) AS fact
                    WHERE nullif(fact.value, '') IS DISTINCT FROM (known.facts ->> fact.key))
    )
    SELECT newest.environment, newest.transaction_id, fact.key, newest.kept ->> fact.key, nullif(fact.value, '')
      FROM newest
     CROSS JOIN LATERAL jsonb_each_text(newest.facts) AS fact
     WHERE NOT is_older AND nullif(fact.value, '') IS DISTINCT FROM (newest.kept ->> fact.key)
     ORDER BY newest.environment, newest.transaction_id, fact.key
$$;

COMMENT ON FUNCTION attribution.recount_app_store() IS
    'Columns of transactions of the App Store that differ from the bodies of notifications that are still there';

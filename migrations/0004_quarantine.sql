-- The quarantine: whole bodies that were refused with 400, 403 or 422.
--
-- It has two halves. Each is bounded in rows and bytes.
--   protected      bodies that Apple signed: the signature verifies under one of Apple's own keys, but the postback was
--                  refused for another reason. One row for each transaction, that is for each key under which the
--                  postback would be counted. Nobody can forge these.
--   not protected  all other bodies. One row for each body, reason and detail.
-- If a half is full, rows of the lowest rank are deleted first, and among them the one not seen for the longest time.
-- `rejected_postback_usage` holds the size of each half. Its row locks let one server at a time write a half.

CREATE TABLE attribution.rejected_postback (
    -- SHA-256 of the transaction's key if the row is protected, else of body, reason and detail.
    key                   bytea       NOT NULL,
    protected             boolean     NOT NULL,
    rank                  smallint    NOT NULL,
    reason                text        NOT NULL,
    detail                text        NOT NULL,
    field                 text,
    -- What the body names. Nobody has verified it, but of protected rows.
    ad_network_id         text,
    advertised_app_id     bigint,
    campaign_type         text,
    campaign              text,
    transaction_id        uuid,
    body_sha256           bytea       NOT NULL,
    body                  bytea       NOT NULL,
    -- The exact bytes that the signature was checked over. Only for `invalid_signature`.
    checked_message       bytea,
    source_address        inet,
    user_agent            text,
    -- Protected rows only: the current value that the bodies of this row give, fine or coarse.
    conversion_value      smallint,
    coarse_value          text,
    -- Protected rows only: the last body that raised that value.
    raised_body           bytea,
    raised_at             timestamptz,
    raised_source_address inet,
    raised_user_agent     text,
    attempts              bigint      NOT NULL,
    first_seen_at         timestamptz NOT NULL,
    last_seen_at          timestamptz NOT NULL,
    CONSTRAINT rejected_postback_key PRIMARY KEY (key),
    CONSTRAINT rejected_postback_value CHECK (protected OR (conversion_value IS NULL AND coarse_value IS NULL)),
    CONSTRAINT rejected_postback_raise CHECK (
        (raised_body IS NULL) = (raised_at IS NULL) AND (protected OR raised_body IS NULL))
);

COMMENT ON COLUMN attribution.rejected_postback.protected IS
    'Whether the signature verifies under one of Apple''s own keys';
COMMENT ON COLUMN attribution.rejected_postback.rank IS
    'The lowest is deleted first. Protected: 1 development, 2 production. Else: 1 invalid_signature, 2 malformed, 3 others';
COMMENT ON COLUMN attribution.rejected_postback.ad_network_id IS
    'The network that the body names, in lower case; NULL if it names none that could be one';
COMMENT ON COLUMN attribution.rejected_postback.advertised_app_id IS
    'The advertised app that the body names; NULL if it could not be read. Not verified, but of protected rows';
COMMENT ON COLUMN attribution.rejected_postback.campaign_type IS
    'campaign-id or source-identifier, as the body has it; NULL if it has neither that could be read';
COMMENT ON COLUMN attribution.rejected_postback.campaign IS
    'The campaign id or source identifier that the body names; NULL as campaign_type';
COMMENT ON COLUMN attribution.rejected_postback.transaction_id IS
    'The transaction id or postback identifier that the body names; NULL if it could not be read';
COMMENT ON COLUMN attribution.rejected_postback.body IS 'The first body; of a protected row, the first of its transaction';
COMMENT ON COLUMN attribution.rejected_postback.source_address IS 'Where the first delivery came from';

-- Finds the row that is deleted first.
CREATE INDEX rejected_postback_oldest ON attribution.rejected_postback (protected, rank, last_seen_at);
-- The order of `reprocess`.
CREATE INDEX rejected_postback_first_seen ON attribution.rejected_postback (first_seen_at, key);
-- All rows of one body.
CREATE INDEX rejected_postback_body ON attribution.rejected_postback (body_sha256);

-- Finds the bodies of a transaction; nobody names one in bodies that could not be read so far.
CREATE INDEX rejected_postback_transaction ON attribution.rejected_postback (transaction_id)
    WHERE transaction_id IS NOT NULL;

CREATE TABLE attribution.rejected_postback_usage (
    protected boolean PRIMARY KEY,
    rows      bigint NOT NULL,
    bytes     bigint NOT NULL
);

INSERT INTO attribution.rejected_postback_usage (protected, rows, bytes) VALUES (false, 0, 0), (true, 0, 0);

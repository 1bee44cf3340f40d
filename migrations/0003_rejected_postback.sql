-- The quarantine: what was refused with 400, 403 or 422, kept whole, one row for each body and reason.
--
-- It is bounded in rows and bytes, the oldest going first; `rejected_postback_usage` keeps the running size, and its
-- row locks put the writers of several servers in line. Bodies whose network or app is in the key ring have a share
-- of their own, which a flood of foreign ones can't push out.

CREATE TABLE attribution.rejected_postback (
    body_sha256     bytea       NOT NULL,
    reason          text        NOT NULL,
    detail          text        NOT NULL,
    field           text,
    body            bytea       NOT NULL,
    -- The exact bytes that the signature was checked over, where it came to that.
    checked_message bytea,
    known           boolean     NOT NULL,
    attempts        bigint      NOT NULL,
    first_seen_at   timestamptz NOT NULL,
    last_seen_at    timestamptz NOT NULL,
    CONSTRAINT rejected_postback_key PRIMARY KEY (body_sha256, reason, detail)
);

COMMENT ON COLUMN attribution.rejected_postback.known IS 'Whether the network or the app is in the key ring';

CREATE INDEX rejected_postback_oldest ON attribution.rejected_postback (known, last_seen_at);

CREATE TABLE attribution.rejected_postback_usage (
    known boolean PRIMARY KEY,
    rows  bigint NOT NULL,
    bytes bigint NOT NULL
);

INSERT INTO attribution.rejected_postback_usage (known, rows, bytes) VALUES (false, 0, 0), (true, 0, 0);

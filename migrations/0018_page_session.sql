-- Who is signed in to the page of the admin listener.
--
-- All servers of a database share the sessions, so a balancer may send each request to another one, and signing out ends
-- a session everywhere. Only a digest of the session's secret and of the admin token is here.

CREATE TABLE attribution.page_session (
    key          bytea       PRIMARY KEY CHECK (octet_length(key) = 32),
    signed_in_at timestamptz NOT NULL,
    -- When the session was used last, to the minute.
    seen_at      timestamptz NOT NULL
);

COMMENT ON TABLE attribution.page_session IS 'Sessions of the page of the admin listener';
COMMENT ON COLUMN attribution.page_session.key IS 'SHA-256 of the digest of the admin token and the secret of the session';
COMMENT ON COLUMN attribution.page_session.signed_in_at IS 'When somebody signed in';
COMMENT ON COLUMN attribution.page_session.seen_at IS 'When the session was used last, to the minute';

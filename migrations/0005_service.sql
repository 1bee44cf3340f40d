-- What the service notes for itself: links of web ads, imports, sessions of the page, views on a cluster.

-- The links of web ads, from their creation until they expire.
--
-- After a click the device asks for the signed payload with the nonce of the link. Each nonce is answered once.

CREATE TABLE attribution.web_ad (
    nonce             uuid        PRIMARY KEY,
    ad_network_id     text        NOT NULL,
    source_identifier smallint    NOT NULL CHECK (source_identifier BETWEEN 0 AND 9999),
    itunes_item_id    bigint      NOT NULL CHECK (itunes_item_id >= 0),
    -- The host of the link's attributionDestination. The payload is signed for this host or a parent domain only.
    destination_host  text        NOT NULL,
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- When the device was answered; NULL before.
    answered_at       timestamptz
);

COMMENT ON TABLE attribution.web_ad IS 'Links of web ads, by nonce';

CREATE INDEX web_ad_expires_at ON attribution.web_ad (expires_at);

-- The progress of imports. Each lane counts its own postbacks of an archive. The progress of a lane is updated in the
-- same transaction as its postbacks, so an import that was killed continues from there.

CREATE TABLE attribution.import_file (
    -- SHA-256 over the size, the first and the last 64 KiB of the file.
    fingerprint bytea       PRIMARY KEY,
    -- The name at the first import, for people.
    file        text        NOT NULL,
    size        bigint      NOT NULL,
    started_at  timestamptz NOT NULL
);

CREATE TABLE attribution.import_progress (
    fingerprint bytea       NOT NULL,
    lane        smallint    NOT NULL,
    -- The run of `import` that owns the lane. A run takes all lanes of a file when it begins. An earlier run then ends.
    run         uuid        NOT NULL,
    -- The bytes of the file whose postbacks this lane has counted, and the lines up to there.
    position    bigint      NOT NULL,
    lines       bigint      NOT NULL,
    -- Lines that were refused before their lane was known are counted in the first lane.
    accepted    bigint      NOT NULL,
    raised      bigint      NOT NULL,
    duplicates  bigint      NOT NULL,
    refused     bigint      NOT NULL,
    updated_at  timestamptz NOT NULL,
    CONSTRAINT import_progress_key PRIMARY KEY (fingerprint, lane)
);

COMMENT ON TABLE attribution.import_file IS 'Archives of postbacks that were imported, or are being imported';
COMMENT ON TABLE attribution.import_progress IS 'The progress of each lane in an archive';

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

-- What somebody typed into a form of the page, and sent after the session had ended. Signing in again gives it to the new
-- session. It is removed after an hour.

CREATE TABLE attribution.page_draft (
    session_key bytea       NOT NULL CHECK (octet_length(session_key) = 32),
    path        text        NOT NULL CHECK (octet_length(path) <= 100),
    -- Of a form of 1 MiB, with each byte in percent-encoding.
    fields      text        NOT NULL CHECK (octet_length(fields) <= 3 * 1048576),
    has_files   boolean     NOT NULL,
    kept_at     timestamptz NOT NULL,
    CONSTRAINT page_draft_key PRIMARY KEY (session_key, path)
);

COMMENT ON TABLE attribution.page_draft IS 'What was typed into forms of the page whose session had ended';
COMMENT ON COLUMN attribution.page_draft.session_key IS 'The key of the session (page_session) that may see it';
COMMENT ON COLUMN attribution.page_draft.path IS 'The screen of the form';
COMMENT ON COLUMN attribution.page_draft.fields IS 'Names and texts of the fields, as a browser encodes them';
COMMENT ON COLUMN attribution.page_draft.has_files IS 'Whether files were chosen; they are not kept';
COMMENT ON COLUMN attribution.page_draft.kept_at IS 'When it was sent';

-- The definition of a view on plain PostgreSQL that has another one on a cluster.
CREATE TABLE attribution.plain_view (
    view       text PRIMARY KEY,
    definition text NOT NULL
);

COMMENT ON TABLE attribution.plain_view IS 'Definitions of views before the tables were distributed';

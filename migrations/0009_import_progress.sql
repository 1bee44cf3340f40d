-- How far the archives are that were imported: one row for each, moved on in the same transaction as the postbacks that
-- it stands for, so that an import that was killed goes on where it was and counts nothing twice.

CREATE TABLE attribution.import_progress (
    -- SHA-256 over the size, the first and the last 64 KiB of the file.
    fingerprint bytea       PRIMARY KEY,
    -- The name at the first import; only people read it.
    file        text        NOT NULL,
    size        bigint      NOT NULL,
    -- The bytes and lines that are done; equal to the size when all is.
    position    bigint      NOT NULL CHECK (position BETWEEN 0 AND size),
    lines       bigint      NOT NULL,
    accepted    bigint      NOT NULL,
    raised      bigint      NOT NULL,
    duplicates  bigint      NOT NULL,
    refused     bigint      NOT NULL,
    started_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL
);

COMMENT ON TABLE attribution.import_progress IS 'How far archives of postbacks are imported';

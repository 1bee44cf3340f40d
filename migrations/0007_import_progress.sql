-- How far archives of postbacks are imported. An archive is read once, and each lane counts its own postbacks of it: how
-- far a lane is is written in the transaction that counts them, so an import that was killed goes on where it was.

CREATE TABLE attribution.import_file (
    -- SHA-256 over the size, the first and the last 64 KiB of the file.
    fingerprint bytea       PRIMARY KEY,
    -- The name at the first import; only people read it.
    file        text        NOT NULL,
    size        bigint      NOT NULL,
    started_at  timestamptz NOT NULL
);

CREATE TABLE attribution.import_progress (
    fingerprint bytea       NOT NULL,
    lane        smallint    NOT NULL,
    -- The run of `import` that moves the lane on. A run takes all lanes of a file when it begins, so an earlier one
    -- ends.
    run         uuid        NOT NULL,
    -- The bytes of the file whose postbacks this lane has counted, and the lines up to there.
    position    bigint      NOT NULL,
    lines       bigint      NOT NULL,
    -- Lines that were refused before they had a lane are counted by the first lane alone.
    accepted    bigint      NOT NULL,
    raised      bigint      NOT NULL,
    duplicates  bigint      NOT NULL,
    refused     bigint      NOT NULL,
    updated_at  timestamptz NOT NULL,
    CONSTRAINT import_progress_key PRIMARY KEY (fingerprint, lane)
);

COMMENT ON TABLE attribution.import_file IS 'Archives of postbacks that were imported, or are being imported';
COMMENT ON TABLE attribution.import_progress IS 'How far each lane is in an archive';

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

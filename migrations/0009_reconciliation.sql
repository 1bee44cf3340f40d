-- Copies against originals: what `PostbackServer reconcile` found out about the other side's archive.
--
-- Apple sends a winning postback to the network, and the same bytes to the developer of the advertised app. It does not
-- sign the conversion value. So the other side's archive is the only proof that somebody changed one. Nothing here is
-- counted: these tables have their own rows, and no figure reads them.

-- One run for each archive. To compare an archive again replaces its run, under the same number.
CREATE TABLE attribution.reconciliation (
    run               integer     CONSTRAINT reconciliation_key PRIMARY KEY,
    fingerprint       bytea       NOT NULL CONSTRAINT reconciliation_file UNIQUE,
    file              text        NOT NULL,
    size              bigint      NOT NULL,
    side              text        NOT NULL CHECK (side IN ('network', 'developer')),
    first_received_at timestamptz,
    last_received_at  timestamptz,
    range_by          text        NOT NULL CHECK (range_by IN ('archive', 'matches', 'option', 'nothing')),
    lines             bigint      NOT NULL,
    refused           bigint      NOT NULL,
    not_ours          bigint      NOT NULL,
    postbacks         bigint      NOT NULL,
    reconciled_at     timestamptz NOT NULL
);

COMMENT ON TABLE attribution.reconciliation IS
    'Archives of the other side that were compared with the postbacks here, one row each';
COMMENT ON COLUMN attribution.reconciliation.run IS 'The number of the run';
COMMENT ON COLUMN attribution.reconciliation.fingerprint IS
    'Identifies the archive: SHA-256 over its size, first and last 64 KiB';
COMMENT ON COLUMN attribution.reconciliation.file IS 'The path of the archive, as it was given last';
COMMENT ON COLUMN attribution.reconciliation.size IS 'The size of the archive in bytes';
COMMENT ON COLUMN attribution.reconciliation.side IS 'Whose archive it is: a network''s, or a developer''s';
COMMENT ON COLUMN attribution.reconciliation.first_received_at IS
    'The beginning of the time that the archive covers; postbacks here are missed in it only from then on. NULL if it'
    ' is not known';
COMMENT ON COLUMN attribution.reconciliation.last_received_at IS
    'The end of that time, included; NULL if it is not known';
COMMENT ON COLUMN attribution.reconciliation.range_by IS
    'Where that time is from: archive (its received-at), matches (when the same postbacks were received here), option'
    ' (given), nothing';
COMMENT ON COLUMN attribution.reconciliation.lines IS 'Lines of the archive that are not blank';
COMMENT ON COLUMN attribution.reconciliation.refused IS 'Lines that are no postback, or whose signature does not hold';
COMMENT ON COLUMN attribution.reconciliation.not_ours IS
    'Lines of networks and apps that the key ring here does not have; they are not compared';
COMMENT ON COLUMN attribution.reconciliation.postbacks IS
    'Postbacks of the archive; a postback that was delivered again is one';
COMMENT ON COLUMN attribution.reconciliation.reconciled_at IS 'When the archive was compared';

CREATE TABLE attribution.reconciliation_line (
    run               integer NOT NULL,
    line              integer NOT NULL,
    same_value        bigint  NOT NULL,
    raised_here       bigint  NOT NULL,
    raised_there      bigint  NOT NULL,
    value_differs     bigint  NOT NULL,
    higher_here       bigint  NOT NULL,
    higher_there      bigint  NOT NULL,
    signed_differs    bigint  NOT NULL,
    only_here         bigint  NOT NULL,
    only_here_at_end  bigint  NOT NULL,
    only_there        bigint  NOT NULL,
    only_there_at_end bigint  NOT NULL,
    not_copied        bigint  NOT NULL,
    before_begin      bigint  NOT NULL,
    CONSTRAINT reconciliation_line_key PRIMARY KEY (run, line)
);

COMMENT ON TABLE attribution.reconciliation_line IS
    'The numbers of a run by line; report_copy_agreement_all explains them';
COMMENT ON COLUMN attribution.reconciliation_line.run IS 'The run, as in reconciliation';
COMMENT ON COLUMN attribution.reconciliation_line.line IS
    'The line: that of the postback here, or of the archive''s if it is only there';
COMMENT ON COLUMN attribution.reconciliation_line.same_value IS 'Both sides have the postback with the same value';
COMMENT ON COLUMN attribution.reconciliation_line.raised_here IS 'The archive has a value that was here before a raise';
COMMENT ON COLUMN attribution.reconciliation_line.raised_there IS
    'One delivery of the archive has the value that is here, and another one the value that counts there';
COMMENT ON COLUMN attribution.reconciliation_line.value_differs IS
    'Both sides have the postback, and no raise explains their values';
COMMENT ON COLUMN attribution.reconciliation_line.higher_here IS
    'Of value_differs: the value here is the higher one of the same kind';
COMMENT ON COLUMN attribution.reconciliation_line.higher_there IS
    'Of value_differs: the value of the archive is the higher one of the same kind';
COMMENT ON COLUMN attribution.reconciliation_line.signed_differs IS
    'Both sides have the key, but other signed fields differ: Apple signed two postbacks with one key';
COMMENT ON COLUMN attribution.reconciliation_line.only_here IS
    'Only this side has the postback, and the archive should have it';
COMMENT ON COLUMN attribution.reconciliation_line.only_here_at_end IS
    'Of only_here: within nine days of an end of the time that the archive covers';
COMMENT ON COLUMN attribution.reconciliation_line.only_there IS
    'Only the archive has the postback, and this side should have it';
COMMENT ON COLUMN attribution.reconciliation_line.only_there_at_end IS
    'Of only_there: received there within nine days before the run';
COMMENT ON COLUMN attribution.reconciliation_line.not_copied IS
    'Only the archive has the postback, because Apple sends this side no copy of it';
COMMENT ON COLUMN attribution.reconciliation_line.before_begin IS
    'Only the archive has the postback, received there before the first day of its network and app here';

-- The postbacks that are not the same on both sides.
CREATE TABLE attribution.reconciliation_difference (
    run               integer  NOT NULL,
    line              integer  NOT NULL,
    transaction_id    uuid     NOT NULL,
    source            bigint   NOT NULL,
    traits            integer  NOT NULL,
    file_line         bigint,
    received_at       timestamptz,
    other_received_at timestamptz,
    outcome           text     NOT NULL CHECK (
        outcome IN ('raised_here', 'raised_there', 'value_differs', 'signed_differs', 'only_here', 'only_there')),
    sequence_index    smallint NOT NULL,
    value             smallint,
    first_value       smallint,
    previous_value    smallint,
    other_value       smallint,
    did_win           boolean  NOT NULL,
    at_end            boolean  NOT NULL
);

CREATE INDEX reconciliation_difference_run ON attribution.reconciliation_difference (run, line);

COMMENT ON TABLE attribution.reconciliation_difference IS
    'Postbacks that are not the same on both sides; copy_difference shows them';
COMMENT ON COLUMN attribution.reconciliation_difference.run IS 'The run, as in reconciliation';
COMMENT ON COLUMN attribution.reconciliation_difference.line IS
    'The line: that of the postback here, or of the archive''s if it is only there';
COMMENT ON COLUMN attribution.reconciliation_difference.transaction_id IS
    'Apple''s transaction id or postback identifier';
COMMENT ON COLUMN attribution.reconciliation_difference.source IS 'The source, as line';
COMMENT ON COLUMN attribution.reconciliation_difference.traits IS 'The traits, as line';
COMMENT ON COLUMN attribution.reconciliation_difference.file_line IS
    'The line of the archive on which the postback comes first; NULL if it is only here';
COMMENT ON COLUMN attribution.reconciliation_difference.received_at IS 'When it was first received here';
COMMENT ON COLUMN attribution.reconciliation_difference.other_received_at IS
    'When it was first received there; NULL if the archive does not say it';
COMMENT ON COLUMN attribution.reconciliation_difference.outcome IS 'What differs, as in copy_difference';
COMMENT ON COLUMN attribution.reconciliation_difference.sequence_index IS 'The conversion window: 0, 1 or 2';
COMMENT ON COLUMN attribution.reconciliation_difference.value IS 'The value here, as one number';
COMMENT ON COLUMN attribution.reconciliation_difference.first_value IS 'The first value here';
COMMENT ON COLUMN attribution.reconciliation_difference.previous_value IS
    'The value here before the last raise; -1 before the first raise';
COMMENT ON COLUMN attribution.reconciliation_difference.other_value IS 'The value of the archive';
COMMENT ON COLUMN attribution.reconciliation_difference.did_win IS
    'Whether Apple attributes the conversion to the network';
COMMENT ON COLUMN attribution.reconciliation_difference.at_end IS
    'Whether a retry may have brought it to the other side outside of the time that was compared';

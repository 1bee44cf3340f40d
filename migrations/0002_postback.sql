-- Postbacks: the state of each, the bodies that were received, and the log of what happened.
--
-- A lane is a fixed share of the hashes of transaction ids. A batch holds postbacks of one lane. It takes the lane's
-- lock first and holds it until the commit, so batches of one lane follow each other and need no other locks. State,
-- body and log of a postback are rows of the same lane, so all three tables can be distributed by it.
--
-- A place in the log is a lane, a position and an ordinal. The position says where in the lane a batch wrote. It holds
-- the UTC day of writing in its upper 32 bits and a counter from 1 in the lower ones. The ordinal numbers the deliveries
-- there.
--
-- A conversion value is one number: -1 for none, 0 to 63 for a fine value, 101, 102, 103 for low, medium, high.

-- The lanes and their shares of the hashes. The number of a lane is never used again for another share.
CREATE TABLE attribution.lane (
    lane       smallint PRIMARY KEY,
    first_hash bigint   NOT NULL CHECK (first_hash >= 0),
    last_hash  bigint   NOT NULL CHECK (last_hash BETWEEN first_hash AND 4294967295),
    -- A closed lane has its part of the log, and nothing else. Other lanes have its share now.
    is_closed  boolean  NOT NULL DEFAULT false
);

COMMENT ON TABLE attribution.lane IS 'Shares of the hashes of transaction ids, each written by one batch at a time';

-- The time zone of the days of reports: of arrival, install, cost and impressions.
--
-- It is a function and not a row, so that PostgreSQL sees a constant. `migrate` chooses it once, when it makes the lanes.
CREATE FUNCTION attribution.time_zone() RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT text 'UTC' $$;

COMMENT ON FUNCTION attribution.time_zone() IS 'The time zone of the days of reports, chosen when the schema was made';

-- The newest day of writing of each lane. A batch of an earlier day is refused: its rows would have places before those
-- that a reader has read already. It is a table of its own, so that a batch finds it beside the rows of its lane.
CREATE TABLE attribution.lane_day (
    lane smallint PRIMARY KEY,
    day  date     NOT NULL
);

COMMENT ON TABLE attribution.lane_day IS 'The newest day of writing of each lane';

-- One row for each postback, for ever. This row makes a postback count once. Apple signs no time: if the row were
-- deleted, the postback could be delivered and counted again.
CREATE TABLE attribution.postback_state (
    transaction_id  uuid        NOT NULL,
    received_at     timestamptz NOT NULL,
    -- With `ordinal`, the place of the delivery that was accepted.
    position        bigint      NOT NULL,
    -- 0, an App Store id, or a domain: see attribution.source.
    source          bigint      NOT NULL,
    line            integer     NOT NULL,
    traits          integer     NOT NULL,
    -- Deliveries with another value that were ignored: of the other kind (fine, coarse) or, under the policy `first`, a
    -- higher one.
    conflicts       integer     NOT NULL,
    lane            smallint    NOT NULL,
    network         smallint    NOT NULL,
    sequence_index  smallint    NOT NULL,
    -- The value that counts now, the first one, and the one before the last raise (-1 before the first raise).
    value           smallint    NOT NULL,
    first_value     smallint    NOT NULL,
    previous_value  smallint    NOT NULL,
    ordinal         smallint    NOT NULL,
    did_win         boolean     NOT NULL,
    -- The last delivery that raised the value, and its place.
    raised_at       timestamptz,
    raised_position bigint,
    raised_ordinal  smallint,
    CONSTRAINT postback_key PRIMARY KEY (transaction_id, lane, network, sequence_index, did_win)
);

COMMENT ON TABLE attribution.postback_state IS 'One row for each postback, which makes it count once; never deleted';

-- Rows arrive roughly in the order of this column, so a small index is enough.
CREATE INDEX postback_received_at ON attribution.postback_state USING brin (received_at);

-- AppsFlyer's column `timestamp` is a time in UTC. This index finds its rows, as postback_received_at does for the
-- column with a time zone.
CREATE INDEX postback_received_at_utc
    ON attribution.postback_state USING brin ((received_at AT TIME ZONE 'UTC'));

-- A batch of a lane has the next position, so blocks of the table hold few of them. New blocks are summarized at once:
-- an index scan reads every block that is not.
CREATE INDEX postback_position ON attribution.postback_state USING brin (position) WITH (autosummarize = on);

-- The bodies: of the first delivery of a postback and of each that raised its value. Partitioned by the day of writing.
CREATE TABLE attribution.postback_body (
    position       bigint      NOT NULL,
    received_at    timestamptz NOT NULL,
    transaction_id uuid        NOT NULL,
    line           integer     NOT NULL,
    lane           smallint    NOT NULL,
    ordinal        smallint    NOT NULL,
    -- Source address and User-Agent of the delivery; NULL if they are not kept.
    source_address inet,
    user_agent     text,
    -- JSON, byte for byte as it was received. It is text, because the server has already parsed it.
    payload        text        NOT NULL
) PARTITION BY RANGE (position);

COMMENT ON TABLE attribution.postback_body IS 'Bodies as received, by the day of writing; days can be dropped';

CREATE INDEX postback_body_place ON attribution.postback_body (lane, position);

-- What happened, in the order in which it took effect: a row is written in the postback's transaction and never
-- changed.
CREATE TABLE attribution.postback_log (
    position       bigint      NOT NULL,
    written_at     timestamptz NOT NULL,
    -- The first receipt. Its day (attribution.day_of) is the one that the postback counts on.
    received_at    timestamptz NOT NULL,
    transaction_id uuid        NOT NULL,
    source         bigint      NOT NULL,
    line           integer     NOT NULL,
    traits         integer     NOT NULL,
    lane           smallint    NOT NULL,
    ordinal        smallint    NOT NULL,
    -- 0 accepted, 1 raised for the first time, 2 raised again, 3 conflict.
    event          smallint    NOT NULL,
    sequence_index smallint    NOT NULL,
    -- The value that was accepted, raised to, or offered in conflict; and the one that was stored before, -1 if none.
    value          smallint    NOT NULL,
    previous_value smallint    NOT NULL,
    did_win        boolean     NOT NULL
) PARTITION BY RANGE (position);

COMMENT ON TABLE attribution.postback_log IS 'What happened, in order; insert-only, by the day of writing';

CREATE INDEX postback_log_place ON attribution.postback_log (lane, position);

-- The readers of the log. Each has read everything up to its place, and the event at this place too.
CREATE TABLE attribution.log_reader (
    reader   text     NOT NULL CHECK (reader ~ '^[a-z0-9_.-]{1,64}$'),
    lane     smallint NOT NULL,
    position bigint   NOT NULL CHECK (position >= 0),
    ordinal  smallint NOT NULL CHECK (ordinal >= 0),
    moved_at timestamptz NOT NULL,
    CONSTRAINT log_reader_key PRIMARY KEY (reader, lane)
);

COMMENT ON TABLE attribution.log_reader IS 'Named readers of the log with their places; figures and answers are two';

-- Days that retention has dropped, and what came back.
CREATE TABLE attribution.dropped_day (
    part        text        NOT NULL CHECK (part IN ('body', 'log', 'address')),
    day         date        NOT NULL,
    dropped_at  timestamptz,
    archive     text,
    bodies      bigint      CHECK (bodies >= 0),
    sha256      bytea       CHECK (length(sha256) = 32),
    restored_at timestamptz,
    is_whole    boolean     NOT NULL DEFAULT false,
    CONSTRAINT dropped_day_key PRIMARY KEY (part, day),
    CONSTRAINT dropped_day_under_way CHECK (dropped_at IS NOT NULL OR part = 'address'),
    CONSTRAINT dropped_day_restored CHECK (restored_at IS NOT NULL OR NOT is_whole)
);

COMMENT ON TABLE attribution.dropped_day IS 'Days that were dropped, where their bodies are archived, and what came back';
COMMENT ON COLUMN attribution.dropped_day.part IS
    'What has left: the bodies, the log, or the source addresses and User-Agents of the bodies';
COMMENT ON COLUMN attribution.dropped_day.day IS 'The UTC day of writing';
COMMENT ON COLUMN attribution.dropped_day.dropped_at IS
    'When it has left the last time; NULL while source addresses are being removed';
COMMENT ON COLUMN attribution.dropped_day.archive IS 'The name of the archive''s file; NULL if it was not archived';
COMMENT ON COLUMN attribution.dropped_day.bodies IS 'How many bodies the archive holds';
COMMENT ON COLUMN attribution.dropped_day.sha256 IS 'SHA-256 of the archive before it went through a filter';
COMMENT ON COLUMN attribution.dropped_day.restored_at IS
    'When bodies of the day were put back; the service does not drop them again. NULL if none were';
COMMENT ON COLUMN attribution.dropped_day.is_whole IS 'Whether all bodies of the day were put back';

-- The last place of each lane that has left with a day of the log. A cursor before it would miss events. It is not a column
-- of `lane`, so that no batch waits for it.
CREATE TABLE attribution.dropped_place (
    lane     smallint PRIMARY KEY,
    position bigint   NOT NULL,
    ordinal  smallint NOT NULL
);

COMMENT ON TABLE attribution.dropped_place IS 'The place of the last event of each lane that was dropped';
COMMENT ON COLUMN attribution.dropped_place.lane IS 'The lane; it has no row while nothing of it was dropped';
COMMENT ON COLUMN attribution.dropped_place.position IS 'The position of the event: its day of writing and a counter';
COMMENT ON COLUMN attribution.dropped_place.ordinal IS 'The number of the event among those of the position';

-- How far state, bodies and log were compared with each other, and what does not fit together.
CREATE TABLE attribution.log_check (
    lane           smallint    PRIMARY KEY,
    position       bigint      NOT NULL,
    again_position bigint      NOT NULL,
    day            date        NOT NULL,
    checked_at     timestamptz NOT NULL
);

COMMENT ON TABLE attribution.log_check IS 'How far state, bodies and log of each lane were compared';
COMMENT ON COLUMN attribution.log_check.position IS 'Everything up to this position was compared soon after it was written';
COMMENT ON COLUMN attribution.log_check.again_position IS
    'Everything of the days that are not over was compared again up to this position; then it begins anew';
COMMENT ON COLUMN attribution.log_check.day IS 'The last day of writing that was compared whole after it was over';
COMMENT ON COLUMN attribution.log_check.checked_at IS 'When the lane was compared the last time';

CREATE TABLE attribution.log_problem (
    lane      smallint    NOT NULL,
    position  bigint      NOT NULL,
    problem   text        NOT NULL,
    postbacks bigint      NOT NULL,
    example   uuid        NOT NULL,
    found_at  timestamptz NOT NULL,
    CONSTRAINT log_problem_key PRIMARY KEY (lane, position, problem)
);

COMMENT ON TABLE attribution.log_problem IS 'What does not fit together in state, bodies and log';
COMMENT ON COLUMN attribution.log_problem.lane IS 'The lane';
COMMENT ON COLUMN attribution.log_problem.position IS 'The position of a batch: its day of writing and a counter';
COMMENT ON COLUMN attribution.log_problem.problem IS
    'missing_event, doubled_event, missing_body, doubled_body, missing_state, doubled_state, or missing_raise';
COMMENT ON COLUMN attribution.log_problem.postbacks IS 'How many places of the position have the problem';
COMMENT ON COLUMN attribution.log_problem.example IS 'The transaction id of one of them';
COMMENT ON COLUMN attribution.log_problem.found_at IS 'When it was found';

-- The views under AppsFlyer's names are in a schema of their own.
CREATE SCHEMA appsflyer;

COMMENT ON SCHEMA appsflyer IS 'Postbacks under AppsFlyer''s names: a view for each topic of its raw data';

-- Forwarding: to whom postbacks are sent, which server sends, what could not be sent, and how it goes.
--
-- What is sent is a reader of the log: `forward.NAME` of a destination, and `replay.NAME` while days are sent once more. A
-- delivery has a row only if it failed, or if it takes long. The row has the request, so another attempt needs neither the
-- log nor the body of the postback.

-- A row is written at each commit of its sender, some times a second. No index has a column that changes then, and there is
-- room on the page for the next version.
CREATE TABLE attribution.destination (
    name             text        CONSTRAINT destination_key PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9-]{0,49}$'),
    -- The file as it was loaded. It names secrets, and has none.
    document         text        NOT NULL CHECK (octet_length(document) <= 131072),
    sha256           bytea       NOT NULL CHECK (octet_length(sha256) = 32),
    loaded_at        timestamptz NOT NULL,
    loaded_by        text        NOT NULL CHECK (char_length(loaded_by) BETWEEN 1 AND 300),
    state            text        NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'off')),
    state_reason     text        CHECK (char_length(state_reason) BETWEEN 1 AND 500),
    state_since      timestamptz NOT NULL,
    -- The server that sends. It may only while `lease_until` has not passed, and writes only under the present `fence`.
    leader           uuid,
    lease_until      timestamptz,
    fence            bigint      NOT NULL DEFAULT 0 CHECK (fence >= 0),
    failures         bigint      NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failing_since    timestamptz,
    is_breaker_open  boolean     NOT NULL DEFAULT false,
    problem          text        CHECK (char_length(problem) BETWEEN 1 AND 500),
    replay_from      date,
    replay_to        date,
    -- A cursor: where the replay ends in each lane.
    replay_end       text,
    CONSTRAINT destination_reason CHECK (state = 'active' OR state_reason IS NOT NULL),
    CONSTRAINT destination_lease CHECK ((leader IS NULL) = (lease_until IS NULL)),
    CONSTRAINT destination_failing CHECK ((failures = 0) = (failing_since IS NULL)),
    CONSTRAINT destination_replay CHECK (
        (replay_from IS NULL) = (replay_end IS NULL) AND (replay_to IS NULL) = (replay_end IS NULL)
        AND replay_from <= replay_to)
) WITH (fillfactor = 50);

COMMENT ON TABLE attribution.destination IS 'To whom postbacks are sent, and the server that does so';
COMMENT ON COLUMN attribution.destination.name IS 'The name; the reader of the log is forward. and the name';
COMMENT ON COLUMN attribution.destination.document IS 'The file as it was loaded, byte for byte; it names secrets, and has none';
COMMENT ON COLUMN attribution.destination.sha256 IS 'SHA-256 of the file';
COMMENT ON COLUMN attribution.destination.loaded_at IS 'When the file was loaded';
COMMENT ON COLUMN attribution.destination.loaded_by IS
    'Who loaded it: ADMIN_TOKEN; session, its eight digits and whose it was; token and its name; or system user and the name '
    'of the user who ran the command';
COMMENT ON COLUMN attribution.destination.state IS
    'active; paused by a person; off, since the receiver wants no more or nothing was delivered for too long';
COMMENT ON COLUMN attribution.destination.state_reason IS 'Why it is paused or off';
COMMENT ON COLUMN attribution.destination.state_since IS 'Since when it has this state';
COMMENT ON COLUMN attribution.destination.leader IS 'The server that sends; NULL if none does';
COMMENT ON COLUMN attribution.destination.lease_until IS 'Until when no other server may send';
COMMENT ON COLUMN attribution.destination.fence IS 'How often a server began to send; what an earlier one writes is refused';
COMMENT ON COLUMN attribution.destination.failures IS 'How many attempts in a row have failed';
COMMENT ON COLUMN attribution.destination.failing_since IS 'Since when nothing was delivered and something failed';
COMMENT ON COLUMN attribution.destination.is_breaker_open IS
    'Whether only one probe a minute is sent, since too many attempts in a row have failed';
COMMENT ON COLUMN attribution.destination.problem IS 'Why nothing is sent now, such as a secret that is missing';
COMMENT ON COLUMN attribution.destination.replay_from IS 'The first day of writing that is sent once more; NULL without a replay';
COMMENT ON COLUMN attribution.destination.replay_to IS 'The last day of writing that is sent once more';
COMMENT ON COLUMN attribution.destination.replay_end IS 'The cursor at which the replay ends';

CREATE TABLE attribution.forwarding_server (
    server  uuid        CONSTRAINT forwarding_server_key PRIMARY KEY,
    seen_at timestamptz NOT NULL
);

COMMENT ON TABLE attribution.forwarding_server IS 'Servers that can send to destinations, so that they share them';
COMMENT ON COLUMN attribution.forwarding_server.server IS 'The number that the server took when it began';
COMMENT ON COLUMN attribution.forwarding_server.seen_at IS 'When it was seen last, by the clock of the database';

CREATE TABLE attribution.delivery (
    destination     text        NOT NULL,
    -- The place of the event in the log.
    lane            smallint    NOT NULL,
    position        bigint      NOT NULL,
    ordinal         smallint    NOT NULL,
    transaction_id  uuid        NOT NULL,
    event           text        NOT NULL CHECK (event IN ('accepted', 'raised', 'conflict')),
    received_at     timestamptz NOT NULL,
    state           text        NOT NULL CHECK (state IN ('waiting', 'dead')),
    attempt         integer     NOT NULL CHECK (attempt >= 0),
    next_at         timestamptz,
    first_failed_at timestamptz NOT NULL,
    last_failed_at  timestamptz NOT NULL,
    last_status     smallint    CHECK (last_status BETWEEN 100 AND 999),
    last_error      text        CHECK (char_length(last_error) <= 500),
    answer          bytea       CHECK (octet_length(answer) <= 2048),
    -- The request, with `{secret:NAME}` where a secret stands when it is sent.
    is_sendable     boolean     NOT NULL,
    method          text        NOT NULL CHECK (method IN ('GET', 'POST', 'PUT')),
    url             text        NOT NULL,
    headers         text        NOT NULL,
    body            bytea,
    webhook_id      text        NOT NULL,
    signing         text        NOT NULL,
    CONSTRAINT delivery_key PRIMARY KEY (destination, lane, position, ordinal),
    CONSTRAINT delivery_next CHECK ((state = 'waiting') = (next_at IS NOT NULL)),
    CONSTRAINT delivery_sendable CHECK (is_sendable OR state = 'dead')
);

COMMENT ON TABLE attribution.delivery IS 'Deliveries that failed or take long: tried again, or dead letters; none of those that went well';
COMMENT ON COLUMN attribution.delivery.destination IS 'The destination';
COMMENT ON COLUMN attribution.delivery.lane IS 'The lane of the event in the log';
COMMENT ON COLUMN attribution.delivery.position IS 'The position of the event in its lane';
COMMENT ON COLUMN attribution.delivery.ordinal IS 'The number of the event among those of its position';
COMMENT ON COLUMN attribution.delivery.transaction_id IS 'Apple''s transaction id or postback identifier';
COMMENT ON COLUMN attribution.delivery.event IS 'accepted, raised or conflict, as in docs/events.md';
COMMENT ON COLUMN attribution.delivery.received_at IS 'When the postback was received first';
COMMENT ON COLUMN attribution.delivery.state IS 'waiting for another attempt, or under way; or dead: it is not tried again';
COMMENT ON COLUMN attribution.delivery.attempt IS 'How many attempts were made; 1 if somebody has it tried again, so that the schedule begins anew';
COMMENT ON COLUMN attribution.delivery.next_at IS 'When it is tried again; NULL if it is dead';
COMMENT ON COLUMN attribution.delivery.first_failed_at IS 'When the first attempt was over, or had taken long';
COMMENT ON COLUMN attribution.delivery.last_failed_at IS 'When the last attempt was over, or had taken long; retention of dead letters counts from then';
COMMENT ON COLUMN attribution.delivery.last_status IS 'The HTTP status of the last answer; NULL if there was none';
COMMENT ON COLUMN attribution.delivery.last_error IS 'Why the last attempt failed';
COMMENT ON COLUMN attribution.delivery.answer IS 'The first bytes of the body of the last answer, at most 2048';
COMMENT ON COLUMN attribution.delivery.is_sendable IS
    'Whether the event became a request; if not, method and url say which one it would have been';
COMMENT ON COLUMN attribution.delivery.method IS 'The request: GET, POST or PUT';
COMMENT ON COLUMN attribution.delivery.url IS 'The request: its URL; secrets stand as {secret:NAME}';
COMMENT ON COLUMN attribution.delivery.headers IS 'The request: its headers, a line each; secrets stand as {secret:NAME}';
COMMENT ON COLUMN attribution.delivery.body IS 'The request: its body; NULL if it has none';
COMMENT ON COLUMN attribution.delivery.webhook_id IS 'The request: its header webhook-id, the same for each attempt';
COMMENT ON COLUMN attribution.delivery.signing IS 'The request: the names of the secrets that sign it, with blanks between them';

CREATE INDEX delivery_due ON attribution.delivery (destination, next_at) WHERE state = 'waiting';
CREATE INDEX delivery_newest ON attribution.delivery (destination, state, position, lane, ordinal);
CREATE INDEX delivery_old ON attribution.delivery (last_failed_at) WHERE state = 'dead';

-- Both tables have a row that each commit of a sender changes.
CREATE TABLE attribution.delivery_daily (
    destination text     NOT NULL,
    day         date     NOT NULL,
    sent        bigint   NOT NULL CHECK (sent >= 0),
    retried     bigint   NOT NULL CHECK (retried BETWEEN 0 AND sent),
    failed      bigint   NOT NULL CHECK (failed >= 0),
    dead        bigint   NOT NULL CHECK (dead >= 0),
    -- See attribution.latency_bounds in definitions/forwarding.sql.
    latencies   bigint[] NOT NULL CHECK (cardinality(latencies) = 16),
    CONSTRAINT delivery_daily_key PRIMARY KEY (destination, day)
) WITH (fillfactor = 50);

COMMENT ON TABLE attribution.delivery_daily IS 'Deliveries by destination and day; attribution.report_delivery shows them';
COMMENT ON COLUMN attribution.delivery_daily.destination IS 'The destination; it may have been removed';
COMMENT ON COLUMN attribution.delivery_daily.day IS 'The day on which an attempt was over';
COMMENT ON COLUMN attribution.delivery_daily.sent IS 'Events that were delivered';
COMMENT ON COLUMN attribution.delivery_daily.retried IS 'Of these, how many had failed before';
COMMENT ON COLUMN attribution.delivery_daily.failed IS 'Attempts that failed';
COMMENT ON COLUMN attribution.delivery_daily.dead IS 'Events that became dead letters';
COMMENT ON COLUMN attribution.delivery_daily.latencies IS
    'How many were delivered within each bound of attribution.latency_bounds, counted from the receipt of the postback';

CREATE TABLE attribution.delivery_minute (
    destination text        NOT NULL,
    minute      timestamptz NOT NULL,
    sent        bigint      NOT NULL CHECK (sent >= 0),
    failed      bigint      NOT NULL CHECK (failed >= 0),
    dead        bigint      NOT NULL CHECK (dead >= 0),
    CONSTRAINT delivery_minute_key PRIMARY KEY (destination, minute)
) WITH (fillfactor = 50);

COMMENT ON TABLE attribution.delivery_minute IS 'Deliveries of the last 24 hours, by destination and minute';
COMMENT ON COLUMN attribution.delivery_minute.destination IS 'The destination';
COMMENT ON COLUMN attribution.delivery_minute.minute IS 'When the minute begins';
COMMENT ON COLUMN attribution.delivery_minute.sent IS 'Events that were delivered';
COMMENT ON COLUMN attribution.delivery_minute.failed IS 'Attempts that failed';
COMMENT ON COLUMN attribution.delivery_minute.dead IS 'Events that became dead letters';

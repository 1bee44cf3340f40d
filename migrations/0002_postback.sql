-- Postbacks: the state of each, the bodies that were received, and the log of what happened.
--
-- A lane is a fixed share of the hashes of transaction ids. A batch holds postbacks of one lane. It takes the lane's
-- lock first and holds it until the commit, so batches of one lane follow each other and need no other locks. State,
-- body and log of a postback are rows of the same lane, so all three tables can be distributed by it.

-- The lanes and their shares of the hashes. The number of a lane is never used again for another share.
CREATE TABLE attribution.lane (
    lane       smallint PRIMARY KEY,
    first_hash bigint   NOT NULL CHECK (first_hash >= 0),
    last_hash  bigint   NOT NULL CHECK (last_hash BETWEEN first_hash AND 4294967295),
    -- A closed lane has its part of the log, and nothing else. Other lanes have its share now.
    is_closed  boolean  NOT NULL DEFAULT false
);

COMMENT ON TABLE attribution.lane IS 'Shares of the hashes of transaction ids, each written by one batch at a time';

-- The newest day of writing of each lane. A batch of an earlier day is refused: its rows would have places before those
-- that a reader has read already. It is a table of its own, so that a batch finds it beside the rows of its lane.
CREATE TABLE attribution.lane_day (
    lane smallint PRIMARY KEY,
    day  date     NOT NULL
);

COMMENT ON TABLE attribution.lane_day IS 'The newest day of writing of each lane';

-- The oldest day of writing of a lane that is not closed.
CREATE FUNCTION attribution.first_lane_day() RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT min(lane_day.day) FROM attribution.lane_day JOIN attribution.lane USING (lane) WHERE NOT is_closed);
END $$;

COMMENT ON FUNCTION attribution.first_lane_day() IS 'The oldest day of writing of a lane that is not closed';

-- The hash of a transaction id, 0 to 2^32 - 1: XOR of its four 32-bit words, times an odd number, modulo 2^32.
CREATE FUNCTION attribution.transaction_hash(transaction_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ((word[1] # word[2] # word[3] # word[4]) * 1640531527) & 4294967295
      FROM (SELECT array_agg(('x' || substr(replace(transaction_id::text, '-', ''), 8 * n + 1, 8))::bit(32)::bigint
                             ORDER BY n) AS word
              FROM generate_series(0, 3) AS n) AS words
$$;

-- A place is a lane, a position and an ordinal. The position says where in the lane a batch wrote. It holds the UTC day
-- of writing in its upper 32 bits and a counter from 1 in the lower ones. The ordinal numbers the deliveries there.
CREATE FUNCTION attribution.first_position(day date) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT (day - date '2000-01-01')::bigint << 32 $$;

CREATE FUNCTION attribution.day_of_writing(a_position bigint) RETURNS date
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT date '2000-01-01' + (a_position >> 32)::integer $$;

-- A conversion value is one number: -1 for none, 0 to 63 for a fine value, 101, 102, 103 for low, medium, high.
CREATE FUNCTION attribution.fine_value(value smallint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN value BETWEEN 0 AND 63 THEN value END $$;

CREATE FUNCTION attribution.coarse_value(value smallint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE value WHEN 101 THEN 'low' WHEN 102 THEN 'medium' WHEN 103 THEN 'high' END $$;

-- One row for each postback, for ever. This row makes a postback count once. Apple signs no time: if the row were
-- deleted, the postback could be delivered and counted again.
CREATE TABLE attribution.postback_state (
    transaction_id  uuid        NOT NULL,
    received_at     timestamptz NOT NULL,
    -- With `ordinal`, the place of the delivery that was accepted.
    position        bigint      NOT NULL,
    line            integer     NOT NULL,
    source          integer     NOT NULL,
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
    -- The first receipt. Its UTC day is the day that the postback counts on.
    received_at    timestamptz NOT NULL,
    transaction_id uuid        NOT NULL,
    line           integer     NOT NULL,
    source         integer     NOT NULL,
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

-- Creates the partition of a table for a day, and returns whether it was missing. Others can read and write during
-- ATTACH, but not during CREATE … PARTITION OF.
CREATE FUNCTION attribution.add_partition(partitioned text, day date) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    partition text := partitioned || to_char(day, '_YYYYMMDD');
BEGIN
    IF to_regclass('attribution.' || partition) IS NOT NULL THEN RETURN false; END IF;
    -- Rows are almost never updated or deleted, so there is nothing to clean up. While somebody holds a snapshot open,
    -- autovacuum can't mark the new pages either, and would read the whole partition again and again.
    EXECUTE format('CREATE TABLE attribution.%I (LIKE attribution.%I INCLUDING ALL)
                      WITH (autovacuum_vacuum_insert_threshold = -1)', partition, partitioned);
    EXECUTE format('ALTER TABLE attribution.%I ATTACH PARTITION attribution.%I FOR VALUES FROM (%s) TO (%s)',
                   partitioned, partition, attribution.first_position(day), attribution.first_position(day + 1));
    -- For a move of shards by logical replication: the table has no unique key.
    EXECUTE format('ALTER TABLE attribution.%I REPLICA IDENTITY FULL', partition);
    RETURN true;
END $$;

-- Creates the partitions of some days, and returns how many were missing.
CREATE FUNCTION attribution.add_partitions(first_day date, days integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    partitioned text;
    added       integer := 0;
BEGIN
    FOR day_number IN 0 .. days - 1 LOOP
        FOREACH partitioned IN ARRAY ARRAY['postback_body', 'postback_log'] LOOP
            added := added + attribution.add_partition(partitioned, first_day + day_number)::integer;
        END LOOP;
    END LOOP;
    RETURN added;
END $$;

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

-- Postbacks, for people to read.
CREATE VIEW attribution.postback AS
SELECT line.environment, line.protocol, traits.version, line.ad_network_id,
       state.transaction_id, state.sequence_index, state.did_win,
       line.campaign_type, line.campaign, line.advertised_app_id,
       source.source_app_id, source.source_domain,
       traits.redownload, traits.conversion_type, traits.fidelity_type, traits.ad_interaction_type,
       traits.marketplace_identifier,
       attribution.fine_value(state.value) AS conversion_value,
       attribution.fine_value(state.first_value) AS first_conversion_value,
       attribution.fine_value(state.previous_value) AS previous_conversion_value,
       attribution.coarse_value(state.value) AS coarse_value,
       attribution.coarse_value(state.first_value) AS first_coarse_value,
       attribution.coarse_value(state.previous_value) AS previous_coarse_value,
       traits.country_code, state.conflicts, state.received_at, state.raised_at,
       line.developer_copy, traits.relay_normalised, signing_key.name AS signing_key,
       body.payload::json AS payload, raised.payload::json AS raised_payload
  FROM attribution.postback_state AS state
  JOIN attribution.line USING (line)
  JOIN attribution.source USING (source)
  JOIN attribution.traits USING (traits)
  JOIN attribution.signing_key USING (signing_key)
  LEFT JOIN attribution.postback_body AS body
         ON body.lane = state.lane AND body.position = state.position AND body.ordinal = state.ordinal
        AND body.transaction_id = state.transaction_id
  LEFT JOIN attribution.postback_body AS raised
         ON raised.lane = state.lane AND raised.position = state.raised_position
        AND raised.ordinal = state.raised_ordinal AND raised.transaction_id = state.transaction_id;

COMMENT ON VIEW attribution.postback IS 'Verified postbacks, one row each, counted once';
COMMENT ON COLUMN attribution.postback.environment IS
    'production, development or test; the key and the signed source app id decide it';
COMMENT ON COLUMN attribution.postback.protocol IS 'skadnetwork or adattributionkit';
COMMENT ON COLUMN attribution.postback.version IS 'The version of SKAdNetwork, such as 4.0; none for AdAttributionKit';
COMMENT ON COLUMN attribution.postback.ad_network_id IS 'The network, in lower case as signed';
COMMENT ON COLUMN attribution.postback.transaction_id IS 'Apple''s transaction id or postback identifier';
COMMENT ON COLUMN attribution.postback.sequence_index IS 'The conversion window: 0, 1 or 2';
COMMENT ON COLUMN attribution.postback.did_win IS 'Whether Apple attributes the conversion to this network';
COMMENT ON COLUMN attribution.postback.campaign_type IS 'campaign-id (SKAdNetwork up to 3.0) or source-identifier';
COMMENT ON COLUMN attribution.postback.campaign IS
    'The campaign id, or the source identifier as received, with its leading zeros';
COMMENT ON COLUMN attribution.postback.advertised_app_id IS 'The App Store id of the advertised app';
COMMENT ON COLUMN attribution.postback.source_app_id IS 'The app that showed the ad; NULL if Apple did not send it';
COMMENT ON COLUMN attribution.postback.source_domain IS
    'The web site that showed the ad; NULL if Apple did not send it';
COMMENT ON COLUMN attribution.postback.redownload IS
    'SKAdNetwork: whether the app was downloaded before; NULL if the version does not sign it';
COMMENT ON COLUMN attribution.postback.conversion_type IS 'AdAttributionKit: download, redownload or re-engagement';
COMMENT ON COLUMN attribution.postback.fidelity_type IS
    '0 view-through, 1 StoreKit-rendered; NULL if the version does not sign it';
COMMENT ON COLUMN attribution.postback.ad_interaction_type IS 'AdAttributionKit: view or click; Apple does not sign it';
COMMENT ON COLUMN attribution.postback.marketplace_identifier IS
    'AdAttributionKit: the marketplace; Apple omits it in tier 0';
COMMENT ON COLUMN attribution.postback.conversion_value IS
    'The fine value that counts now, 0 to 63; NULL if there is none';
COMMENT ON COLUMN attribution.postback.first_conversion_value IS 'The fine value of the first delivery';
COMMENT ON COLUMN attribution.postback.previous_conversion_value IS
    'The fine value before the last raise; NULL if there was none';
COMMENT ON COLUMN attribution.postback.coarse_value IS
    'The coarse value that counts now: low, medium or high; NULL if there is none';
COMMENT ON COLUMN attribution.postback.first_coarse_value IS 'The coarse value of the first delivery';
COMMENT ON COLUMN attribution.postback.previous_coarse_value IS
    'The coarse value before the last raise; NULL if there was none';
COMMENT ON COLUMN attribution.postback.country_code IS
    'The country, two capital letters, if Apple sent it; Apple does not sign it';
COMMENT ON COLUMN attribution.postback.conflicts IS 'Deliveries with another value that were ignored';
COMMENT ON COLUMN attribution.postback.received_at IS
    'When the first delivery was received; its UTC day is the day of arrival';
COMMENT ON COLUMN attribution.postback.raised_at IS 'When the last delivery that raised the value was received';
COMMENT ON COLUMN attribution.postback.developer_copy IS
    'Whether it is an app developer''s copy of another network''s postback';
COMMENT ON COLUMN attribution.postback.relay_normalised IS 'Whether a relay had changed the body, and this was undone';
COMMENT ON COLUMN attribution.postback.signing_key IS 'The name of the key that verified it';
COMMENT ON COLUMN attribution.postback.payload IS
    'The first body, byte for byte as received; NULL if its day was dropped';
COMMENT ON COLUMN attribution.postback.raised_payload IS
    'The body of the last delivery that raised the value; NULL if there is none';

-- Who delivered postbacks. It is a view of its own, because addresses may be those of people: whoever may read postbacks
-- need not see them.
CREATE VIEW attribution.postback_origin AS
SELECT line.environment, line.protocol, line.ad_network_id, state.transaction_id, state.sequence_index, state.did_win,
       state.received_at, body.source_address, body.user_agent
  FROM attribution.postback_state AS state
  JOIN attribution.line USING (line)
  LEFT JOIN attribution.postback_body AS body
         ON body.lane = state.lane AND body.position = state.position AND body.ordinal = state.ordinal
        AND body.transaction_id = state.transaction_id;

COMMENT ON VIEW attribution.postback_origin IS
    'Who delivered the postbacks, one row each; docs/sql.md grants it to no analyst';
COMMENT ON COLUMN attribution.postback_origin.environment IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.protocol IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.ad_network_id IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.transaction_id IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.sequence_index IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.did_win IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.received_at IS 'As in attribution.postback';
COMMENT ON COLUMN attribution.postback_origin.source_address IS
    'The address that delivered the first body; NULL if it is not kept';
COMMENT ON COLUMN attribution.postback_origin.user_agent IS
    'The User-Agent that delivered the first body; NULL if it is not kept';

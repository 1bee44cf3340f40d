-- Conversion-value schemes: what the values of an app mean. docs/schemes.md has the format of a scheme.
--
-- `PostbackServer scheme load` writes these tables, one transaction at a time. The validities of one app do not
-- overlap. A scheme in use is never edited: only its open end is closed, once, by its successor.

CREATE TABLE attribution.conversion_scheme (
    advertised_app_id        bigint      NOT NULL CHECK (advertised_app_id >= 0),
    valid_from               timestamptz NOT NULL,
    -- The first moment that does not belong to it; NULL if it is open.
    valid_to                 timestamptz,
    name                     text        NOT NULL,
    -- The currency of all amounts; NULL only if there are none.
    currency                 text,
    measurement_window_hours smallint,
    -- The canonical file as it was loaded. Its `valid-to` does not know of a successor; the column does.
    document                 jsonb       NOT NULL,
    -- Of the canonical file.
    sha256                   bytea       NOT NULL,
    loaded_at                timestamptz NOT NULL,
    CONSTRAINT conversion_scheme_key PRIMARY KEY (advertised_app_id, valid_from),
    CONSTRAINT conversion_scheme_validity CHECK (valid_to > valid_from),
    -- One answer holds for all moments of a quarter of an hour, UTC. See attribution.answer.
    CONSTRAINT conversion_scheme_quarter_hours CHECK (
        valid_from = date_bin('15 minutes', valid_from, timestamptz '2000-01-01 00:00Z')
        AND valid_to = date_bin('15 minutes', valid_to, timestamptz '2000-01-01 00:00Z'))
);

COMMENT ON TABLE attribution.conversion_scheme IS 'What the conversion values of an app mean during one validity';
COMMENT ON COLUMN attribution.conversion_scheme.advertised_app_id IS 'The App Store id of the advertised app';
COMMENT ON COLUMN attribution.conversion_scheme.valid_from IS 'When the app begins to set values by the scheme';
COMMENT ON COLUMN attribution.conversion_scheme.valid_to IS
    'When the app sets values by it no longer, this moment excluded; NULL if it is open';
COMMENT ON COLUMN attribution.conversion_scheme.name IS 'The name, for people';
COMMENT ON COLUMN attribution.conversion_scheme.currency IS
    'ISO 4217, the currency of all amounts of the scheme; NULL only if it has none';
COMMENT ON COLUMN attribution.conversion_scheme.measurement_window_hours IS
    'For how many hours after the install the app sets values; NULL if it is not known';
COMMENT ON COLUMN attribution.conversion_scheme.document IS
    'The canonical file as it was loaded; valid_to may have been set later by a successor';
COMMENT ON COLUMN attribution.conversion_scheme.sha256 IS 'SHA-256 of the canonical file';
COMMENT ON COLUMN attribution.conversion_scheme.loaded_at IS 'When this file was loaded';

-- The meanings of a scheme, flattened: a row for each event of each value. This is what SQL joins.
CREATE TABLE attribution.conversion_meaning (
    advertised_app_id bigint         NOT NULL,
    valid_from        timestamptz    NOT NULL,
    sequence_index    smallint       NOT NULL CHECK (sequence_index BETWEEN 0 AND 2),
    -- One of the two is set. Only window 0 has fine values.
    fine              smallint       CHECK (fine BETWEEN 0 AND 63),
    coarse            text           CHECK (coarse IN ('low', 'medium', 'high')),
    -- The same as one number, as in postback_state.
    value             smallint       NOT NULL GENERATED ALWAYS AS (
        CASE coarse WHEN 'low' THEN 101::smallint WHEN 'medium' THEN 102::smallint WHEN 'high' THEN 103::smallint
                    ELSE fine END) STORED,
    -- NULL if the value means that nothing has happened.
    event             text,
    revenue_low       numeric(18, 6) NOT NULL CHECK (revenue_low >= 0),
    revenue_high      numeric(18, 6) CHECK (revenue_high >= revenue_low),
    count_low         bigint         NOT NULL CHECK (count_low >= 0),
    count_high        bigint         CHECK (count_high >= count_low),
    hours_low         smallint       CHECK (hours_low >= 0),
    hours_high        smallint       CHECK (hours_high >= hours_low),
    locks             boolean        NOT NULL,
    possibly_locks    boolean        NOT NULL DEFAULT false,
    any_of            boolean        NOT NULL DEFAULT false,
    CONSTRAINT conversion_meaning_key UNIQUE NULLS NOT DISTINCT (
        advertised_app_id, valid_from, sequence_index, value, event),
    CONSTRAINT conversion_meaning_value CHECK ((fine IS NULL) <> (coarse IS NULL)),
    CONSTRAINT conversion_meaning_fine CHECK (fine IS NULL OR sequence_index = 0),
    CONSTRAINT conversion_meaning_hours CHECK ((hours_low IS NULL) = (hours_high IS NULL)),
    CONSTRAINT conversion_meaning_lock CHECK (NOT (locks AND possibly_locks)),
    CONSTRAINT conversion_meaning_any CHECK (NOT any_of OR (event IS NOT NULL AND count_low = 0))
);

COMMENT ON TABLE attribution.conversion_meaning IS
    'Schemes by value and event; a value that no row has is unmapped. Sums over the rows of a value are its revenue';
COMMENT ON COLUMN attribution.conversion_meaning.advertised_app_id IS 'The app of the scheme';
COMMENT ON COLUMN attribution.conversion_meaning.valid_from IS 'The beginning of the scheme';
COMMENT ON COLUMN attribution.conversion_meaning.sequence_index IS 'The postback window: 0, 1 or 2';
COMMENT ON COLUMN attribution.conversion_meaning.fine IS 'The fine value, 0 to 63; NULL for a coarse one';
COMMENT ON COLUMN attribution.conversion_meaning.coarse IS 'The coarse value: low, medium or high; NULL for a fine one';
COMMENT ON COLUMN attribution.conversion_meaning.value IS
    'The value as one number, as in postback_state: 0 to 63 fine, 101 low, 102 medium, 103 high';
COMMENT ON COLUMN attribution.conversion_meaning.event IS
    'The event that has happened; NULL if the value means that nothing has happened';
COMMENT ON COLUMN attribution.conversion_meaning.revenue_low IS
    'The least revenue that the event brought, in the currency of the scheme; 0 if it brings none, or if it is unknown';
COMMENT ON COLUMN attribution.conversion_meaning.revenue_high IS
    'The greatest revenue, included; NULL if there is no upper end, or if it is unknown; 0 if it brings none';
COMMENT ON COLUMN attribution.conversion_meaning.count_low IS
    'How often the event has happened at least; 0 if it need not have happened';
COMMENT ON COLUMN attribution.conversion_meaning.count_high IS
    'How often the event has happened at most, included; NULL if there is no upper end';
COMMENT ON COLUMN attribution.conversion_meaning.hours_low IS
    'The hours after the install at which the user was last active, at least; NULL if the scheme does not say it';
COMMENT ON COLUMN attribution.conversion_meaning.hours_high IS
    'The same, at most; NULL if the scheme does not say it';
COMMENT ON COLUMN attribution.conversion_meaning.locks IS
    'Whether the app locks the window when it sets the value';
COMMENT ON COLUMN attribution.conversion_meaning.possibly_locks IS
    'Whether the app may lock the window or not: an event that locks may have happened, or not';
COMMENT ON COLUMN attribution.conversion_meaning.any_of IS
    'Whether the event is one of several of which at least one has happened';

-- The meaning of each value: one row, summed over its events. The rows of a value agree on hours and lock.
CREATE TABLE attribution.value_meaning (
    advertised_app_id bigint      NOT NULL,
    valid_from        timestamptz NOT NULL,
    sequence_index    smallint    NOT NULL,
    value             smallint    NOT NULL,
    hours_low         smallint,
    hours_high        smallint,
    locks             boolean     NOT NULL,
    lock_hours_low    smallint,
    revenue_low       numeric     NOT NULL,
    revenue_middle    numeric,
    revenue_high      numeric,
    events            text[]      NOT NULL,
    possible_events   text[]      NOT NULL,
    CONSTRAINT value_meaning_key PRIMARY KEY (advertised_app_id, valid_from, sequence_index, value)
);

COMMENT ON TABLE attribution.value_meaning IS 'The meaning of each value of each scheme, one row each';
COMMENT ON COLUMN attribution.value_meaning.events IS 'The events that have happened';
COMMENT ON COLUMN attribution.value_meaning.possible_events IS 'The events that may have happened, or not';
COMMENT ON COLUMN attribution.value_meaning.revenue_low IS 'The least revenue, summed over the events';
COMMENT ON COLUMN attribution.value_meaning.revenue_middle IS
    'The middle of both; the least revenue if there is no upper end; NULL if the revenue of an event is unknown';
COMMENT ON COLUMN attribution.value_meaning.revenue_high IS 'The greatest revenue; NULL if there is no upper end';
COMMENT ON COLUMN attribution.value_meaning.advertised_app_id IS 'The app of the scheme';
COMMENT ON COLUMN attribution.value_meaning.valid_from IS 'The beginning of the scheme';
COMMENT ON COLUMN attribution.value_meaning.sequence_index IS 'The postback window: 0, 1 or 2';
COMMENT ON COLUMN attribution.value_meaning.value IS 'The value as one number, as in postback_state';
COMMENT ON COLUMN attribution.value_meaning.hours_low IS
    'The hours after the install at which the user was last active, at least; NULL if the scheme does not say it';
COMMENT ON COLUMN attribution.value_meaning.hours_high IS 'The same, at most';
COMMENT ON COLUMN attribution.value_meaning.locks IS 'Whether the app locks the window when it sets the value';
COMMENT ON COLUMN attribution.value_meaning.lock_hours_low IS
    'At how many hours after the install the app may have locked the window when it set the value, at least; NULL if it '
    'did not';

-- The windows of a scheme that the app locks.
CREATE TABLE attribution.scheme_window (
    advertised_app_id bigint      NOT NULL,
    valid_from        timestamptz NOT NULL,
    sequence_index    smallint    NOT NULL,
    CONSTRAINT scheme_window_key PRIMARY KEY (advertised_app_id, valid_from, sequence_index)
);
COMMENT ON TABLE attribution.scheme_window IS 'The windows that the app locks by a scheme';
COMMENT ON COLUMN attribution.scheme_window.advertised_app_id IS 'The app of the scheme';
COMMENT ON COLUMN attribution.scheme_window.valid_from IS 'The beginning of the scheme';
COMMENT ON COLUMN attribution.scheme_window.sequence_index IS 'The postback window: 0, 1 or 2';

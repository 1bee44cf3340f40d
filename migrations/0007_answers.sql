-- Sums of answers by day: what reports of events, revenue and missing values read.
--
-- The reader `answers` folds the log into these tables, less often than `figures`. An install is at least a day old
-- when its postback arrives, so a minute does not matter. Reports of answers show what is folded; `answers_up_to` says
-- until when. Each sum is of integers (and one of exact decimals), so a raise takes out exactly what was added before.

-- In sums NULL is 0: most sums of a row are 0, and PostgreSQL stores nothing for NULL. Numbers of one line and day fit
-- into integer; if one did not, folding would fail. The views folded_answer and folded_event show 0.
--
-- Wide columns come behind narrow ones, and those that vary in length last: so there is little room between them.
CREATE TABLE attribution.answer_daily (
    answer_table   smallint NOT NULL,
    line           integer  NOT NULL,
    day            date     NOT NULL,
    sequence_index smallint NOT NULL,
    did_win        boolean  NOT NULL,
    postbacks      integer,
    redownloads    integer,
    reengagements  integer,
    fine           integer,
    coarse         integer,
    withheld       integer,
    not_set        integer,
    mapped         integer,
    unmapped       integer,
    ambiguous      integer,
    tier_0         integer,
    tier_1         integer,
    tier_2         integer,
    tier_3         integer,
    revenue_open   integer,
    revenue_unknown integer,
    traits         integer,
    -- In millionths of the currency. A sum of bigint is several times faster than one of numeric.
    revenue_low    bigint,
    revenue_middle bigint,
    revenue_high   bigint,
    currency       text     NOT NULL,
    -- Of revenue_middle in units of the currency.
    revenue_square numeric,
    CONSTRAINT answer_daily_key UNIQUE NULLS NOT DISTINCT (
        line, day, answer_table, sequence_index, did_win, traits, currency)
) PARTITION BY LIST (answer_table);

CREATE TABLE attribution.answer_arrival_daily PARTITION OF attribution.answer_daily FOR VALUES IN (1);
CREATE TABLE attribution.answer_install_daily PARTITION OF attribution.answer_daily FOR VALUES IN (2);
CREATE TABLE attribution.answer_arrival_version_daily PARTITION OF attribution.answer_daily FOR VALUES IN (3);
CREATE TABLE attribution.answer_install_version_daily PARTITION OF attribution.answer_daily FOR VALUES IN (4);
CREATE INDEX answer_daily_day ON attribution.answer_daily USING brin (day);

-- The finest sums have both days, so that one table of them is enough: most of their rows have one postback. The key begins
-- with the day of the install, since reports of money are by it. It has the day of arrival next, so that an index scan
-- passes by the rows of other days without reading them.
CREATE TABLE attribution.answer_split_daily (
    split_number   bigint   NOT NULL,
    split          smallint NOT NULL,
    sequence_index smallint NOT NULL,
    line           integer  NOT NULL,
    install_day    date     NOT NULL,
    arrival_day    date     NOT NULL,
    postbacks      integer,
    redownloads    integer,
    reengagements  integer,
    fine           integer,
    coarse         integer,
    withheld       integer,
    not_set        integer,
    mapped         integer,
    unmapped       integer,
    ambiguous      integer,
    tier_0         integer,
    tier_1         integer,
    tier_2         integer,
    tier_3         integer,
    revenue_open   integer,
    revenue_unknown integer,
    revenue_low    bigint,
    revenue_middle bigint,
    revenue_high   bigint,
    did_win        boolean  NOT NULL,
    currency       text     NOT NULL,
    CONSTRAINT answer_split_daily_key PRIMARY KEY (
        line, install_day, arrival_day, sequence_index, split, did_win, currency, split_number)
) PARTITION BY LIST (split);

CREATE TABLE attribution.answer_traits_daily PARTITION OF attribution.answer_split_daily FOR VALUES IN (1);
CREATE TABLE attribution.answer_source_daily PARTITION OF attribution.answer_split_daily FOR VALUES IN (2);
CREATE TABLE attribution.answer_app_source_daily PARTITION OF attribution.answer_split_daily FOR VALUES IN (3);

COMMENT ON TABLE attribution.answer_daily IS
    'Folded answers by line, day, window, won and currency; in each partition by another day or for other lines; NULL is 0';
COMMENT ON TABLE attribution.answer_arrival_daily IS 'answer_daily by the day of arrival';
COMMENT ON TABLE attribution.answer_install_daily IS 'answer_daily by the day of the install or the re-engagement';
COMMENT ON TABLE attribution.answer_arrival_version_daily IS
    'answer_daily by the day of arrival and version, of all campaigns of an app';
COMMENT ON TABLE attribution.answer_install_version_daily IS
    'answer_daily by the day of the install and version, of all campaigns of an app';
COMMENT ON TABLE attribution.answer_split_daily IS
    'Folded answers by line, both days, window, won, currency and, in each partition, another split; NULL is 0';
COMMENT ON TABLE attribution.answer_traits_daily IS 'answer_split_daily by traits';
COMMENT ON TABLE attribution.answer_source_daily IS 'answer_split_daily by source, of postbacks that name one';
COMMENT ON TABLE attribution.answer_app_source_daily IS
    'answer_split_daily by source, of all campaigns of an app and postbacks that name one';
COMMENT ON COLUMN attribution.answer_daily.answer_table IS 'Which partition: answer_table(day_of, split_by)';
COMMENT ON COLUMN attribution.answer_daily.line IS
    'The campaign and the app, a row of attribution.line; in tables of all campaigns of an app, a row of app_line';
COMMENT ON COLUMN attribution.answer_daily.day IS 'The day of the arrival, or that of install_at';
COMMENT ON COLUMN attribution.answer_daily.traits IS
    'A row of shown_traits, as it stands for a version; NULL in tables that are not by version';
COMMENT ON COLUMN attribution.answer_split_daily.split IS 'Which partition: answer_split(split_by)';
COMMENT ON COLUMN attribution.answer_split_daily.split_number IS
    'A row of shown_traits in sums by traits, a source in those by source';
COMMENT ON COLUMN attribution.answer_split_daily.install_day IS 'The day of install_at';
COMMENT ON COLUMN attribution.answer_split_daily.arrival_day IS 'The day of the arrival';
COMMENT ON COLUMN attribution.answer_daily.sequence_index IS 'The conversion window, 0, 1 or 2';
COMMENT ON COLUMN attribution.answer_daily.did_win IS 'Whether Apple attributes the conversion to this network';
COMMENT ON COLUMN attribution.answer_daily.currency IS
    'The currency of the scheme in force; empty if no scheme is, if two may be, or if the scheme has none';
COMMENT ON COLUMN attribution.answer_daily.postbacks IS 'Postbacks';
COMMENT ON COLUMN attribution.answer_daily.redownloads IS 'Of these, redownloads';
COMMENT ON COLUMN attribution.answer_daily.reengagements IS 'Of these, re-engagements; all others are of first installs';
COMMENT ON COLUMN attribution.answer_daily.fine IS 'Postbacks with a fine value';
COMMENT ON COLUMN attribution.answer_daily.coarse IS 'Postbacks with a coarse value';
COMMENT ON COLUMN attribution.answer_daily.withheld IS
    'Postbacks whose value Apple withheld for privacy, at most: in a simulation the app never set a fifth of them';
COMMENT ON COLUMN attribution.answer_daily.not_set IS
    'Postbacks that had room for a value, but the app set none; those without a value that are left can''t have one';
COMMENT ON COLUMN attribution.answer_daily.mapped IS 'Values that the scheme gives a meaning';
COMMENT ON COLUMN attribution.answer_daily.unmapped IS 'Values that the scheme does not have';
COMMENT ON COLUMN attribution.answer_daily.ambiguous IS
    'Values that the app may have set before or after a change of scheme; the values that are left have no scheme';
COMMENT ON COLUMN attribution.answer_daily.tier_0 IS 'Postbacks that can only be of tier 0';
COMMENT ON COLUMN attribution.answer_daily.tier_1 IS 'Postbacks that can only be of tier 1';
COMMENT ON COLUMN attribution.answer_daily.tier_2 IS 'Postbacks that can only be of tier 2';
COMMENT ON COLUMN attribution.answer_daily.tier_3 IS 'Postbacks that can only be of tier 3';
COMMENT ON COLUMN attribution.answer_daily.revenue_low IS 'The least revenue of the mapped values, in millionths';
COMMENT ON COLUMN attribution.answer_daily.revenue_middle IS
    'The middles of their ranges, each rounded to millionths; the least revenue for a range without an upper end';
COMMENT ON COLUMN attribution.answer_daily.revenue_high IS
    'The greatest revenue, in millionths; the least one for a range without an upper end';
COMMENT ON COLUMN attribution.answer_daily.revenue_open IS 'Mapped values whose range has no upper end';
COMMENT ON COLUMN attribution.answer_daily.revenue_unknown IS
    'Mapped values whose revenue has no middle, since that of an event is unknown; revenue_middle is the sum of the others';
COMMENT ON COLUMN attribution.answer_daily.revenue_square IS 'The squares of the middles, in units of the currency';

-- What the other columns of answer_split_daily are, they are in answer_daily too.
DO $$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT split.attname, col_description(daily.attrelid, daily.attnum) AS meaning
          FROM pg_attribute AS daily
          JOIN pg_attribute AS split USING (attname)
         WHERE daily.attrelid = 'attribution.answer_daily'::regclass
           AND split.attrelid = 'attribution.answer_split_daily'::regclass AND split.attnum > 0 LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.answer_split_daily.%I IS %L', described.attname, described.meaning);
    END LOOP;
END $$;

-- Events of mapped values. A value can stand for several events, and each event for several values.
CREATE TABLE attribution.answer_event_daily (
    answer_table    smallint NOT NULL,
    line            integer  NOT NULL,
    day             date     NOT NULL,
    sequence_index  smallint NOT NULL,
    postbacks       integer,
    possible        integer,
    count_open      integer,
    revenue_open    integer,
    revenue_unknown integer,
    count_low       bigint,
    count_high      bigint,
    revenue_low     bigint,
    revenue_middle  bigint,
    revenue_high    bigint,
    currency        text     NOT NULL,
    event           text     NOT NULL,
    CONSTRAINT answer_event_daily_key PRIMARY KEY (line, day, answer_table, sequence_index, currency, event)
) PARTITION BY LIST (answer_table);

CREATE TABLE attribution.answer_arrival_event_daily PARTITION OF attribution.answer_event_daily FOR VALUES IN (1);
CREATE TABLE attribution.answer_install_event_daily PARTITION OF attribution.answer_event_daily FOR VALUES IN (2);
CREATE INDEX answer_event_daily_day ON attribution.answer_event_daily USING brin (day);

COMMENT ON TABLE attribution.answer_event_daily IS
    'Folded events of mapped values by line, day, window and currency; in each partition by another day; NULL is 0';
COMMENT ON TABLE attribution.answer_arrival_event_daily IS 'answer_event_daily by the day of arrival';
COMMENT ON TABLE attribution.answer_install_event_daily IS 'answer_event_daily by the day of the install';
COMMENT ON COLUMN attribution.answer_event_daily.answer_table IS 'Which partition: answer_table(day_of, ''campaign'')';
COMMENT ON COLUMN attribution.answer_event_daily.line IS 'The campaign and the app, a row of attribution.line';
COMMENT ON COLUMN attribution.answer_event_daily.day IS 'The day of the arrival, or that of install_at';
COMMENT ON COLUMN attribution.answer_event_daily.sequence_index IS 'The conversion window, 0, 1 or 2';
COMMENT ON COLUMN attribution.answer_event_daily.currency IS 'The currency of the scheme; empty if it has none';
COMMENT ON COLUMN attribution.answer_event_daily.event IS 'The name of the event in the scheme';
COMMENT ON COLUMN attribution.answer_event_daily.postbacks IS 'Postbacks whose value says that the event has happened';
COMMENT ON COLUMN attribution.answer_event_daily.possible IS
    'Postbacks whose value says that it may have happened, or not; not among postbacks';
COMMENT ON COLUMN attribution.answer_event_daily.count_low IS 'How often it has happened at least';
COMMENT ON COLUMN attribution.answer_event_daily.count_high IS
    'How often it has happened at most; the least number for a range without an upper end';
COMMENT ON COLUMN attribution.answer_event_daily.count_open IS 'Postbacks whose range of the number has no upper end';
COMMENT ON COLUMN attribution.answer_event_daily.revenue_low IS 'The least revenue of the event, in millionths';
COMMENT ON COLUMN attribution.answer_event_daily.revenue_middle IS
    'The middles of its ranges, each rounded to millionths; the least revenue for a range without an upper end';
COMMENT ON COLUMN attribution.answer_event_daily.revenue_high IS
    'The greatest revenue, in millionths; the least one for a range without an upper end';
COMMENT ON COLUMN attribution.answer_event_daily.revenue_open IS 'Postbacks whose range of revenue has no upper end';
COMMENT ON COLUMN attribution.answer_event_daily.revenue_unknown IS
    'Postbacks whose revenue of the event is unknown; revenue_middle is the sum of the others';

-- Apps whose answers changed because a scheme was loaded for days that are folded already.
CREATE TABLE attribution.answer_refold (
    advertised_app_id bigint      PRIMARY KEY,
    requested_at      timestamptz NOT NULL
);

COMMENT ON TABLE attribution.answer_refold IS 'Apps whose answers must be folded anew, because of a scheme for past days';
COMMENT ON COLUMN attribution.answer_refold.advertised_app_id IS 'The app of the scheme';
COMMENT ON COLUMN attribution.answer_refold.requested_at IS 'When the scheme was loaded';

-- Figures: sums of postbacks by day. definitions/figures.sql says what each figure is.

-- The daily tables: sums of changes up to the place of the reader `figures`. Day is the day of first receipt
-- (attribution.day_of).
-- Keys begin with the line, so a report for one campaign or app reads only its rows. A BRIN index finds days.
--
-- NULL is 0: most sums of a row are 0, and PostgreSQL stores nothing for NULL. Numbers of one line and day fit into
-- integer; if one did not, folding would fail. Wide columns come late: so there is little room between columns.

-- All windows of a line and day are one row, because rows cost more than columns that are NULL. `fine`, `no_value`,
-- `value_sum` and `coarse` to `coarse_medium` are of the first window. What only sums by window need comes last.
CREATE TABLE attribution.campaign_daily (
    line            integer NOT NULL,
    day             date    NOT NULL,
    installs        integer,
    redownloads     integer,
    reengagements   integer,
    assists         integer,
    fine            integer,
    coarse          integer,
    no_value        integer,
    raised          integer,
    conflicts       integer,
    later_windows   integer,
    value_sum       bigint,
    -- Signed by the service, by the day of signing; the other figures come from the log.
    impressions     bigint,
    coarse_low      integer,
    coarse_medium   integer,
    assists_1       integer,
    coarse_low_1    integer,
    coarse_medium_1 integer,
    coarse_high_1   integer,
    postbacks_2     integer,
    assists_2       integer,
    coarse_low_2    integer,
    coarse_medium_2 integer,
    coarse_high_2   integer,
    CONSTRAINT campaign_daily_key PRIMARY KEY (line, day)
);
CREATE INDEX campaign_daily_day ON attribution.campaign_daily USING brin (day);

CREATE TABLE attribution.source_app_daily (
    line          integer NOT NULL,
    day           date    NOT NULL,
    source        bigint  NOT NULL,
    installs      integer,
    redownloads   integer,
    reengagements integer,
    assists       integer,
    fine          integer,
    coarse        integer,
    no_value      integer,
    raised        integer,
    conflicts     integer,
    later_windows integer,
    value_sum     bigint,
    CONSTRAINT source_app_daily_key PRIMARY KEY (line, day, source)
);
CREATE INDEX source_app_daily_day ON attribution.source_app_daily USING brin (day);

CREATE TABLE attribution.conversion_value_daily (
    line           integer  NOT NULL,
    day            date     NOT NULL,
    sequence_index smallint NOT NULL,
    value          smallint NOT NULL,
    -- A raise moves a postback from one value to another, so 0 is possible, as NULL.
    postbacks      integer,
    CONSTRAINT conversion_value_daily_key PRIMARY KEY (line, day, sequence_index, value)
);
CREATE INDEX conversion_value_daily_day ON attribution.conversion_value_daily USING brin (day);
-- Window and value depend on each other. Without this the planner expects far too many groups.
CREATE STATISTICS attribution.conversion_value_kinds (ndistinct) ON sequence_index, value
  FROM attribution.conversion_value_daily;

COMMENT ON TABLE attribution.campaign_daily IS 'Folded figures of all windows by line and day, and impressions; NULL is 0';
COMMENT ON TABLE attribution.source_app_daily IS 'Folded figures by line, day and source; NULL is 0';
COMMENT ON TABLE attribution.conversion_value_daily IS 'Folded numbers of postbacks by line, day, window and value; NULL is 0';

-- Lines whose figures must be summed anew, since missing events are being written.
CREATE TABLE attribution.figure_refold (
    line         integer     PRIMARY KEY,
    requested_at timestamptz NOT NULL
);

COMMENT ON TABLE attribution.figure_refold IS 'Lines whose figures must be summed anew, because of repaired events';
COMMENT ON COLUMN attribution.figure_refold.line IS 'The line';
COMMENT ON COLUMN attribution.figure_refold.requested_at IS 'When its events were repaired';

-- Figures: sums of postbacks by day. definitions/figures.sql says what each figure is.

-- The average of fine values, to four places; NULL if there are none. It stands here, since tables have it as a column.
CREATE FUNCTION attribution.average(value_sum bigint, fine bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT round(value_sum::numeric / nullif(fine, 0), 4) $$;

-- The daily tables: sums of changes up to the place of the reader `figures`. Day is the UTC day of first receipt.
-- Keys begin with the line, so a report for one campaign or app reads only its rows. A BRIN index finds days.

CREATE TABLE attribution.campaign_daily (
    line          integer NOT NULL,
    day           date    NOT NULL,
    -- Signed by the service, by UTC day of signing; the other figures come from the log.
    impressions   bigint  NOT NULL DEFAULT 0,
    installs      bigint  NOT NULL DEFAULT 0,
    redownloads   bigint  NOT NULL DEFAULT 0,
    reengagements bigint  NOT NULL DEFAULT 0,
    assists       bigint  NOT NULL DEFAULT 0,
    fine          bigint  NOT NULL DEFAULT 0,
    coarse        bigint  NOT NULL DEFAULT 0,
    no_value      bigint  NOT NULL DEFAULT 0,
    value_sum     bigint  NOT NULL DEFAULT 0,
    raised        bigint  NOT NULL DEFAULT 0,
    conflicts     bigint  NOT NULL DEFAULT 0,
    later_windows bigint  NOT NULL DEFAULT 0,
    value_average numeric GENERATED ALWAYS AS (attribution.average(value_sum, fine)) STORED,
    CONSTRAINT campaign_daily_key PRIMARY KEY (line, day)
);
CREATE INDEX campaign_daily_day ON attribution.campaign_daily USING brin (day);

CREATE TABLE attribution.source_app_daily (
    line          integer NOT NULL,
    day           date    NOT NULL,
    source        integer NOT NULL,
    installs      bigint  NOT NULL,
    redownloads   bigint  NOT NULL,
    reengagements bigint  NOT NULL,
    assists       bigint  NOT NULL,
    fine          bigint  NOT NULL,
    coarse        bigint  NOT NULL,
    no_value      bigint  NOT NULL,
    value_sum     bigint  NOT NULL,
    raised        bigint  NOT NULL,
    conflicts     bigint  NOT NULL,
    later_windows bigint  NOT NULL,
    value_average numeric GENERATED ALWAYS AS (attribution.average(value_sum, fine)) STORED,
    CONSTRAINT source_app_daily_key PRIMARY KEY (line, day, source)
);
CREATE INDEX source_app_daily_day ON attribution.source_app_daily USING brin (day);

CREATE TABLE attribution.conversion_value_daily (
    line           integer  NOT NULL,
    day            date     NOT NULL,
    sequence_index smallint NOT NULL,
    value          smallint NOT NULL,
    -- A raise moves a postback from one value to another, so 0 is possible.
    postbacks      bigint   NOT NULL,
    CONSTRAINT conversion_value_daily_key PRIMARY KEY (line, day, sequence_index, value)
);
CREATE INDEX conversion_value_daily_day ON attribution.conversion_value_daily USING brin (day);
-- Window and value depend on each other. Without this the planner expects far too many groups.
CREATE STATISTICS attribution.conversion_value_kinds (ndistinct) ON sequence_index, value
  FROM attribution.conversion_value_daily;

CREATE TABLE attribution.window_daily (
    line           integer  NOT NULL,
    day            date     NOT NULL,
    sequence_index smallint NOT NULL,
    winning        bigint   NOT NULL,
    installs       bigint   NOT NULL,
    redownloads    bigint   NOT NULL,
    reengagements  bigint   NOT NULL,
    assists        bigint   NOT NULL,
    fine           bigint   NOT NULL,
    no_value       bigint   NOT NULL,
    value_sum      bigint   NOT NULL,
    coarse_low     bigint   NOT NULL,
    coarse_medium  bigint   NOT NULL,
    coarse_high    bigint   NOT NULL,
    CONSTRAINT window_daily_key PRIMARY KEY (line, day, sequence_index)
);
CREATE INDEX window_daily_day ON attribution.window_daily USING brin (day);

COMMENT ON TABLE attribution.campaign_daily IS 'Folded figures by line and day, and impressions';
COMMENT ON TABLE attribution.source_app_daily IS 'Folded figures by line, day and source';
COMMENT ON TABLE attribution.conversion_value_daily IS 'Folded numbers of postbacks by line, day, window and value';
COMMENT ON TABLE attribution.window_daily IS 'Folded figures by line, day and window';

-- Lines whose figures must be summed anew, since missing events are being written.
CREATE TABLE attribution.figure_refold (
    line         integer     PRIMARY KEY,
    requested_at timestamptz NOT NULL
);

COMMENT ON TABLE attribution.figure_refold IS 'Lines whose figures must be summed anew, because of repaired events';
COMMENT ON COLUMN attribution.figure_refold.line IS 'The line';
COMMENT ON COLUMN attribution.figure_refold.requested_at IS 'When its events were repaired';

-- Folding of figures: how the reader `figures` sums the log into the daily tables.

-- Adds the changes of these lanes behind one position and up to another, and what the reader `figures` has read of some
-- lines, to the daily tables. Fold and refold use one of the two, the other is empty.
--
-- All of it is one statement, because each update of a row of a daily table leaves a dead version behind.
CREATE OR REPLACE FUNCTION attribution.add_figures(lanes smallint[], behind bigint[], up_to bigint[], lines integer[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    WITH change AS MATERIALIZED (
        SELECT * FROM attribution.log_changes(lanes, behind, up_to)
        UNION ALL
        SELECT * FROM attribution.read_changes('figures', lines)
    ),
    campaigns AS (
        INSERT INTO attribution.campaign_daily AS stored (
            line, day, installs, redownloads, reengagements, assists, fine, coarse, no_value, value_sum,
            raised, conflicts, later_windows)
        SELECT line, day, sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists),
               sum(f.fine), sum(f.coarse), sum(f.no_value), sum(f.value_sum),
               sum(change.raised), sum(change.conflicts), sum(f.later_windows)
          FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
         GROUP BY line, day
         ORDER BY line, day
        ON CONFLICT (line, day) DO UPDATE SET
            installs = stored.installs + excluded.installs,
            redownloads = stored.redownloads + excluded.redownloads,
            reengagements = stored.reengagements + excluded.reengagements,
            assists = stored.assists + excluded.assists,
            fine = stored.fine + excluded.fine,
            coarse = stored.coarse + excluded.coarse,
            no_value = stored.no_value + excluded.no_value,
            value_sum = stored.value_sum + excluded.value_sum,
            raised = stored.raised + excluded.raised,
            conflicts = stored.conflicts + excluded.conflicts,
            later_windows = stored.later_windows + excluded.later_windows
    ),
    source_apps AS (
        INSERT INTO attribution.source_app_daily AS stored (
            line, day, source, installs, redownloads, reengagements, assists, fine, coarse, no_value,
            value_sum, raised, conflicts, later_windows)
        SELECT line, day, source, sum(f.installs), sum(f.redownloads), sum(f.reengagements), sum(f.assists),
               sum(f.fine), sum(f.coarse), sum(f.no_value), sum(f.value_sum),
               sum(change.raised), sum(change.conflicts), sum(f.later_windows)
          FROM change, attribution.figures(postbacks, sequence_index, did_win, kind, value) AS f
         GROUP BY line, day, source
         ORDER BY line, day, source
        ON CONFLICT (line, day, source) DO UPDATE SET
            installs = stored.installs + excluded.installs,
            redownloads = stored.redownloads + excluded.redownloads,
            reengagements = stored.reengagements + excluded.reengagements,
            assists = stored.assists + excluded.assists,
            fine = stored.fine + excluded.fine,
            coarse = stored.coarse + excluded.coarse,
            no_value = stored.no_value + excluded.no_value,
            value_sum = stored.value_sum + excluded.value_sum,
            raised = stored.raised + excluded.raised,
            conflicts = stored.conflicts + excluded.conflicts,
            later_windows = stored.later_windows + excluded.later_windows
    ),
    conversion_values AS (
        INSERT INTO attribution.conversion_value_daily AS stored (line, day, sequence_index, value, postbacks)
        SELECT line, day, sequence_index, value, sum(postbacks)
          FROM change
         WHERE postbacks <> 0
         GROUP BY line, day, sequence_index, value
         ORDER BY line, day, sequence_index, value
        ON CONFLICT (line, day, sequence_index, value) DO UPDATE SET
            postbacks = stored.postbacks + excluded.postbacks
    )
    INSERT INTO attribution.window_daily AS stored (
        line, day, sequence_index, winning, installs, redownloads, reengagements, assists, fine, no_value,
        value_sum, coarse_low, coarse_medium, coarse_high)
    SELECT line, day, sequence_index, sum(f.winning), sum(f.installs), sum(f.redownloads), sum(f.reengagements),
           sum(f.assists), sum(f.fine), sum(f.no_value), sum(f.value_sum),
           sum(f.coarse_low), sum(f.coarse_medium), sum(f.coarse_high)
      FROM change, attribution.window_figures(postbacks, sequence_index, did_win, kind, value) AS f
     WHERE postbacks <> 0
     GROUP BY line, day, sequence_index
     ORDER BY line, day, sequence_index
    ON CONFLICT (line, day, sequence_index) DO UPDATE SET
        winning = stored.winning + excluded.winning,
        installs = stored.installs + excluded.installs,
        redownloads = stored.redownloads + excluded.redownloads,
        reengagements = stored.reengagements + excluded.reengagements,
        assists = stored.assists + excluded.assists,
        fine = stored.fine + excluded.fine,
        no_value = stored.no_value + excluded.no_value,
        value_sum = stored.value_sum + excluded.value_sum,
        coarse_low = stored.coarse_low + excluded.coarse_low,
        coarse_medium = stored.coarse_medium + excluded.coarse_medium,
        coarse_high = stored.coarse_high + excluded.coarse_high;
END $$;

-- Adds the changes of these lanes behind the place of the reader `figures` to the daily tables, and moves the place. It
-- folds about `at_most` events of each lane and returns the number of all. The caller holds the lock of folding.
CREATE OR REPLACE FUNCTION attribution.fold(a_lanes smallint[], at_most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    ahead record;
BEGIN
    SELECT * INTO ahead FROM attribution.log_ahead('figures', a_lanes, at_most);
    IF ahead.events > 0 THEN
        PERFORM attribution.add_figures(ahead.lanes, ahead.behind, ahead.up_to, NULL);
        PERFORM attribution.move_reader('figures', ahead.lanes, ahead.up_to);
    END IF;
    RETURN ahead.events;
END $$;

-- Sums the figures of some lines anew, up to the place of the reader `figures`. Impressions stay as they are. The caller holds
-- the lock of folding.
CREATE OR REPLACE FUNCTION attribution.refold_figures(lines integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE attribution.campaign_daily
       SET installs = 0, redownloads = 0, reengagements = 0, assists = 0, fine = 0, coarse = 0, no_value = 0,
           value_sum = 0, raised = 0, conflicts = 0, later_windows = 0
     WHERE line = ANY (lines);
    DELETE FROM attribution.source_app_daily WHERE line = ANY (lines);
    DELETE FROM attribution.conversion_value_daily WHERE line = ANY (lines);
    DELETE FROM attribution.window_daily WHERE line = ANY (lines);
    PERFORM attribution.add_figures('{}', '{}', '{}', lines);
END $$;

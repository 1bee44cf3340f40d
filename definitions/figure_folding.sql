-- Folding of figures: how the reader `figures` sums the log into the daily tables.

-- Adds the changes of these lanes behind one position and up to another, and what the reader `figures` has read of some
-- lines, to the daily tables. Fold and refold use one of the two, the other is empty.
--
-- All of it is one statement, because each update of a row of a daily table leaves a dead version behind.
DO $make$ BEGIN
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION attribution.add_figures(lanes smallint[], behind bigint[], up_to bigint[], lines integer[])
         RETURNS void LANGUAGE plpgsql
         SET plan_cache_mode = force_custom_plan AS $body$
         #variable_conflict use_column
         DECLARE
             added boolean;
         BEGIN
             WITH change AS MATERIALIZED (
                 SELECT * FROM attribution.log_changes(lanes, behind, up_to)
                 UNION ALL
                 SELECT * FROM attribution.read_changes(''figures'', lines)
             ),
             %s
             SELECT true INTO added;
         END $body$',
        (SELECT string_agg(
                    format('%1$s_added AS (
                                INSERT INTO attribution.%1$s_daily AS stored (%2$s, %3$s)
                                SELECT %2$s, %4$s FROM %5$s %6$s GROUP BY %2$s ORDER BY %2$s
                                ON CONFLICT (%2$s) DO UPDATE SET %7$s
                            )',
                           subject, keys, figures, regexp_replace(figures, '\w+', 'nullif(sum(\&), 0)', 'g'), changes,
                           -- A conflict changes no number of postbacks.
                           CASE WHEN figures NOT LIKE '%conflicts%' THEN 'WHERE postbacks <> 0' END,
                           regexp_replace(figures, '\w+', '\& = attribution.added(stored.\&, excluded.\&)', 'g')), ', ')
           FROM attribution.catalog_figure_table));
END $make$;

-- Adds the changes of these lanes behind the place of the reader `figures` to the daily tables, and moves the place. It
-- folds about `at_most` events of each lane and returns the number of all. The caller holds the lock of folding.
CREATE OR REPLACE FUNCTION attribution.fold(a_lanes smallint[], at_most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    ahead record;
BEGIN
    SELECT * INTO ahead FROM attribution.log_ahead('figures', a_lanes, at_most);
    IF ahead.events > 0 THEN
        PERFORM attribution.add_figures(ahead.lanes, ahead.behind, ahead.up_to, '{}');
        PERFORM attribution.move_reader('figures', ahead.lanes, ahead.up_to);
    END IF;
    RETURN ahead.events;
END $$;

-- Sums the figures of some lines anew, up to the place of the reader `figures`. Impressions stay as they are, and rows without
-- them go if the postbacks have nothing there. The caller holds the lock of folding.
DO $make$ BEGIN
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION attribution.refold_figures(lines integer[]) RETURNS void LANGUAGE plpgsql AS $body$
         BEGIN
             DELETE FROM attribution.campaign_daily WHERE line = ANY (lines) AND impressions IS NULL;
             UPDATE attribution.campaign_daily SET %s WHERE line = ANY (lines);
             DELETE FROM attribution.source_app_daily WHERE line = ANY (lines);
             DELETE FROM attribution.conversion_value_daily WHERE line = ANY (lines);
             PERFORM attribution.add_figures(''{}'', ''{}'', ''{}'', lines);
         END $body$',
        (SELECT regexp_replace(figures, '\w+', '\& = NULL', 'g')
           FROM attribution.catalog_figure_table WHERE subject = 'campaign'));
END $make$;

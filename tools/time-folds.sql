-- Folds what is not folded yet, and says what an event costs: for figures, then for answers.
--
--     psql "$DATABASE_URL" -v figures=50000 -v answers=100000 -f tools/time-folds.sql
--
-- `figures` and `answers` say how many events are folded in one transaction: a server takes what it finds every five
-- and every ten seconds, at most 1,000,000 and 200,000. `folds` bounds the number of transactions (default 100). Let no
-- server run. The time is that of one session, which uses one core.

\set ON_ERROR_STOP on
SET search_path = pg_catalog, pg_temp;
\if :{?folds}
\else
    \set folds 100
\endif

CREATE TEMPORARY TABLE fold (reader text, events bigint, seconds numeric);

CREATE PROCEDURE pg_temp.fold(reader text, at_once bigint, folds integer) LANGUAGE plpgsql AS $$
DECLARE
    lanes  smallint[] := (SELECT array_agg(lane.lane) FROM attribution.lane WHERE NOT is_closed);
    began  timestamptz;
    events bigint;
BEGIN
    FOR number IN 1 .. folds LOOP
        began := clock_timestamp();
        EXECUTE format('SELECT attribution.%I($1, $2)', CASE reader WHEN 'figures' THEN 'fold' ELSE 'fold_answers' END)
           INTO events USING lanes, at_once / cardinality(lanes);
        COMMIT;
        EXIT WHEN events = 0;
        INSERT INTO pg_temp.fold VALUES (reader, events, extract(epoch FROM clock_timestamp() - began));
    END LOOP;
END $$;

CALL pg_temp.fold('figures', :figures, :folds);
CALL pg_temp.fold('answers', :answers, :folds);

SELECT reader, count(*) AS folds, sum(events) AS events, round(sum(seconds), 2) AS seconds,
       round(1e6 * sum(seconds) / sum(events), 1) AS us_an_event
  FROM pg_temp.fold
 GROUP BY reader
 ORDER BY reader DESC;

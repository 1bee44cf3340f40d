-- Compares state, bodies and log of everything that is stored, and says what that costs for an event.
--
--     psql "$DATABASE_URL" -f tools/time-log-check.sql
--
-- It compares as a service does: 100,000 events in a statement. A service compares each event three times or more: soon
-- after it was written, once its day is over, and meanwhile about 100,000 events a minute again. The time is that of one
-- session, which uses one core.

\set ON_ERROR_STOP on
SET search_path = pg_catalog, pg_temp;

CREATE TEMPORARY TABLE part AS
SELECT lane, day FROM attribution.lane, attribution.written_days('log') AS written (day) WHERE NOT is_closed;

CREATE TEMPORARY TABLE compared (lane smallint, day date, problems bigint, seconds numeric);

CREATE PROCEDURE pg_temp.compare() LANGUAGE plpgsql AS $$
DECLARE
    place record;
    began timestamptz;
    found bigint;
BEGIN
    FOR place IN SELECT lane, day FROM pg_temp.part LOOP
        began := clock_timestamp();
        SELECT coalesce(sum(postbacks), 0) INTO found
          FROM attribution.compare_log_day(place.lane, place.day, 100000, (place.day - 3)::timestamp AT TIME ZONE 'UTC');
        INSERT INTO pg_temp.compared
        VALUES (place.lane, place.day, found, extract(epoch FROM clock_timestamp() - began));
    END LOOP;
END $$;

CALL pg_temp.compare();

SELECT events.count AS events, problems, round(seconds, 2) AS seconds,
       round(1e6 * seconds / nullif(events.count, 0), 2) AS us_an_event
  FROM (SELECT sum(problems) AS problems, sum(seconds) AS seconds FROM pg_temp.compared) AS all_days,
       (SELECT count(*) FROM attribution.postback_log WHERE event < 3) AS events;

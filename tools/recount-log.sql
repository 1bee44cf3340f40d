-- Compares what a batch writes in one transaction: state, bodies and log. It returns what does not fit together, by lane
-- and day of writing. If all of it fits, it returns no row.
--
--     psql "$DATABASE_URL" -f tools/recount-log.sql
--
-- A place is a position and an ordinal, and belongs to one delivery. A postback that was accepted has its row of state, its
-- event and its body at one place. Each raise has its event and its body at one place, and the row of state names the
-- place of the last one. The figures are built from the log: if an event is missing, reports are too low.
--
-- It is one statement and sees one snapshot, so it may run while servers write. (On a cluster it is right while nobody
-- writes: docs/cluster.md.) Days of writing whose bodies or log were dropped are left out.

SET search_path = pg_catalog, pg_temp;

WITH written AS (
    SELECT lane, position, ordinal, transaction_id, 0 AS states, 0 AS bodies, 1 AS events, event
      FROM attribution.postback_log
     WHERE event < 3
    UNION ALL
    SELECT lane, position, ordinal, transaction_id, 0, 1, 0, NULL FROM attribution.postback_body
    UNION ALL
    SELECT lane, position, ordinal, transaction_id, 1, 0, 0, NULL FROM attribution.postback_state
    UNION ALL
    SELECT lane, raised_position, raised_ordinal, transaction_id, 1, 0, 0, NULL
      FROM attribution.postback_state
     WHERE raised_position IS NOT NULL
),
-- If the number of lanes was changed, an event is in another lane than its body.
place AS (
    SELECT max(lane) AS lane, position, ordinal, transaction_id, sum(states) AS states, sum(bodies) AS bodies,
           sum(events) AS events, max(event) AS event
      FROM written
     GROUP BY position, ordinal, transaction_id
),
found AS (
    SELECT lane, attribution.day_of_writing(position) AS day, transaction_id,
           CASE WHEN events = 0 THEN 'no event in the log'
                WHEN events > 1 THEN 'more than one event in the log'
                WHEN bodies = 0 THEN 'no body'
                WHEN bodies > 1 THEN 'more than one body'
                WHEN states > 1 THEN 'more than one row of state'
                WHEN event = 0 AND states = 0 THEN 'accepted, and no row of state' END AS problem
      FROM place
)
SELECT lane, day, problem, count(*) AS postbacks, min(transaction_id::text) AS example
  FROM found
 WHERE problem IS NOT NULL
   AND NOT EXISTS (SELECT FROM attribution.missing_day WHERE missing_day.day = found.day)
 GROUP BY lane, day, problem
 ORDER BY day, lane, problem;

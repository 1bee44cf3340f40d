-- Recounts all figures from the state of the postbacks and returns the rows that differ. If all are right, it returns
-- none.
--
--     psql "$DATABASE_URL" -f tools/recount.sql
--
-- The view `attribution.recount` (definitions/figures.sql) is one statement and sees one snapshot, so it may run while
-- servers write. (On a cluster it is right while nobody writes: docs/cluster.md.) It sums `state_change` by the same
-- definitions as folding. It compares the sums with what reports read: the daily tables
-- and what is not folded yet. A row that is missing on one side counts as zeros. `key` names the row (line, day and the
-- other columns of the table's key), `stored` is what reports read, `recounted` what the postbacks say. Impressions are
-- not recounted.

SET search_path = pg_catalog, pg_temp;

SELECT table_name, key, stored, recounted FROM attribution.recount ORDER BY table_name, key;

-- Times every report of the schema `attribution` for some days: for everything and for one app.
--
--     psql "$DATABASE_URL" -v first=2025-10-01 -v last=2025-10-31 -v app=525463000 -f tools/time-reports.sql
--
-- The reports are those functions and views of postbacks whose names begin with `report_`, as the catalog has them, but for
-- those of all environments (`…_all`). Each runs `times` times (default 5) without parallel workers. `ms` is the median of
-- planning and execution together, without the first run.

\set ON_ERROR_STOP on
SET search_path = pg_catalog, pg_temp;
\if :{?times}
\else
    \set times 5
\endif
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;

CREATE FUNCTION pg_temp.milliseconds(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 ->> 'Planning Time')::numeric + (plan -> 0 ->> 'Execution Time')::numeric;
END $$;

CREATE FUNCTION pg_temp.median(query text, times integer) RETURNS numeric LANGUAGE sql AS $$
    SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 1)
      FROM (SELECT run, pg_temp.milliseconds(query) AS ms FROM generate_series(0, times) AS run OFFSET 0) AS runs
     WHERE run > 0
$$;

CREATE FUNCTION pg_temp.rows_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    number bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || query || ') AS report' INTO number;
    RETURN number;
END $$;

WITH report AS (
    SELECT proname AS report, format('SELECT * FROM attribution.%I(%s)', proname, days || everything) AS query,
           CASE WHEN 'an_advertised_app_id' = ANY (proargnames)
                THEN format('SELECT * FROM attribution.%I(%s, %s%s)', proname, days, :app, everything)
                ELSE format('SELECT * FROM attribution.%I(%s) WHERE advertised_app_id = %s', proname, days || everything, :app)
           END AS of_app
      FROM pg_proc, format('%L, %L', :'first', :'last') AS days,
           (VALUES (', an_environment => NULL, copies => NULL')) AS of_all (everything)
     WHERE pronamespace = 'attribution'::regnamespace AND proname LIKE 'report\_%' AND 'copies' = ANY (proargnames)
    UNION ALL
    SELECT relname, query, query || ' AND advertised_app_id = ' || :app
      FROM pg_class,
           format('SELECT * FROM attribution.%I WHERE day BETWEEN %L AND %L', relname, :'first', :'last') AS query
     WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v' AND relname LIKE 'report\_%'
       AND relname NOT LIKE '%\_all' AND relname NOT IN (SELECT proname FROM pg_proc)
       AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'day')
)
SELECT report, pg_temp.rows_of(query) AS rows, pg_temp.median(query, :times) AS ms,
       pg_temp.rows_of(of_app) AS rows_of_app, pg_temp.median(of_app, :times) AS ms_of_app
  FROM report
 ORDER BY report;

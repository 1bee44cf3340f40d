-- The bytes of each table on disk, with its partitions, and for each postback.
--
--     psql "$DATABASE_URL" -f tools/store-size.sql

SET search_path = pg_catalog, pg_temp;

WITH postbacks AS (SELECT count(*) AS number FROM attribution.postback_state),
part AS (
    SELECT coalesce(pg_partition_root(oid), oid::regclass) AS of_table, pg_table_size(oid) AS heap,
           pg_indexes_size(oid) AS indexes, greatest(reltuples, 0) AS rows
      FROM pg_class
     WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'r'
)
SELECT of_table, sum(rows)::bigint AS rows, sum(heap) AS heap, sum(indexes) AS indexes,
       round(sum(heap) / number, 1) AS heap_of_postback, round(sum(indexes) / number, 1) AS indexes_of_postback,
       number AS postbacks
  FROM part, postbacks
 WHERE heap + indexes > 1000000
 GROUP BY of_table, number
 ORDER BY sum(heap + indexes) DESC;

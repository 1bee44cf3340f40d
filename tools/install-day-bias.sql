-- How good the estimated install is: the answers of this database against the truth of a simulation in time.
--
--     psql "$DATABASE_URL" -f tools/install-day-bias.sql < truth.ndjson
--
-- docs/simulation.md says how to simulate, import, and load the schemes; docs/answers.md has a result. Postbacks that
-- were delayed are left out. `bias` is the mean of install_at minus the first launch (or the open of a re-engagement):
-- above 0 it is too late. `inside` is the share in percent whose launch lies between install_low and install_high,
-- `same_day` the share whose day is right. All other figures are hours. The last row is the total.

SET search_path = pg_catalog, pg_temp;

CREATE TEMPORARY TABLE truth_line (line jsonb NOT NULL);
-- A line of JSON has no control characters, so it is one field.
\copy truth_line FROM pstdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')

-- The measurement
WITH compared AS (
    SELECT CASE WHEN line.protocol = 'adattributionkit' THEN 'adattributionkit'
                WHEN traits.version IN ('1.0', '4.0') THEN traits.version
                ELSE '2.0 to 3.0' END AS version,
           answer.sequence_index AS "window",
           CASE WHEN NOT answer.did_win THEN 'lost'
                WHEN answer.value < 0 THEN answer.no_value_kind
                WHEN answer.value = 0 THEN 'value 0'
                WHEN answer.value < 64 THEN 'value above 0'
                ELSE 'coarse' END AS kind,
           answer.may_have_locked AS may_lock,
           launch.at BETWEEN answer.install_low AND answer.install_high AS is_inside,
           attribution.day_of(launch.at) = answer.install_day AS is_same_day,
           extract(epoch FROM answer.install_at - launch.at) / 3600 AS error,
           extract(epoch FROM answer.install_high - answer.install_low) / 3600 AS width
      FROM truth_line AS truth
     CROSS JOIN LATERAL (
           SELECT to_timestamp((truth.line ->> 'launched-at')::bigint / 1000.0)) AS launch (at)
      JOIN attribution.postback_answer AS answer
        ON answer.transaction_id = (truth.line ->> 'transaction-id')::uuid
       AND answer.sequence_index = (truth.line ->> 'sequence-index')::smallint
       AND answer.did_win = (truth.line ->> 'did-win')::boolean
      JOIN attribution.line ON line.line = answer.line
      JOIN attribution.traits ON traits.traits = answer.traits
     WHERE NOT (truth.line ->> 'delayed')::boolean
)
SELECT version, "window", kind, may_lock, count(*) AS postbacks,
       round(100 * avg(is_inside::integer), 2) AS inside, round(avg(width)) AS width, round(avg(error), 1) AS bias,
       round(stddev_samp(error), 1) AS deviation, round(100 * avg(is_same_day::integer), 1) AS same_day
  FROM compared
 GROUP BY GROUPING SETS ((version, "window", kind, may_lock), ())
 ORDER BY version, "window", kind, may_lock;

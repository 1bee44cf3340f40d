-- Forwarding: what was delivered, by destination and day. docs/forwarding.md explains it.

-- The upper bounds of the counts in delivery_daily.latencies, in milliseconds. Servers have the same list
-- (DeliveryStatistics.bounds).
CREATE OR REPLACE FUNCTION attribution.latency_bounds() RETURNS double precision[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 'Infinity']::double precision[]
$$;

COMMENT ON FUNCTION attribution.latency_bounds() IS
    'The upper bounds of the counts in delivery_daily.latencies, in milliseconds; the last one is infinity';

-- The bound within which a share of the deliveries was made. So it is at least the quantile, and less than the next bound
-- above it.
CREATE OR REPLACE FUNCTION attribution.latency_within(latencies bigint[], share double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT min(bound)
      FROM (SELECT bound, sum(deliveries) OVER (ORDER BY bound) AS within, sum(deliveries) OVER () AS total
              FROM unnest(attribution.latency_bounds(), $1) AS bucket (bound, deliveries)) AS counted
     WHERE total > 0 AND within >= ceil($2 * total::double precision)
$$;

COMMENT ON FUNCTION attribution.latency_within(bigint[], double precision) IS
    'The bound in milliseconds within which a share of the deliveries was made; NULL if there was none';

CREATE OR REPLACE VIEW attribution.report_delivery AS
SELECT destination, day, coalesce(sent, 0) AS sent, coalesce(retried, 0) AS retried, coalesce(failed, 0) AS failed,
       coalesce(dead, 0) AS dead, coalesce(waiting, 0) AS waiting,
       attribution.latency_within(latencies, 0.5) AS p50_ms, attribution.latency_within(latencies, 0.95) AS p95_ms,
       attribution.latency_within(latencies, 0.99) AS p99_ms, coalesce(replayed, 0) AS replayed
  FROM attribution.delivery_daily
  FULL JOIN (SELECT destination, attribution.day_of(first_failed_at) AS day, count(*) AS waiting
               FROM attribution.delivery
              WHERE state = 'waiting'
              GROUP BY 1, 2) AS behind USING (destination, day);

COMMENT ON VIEW attribution.report_delivery IS 'How forwarding went, by destination and day';
COMMENT ON COLUMN attribution.report_delivery.destination IS 'The destination; it may have been removed';
COMMENT ON COLUMN attribution.report_delivery.day IS 'The day on which attempts were over; of `waiting` that of the first attempt';
COMMENT ON COLUMN attribution.report_delivery.sent IS 'Events that were delivered, without those of a replay';
COMMENT ON COLUMN attribution.report_delivery.retried IS 'Of these, how many had failed before';
COMMENT ON COLUMN attribution.report_delivery.failed IS 'Attempts that failed';
COMMENT ON COLUMN attribution.report_delivery.dead IS 'Events that became dead letters on the day';
COMMENT ON COLUMN attribution.report_delivery.waiting IS 'Events that failed first on the day, and wait for another attempt now';
COMMENT ON COLUMN attribution.report_delivery.p50_ms IS
    'Milliseconds from the receipt of the postback within which half of the events were delivered, rounded up: one of '
    'attribution.latency_bounds; NULL if none was';
COMMENT ON COLUMN attribution.report_delivery.p95_ms IS 'The same of 95 percent';
COMMENT ON COLUMN attribution.report_delivery.p99_ms IS 'The same of 99 percent';
COMMENT ON COLUMN attribution.report_delivery.replayed IS
    'Events that a replay delivered; sent, retried and the milliseconds leave them out';

-- Conversion-value schemes for the made-up postbacks of generate-postbacks.sql: a line for each of the 20 apps.
--
--     psql "$DATABASE_URL" -qAt -f tools/generate-schemes.sql | while read -r scheme; do
--         PostbackServer scheme load /dev/stdin <<<"$scheme"
--     done
--
-- Load them before the postbacks, and run `PostbackServer fold` then: it has nothing to fold anew. Fine values that 3
-- does not divide are purchases, odd ones levels. Values 60 to 63 have no meaning. Each window has three coarse values.

SET search_path = pg_catalog, pg_temp;

SELECT jsonb_build_object(
           'app-id', 525463000 + app, 'name', 'app ' || app, 'valid-from', '2020-01-01T00:00:00Z', 'currency', 'USD',
           'measurement-window-hours', 72, 'fine', fine, 'windows', windows)
  FROM generate_series(0, 19) AS app,
       (SELECT jsonb_agg(jsonb_build_object('value', value, 'events', (
                   SELECT coalesce(jsonb_agg(event), '[]')
                     FROM (VALUES (jsonb_build_object('name', 'purchase', 'revenue',
                                       jsonb_build_object('from', value * 0.5, 'to', value * 0.5 + 0.5))),
                                  (jsonb_build_object('name', 'level', 'count',
                                       jsonb_build_object('from', value, 'to', value)))) AS events (event)
                    WHERE value % CASE event ->> 'name' WHEN 'purchase' THEN 3 ELSE 2 END > 0))
                   ORDER BY value) AS fine
          FROM generate_series(0, 59) AS value) AS fine_values,
       (SELECT jsonb_agg(jsonb_build_object('index', window_index, 'coarse', coarse)) AS windows
          FROM generate_series(0, 2) AS window_index,
               (SELECT jsonb_object_agg(coarse, jsonb_build_object('events', jsonb_build_array(
                           jsonb_build_object('name', event, 'revenue', jsonb_build_object('from', low, 'to', high)))))
                           AS coarse
                  FROM (VALUES ('low', 'purchase', 0, 1), ('medium', 'purchase', 1, 10), ('high', 'subscribe', 10, 50))
                           AS meaning (coarse, event, low, high)) AS meanings) AS window_values
 ORDER BY app;

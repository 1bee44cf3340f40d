-- Alerts: values that are missing or have no meaning, beside the time before.

-- The shares of value_health over a range of days of arrival, and over as many days before them. A range without a
-- beginning or an end has nothing before it.
CREATE OR REPLACE FUNCTION attribution.report_value_change(
    first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL)
RETURNS TABLE (
    environment text, developer_copy boolean, advertised_app_id bigint, protocol text, version text,
    sequence_index smallint, postbacks bigint, postbacks_before bigint, not_set_share numeric,
    not_set_share_before numeric, unmapped_share numeric, unmapped_share_before numeric, no_scheme_share numeric,
    no_scheme_share_before numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, developer_copy, advertised_app_id, protocol, version, sequence_index,
           coalesce(now.postbacks, 0), coalesce(before.postbacks, 0), now.not_set_share, before.not_set_share,
           now.unmapped_share, before.unmapped_share,
           attribution.average(now.no_scheme, now.fine + now.coarse),
           attribution.average(before.no_scheme, before.fine + before.coarse)
      FROM attribution.value_health(false, $1, $2, $3) AS now
      FULL JOIN attribution.value_health(
               false, CASE WHEN isfinite($1) AND isfinite($2) THEN $1 - ($2 - $1 + 1) END, $1 - 1, $3) AS before
     USING (environment, developer_copy, advertised_app_id, protocol, version, sequence_index)
$$;

CREATE OR REPLACE VIEW attribution.report_value_change_all AS
SELECT report.*
  FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS clock
 CROSS JOIN LATERAL attribution.report_value_change(today - 7, today - 1) AS report;

CREATE OR REPLACE VIEW attribution.report_value_change AS
SELECT advertised_app_id, protocol, version, sequence_index, postbacks, postbacks_before, not_set_share,
       not_set_share_before, unmapped_share, unmapped_share_before, no_scheme_share, no_scheme_share_before
  FROM attribution.report_value_change_all
 WHERE environment = 'production' AND NOT developer_copy;

COMMENT ON FUNCTION attribution.report_value_change IS
    'Shares of values that are missing or have no meaning, over the days of arrival of a range and as many days before';
COMMENT ON VIEW attribution.report_value_change IS
    'Shares of values that are missing or have no meaning, in the last seven whole days and the seven before; production';
COMMENT ON VIEW attribution.report_value_change_all IS
    'Shares of values that are missing or have no meaning, in the last seven whole days and the seven before; all environments';

DO $comments$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT attrelid::regclass AS view, attname,
               coalesce(text, (SELECT col_description(alike.attrelid, alike.attnum)
                                 FROM pg_attribute AS alike
                                WHERE alike.attrelid = 'attribution.report_value_health_daily_all'::regclass
                                  AND alike.attname = attribute.attname)) AS text
          FROM pg_attribute AS attribute
          LEFT JOIN (VALUES
            ('postbacks_before', 'The same of as many days before'),
            ('not_set_share_before', 'The same of as many days before'),
            ('unmapped_share_before', 'The same of as many days before'),
            ('no_scheme_share', 'no_scheme divided by fine + coarse, to four places; NULL if both are 0'),
            ('no_scheme_share_before', 'The same of as many days before')) AS own (name, text) ON name = attname
         WHERE attrelid IN ('attribution.report_value_change'::regclass,
                            'attribution.report_value_change_all'::regclass) AND attnum > 0 LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', described.view, described.attname, described.text);
    END LOOP;
END $comments$;

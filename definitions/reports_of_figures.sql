-- The views that people read. A view whose name ends in `_all` shows everything, with environment and developer_copy
-- among its keys. The view without `_all` shows production without developer copies.

CREATE OR REPLACE VIEW attribution.report_campaign_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.campaign_figure
  JOIN attribution.line USING (line);

CREATE OR REPLACE VIEW attribution.report_campaign_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.report_campaign_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE OR REPLACE VIEW attribution.report_campaign_all AS
SELECT line.environment, line.developer_copy, line.protocol, line.ad_network_id, line.campaign_type, line.campaign,
       line.advertised_app_id,
       attribution.total(impressions) AS impressions,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(value_coarse) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.average(attribution.total(value_sum), attribution.total(value_known)) AS value_average,
       attribution.total(raised) AS raised,
       attribution.total(conflicts) AS conflicts,
       attribution.total(later_windows) AS later_windows,
       min(day) AS first_day,
       max(day) AS last_day
  FROM attribution.campaign_figure
  JOIN attribution.line USING (line)
 GROUP BY line.line;

CREATE OR REPLACE VIEW attribution.report_campaign AS
SELECT protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       impressions, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows, first_day, last_day
  FROM attribution.report_campaign_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE OR REPLACE VIEW attribution.report_source_app_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       coalesce(source_app_id::text, source_domain) AS source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.source_app_figure
  JOIN attribution.line USING (line)
  JOIN attribution.source USING (source);

CREATE OR REPLACE VIEW attribution.report_source_app_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id, source_app,
       installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       raised, conflicts, later_windows
  FROM attribution.report_source_app_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

-- The scheme of an app that was in force on all days of a range whenever the app may have set a value of a window. A
-- value then means for certain what this scheme says. Without one its meaning is not the same on all of these days, or
-- not known.
CREATE OR REPLACE FUNCTION attribution.certain_scheme(first_day date, last_day date)
RETURNS TABLE (
    advertised_app_id bigint, campaign_type text, sequence_index smallint, valid_from timestamptz, currency text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 AS $$
    SELECT advertised_app_id, campaign_type, sequence_index::smallint, valid_from, currency
      FROM (VALUES ('campaign-id', 0), ('source-identifier', 0), ('source-identifier', 1), ('source-identifier', 2))
           AS part (campaign_type, sequence_index)
     CROSS JOIN attribution.value_set_hours(campaign_type = 'source-identifier', sequence_index::smallint) AS set_hours
      JOIN attribution.conversion_scheme
             ON valid_from <= ($1::timestamp AT TIME ZONE 'UTC') - set_hours_high * interval '1 hour'
            AND coalesce(valid_to, 'infinity') >= (($2 + 1)::timestamp AT TIME ZONE 'UTC') - set_hours_low * interval '1 hour'
$$;
COMMENT ON FUNCTION attribution.certain_scheme(date, date) IS
    'The scheme by which an app set all values of a window that arrived on the days of a range; no row if there may be two';

CREATE OR REPLACE VIEW attribution.report_conversion_value_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, line.advertised_app_id,
       figure.sequence_index,
       attribution.fine_value(figure.value) AS conversion_value,
       attribution.coarse_value(figure.value) AS coarse_value,
       postbacks, events, possible_events, revenue_low, revenue_high,
       CASE WHEN events IS NOT NULL THEN currency END AS currency
  FROM attribution.conversion_value_figure AS figure
  JOIN attribution.line USING (line)
 CROSS JOIN LATERAL attribution.value_set_hours(campaign_type = 'source-identifier', figure.sequence_index) AS set_hours
  LEFT JOIN attribution.conversion_scheme AS scheme
         ON scheme.advertised_app_id = line.advertised_app_id
        AND scheme.valid_from <= (day::timestamp AT TIME ZONE 'UTC') - set_hours_high * interval '1 hour'
        AND coalesce(scheme.valid_to, 'infinity')
            >= ((day + 1)::timestamp AT TIME ZONE 'UTC') - set_hours_low * interval '1 hour'
  LEFT JOIN attribution.value_meaning AS meaning
         ON meaning.advertised_app_id = line.advertised_app_id AND meaning.valid_from = scheme.valid_from
        AND meaning.sequence_index = figure.sequence_index AND meaning.value = figure.value;

CREATE OR REPLACE VIEW attribution.report_conversion_value_daily AS
SELECT day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index, conversion_value, coarse_value, postbacks, events, possible_events, revenue_low, revenue_high,
       currency
  FROM attribution.report_conversion_value_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

-- The same, summed over the days of a range, both ends included. The daily table is summed up by itself, since the
-- planner knows how many groups it has. What the log holds beyond it is added to the sums.
CREATE OR REPLACE FUNCTION attribution.report_conversion_value(first_day date, last_day date) RETURNS TABLE (
    environment text, developer_copy boolean, protocol text, ad_network_id text, campaign_type text, campaign text,
    advertised_app_id bigint, sequence_index smallint, conversion_value smallint, coarse_value text, postbacks bigint,
    events text[], possible_events text[], revenue_low numeric, revenue_high numeric, currency text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           sequence_index, attribution.fine_value(value), attribution.coarse_value(value), postbacks, events,
           possible_events, revenue_low, revenue_high, currency
      FROM (SELECT environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
                   sequence_index, value, attribution.total(postbacks) AS postbacks
              FROM (SELECT line.*, sequence_index, value, attribution.total(postbacks) AS postbacks
                      FROM attribution.conversion_value_daily
                      JOIN attribution.line USING (line)
                     WHERE day BETWEEN first_day AND last_day
                     GROUP BY line.line, sequence_index, value
                    UNION ALL
                    SELECT line.*, sequence_index, value, sum(postbacks)
                      FROM attribution.unfolded()
                      JOIN attribution.line USING (line)
                     WHERE day BETWEEN first_day AND last_day
                     GROUP BY line.line, sequence_index, value) AS part
             GROUP BY line, environment, developer_copy, protocol, ad_network_id, campaign_type, campaign,
                      advertised_app_id, sequence_index, value
            HAVING attribution.total(postbacks) <> 0) AS counted
      LEFT JOIN (SELECT scheme.advertised_app_id, campaign_type, sequence_index, value, events, possible_events,
                        revenue_low, revenue_high, currency
                   FROM attribution.certain_scheme($1, $2) AS scheme
                   JOIN attribution.value_meaning USING (advertised_app_id, valid_from, sequence_index)) AS meaning
          USING (advertised_app_id, campaign_type, sequence_index, value)
$$;

CREATE OR REPLACE VIEW attribution.report_source_identifier_daily_all AS
SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index,
       attribution.total(winning) AS postbacks,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(coarse_low + coarse_medium + coarse_high) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.average(attribution.total(value_sum), attribution.total(value_known)) AS value_average,
       attribution.total(coarse_low) AS coarse_low,
       attribution.total(coarse_medium) AS coarse_medium,
       attribution.total(coarse_high) AS coarse_high,
       attribution.average(attribution.total(CASE WHEN received_digits = 2 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_2_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 3 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_3_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 4 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_4_digits
  FROM attribution.window_figure
  JOIN attribution.line USING (line)
 CROSS JOIN LATERAL attribution.identifier_levels(campaign)
 WHERE campaign_type = 'source-identifier'
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
          sequence_index;

CREATE OR REPLACE VIEW attribution.report_source_identifier_daily AS
SELECT day, protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits
  FROM attribution.report_source_identifier_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

-- The same, summed over the days of a range, both ends included. Days are summed up before a line takes part in up to
-- three levels.
CREATE OR REPLACE FUNCTION attribution.report_source_identifier(first_day date, last_day date) RETURNS TABLE (
    environment text, developer_copy boolean, protocol text, ad_network_id text, advertised_app_id bigint,
    digits integer, source_identifier text, sequence_index smallint, postbacks bigint, installs bigint,
    redownloads bigint, reengagements bigint, assists bigint, value_known bigint, value_coarse bigint,
    value_null bigint, value_average numeric, coarse_low bigint, coarse_medium bigint, coarse_high bigint,
    share_2_digits numeric, share_3_digits numeric, share_4_digits numeric, first_seen date, last_seen date)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index,
       attribution.total(winning) AS postbacks,
       attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads,
       attribution.total(reengagements) AS reengagements,
       attribution.total(assists) AS assists,
       attribution.total(value_known) AS value_known,
       attribution.total(coarse_low + coarse_medium + coarse_high) AS value_coarse,
       attribution.total(value_null) AS value_null,
       attribution.average(attribution.total(value_sum), attribution.total(value_known)) AS value_average,
       attribution.total(coarse_low) AS coarse_low,
       attribution.total(coarse_medium) AS coarse_medium,
       attribution.total(coarse_high) AS coarse_high,
       attribution.average(attribution.total(CASE WHEN received_digits = 2 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_2_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 3 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_3_digits,
       attribution.average(attribution.total(CASE WHEN received_digits = 4 THEN winning ELSE 0 END),
                           attribution.total(winning)) AS share_4_digits,
       min(first_day) AS first_day,
       max(last_day) AS last_day
  FROM (SELECT line.environment, line.developer_copy, line.protocol, line.ad_network_id, line.advertised_app_id,
               line.campaign, sequence_index,
               attribution.total(winning) AS winning, attribution.total(installs) AS installs,
               attribution.total(redownloads) AS redownloads, attribution.total(reengagements) AS reengagements,
               attribution.total(assists) AS assists, attribution.total(value_known) AS value_known,
               attribution.total(value_null) AS value_null, attribution.total(value_sum) AS value_sum,
               attribution.total(coarse_low) AS coarse_low, attribution.total(coarse_medium) AS coarse_medium,
               attribution.total(coarse_high) AS coarse_high, min(day) AS first_day, max(day) AS last_day
          FROM attribution.window_figure
          JOIN attribution.line USING (line)
         WHERE day BETWEEN $1 AND $2 AND line.campaign_type = 'source-identifier'
         GROUP BY line.line, sequence_index) AS figure
 CROSS JOIN LATERAL attribution.identifier_levels(campaign)
 GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
          sequence_index
$$;

CREATE OR REPLACE VIEW attribution.report_source_identifier_all AS
SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index, postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null,
       value_average, coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits,
       first_seen AS first_day, last_seen AS last_day
  FROM attribution.report_source_identifier('-infinity', 'infinity');

CREATE OR REPLACE VIEW attribution.report_source_identifier AS
SELECT protocol, ad_network_id, advertised_app_id, digits, source_identifier, sequence_index,
       postbacks, installs, redownloads, reengagements, assists, value_known, value_coarse, value_null, value_average,
       coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits, share_4_digits,
       first_day, last_day
  FROM attribution.report_source_identifier_all
 WHERE environment = 'production' AND NOT developer_copy;

COMMENT ON VIEW attribution.report_campaign_daily IS 'Figures by day, campaign and app';
COMMENT ON VIEW attribution.report_campaign IS 'Figures by campaign and app';
COMMENT ON VIEW attribution.report_source_app_daily IS
    'Figures by day, campaign, app, and the app or domain that showed the ad';
COMMENT ON VIEW attribution.report_conversion_value_daily IS 'Postbacks by day, campaign, app, window and value';
COMMENT ON VIEW attribution.report_source_identifier_daily IS
    'Figures by day and by the last two, three and four digits';
COMMENT ON VIEW attribution.report_source_identifier IS 'Figures by the last two, three and four digits';
COMMENT ON FUNCTION attribution.report_conversion_value(date, date) IS
    'report_conversion_value_daily_all, summed over the days of a range, both ends included';
COMMENT ON FUNCTION attribution.report_source_identifier(date, date) IS
    'report_source_identifier_daily_all, summed over the days of a range, both ends included';

-- The views with `_all` have the same comments, and a column means the same in each view.
DO $$
DECLARE
    place record;
BEGIN
    FOR place IN
        SELECT view.oid::regclass::text AS name, obj_description(view.oid) AS of_plain
          FROM pg_class AS view
         WHERE view.relnamespace = 'attribution'::regnamespace
           AND view.relname LIKE 'report_%' AND view.relname NOT LIKE '%\_all'
           AND obj_description(view.oid) IS NOT NULL
    LOOP
        EXECUTE format('COMMENT ON VIEW %s_all IS %L', place.name, place.of_plain || ', of every environment');
    END LOOP;
    FOR place IN
        SELECT view.oid::regclass::text AS view, of_view.attname AS name, meaning
          FROM pg_class AS view
          JOIN pg_attribute AS of_view ON of_view.attrelid = view.oid AND of_view.attnum > 0
          JOIN (VALUES
            ('environment', 'production, development or test'),
            ('developer_copy', 'Whether the postbacks are an app developer''s copies of another network''s'),
            ('day', 'The UTC day of first receipt; for impressions the UTC day of signing'),
            ('protocol', 'skadnetwork or adattributionkit'),
            ('ad_network_id', 'The network, in lower case'),
            ('campaign_type', 'campaign-id or source-identifier'),
            ('campaign', 'The campaign id, or the source identifier as received'),
            ('advertised_app_id', 'The App Store id of the advertised app'),
            ('source_app', 'The id of the source app, or the source domain; NULL if the postback names neither'),
            ('sequence_index', 'The conversion window: 0, 1 or 2'),
            ('impressions', 'Impressions that the service signed'),
            ('installs', 'Winning postbacks of window 0 for first downloads'),
            ('redownloads', 'Winning postbacks of window 0 for redownloads'),
            ('reengagements', 'Winning postbacks of window 0 for re-engagements'),
            ('assists', 'Postbacks with did-win false'),
            ('value_known', 'Winning postbacks with a fine value; of window 0 unless there is a sequence_index'),
            ('value_coarse', 'Winning postbacks with a coarse value; of window 0 unless there is a sequence_index'),
            ('value_null', 'Winning postbacks without a value; of window 0 unless there is a sequence_index'),
            ('value_average', 'The average of the fine values, to four places; NULL if there are none'),
            ('raised', 'Postbacks whose current value differs from the first one'),
            ('conflicts', 'Deliveries with another value that were ignored'),
            ('later_windows', 'Postbacks of windows 1 and 2'),
            ('first_day', 'The first day with figures'),
            ('last_day', 'The last day with figures'),
            ('conversion_value', 'The fine value, 0 to 63; NULL for others'),
            ('coarse_value', 'The coarse value: low, medium or high; NULL for others'),
            ('postbacks', 'Postbacks of this row; in reports by source identifier only winning ones'),
            ('events', 'What the value means: events that have happened; NULL if its meaning is not certain, or none'),
            ('possible_events', 'Events that may have happened, or not'),
            ('revenue_low', 'The least revenue of one postback with this value'),
            ('revenue_high', 'The greatest revenue of one postback with this value; NULL if there is no upper end'),
            ('currency', 'The currency of the scheme, ISO 4217'),
            ('digits', 'How many last digits of the source identifier the row is for'),
            ('source_identifier', 'These digits'),
            ('coarse_low', 'Of value_coarse, those with the value low'),
            ('coarse_medium', 'Of value_coarse, those with the value medium'),
            ('coarse_high', 'Of value_coarse, those with the value high'),
            ('share_2_digits', 'The share of the postbacks that arrived with 2 digits'),
            ('share_3_digits', 'The share of the postbacks that arrived with 3 digits'),
            ('lane', 'The lane of the log'),
            ('position', 'With the ordinal, the place in the lane'),
            ('ordinal', 'With the position, the place in the lane'),
            ('line', 'The campaign and the app, a row of attribution.line'),
            ('source', 'Where the ad was shown, a row of attribution.source; 0: not said'),
            ('traits', 'Other facts, a row of attribution.traits'),
            ('received_at', 'The first receipt'),
            ('did_win', 'Whether Apple attributes the conversion to this network'),
            ('kind', 'What a winning postback of window 0 counts as: install, redownload or re-engagement'),
            ('value', 'The value as one number: -1 none, 0 to 63 fine, 101 low, 102 medium, 103 high'),
            ('value_sum', 'The sum of the fine values'),
            ('winning', 'Winning postbacks'),
            ('share_4_digits',
             'The share of the postbacks that arrived with 4 digits')) AS text_of (column_name, meaning)
            ON column_name = of_view.attname
         WHERE view.relnamespace = 'attribution'::regnamespace AND view.relkind = 'v'
           AND col_description(view.oid, of_view.attnum) IS NULL
    LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', place.view, place.name, place.meaning);
    END LOOP;
END $$;

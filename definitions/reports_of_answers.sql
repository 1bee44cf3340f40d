-- Reports of answers, by the day of arrival and by the day of the install. They are by campaign, source identifier,
-- traits, source, version, mapped name and event. Those by version, and some of those by source, are of all campaigns of
-- an app. Others are about impressions, tiers and the health of values.
--
-- Each family of reports is one function whose name begins with `answers_by_`. It takes which day it is about, whether it
-- shows each day or the sum of a range, the range, and an app. PostgreSQL inlines it: constants in its arguments decide at
-- planning time which partition of answer_daily is read and what it is grouped by. The end of this file makes the views
-- and functions that people read from these functions.
--
-- A postback is in exactly one row of a family. In that of source identifiers it is once in each level. Currency is part
-- of the key of a row. So a campaign with two currencies has two rows, which share its postbacks. Figures can be summed
-- over all rows, and money over the rows of one currency.

-- Families. Each has the figures of answer_sums by its own keys.

CREATE OR REPLACE FUNCTION attribution.answers_by_campaign(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    campaign text, advertised_app_id bigint, sequence_index smallint, did_win boolean, currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       sequence_index, did_win, nullif(currency, ''),
       postbacks, installs, redownloads, reengagements, fine, coarse, withheld, not_set, not_applicable, mapped,
       unmapped, ambiguous, no_scheme, tier_0, tier_1, tier_2, tier_3, tier_unsure, attribution.money(revenue_low),
       attribution.money(revenue_middle), attribution.money(revenue_high), revenue_open, complete
  FROM attribution.answer_sums($1, 'campaign', $2, $3, $4, $5)
$$;

COMMENT ON FUNCTION attribution.answers_by_campaign IS 'Answers by campaign; what report_arrival_campaign and so on read';

CREATE OR REPLACE FUNCTION attribution.answers_by_source_identifier(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, advertised_app_id bigint,
    digits integer, source_identifier text, sequence_index smallint, did_win boolean, currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
       sequence_index, did_win, nullif(currency, ''),
       attribution.total(postbacks) AS postbacks, attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads, attribution.total(reengagements) AS reengagements,
       attribution.total(fine) AS fine, attribution.total(coarse) AS coarse, attribution.total(withheld) AS withheld,
       attribution.total(not_set) AS not_set, attribution.total(not_applicable) AS not_applicable,
       attribution.total(mapped) AS mapped, attribution.total(unmapped) AS unmapped,
       attribution.total(ambiguous) AS ambiguous, attribution.total(no_scheme) AS no_scheme,
       attribution.total(tier_0) AS tier_0, attribution.total(tier_1) AS tier_1, attribution.total(tier_2) AS tier_2,
       attribution.total(tier_3) AS tier_3, attribution.total(tier_unsure) AS tier_unsure,
       attribution.money(attribution.total(revenue_low)) AS revenue_low,
       CASE WHEN attribution.total(revenue_unknown) = 0
            THEN attribution.money(attribution.total(revenue_middle)) END AS revenue_middle,
       attribution.money(attribution.total(revenue_high)) AS revenue_high,
       attribution.total(revenue_open) AS revenue_open, bool_and(complete) AS complete
  FROM attribution.answer_sums($1, 'campaign', $2, $3, $4, $5)
       -- Of the sums, not of the line: else the planner sums each line again for each of its levels.
 CROSS JOIN LATERAL attribution.identifier_levels(CASE WHEN postbacks > 0 THEN campaign END)
 WHERE campaign_type = 'source-identifier'
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
          sequence_index, did_win, currency
$$;

COMMENT ON FUNCTION attribution.answers_by_source_identifier IS
    'Answers by the last digits of source identifiers; what report_arrival_source_identifier and so on read';

CREATE OR REPLACE FUNCTION attribution.answers_by_traits(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    campaign text, advertised_app_id bigint, version text, kind text, redownload boolean, conversion_type text,
    fidelity_type smallint, ad_interaction_type text, marketplace_identifier text, country_code text,
    sequence_index smallint, did_win boolean, currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       version, kind, redownload, conversion_type, fidelity_type, ad_interaction_type, marketplace_identifier,
       country_code, sequence_index, did_win, nullif(currency, ''),
       postbacks, installs, redownloads, reengagements, fine, coarse, withheld, not_set, not_applicable, mapped,
       unmapped, ambiguous, no_scheme, tier_0, tier_1, tier_2, tier_3, tier_unsure, attribution.money(revenue_low),
       attribution.money(revenue_middle), attribution.money(revenue_high), revenue_open, complete
  FROM attribution.answer_sums($1, 'traits', $2, $3, $4, $5)
  JOIN attribution.traits USING (traits)
$$;

COMMENT ON FUNCTION attribution.answers_by_traits IS
    'Answers by campaign and traits; what report_arrival_traits and so on read';

CREATE OR REPLACE FUNCTION attribution.answers_by_source(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    campaign text, advertised_app_id bigint, source_app_id bigint, source_domain text, sequence_index smallint,
    did_win boolean, currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
       source_app_id, source_domain, sequence_index, did_win, nullif(currency, ''),
       postbacks, installs, redownloads, reengagements, fine, coarse, withheld, not_set, not_applicable, mapped,
       unmapped, ambiguous, no_scheme, tier_0, tier_1, tier_2, tier_3, tier_unsure, attribution.money(revenue_low),
       attribution.money(revenue_middle), attribution.money(revenue_high), revenue_open, complete
  FROM attribution.answer_sums($1, 'source', $2, $3, $4, $5)
  JOIN attribution.source USING (source)
$$;

COMMENT ON FUNCTION attribution.answers_by_source IS
    'Answers by campaign and source app or domain; what report_arrival_source and so on read';

-- Of all campaigns of a network for an app. Sums of versions are few, so they are quick to read.
CREATE OR REPLACE FUNCTION attribution.answers_by_version(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    advertised_app_id bigint, version text, sequence_index smallint, did_win boolean, currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, advertised_app_id, version,
       sequence_index, did_win, nullif(currency, ''),
       postbacks, installs, redownloads, reengagements, fine, coarse, withheld, not_set, not_applicable, mapped,
       unmapped, ambiguous, no_scheme, tier_0, tier_1, tier_2, tier_3, tier_unsure, attribution.money(revenue_low),
       attribution.money(revenue_middle), attribution.money(revenue_high), revenue_open, complete
  FROM attribution.answer_sums($1, 'version', $2, $3, $4, $5)
  JOIN attribution.traits USING (traits)
$$;

COMMENT ON FUNCTION attribution.answers_by_version IS
    'Answers by network, app and version; what report_arrival_version and so on read';

-- Likewise.
CREATE OR REPLACE FUNCTION attribution.answers_by_app_source(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    advertised_app_id bigint, source_app_id bigint, source_domain text, sequence_index smallint, did_win boolean,
    currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, advertised_app_id, source_app_id,
       source_domain, sequence_index, did_win, nullif(currency, ''),
       postbacks, installs, redownloads, reengagements, fine, coarse, withheld, not_set, not_applicable, mapped,
       unmapped, ambiguous, no_scheme, tier_0, tier_1, tier_2, tier_3, tier_unsure, attribution.money(revenue_low),
       attribution.money(revenue_middle), attribution.money(revenue_high), revenue_open, complete
  FROM attribution.answer_sums($1, 'app_source', $2, $3, $4, $5)
  JOIN attribution.source USING (source)
$$;

COMMENT ON FUNCTION attribution.answers_by_app_source IS
    'Answers by network, app, and source app or domain; what report_arrival_app_source and so on read';

-- A mapping row names the postbacks of a line on some days, of some countries and some source apps (see line_mapping).
-- Most lines have no rows with a country or a source app: their sums by campaign are named by line and day. For a line
-- that has some, the sums by traits or by source are read. If it has both, its postbacks are read.
--
-- Networks are compared by name, without the suffix of a protocol. So the postbacks of an operator's campaign are summed
-- over protocols and versions.
CREATE OR REPLACE FUNCTION attribution.answers_by_mapping(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, network_name text, advertised_app_id bigint,
    campaign_id text, campaign_name text, ad_group_id text, ad_group_name text, creative_id text, creative_name text,
    geo text, campaign_type text, campaign text, sequence_index smallint, did_win boolean, currency text,
    postbacks bigint, installs bigint, redownloads bigint, reengagements bigint, fine bigint, coarse bigint,
    withheld bigint, not_set bigint, not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint,
    no_scheme bigint, tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
WITH mapped AS MATERIALIZED (
    SELECT *, country IS NOT NULL OR other_countries <> '{}' AS by_country,
           source_app IS NOT NULL OR other_source_apps <> '{}' AS by_source
      FROM attribution.line_mapping($3, $4, $5)
),
conditional AS MATERIALIZED (
    SELECT line, by_country, by_source FROM mapped WHERE by_country OR by_source GROUP BY 1, 2, 3
),
-- Of the other lines, the days that a row names, and those before, between and behind that none names.
piece AS (
    SELECT line, mapping, from_day, to_day FROM mapped WHERE NOT by_country AND NOT by_source
    UNION ALL
    SELECT line, NULL, to_day + 1,
           coalesce(lead(from_day) OVER (PARTITION BY line ORDER BY from_day, to_day) - 1, $4)
      FROM (SELECT line, from_day, to_day FROM mapped WHERE NOT by_country AND NOT by_source
            UNION ALL
            SELECT line, '-infinity', $3 - 1
              FROM attribution.line
             WHERE ($5 IS NULL OR advertised_app_id = $5) AND line NOT IN (SELECT line FROM conditional)) AS named
),
detailed AS (
    SELECT daily.*
      FROM conditional
      JOIN attribution.answer_daily AS daily USING (line)
     WHERE by_country AND NOT by_source AND daily.answer_table = attribution.answer_table($1, 'traits')
       AND daily.day BETWEEN $3 AND $4 AND daily.postbacks > 0
    UNION ALL
    SELECT daily.*
      FROM conditional
      JOIN attribution.answer_daily AS daily USING (line)
     WHERE by_source AND NOT by_country AND daily.answer_table = attribution.answer_table($1, 'source')
       AND daily.day BETWEEN $3 AND $4 AND daily.postbacks > 0
    UNION ALL
    SELECT *
      FROM attribution.recounted_answers(
               ARRAY(SELECT line FROM conditional WHERE by_country AND by_source), $1, $3, $4)
),
sums AS (
    SELECT piece.line, piece.mapping, daily.day, daily.sequence_index, daily.did_win, daily.currency, daily.postbacks,
           daily.redownloads, daily.reengagements, daily.fine, daily.coarse, daily.withheld, daily.not_set, daily.mapped,
           daily.unmapped, daily.ambiguous, daily.tier_0, daily.tier_1, daily.tier_2, daily.tier_3, daily.revenue_low,
           daily.revenue_middle, daily.revenue_high, daily.revenue_open, daily.revenue_unknown
      FROM piece
     CROSS JOIN LATERAL attribution.answers_of_line(
           piece.line, $1, 'campaign', $2, piece.from_day, piece.to_day) AS daily
     WHERE piece.from_day <= piece.to_day
    UNION ALL
    SELECT detailed.line, mapped.mapping, CASE WHEN $2 THEN detailed.day END, detailed.sequence_index, detailed.did_win,
           detailed.currency, detailed.postbacks, detailed.redownloads, detailed.reengagements, detailed.fine,
           detailed.coarse, detailed.withheld, detailed.not_set, detailed.mapped, detailed.unmapped, detailed.ambiguous,
           detailed.tier_0, detailed.tier_1, detailed.tier_2, detailed.tier_3, detailed.revenue_low,
           detailed.revenue_middle, detailed.revenue_high, detailed.revenue_open, detailed.revenue_unknown
      FROM detailed
      LEFT JOIN attribution.traits USING (traits)
      LEFT JOIN attribution.source USING (source)
      LEFT JOIN mapped
             ON mapped.line = detailed.line AND detailed.day BETWEEN from_day AND to_day
            AND attribution.mapping_covers(country, other_countries, traits.country_code)
            AND attribution.mapping_covers(source_app, other_source_apps,
                                           coalesce(source.source_app_id::text, source.source_domain))
)
SELECT environment, developer_copy, day, network_name, advertised_app_id, campaign_id, campaign_name, ad_group_id,
       ad_group_name, creative_id, creative_name, geo, campaign_type, campaign, sequence_index, did_win,
       nullif(currency, ''),
       attribution.total(postbacks) AS postbacks, attribution.total(installs) AS installs,
       attribution.total(redownloads) AS redownloads, attribution.total(reengagements) AS reengagements,
       attribution.total(fine) AS fine, attribution.total(coarse) AS coarse, attribution.total(withheld) AS withheld,
       attribution.total(not_set) AS not_set, attribution.total(not_applicable) AS not_applicable,
       attribution.total(mapped) AS mapped, attribution.total(unmapped) AS unmapped,
       attribution.total(ambiguous) AS ambiguous, attribution.total(no_scheme) AS no_scheme,
       attribution.total(tier_0) AS tier_0, attribution.total(tier_1) AS tier_1, attribution.total(tier_2) AS tier_2,
       attribution.total(tier_3) AS tier_3, attribution.total(tier_unsure) AS tier_unsure,
       attribution.money(attribution.total(revenue_low)) AS revenue_low,
       CASE WHEN attribution.total(revenue_unknown) = 0
            THEN attribution.money(attribution.total(revenue_middle)) END AS revenue_middle,
       attribution.money(attribution.total(revenue_high)) AS revenue_high,
       attribution.total(revenue_open) AS revenue_open, bool_and(complete) AS complete
  FROM (SELECT line.environment, line.developer_copy, day, line.advertised_app_id,
               network.network_name, row.campaign_id, row.campaign_name, row.ad_group_id, row.ad_group_name,
               row.creative_id, row.creative_name, row.geo,
               CASE WHEN mapping IS NULL THEN line.campaign_type END AS campaign_type,
               CASE WHEN mapping IS NULL THEN line.campaign END AS campaign,
               sequence_index, did_win, currency,
               postbacks, derived.*, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous,
               tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown,
               CASE WHEN $1 = 'install'
                    THEN attribution.is_complete(
                             coalesce(day, $4), line.campaign_type = 'source-identifier', sequence_index,
                             measurement_window_hours, (SELECT attribution.answers_up_to()))
               END AS complete
          FROM sums
          JOIN attribution.line USING (line)
          JOIN (SELECT network, attribution.network_name(ad_network_id) AS network_name
                  FROM attribution.network) AS network USING (network)
         CROSS JOIN LATERAL attribution.derived_figures(
       line.campaign_type, sequence_index, did_win, postbacks, sums.redownloads, sums.reengagements, fine, coarse,
       withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3) AS derived
          LEFT JOIN attribution.campaign_mapping AS row USING (mapping)
          LEFT JOIN attribution.measurement_window
                 ON $1 = 'install'
                AND measurement_window.advertised_app_id =
                    CASE line.campaign_type WHEN 'campaign-id' THEN line.advertised_app_id END
                AND coalesce(sums.day, $4) BETWEEN measurement_window.from_day AND measurement_window.to_day) AS answer
 GROUP BY environment, developer_copy, day, network_name, advertised_app_id, campaign_id, campaign_name, ad_group_id,
          ad_group_name, creative_id, creative_name, geo, campaign_type, campaign, sequence_index, did_win, currency
$$;

COMMENT ON FUNCTION attribution.answers_by_mapping IS
    'Answers by what operators call their campaigns; what report_arrival_mapping and so on read';

-- Events of mapped values. Only winning postbacks have values.
CREATE OR REPLACE FUNCTION attribution.answers_by_event(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    campaign text, advertised_app_id bigint, sequence_index smallint, event text, currency text,
    postbacks bigint, possible bigint, count_low bigint, count_high bigint, count_open bigint,
    revenue_low numeric, revenue_middle numeric, revenue_high numeric, revenue_open bigint, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, line.advertised_app_id,
       sequence_index, event, nullif(currency, ''), postbacks, possible, count_low, count_high, count_open,
       attribution.money(revenue_low), CASE WHEN revenue_unknown = 0 THEN attribution.money(revenue_middle) END,
       attribution.money(revenue_high), revenue_open,
       CASE WHEN $1 = 'install'
            THEN attribution.is_complete(
                     coalesce(day, $4), campaign_type = 'source-identifier', sequence_index, measurement_window_hours,
                     (SELECT attribution.answers_up_to()))
       END
  FROM attribution.line
 CROSS JOIN LATERAL attribution.events_of_line(line.line, $1, $2, $3, $4) AS sums
  LEFT JOIN attribution.measurement_window
         ON $1 = 'install'
        AND measurement_window.advertised_app_id =
            CASE line.campaign_type WHEN 'campaign-id' THEN line.advertised_app_id END
        AND coalesce(sums.day, $4) BETWEEN from_day AND to_day
 WHERE $5 IS NULL OR line.advertised_app_id = $5
$$;

COMMENT ON FUNCTION attribution.answers_by_event IS
    'Events of mapped values by campaign; what report_arrival_event and so on read';

-- Signed impressions and the conversions behind them. An impression has the day of its signing, whatever day the
-- conversions have. It has all digits of its source identifier, and a postback may have fewer. So both are counted in
-- each level, and only the lowest level of an identifier has all conversions.
CREATE OR REPLACE FUNCTION attribution.answers_by_impression(
    day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, protocol text, ad_network_id text, campaign_type text,
    digits integer, campaign text, advertised_app_id bigint, impressions bigint, installs bigint, redownloads bigint,
    reengagements bigint, conversions_per_thousand numeric, complete boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type,
       CASE campaign_type WHEN 'source-identifier' THEN length(identifier) END, identifier, advertised_app_id,
       attribution.total(impressions), attribution.total(installs), attribution.total(redownloads),
       attribution.total(reengagements),
       round(1000.0 * (attribution.total(installs) + attribution.total(redownloads) + attribution.total(reengagements))
             / nullif(attribution.total(impressions), 0), 4),
       bool_and(complete)
  FROM (SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
               0::bigint AS impressions, installs, redownloads, reengagements, complete
          FROM attribution.answer_sums($1, 'campaign', $2, $3, $4, $5)
         WHERE did_win AND sequence_index = 0
        UNION ALL
        SELECT line.environment, line.developer_copy, CASE WHEN $2 THEN signed.day END, line.protocol,
               line.ad_network_id, line.campaign_type, line.campaign, line.advertised_app_id,
               attribution.total(signed.impressions), 0, 0, 0,
               -- Installs of the day can still come, also if none has.
               CASE WHEN $1 = 'install'
                    THEN attribution.is_complete(
                             CASE WHEN $2 THEN signed.day ELSE $4 END, line.campaign_type = 'source-identifier',
                             0::smallint, min(measurement_window_hours), (SELECT attribution.answers_up_to()))
               END
          FROM attribution.campaign_daily AS signed
          JOIN attribution.line USING (line)
          LEFT JOIN attribution.measurement_window
                 ON $1 = 'install'
                AND measurement_window.advertised_app_id =
                    CASE line.campaign_type WHEN 'campaign-id' THEN line.advertised_app_id END
                AND CASE WHEN $2 THEN signed.day ELSE $4 END BETWEEN from_day AND to_day
         WHERE signed.day BETWEEN $3 AND $4 AND signed.impressions > 0
           AND ($5 IS NULL OR line.advertised_app_id = $5)
         GROUP BY line.line, CASE WHEN $2 THEN signed.day END, CASE WHEN $2 THEN signed.day ELSE $4 END) AS part
 CROSS JOIN LATERAL attribution.mapped_identifiers(campaign_type, campaign) AS identifier
 GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, identifier, advertised_app_id
$$;

COMMENT ON FUNCTION attribution.answers_by_impression IS
    'Impressions by the day of signing and conversions; what report_arrival_impression and so on read';

-- Two reports about the app and Apple, not about campaigns.

-- A number of postbacks a day as a range of round numbers: 1, 2 to 4, 5 to 9, 10 to 19 and so on.
CREATE OR REPLACE FUNCTION attribution.volume_range(postbacks bigint) RETURNS TABLE (volume_low bigint, volume_high bigint)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT bounds[n], bounds[n + 1] - 1
      FROM (SELECT ARRAY[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000]::bigint[]
                   AS bounds) AS steps,
           width_bucket($1, bounds) AS n
$$;

COMMENT ON FUNCTION attribution.volume_range(bigint) IS
    'The range of round numbers that a number of postbacks is in; the last one has no upper end (NULL)';

-- Apple's tier depends on the size of the crowd, by rules that Apple does not publish. This is what they do to the
-- operator's own campaigns: the tiers of winning postbacks of the first window by the volume of the day. A campaign here
-- is the last two digits of the source identifier, since these are the digits that every tier sends.
CREATE OR REPLACE FUNCTION attribution.report_tier(first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL)
RETURNS TABLE (
    environment text, developer_copy boolean, protocol text, ad_network_id text, advertised_app_id bigint,
    source_identifier text, volume_low bigint, volume_high bigint, days bigint, postbacks bigint,
    tier_0 bigint, tier_1 bigint, tier_2 bigint, tier_3 bigint, tier_unsure bigint,
    tier_0_share numeric, tier_1_share numeric, tier_2_share numeric, tier_3_share numeric, tier_unsure_share numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, source_identifier,
       volume_low, volume_high, count(*), attribution.total(postbacks),
       attribution.total(tier_0), attribution.total(tier_1), attribution.total(tier_2), attribution.total(tier_3),
       attribution.total(tier_unsure),
       attribution.average(attribution.total(tier_0), attribution.total(postbacks)),
       attribution.average(attribution.total(tier_1), attribution.total(postbacks)),
       attribution.average(attribution.total(tier_2), attribution.total(postbacks)),
       attribution.average(attribution.total(tier_3), attribution.total(postbacks)),
       attribution.average(attribution.total(tier_unsure), attribution.total(postbacks))
  FROM (SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id,
               right(campaign, 2) AS source_identifier, day,
               attribution.total(postbacks) AS postbacks,
               attribution.total(tier_0) AS tier_0, attribution.total(tier_1) AS tier_1,
               attribution.total(tier_2) AS tier_2, attribution.total(tier_3) AS tier_3,
               attribution.total(tier_unsure) AS tier_unsure
          FROM attribution.answer_sums('install', 'campaign', true, $1, $2, $3)
         WHERE did_win AND sequence_index = 0 AND campaign_type = 'source-identifier'
         GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id, right(campaign, 2), day
       ) AS daily
 CROSS JOIN LATERAL attribution.volume_range(postbacks)
 GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id, source_identifier,
          volume_low, volume_high
$$;

-- Whether the app sets the values that it could set, and values that its scheme has. By the day of arrival, since
-- somebody should hear of a bug soon.
CREATE OR REPLACE FUNCTION attribution.value_health(by_day boolean, first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    environment text, developer_copy boolean, day date, advertised_app_id bigint, protocol text, version text,
    sequence_index smallint, postbacks bigint, fine bigint, coarse bigint, withheld bigint, not_set bigint,
    not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint, no_scheme bigint, not_set_share numeric,
    unmapped_share numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, day, advertised_app_id, protocol, version, sequence_index,
       attribution.total(postbacks), attribution.total(fine), attribution.total(coarse), attribution.total(withheld),
       attribution.total(not_set), attribution.total(not_applicable), attribution.total(mapped),
       attribution.total(unmapped), attribution.total(ambiguous), attribution.total(no_scheme),
       attribution.average(attribution.total(not_set), attribution.total(fine + coarse + not_set)),
       attribution.average(attribution.total(unmapped), attribution.total(mapped + unmapped))
  FROM attribution.answer_sums('arrival', 'version', $1, $2, $3, $4)
  JOIN attribution.traits USING (traits)
 WHERE did_win
 GROUP BY environment, developer_copy, day, advertised_app_id, protocol, version, sequence_index
$$;

COMMENT ON FUNCTION attribution.value_health IS
    'Values set and not set by app and version; what report_value_health and so on read';

CREATE OR REPLACE FUNCTION attribution.report_value_health(
    first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL)
RETURNS TABLE (
    environment text, developer_copy boolean, advertised_app_id bigint, protocol text, version text,
    sequence_index smallint, postbacks bigint, fine bigint, coarse bigint, withheld bigint, not_set bigint,
    not_applicable bigint, mapped bigint, unmapped bigint, ambiguous bigint, no_scheme bigint, not_set_share numeric,
    unmapped_share numeric)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
SELECT environment, developer_copy, advertised_app_id, protocol, version, sequence_index, postbacks, fine, coarse,
       withheld, not_set, not_applicable, mapped, unmapped, ambiguous, no_scheme, not_set_share, unmapped_share
  FROM attribution.value_health(false, $1, $2, $3)
$$;

CREATE OR REPLACE VIEW attribution.report_value_health_daily_all AS
SELECT * FROM attribution.value_health(true, '-infinity', 'infinity', NULL);

CREATE OR REPLACE VIEW attribution.report_value_health_daily AS
SELECT day, advertised_app_id, protocol, version, sequence_index, postbacks, fine, coarse, withheld, not_set,
       not_applicable, mapped, unmapped, ambiguous, no_scheme, not_set_share, unmapped_share
  FROM attribution.report_value_health_daily_all
 WHERE environment = 'production' AND NOT developer_copy;

CREATE OR REPLACE VIEW attribution.report_tier_all AS
SELECT * FROM attribution.report_tier('-infinity', 'infinity');

CREATE OR REPLACE VIEW attribution.report_tier AS
SELECT protocol, ad_network_id, advertised_app_id, source_identifier, volume_low, volume_high, days, postbacks,
       tier_0, tier_1, tier_2, tier_3, tier_unsure,
       tier_0_share, tier_1_share, tier_2_share, tier_3_share, tier_unsure_share
  FROM attribution.report_tier_all
 WHERE environment = 'production' AND NOT developer_copy;

COMMENT ON FUNCTION attribution.report_tier IS
    'Tiers by campaign and by its volume of a day, over the install days of a range';
COMMENT ON VIEW attribution.report_tier IS 'Tiers by campaign and by its volume of a day; production';
COMMENT ON VIEW attribution.report_tier_all IS 'Tiers by campaign and by its volume of a day; all environments';
COMMENT ON FUNCTION attribution.report_value_health IS
    'Values set and not set by app and version, over the days of arrival of a range';
COMMENT ON VIEW attribution.report_value_health_daily IS
    'Values set and not set by app, version and day of arrival; production';
COMMENT ON VIEW attribution.report_value_health_daily_all IS
    'Values set and not set by app, version and day of arrival; all environments';

-- For each family and both days: the views report_DAY_FAMILY_daily and report_DAY_FAMILY_daily_all, and the function
-- report_DAY_FAMILY(first_day, last_day, an_advertised_app_id). They differ only in the columns that they leave out. The
-- function has no day, and a view of production has no environment and no developer_copy. `complete` is about install
-- days only, since a day of arrival is complete when it is over.
DO $make$
DECLARE
    family  text;
    subject text;
    day_of  text;
    name    text;
    columns text[];
    types   text[];
BEGIN
    FOR family, subject IN VALUES ('campaign', 'campaign'),
                                  ('source_identifier', 'the last digits of the source identifier'),
                                  ('traits', 'campaign and traits'), ('source', 'campaign and source app or domain'),
                                  ('version', 'network, app and version'),
                                  ('app_source', 'network, app, and source app or domain'),
                                  ('mapping', 'mapped name'), ('event', 'campaign and event'),
                                  ('impression', 'campaign, beside impressions') LOOP
        FOREACH day_of IN ARRAY ARRAY['arrival', 'install'] LOOP
            name := format('report_%s_%s', day_of, family);
            SELECT array_agg(quote_ident(argument) ORDER BY number),
                   array_agg(format('%I %s', argument, type::regtype) ORDER BY number) INTO columns, types
              FROM pg_proc,
                   unnest(proargnames, proargmodes, proallargtypes) WITH ORDINALITY AS a (argument, mode, type, number)
             WHERE pronamespace = 'attribution'::regnamespace AND proname = 'answers_by_' || family AND mode = 't'
               AND NOT (day_of = 'arrival' AND argument = 'complete');
            EXECUTE format(
                'CREATE OR REPLACE VIEW attribution.%I AS
                 SELECT %s FROM attribution.%I(%L, true, ''-infinity'', ''infinity'', NULL)',
                name || '_daily_all', array_to_string(columns, ', '), 'answers_by_' || family, day_of);
            EXECUTE format(
                'CREATE OR REPLACE VIEW attribution.%I AS
                 SELECT %s FROM attribution.%I WHERE environment = ''production'' AND NOT developer_copy',
                name || '_daily', array_to_string(columns[3:], ', '), name || '_daily_all');
            EXECUTE format(
                'CREATE OR REPLACE FUNCTION attribution.%I(first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL)
                 RETURNS TABLE (%s) LANGUAGE sql STABLE PARALLEL SAFE
                 AS $body$SELECT %s FROM attribution.%I(%L, false, $1, $2, $3)$body$',
                name, array_to_string(types[:2] || types[4:], ', '), array_to_string(columns[:2] || columns[4:], ', '),
                'answers_by_' || family, day_of);
            EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', name || '_daily',
                           format('Answers by %s and by the day of the %s; production', subject, day_of));
            EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', name || '_daily_all',
                           format('Answers by %s and by the day of the %s; all environments', subject, day_of));
            EXECUTE format('COMMENT ON FUNCTION attribution.%I IS %L', name,
                           format('Answers by %s, summed over days of the %s', subject, day_of));
        END LOOP;
    END LOOP;
END $make$;

-- What the columns of these views mean. A row with a pattern is for the views that fit it; the first row that fits counts.
DO $comments$
DECLARE
    described record;
BEGIN
    FOR described IN
        WITH meaning (number, pattern, name, text) AS (VALUES
            (1, '%', 'environment', 'production, development or test'),
            (2, '%', 'developer_copy', 'Whether the postbacks are copies for the developer of the advertised app'),
            (3, 'report_arrival_impression%', 'day',
             'The UTC day of arrival of the conversions, and of signing of the impressions'),
            (4, 'report_install_impression%', 'day',
             'The UTC day of the install of the conversions, and of signing of the impressions'),
            (5, 'report_install%', 'day', 'The UTC day of the estimated first launch, or open of a re-engagement'),
            (6, '%', 'day', 'The UTC day of arrival, the first receipt'),
            (7, '%', 'protocol', 'skadnetwork or adattributionkit'),
            (8, '%', 'version', 'The version of SKAdNetwork; none for AdAttributionKit'),
            (9, '%', 'ad_network_id', 'The network, in lower case as signed'),
            (10, '%', 'network_name', 'The network without the suffix of a protocol; networks are compared by it'),
            (11, 'report_%_mapping%', 'campaign_type',
             'campaign-id or source-identifier, if no mapping row names the postbacks; else NULL'),
            (12, 'report_%_mapping%', 'campaign',
             'The campaign as received, if no mapping row names the postbacks; else NULL'),
            (13, 'report_%_impression%', 'campaign', 'The campaign id, or the last digits of the source identifier'),
            (14, '%', 'campaign_type', 'campaign-id (SKAdNetwork up to 3.0) or source-identifier'),
            (15, '%', 'campaign', 'The campaign id, or the source identifier as received, with leading zeros'),
            (16, '%', 'advertised_app_id', 'The App Store id of the advertised app'),
            (17, 'report_%_impression%', 'digits',
             'How many last digits of source identifiers the row is for; NULL for a campaign id'),
            (18, '%', 'digits', 'How many last digits the row is for: 2 to 4, or 1 for an identifier of one digit'),
            (19, 'report_tier%', 'source_identifier', 'The last two digits of the source identifier'),
            (20, '%', 'source_identifier', 'So many last digits of the source identifier'),
            (21, '%', 'kind', 'install, redownload or re-engagement'),
            (22, '%', 'redownload',
             'SKAdNetwork: whether the app was downloaded before; NULL if the version does not say it'),
            (23, '%', 'conversion_type', 'AdAttributionKit: download, redownload or re-engagement'),
            (24, '%', 'fidelity_type', '0 view-through, 1 StoreKit-rendered; NULL if the version does not say it'),
            (25, '%', 'ad_interaction_type', 'AdAttributionKit: view or click'),
            (26, '%', 'marketplace_identifier', 'AdAttributionKit: the marketplace; Apple omits it in tier 0'),
            (27, '%', 'country_code', 'The country, if Apple sent it'),
            (28, '%', 'source_app_id', 'The app that showed the ad, if Apple sent it'),
            (29, '%', 'source_domain', 'The web site that showed the ad, if Apple sent it'),
            (30, '%', 'campaign_id',
             'The id of the campaign at the operator; NULL if no mapping row names the postbacks'),
            (31, '%', 'campaign_name', 'The name of the campaign'),
            (32, '%', 'ad_group_id', 'The id of the ad group'),
            (33, '%', 'ad_group_name', 'The name of the ad group'),
            (34, '%', 'creative_id', 'The id of the creative'),
            (35, '%', 'creative_name', 'The name of the creative'),
            (36, '%', 'geo', 'The country in which the ads are shown, by the mapping'),
            (37, '%', 'event', 'The event of the scheme'),
            (38, '%', 'sequence_index', 'The conversion window: 0, 1 or 2'),
            (39, '%', 'did_win', 'Whether Apple attributes the conversions to this network; false: it assisted'),
            (40, '%', 'currency', 'The currency of the scheme in force; NULL if none or two may be, or if it has none'),
            (41, 'report_%_event%', 'postbacks', 'Postbacks whose value says that the event has happened'),
            (42, 'report_tier%', 'postbacks', 'Winning postbacks of the first window'),
            (43, 'report_value_health%', 'postbacks', 'Winning postbacks of this window'),
            (44, '%', 'postbacks', 'Postbacks of this window, won or not as did_win says'),
            (45, '%', 'installs', 'First installs: winning postbacks of the first window; 0 in other rows'),
            (46, '%', 'redownloads', 'Redownloads: winning postbacks of the first window; 0 in other rows'),
            (47, '%', 'reengagements', 'Re-engagements: winning postbacks of the first window; 0 in other rows'),
            (48, '%', 'impressions', 'Impressions that the service signed, by the UTC day of signing'),
            (49, '%', 'conversions_per_thousand',
             'Installs, redownloads and re-engagements for 1,000 impressions; NULL without impressions'),
            (50, '%', 'fine', 'Postbacks with a fine value'),
            (51, '%', 'coarse', 'Postbacks with a coarse value'),
            (52, '%', 'withheld', 'Postbacks whose value Apple withheld for privacy'),
            (53, '%', 'not_set', 'Postbacks that had room for a value, but the app set none'),
            (54, '%', 'not_applicable',
             'Postbacks that can have no value: SKAdNetwork 1.0, and those that did not win'),
            (55, '%', 'mapped', 'Values that the scheme gives a meaning'),
            (56, '%', 'unmapped', 'Values that the scheme does not have'),
            (57, '%', 'ambiguous', 'Values that the app may have set before or after a change of scheme'),
            (58, '%', 'no_scheme', 'Values of a time without a scheme'),
            (59, '%', 'tier_0', 'Postbacks that can only be of tier 0'),
            (60, '%', 'tier_1', 'Postbacks that can only be of tier 1'),
            (61, '%', 'tier_2', 'Postbacks that can only be of tier 2'),
            (62, '%', 'tier_3', 'Postbacks that can only be of tier 3'),
            (63, '%', 'tier_unsure', 'Postbacks that fit more than one tier; SKAdNetwork up to 3.0 has no tiers'),
            (64, 'report_%_event%', 'possible',
             'Postbacks whose value says that it may have happened, or not; not among postbacks'),
            (65, '%', 'count_low', 'How often the event has happened at least'),
            (66, '%', 'count_high', 'How often at most; a range without an upper end counts with its least number'),
            (67, '%', 'count_open', 'Postbacks whose range of the number has no upper end'),
            (68, '%', 'revenue_low', 'The least revenue of mapped values, in units of the currency'),
            (69, '%', 'revenue_middle',
             'The sum of the middles of the ranges; the least revenue for a range without an upper end; NULL if one is '
             'unknown'),
            (70, '%', 'revenue_high',
             'The greatest revenue; a range without an upper end counts with its least revenue'),
            (71, '%', 'revenue_open', 'Mapped values whose range of revenue has no upper end'),
            (72, '%', 'complete',
             'Whether no more postbacks of this day and window can arrive, but for late deliveries'),
            (73, '%', 'volume_low',
             'The campaign had at least so many winning postbacks of the first window on the day'),
            (74, '%', 'volume_high', 'The campaign had at most so many on the day; NULL: no upper end'),
            (75, '%', 'days', 'On how many install days the campaign had this volume'),
            (76, '%', 'tier_0_share', 'tier_0 divided by postbacks, to four places'),
            (77, '%', 'tier_1_share', 'tier_1 divided by postbacks, to four places'),
            (78, '%', 'tier_2_share', 'tier_2 divided by postbacks, to four places'),
            (79, '%', 'tier_3_share', 'tier_3 divided by postbacks, to four places'),
            (80, '%', 'tier_unsure_share', 'tier_unsure divided by postbacks, to four places'),
            (81, '%', 'not_set_share', 'not_set divided by fine + coarse + not_set, to four places; NULL if all are 0'),
            (82, '%', 'unmapped_share', 'unmapped divided by mapped + unmapped, to four places; NULL if both are 0'))
        SELECT DISTINCT ON (oid, attnum) relname, attname, text
          FROM pg_class
          JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
          JOIN meaning ON meaning.name = attname AND relname LIKE pattern
         WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
           AND relname ~ '^report_(arrival|install|tier|value_health)'
         ORDER BY oid, attnum, number LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.%I.%I IS %L', described.relname, described.attname,
                       described.text);
    END LOOP;
END $comments$;

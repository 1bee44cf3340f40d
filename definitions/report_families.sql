-- The families of reports: where their rows come from, and which columns they have. make_reports.sql makes the function
-- FAMILY of each family that has a source here. Others are made in files of their own, by make_family, or are views.
--
-- `columns` are the keys in their order. `+name` stands for the figures of that name in report_columns.sql; all begin with
-- environment, and those of postbacks have developer_copy behind it. `source` is what follows FROM in the function, or a
-- statement with {columns}. `grouped_by` says how its rows are summed: `*` by all keys, NULL not at all, '' if the source has
-- the columns as they are.
--
-- $1 is the kind of day (arrival, install) in families that have one, then follow whether each day is shown by itself, the
-- first day, the last day, and the app. PostgreSQL inlines these functions: constants in their arguments decide at planning
-- time which partition of answer_daily is read and what it is grouped by.
--
-- A postback is in exactly one row of a family of answers. In that of source identifiers it is once in each level.
-- Currency is part of the key of a row. So a campaign with two currencies has two rows, which share its postbacks. Figures
-- can be summed over all rows, and money over the rows of one currency.
CREATE OR REPLACE VIEW attribution.catalog_family AS
SELECT family, meaning, parameters, string_to_array(scopes, ' ') AS scopes,
       string_to_array(
           concat('environment ', CASE WHEN family !~ '^(app_store|apple_ads)' THEN 'developer_copy ' END, columns), ' ')
           AS columns, source, grouped_by
  FROM (
SELECT 'answers_by_' || name AS family, 'Answers by ' || subject AS meaning,
       'day_of text, by_day boolean, first_day date, last_day date, an_advertised_app_id bigint' AS parameters,
       name AS scopes, 'day ' || columns AS columns,
       -- What reports by mapped name show, made of `part`: a line on some days, or an answer (or events) of a line that has
       -- rows with a country or a source app. It is in the order of the keys: then only the names of a page are summed.
       replace(replace(replace(source, '{sums}', attribution.sums_of(
                   'fine coarse withheld not_set mapped unmapped ambiguous tier_0 tier_1 tier_2 tier_3 revenue_low '
                   'revenue_middle revenue_high revenue_open revenue_unknown')), '{place}', $place$place AS (
        SELECT environment, developer_copy, network.network_name, line.advertised_app_id, campaign_id, campaign_name,
               ad_group_id, ad_group_name, creative_id, creative_name, geo,
               CASE WHEN mapping IS NULL THEN line.campaign_type END AS campaign_type,
               CASE WHEN mapping IS NULL THEN line.campaign END AS campaign,
               array_agg(line) AS lines, array_agg(from_day) AS from_days, array_agg(to_day) AS to_days,
               array_agg(has_windows) AS windows,
               array_agg(answer) FILTER (WHERE (answer).line IS NOT NULL AND has_windows) AS with_windows,
               array_agg(answer) FILTER (WHERE (answer).line IS NOT NULL AND NOT has_windows) AS with_timer
          FROM part
          JOIN attribution.line USING (line)
          -- OFFSET 0: so that a name is computed once, not for each row.
          JOIN (SELECT network, attribution.network_name(ad_network_id) AS network_name
                  FROM attribution.network OFFSET 0) AS network USING (network)
         CROSS JOIN LATERAL (SELECT line.campaign_type = 'source-identifier' AS has_windows) AS of_line
          LEFT JOIN (SELECT *
                       FROM attribution.campaign_mapping
                      -- So that rows of other apps are not hashed.
                      WHERE $5 IS NULL OR advertised_app_id IS NULL OR advertised_app_id = $5) AS row USING (mapping)
         WHERE $5 IS NULL OR line.advertised_app_id = $5
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
         ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
    )$place$), '{complete}', $complete$-- Windows are looked up for each row, since a join would lose the order.
     CROSS JOIN LATERAL (
           SELECT CASE $1 WHEN 'install'
                          THEN attribution.is_cost_complete(
                                   coalesce(day, $4), sequence_index, any_windows, any_timer,
                                   CASE WHEN any_timer
                                        THEN (SELECT measurement_window_hours
                                                FROM attribution.measurement_window_of(
                                                     advertised_app_id, coalesce(day, $4))) END,
                                   (SELECT attribution.answers_up_to()), environment = 'development') END)
           AS until (complete)$complete$) AS source, grouped_by
  FROM (VALUES
    ('campaign', 'campaign',
     'protocol ad_network_id campaign_type campaign advertised_app_id sequence_index did_win currency +answers',
     'attribution.answer_sums($1, ''campaign'', $2, $3, $4, $5)', NULL),
    -- Of a network and an app each line is summed once, then its sums are put into its levels. The order of the keys begins
    -- with the network and the app: then only those of a page are summed.
    ('source_identifier', 'the last digits of the source identifier',
     'protocol ad_network_id advertised_app_id digits source_identifier sequence_index did_win currency +answers',
     $source$
    WITH place AS (
        SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, array_agg(line) AS lines,
               array_agg(campaign) AS campaigns
          FROM attribution.line
         WHERE campaign_type = 'source-identifier' AND ($5 IS NULL OR advertised_app_id = $5)
         GROUP BY 1, 2, 3, 4, 5
         ORDER BY 1, 2, 3, 4, 5
    )
    SELECT {columns}
      FROM place
     CROSS JOIN LATERAL (
           SELECT sums.*, derived.installs, derived.redownloads, derived.reengagements, derived.not_applicable,
                  derived.no_scheme, derived.tier_unsure
             FROM (SELECT day, digits, source_identifier, sequence_index, did_win, currency,
                          attribution.total(postbacks) AS postbacks, attribution.total(redownloads) AS all_redownloads,
                          attribution.total(reengagements) AS all_reengagements,
                          {sums}
                     FROM unnest(lines, campaigns) AS own (line, campaign)
                    CROSS JOIN LATERAL attribution.answers_of_line(own.line, $1, 'campaign', $2, $3, $4) AS daily
                    -- The levels are those of the sums, not of the line: else the planner sums each line again for each
                    -- of its levels.
                    CROSS JOIN LATERAL attribution.identifier_levels(CASE WHEN postbacks > 0 THEN campaign END)
                    GROUP BY day, digits, source_identifier, sequence_index, did_win, currency) AS sums
            CROSS JOIN LATERAL attribution.derived_figures(
                  'source-identifier', sequence_index, did_win, postbacks, all_redownloads, all_reengagements, fine,
                  coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3) AS derived) AS answer
     CROSS JOIN LATERAL (
           SELECT attribution.is_day_complete(
                      $1, coalesce(day, $4), 'source-identifier', environment, sequence_index, NULL,
                      (SELECT attribution.answers_up_to())) AS complete) AS until
     ORDER BY environment, developer_copy, protocol, ad_network_id, advertised_app_id$source$, NULL),
    ('traits', 'campaign and traits',
     'protocol ad_network_id campaign_type campaign advertised_app_id version kind redownload conversion_type '
     'fidelity_type ad_interaction_type marketplace_identifier country_code sequence_index did_win currency +answers',
     'attribution.answer_sums($1, ''traits'', $2, $3, $4, $5) JOIN attribution.traits USING (traits)', NULL),
    ('source', 'campaign and source app or domain',
     'protocol ad_network_id campaign_type campaign advertised_app_id source_app_id source_domain sequence_index did_win '
     'currency +answers',
     'attribution.answer_sums($1, ''source'', $2, $3, $4, $5) LEFT JOIN attribution.source USING (source)', NULL),
    -- These two are of all campaigns of a network for an app. Their sums are few, so they are quick to read.
    ('version', 'network, app and version',
     'protocol ad_network_id campaign_type advertised_app_id version sequence_index did_win currency +answers',
     'attribution.app_answer_sums($1, ''version'', $2, $3, $4, $5) JOIN attribution.traits USING (traits)', NULL),
    ('app_source', 'network, app, and source app or domain',
     'protocol ad_network_id campaign_type advertised_app_id source_app_id source_domain sequence_index did_win currency '
     '+answers',
     'attribution.app_answer_sums($1, ''app_source'', $2, $3, $4, $5) LEFT JOIN attribution.source USING (source)', NULL),
    -- A mapping row names the postbacks of a line on some days, of some countries and some source apps (see line_mapping).
    -- Most lines have no rows with a country or a source app: their sums by campaign are named by line and day. For a line
    -- that has some, the sums by traits or by source are read. If it has both, its postbacks are read.
    --
    -- Networks are compared by name, without the suffix of a protocol. So the postbacks of an operator's campaign are
    -- summed over protocols and versions.
    ('mapping', 'mapped name',
     'network_name advertised_app_id campaign_id campaign_name ad_group_id ad_group_name creative_id creative_name geo '
     'campaign_type campaign sequence_index did_win currency +answers',
     $source$
    WITH piece AS MATERIALIZED (
        SELECT * FROM attribution.mapping_part($3, $4, $5)
    ),
    part AS (
        SELECT line, mapping, from_day, to_day, NULL::attribution.folded_answer AS answer
          FROM piece
         WHERE NOT by_country AND NOT by_source
        UNION ALL
        SELECT detailed.line, piece.mapping, NULL, NULL, detailed
          FROM (SELECT array_agg(line) FILTER (WHERE by_country AND NOT by_source) AS by_country,
                       array_agg(line) FILTER (WHERE by_source AND NOT by_country) AS by_source,
                       array_agg(line) FILTER (WHERE by_country AND by_source) AS by_both
                  FROM piece
                 WHERE by_country OR by_source
                HAVING count(*) > 0) AS split
         CROSS JOIN LATERAL attribution.split_answers(
               coalesce(split.by_country, '{}'), coalesce(split.by_source, '{}'), coalesce(by_both, '{}'), $1, $3, $4)
               AS detailed
          LEFT JOIN attribution.traits USING (traits)
          LEFT JOIN attribution.source USING (source)
          LEFT JOIN piece
                 ON piece.line = detailed.line AND detailed.day BETWEEN from_day AND to_day
                AND attribution.mapping_covers(country, other_countries, traits.country_code)
                AND attribution.mapping_covers(source_app, other_source_apps,
                                               coalesce(attribution.source_app_id(source)::text, source_domain))
    ),
    {place}
    SELECT {columns}
      FROM place
     CROSS JOIN LATERAL (
           SELECT sums.*, derived.installs, derived.redownloads, derived.reengagements, derived.not_applicable,
                  derived.no_scheme
             FROM (SELECT CASE WHEN $2 THEN day END AS day, sequence_index, did_win, currency,
                          attribution.total(postbacks) AS postbacks, attribution.total(redownloads) AS all_redownloads,
                          attribution.total(reengagements) AS all_reengagements,
                          {sums},
                          attribution.total(postbacks - tier_0 - tier_1 - tier_2 - tier_3) FILTER (WHERE has_windows)
                              AS tier_unsure,
                          bool_or(has_windows) AS any_windows, bool_or(NOT has_windows) AS any_timer
                     FROM (SELECT daily.*, has_windows
                             FROM unnest(lines, from_days, to_days, windows) AS own (line, from_day, to_day, has_windows)
                            CROSS JOIN LATERAL attribution.answers_of_line(
                                  own.line, $1, 'campaign', $2, from_day, to_day) AS daily
                           UNION ALL
                           SELECT *, true FROM unnest(with_windows)
                           UNION ALL
                           SELECT *, false FROM unnest(with_timer)) AS daily
                    GROUP BY CASE WHEN $2 THEN day END, sequence_index, did_win, currency) AS sums
            CROSS JOIN LATERAL attribution.derived_figures(
                  'campaign-id', sequence_index, did_win, postbacks, all_redownloads, all_reengagements, fine, coarse,
                  withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3) AS derived) AS answer
     {complete}
     ORDER BY environment, developer_copy, network_name, advertised_app_id, campaign_id, campaign_name, ad_group_id,
              ad_group_name, creative_id, creative_name, geo, campaign_type, campaign$source$, NULL),
    -- Events of mapped values. Only winning postbacks have values.
    ('event', 'campaign and event',
     'protocol ad_network_id campaign_type campaign advertised_app_id sequence_index event currency +events +revenue',
     $source$(
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, line.advertised_app_id,
           sequence_index, event, currency, postbacks, possible, count_low, count_high, count_open, revenue_low,
           revenue_middle, revenue_high, revenue_open, revenue_unknown,
           attribution.is_day_complete(
               $1, coalesce(day, $4), campaign_type, environment, sequence_index, measurement_window_hours,
               (SELECT attribution.answers_up_to())) AS complete
      FROM attribution.line
     CROSS JOIN LATERAL attribution.events_of_line(line.line, $1, $2, $3, $4) AS sums
      LEFT JOIN attribution.measurement_window_of(
                CASE WHEN $1 = 'install' AND line.campaign_type = 'campaign-id' THEN line.advertised_app_id END,
                coalesce(sums.day, $4)) ON true
     WHERE $5 IS NULL OR line.advertised_app_id = $5) AS answer$source$, NULL),
    -- Likewise, by the names of the mapping. For lines that have mapping rows with a country or a source app, postbacks are
    -- read, since the sums of events have neither.
    ('event_mapping', 'mapped name and event',
     'network_name advertised_app_id campaign_id campaign_name ad_group_id ad_group_name creative_id creative_name geo '
     'campaign_type campaign sequence_index event currency +events +revenue',
     $source$
    WITH piece AS MATERIALIZED (
        SELECT * FROM attribution.mapping_part($3, $4, $5)
    ),
    part AS (
        SELECT line, mapping, from_day, to_day, NULL::attribution.folded_event AS answer
          FROM piece
         WHERE NOT by_country AND NOT by_source
        UNION ALL
        SELECT (recounted.event).line, piece.mapping, NULL, NULL, recounted.event
          FROM attribution.recounted_events(
                   ARRAY(SELECT line FROM piece WHERE by_country OR by_source), $1, $3, $4) AS recounted
          LEFT JOIN attribution.traits USING (traits)
          LEFT JOIN attribution.source USING (source)
          LEFT JOIN piece
                 ON piece.line = (recounted.event).line AND (recounted.event).day BETWEEN from_day AND to_day
                AND attribution.mapping_covers(country, other_countries, traits.country_code)
                AND attribution.mapping_covers(source_app, other_source_apps,
                                               coalesce(attribution.source_app_id(source)::text, source_domain))
    ),
    {place}
    SELECT {columns}
      FROM place
     CROSS JOIN LATERAL (
           SELECT CASE WHEN $2 THEN day END AS day, sequence_index, event, currency,
                  attribution.total(postbacks) AS postbacks, attribution.total(possible) AS possible,
                  attribution.total(count_low) AS count_low, attribution.total(count_high) AS count_high,
                  attribution.total(count_open) AS count_open, attribution.total(revenue_low) AS revenue_low,
                  attribution.total(revenue_middle) AS revenue_middle,
                  attribution.total(revenue_high) AS revenue_high,
                  attribution.total(revenue_open) AS revenue_open,
                  attribution.total(revenue_unknown) AS revenue_unknown,
                  bool_or(has_windows) AS any_windows, bool_or(NOT has_windows) AS any_timer
             FROM (SELECT daily.*, has_windows
                     FROM unnest(lines, from_days, to_days, windows) AS own (line, from_day, to_day, has_windows)
                    CROSS JOIN LATERAL attribution.events_of_line(own.line, $1, $2, from_day, to_day) AS daily
                   UNION ALL
                   SELECT *, true FROM unnest(with_windows)
                   UNION ALL
                   SELECT *, false FROM unnest(with_timer)) AS daily
            GROUP BY CASE WHEN $2 THEN day END, sequence_index, event, currency) AS answer
     {complete}
     ORDER BY environment, developer_copy, network_name, advertised_app_id, campaign_id, campaign_name, ad_group_id,
              ad_group_name, creative_id, creative_name, geo, campaign_type, campaign$source$, NULL),
    -- Signed impressions and the conversions behind them. An impression has the day of its signing, whatever day the
    -- conversions have. It has all digits of its source identifier, and a postback may have fewer. So both are counted in
    -- each level, and only the lowest level of an identifier has all conversions.
    ('impression', 'campaign, beside impressions',
     'protocol ad_network_id campaign_type digits campaign advertised_app_id +impressions',
     $source$(
    SELECT environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
           0::bigint AS impressions, installs, redownloads, reengagements, complete
      FROM attribution.answer_sums($1, 'campaign', $2, $3, $4, $5)
     WHERE did_win AND sequence_index = 0
    UNION ALL
    SELECT line.environment, line.developer_copy, CASE WHEN $2 THEN signed.day END, line.protocol,
           line.ad_network_id, line.campaign_type, line.campaign, line.advertised_app_id,
           attribution.total(signed.impressions), 0, 0, 0,
           -- Installs of the day can still come, also if none has.
           attribution.is_day_complete(
               $1, CASE WHEN $2 THEN signed.day ELSE $4 END, line.campaign_type, line.environment, 0::smallint,
               min(measurement_window_hours), (SELECT attribution.answers_up_to()))
      FROM attribution.campaign_daily AS signed
      JOIN attribution.line USING (line)
      LEFT JOIN attribution.measurement_window_of(
                CASE WHEN $1 = 'install' AND line.campaign_type = 'campaign-id' THEN line.advertised_app_id END,
                CASE WHEN $2 THEN signed.day ELSE $4 END) ON true
     -- An array of lines, so that those of an app are found by the index that begins with the line. The planner, which can't
     -- know how few rows have impressions, would read the rows of all apps.
     WHERE signed.day BETWEEN $3 AND $4 AND signed.impressions > 0
       AND ($5 IS NULL
            OR signed.line = ANY (ARRAY(SELECT of_app.line FROM attribution.line AS of_app WHERE of_app.advertised_app_id = $5)))
     GROUP BY line.line, CASE WHEN $2 THEN signed.day END, CASE WHEN $2 THEN signed.day ELSE $4 END) AS part
     CROSS JOIN LATERAL attribution.mapped_identifiers(campaign_type, campaign) AS identifier$source$,
     'environment, developer_copy, day, protocol, ad_network_id, campaign_type, identifier, advertised_app_id')
  ) AS answers (name, subject, columns, source, grouped_by)
UNION ALL
SELECT * FROM (VALUES
    -- Whether the app sets the values that it could set, and values that its scheme has. By the day of arrival, since
    -- somebody should hear of a bug soon.
    ('value_health', 'Values set and not set by app and version',
     'by_day boolean, first_day date, last_day date, an_advertised_app_id bigint', 'arrival',
     'day advertised_app_id protocol version sequence_index +health',
     'attribution.app_answer_sums(''arrival'', ''version'', $1, $2, $3, $4) JOIN attribution.traits USING (traits) WHERE did_win',
     '*'),
    -- The shares of value_health over a range, and over as many days before. A range without a beginning or an end has
    -- nothing before it.
    ('value_changes', 'Shares of missing and meaningless values beside those of the time before',
     'first_day date, last_day date, an_advertised_app_id bigint', 'arrival',
     'advertised_app_id protocol version sequence_index +changes',
     $source$(
    SELECT *, day < $1 AS before
      FROM attribution.app_answer_sums(
               'arrival', 'version', true,
               CASE WHEN isfinite($1) AND isfinite($2) THEN $1 - ($2 - $1 + 1) ELSE $1 END, $2, $3)) AS sums
      JOIN attribution.traits USING (traits)
     WHERE did_win$source$, '*'),
    -- Apple's tier depends on the size of the crowd, by rules that Apple does not publish. This is what they do to the
    -- operator's own campaigns: the tiers of winning postbacks of the first window by the volume of the day. A campaign
    -- here is the last two digits of the source identifier, since these are the digits that every tier sends.
    ('tiers', 'Tiers by campaign and by its volume of a day', 'first_day date, last_day date, an_advertised_app_id bigint',
     'tier', 'protocol ad_network_id advertised_app_id source_identifier volume_low volume_high +tiers',
     $source$(
    SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, substr(two_digits::text, 2)
               AS source_identifier, daily.*, postbacks - tier_0 - tier_1 - tier_2 - tier_3 AS tier_unsure
      FROM (SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, min(line) AS app_line
              FROM attribution.line
             WHERE campaign_type = 'source-identifier' AND ($3 IS NULL OR advertised_app_id = $3)
             GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id) AS of_app
     -- Each app of a network is summed by itself, as in answer_sums.
     CROSS JOIN LATERAL (
           SELECT traits AS two_digits, day, attribution.total(postbacks) AS postbacks, attribution.total(tier_0) AS tier_0,
                  attribution.total(tier_1) AS tier_1, attribution.total(tier_2) AS tier_2,
                  attribution.total(tier_3) AS tier_3
             FROM attribution.answer_daily
            WHERE answer_table = attribution.answer_table('install', 'two_digits') AND line = app_line
              AND day BETWEEN $1 AND $2 AND sequence_index = 0 AND did_win AND postbacks > 0
            GROUP BY traits, day) AS daily) AS daily
     CROSS JOIN LATERAL attribution.volume_range(postbacks)$source$, '*')
  ) AS of_apple
UNION ALL
SELECT family, NULL, NULL, scopes, columns, NULL, NULL FROM (VALUES
    ('campaigns', 'counts', 'day protocol ad_network_id campaign_type campaign advertised_app_id +campaigns'),
    ('sources', 'counts', 'day protocol ad_network_id campaign_type campaign advertised_app_id source_app +sources'),
    ('values', 'counts',
     'day protocol ad_network_id campaign_type campaign advertised_app_id sequence_index conversion_value coarse_value '
     '+values'),
    ('digits', 'counts',
     'day protocol ad_network_id advertised_app_id digits source_identifier sequence_index +digits'),
    ('modelled', 'modelled money',
     'week protocol ad_network_id campaign_type campaign advertised_app_id sequence_index currency +modelled'),
    ('cohorts', 'money',
     'week day protocol ad_network_id campaign_type campaign network_name advertised_app_id campaign_id campaign_name '
     'currency +cohorts'),
    ('costs', 'money', 'day network_name advertised_app_id campaign_id campaign_name currency +costs'),
    ('campaign_summary', 'money', 'network_name advertised_app_id campaign_id campaign_name currency +summaries'),
    ('event_costs', 'money',
     'day network_name advertised_app_id campaign_id campaign_name sequence_index event +events currency +event_costs'),
    ('agreement', 'agreement',
     'run file side protocol ad_network_id campaign_type campaign advertised_app_id +agreement'),
    ('app_store_revenue', 'app_store', 'day bundle_id product_id storefront currency kind +store_revenue'),
    ('app_store_refunds', 'app_store', 'month bundle_id product_id storefront currency +store_refunds'),
    ('app_store_cohorts', 'app_store_cohorts app_store', 'week bundle_id product_id currency renewal_number +store_cohorts'),
    ('app_store_at_risk', 'app_store', 'bundle_id product_id currency +store_risk'),
    ('app_store_calibration', 'app_store_calibration app_store',
     'advertised_app_id campaign_type sequence_index currency +store_calibration'),
    ('app_store_calibration_ranges', 'app_store_calibration_ranges app_store',
     'advertised_app_id campaign_type sequence_index revenue_range currency +store_ranges'),
    ('app_store_allocation', 'app_store_allocation app_store',
     'day protocol ad_network_id campaign_type campaign advertised_app_id currency +store_allocation'),
    ('apple_ads', 'apple_ads',
     'day advertised_app_id campaign_id ad_group_id country_or_region claim_type conversion_type +apple_ads_counts'),
    ('apple_ads_skadnetwork', 'apple_ads_skadnetwork', 'day advertised_app_id +apple_ads_ways')
  ) AS elsewhere (family, scopes, columns)
  ) AS family (family, meaning, parameters, scopes, columns, source, grouped_by);
COMMENT ON VIEW attribution.catalog_family IS 'The families of reports: source and columns';
COMMENT ON COLUMN attribution.catalog_family.family IS 'The name, which the function has too';
COMMENT ON COLUMN attribution.catalog_family.meaning IS 'What its rows are; NULL if its function is elsewhere';
COMMENT ON COLUMN attribution.catalog_family.parameters IS 'The parameters of the function';
COMMENT ON COLUMN attribution.catalog_family.scopes IS 'The scopes of its columns, the narrowest first';
COMMENT ON COLUMN attribution.catalog_family.columns IS 'Its columns; +name stands for all figures of that name';
COMMENT ON COLUMN attribution.catalog_family.source IS 'What follows FROM, or a statement with {columns}';
COMMENT ON COLUMN attribution.catalog_family.grouped_by IS 'How the rows of the source are summed';

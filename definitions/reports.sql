-- The reports, each once. make_reports.sql makes of each the function report_NAME(first_day, last_day, OPTIONS,
-- an_environment, copies), which sums over a range of days, or the views report_NAME_all, which shows everything, and
-- report_NAME, which shows production without developer copies; or all three. A function shows what the view of production
-- shows, unless its last two arguments say otherwise. A report without the column developer_copy, as those of the App Store
-- and of Apple Ads are, has no argument `copies`.
--
-- It has the columns of its family but those of `left_out`. `source` is what follows FROM, with $1 and on for the arguments
-- of the function. `grouped_by` says how its rows are summed, as in report_families.sql.
CREATE OR REPLACE VIEW attribution.catalog_report AS
SELECT name, family, string_to_array(scopes, ' ') AS scopes, string_to_array(left_out, ' ') AS left_out,
       string_to_array(options, ' ') AS options, form <> 'views' AS has_function, form <> 'function' AS has_views, source,
       grouped_by, meaning,
       -- A copy is compared with its original and counted once; at a developer's installation every postback is a copy.
       'environment = ''production'''
       || CASE WHEN family = 'agreement' OR family ~ '^(app_store|apple_ads)' THEN '' ELSE ' AND NOT developer_copy' END AS usual
  FROM (
SELECT format('%s_%s%s', day_of, scopes[1], CASE WHEN by_day THEN '_daily' END) AS name, family,
       format('%s_%s %s', day_of, scopes[1], day_of) AS scopes,
       concat_ws(' ', CASE WHEN NOT by_day THEN 'day' END, CASE day_of WHEN 'arrival' THEN 'complete' END) AS left_out,
       'an_advertised_app_id' AS options, CASE WHEN by_day THEN 'both' ELSE 'function' END AS form,
       format('attribution.%I(%L, %L, $1, $2, $3)', family, day_of, by_day) AS source,
       '' AS grouped_by,
       format(CASE WHEN by_day THEN '%s and by the day of the %s' ELSE '%s, summed over days of the %s' END, meaning,
              day_of) AS meaning
  FROM attribution.catalog_family
 CROSS JOIN unnest(ARRAY['arrival', 'install']) AS day_of
 CROSS JOIN unnest(ARRAY[false, true]) AS by_day
 WHERE family LIKE 'answers\_by\_%'
UNION ALL
SELECT name, family, '', left_out, options, form,
       replace(source, '{sums}', attribution.sums_of(
                   'installs redownloads reengagements assists fine coarse no_value value_sum later_windows coarse_low '
                   'coarse_medium assists_1 coarse_low_1 coarse_medium_1 coarse_high_1 postbacks_2 assists_2 coarse_low_2 '
                   'coarse_medium_2 coarse_high_2')), grouped_by, meaning
  FROM (VALUES
    ('campaign_daily', 'campaigns', 'first_seen last_seen', '', 'views',
     'attribution.campaign_figure JOIN attribution.line USING (line)', '', 'Figures by day, campaign and app'),
    ('campaign', 'campaigns', 'day', '', 'views',
     'attribution.campaign_figure JOIN attribution.line USING (line)', 'line.line', 'Figures by campaign and app'),
    ('source_app_daily', 'sources', '', '', 'views',
     '(SELECT *, coalesce(attribution.source_app_id(source)::text, source_domain) AS source_app
         FROM attribution.source_app_figure
         JOIN attribution.line USING (line)
         LEFT JOIN attribution.source USING (source)) AS figure',
     '', 'Figures by day, campaign, app, and the app or domain that showed the ad'),
    ('conversion_value_daily', 'values', '', '', 'views',
     'attribution.conversion_value_figure AS figure JOIN attribution.line USING (line)
       CROSS JOIN LATERAL attribution.value_set_hours(
            campaign_type = ''source-identifier'', figure.sequence_index, environment = ''development'') AS hours
       LEFT JOIN LATERAL (
            SELECT array_to_string(events, '', '') AS events, array_to_string(possible_events, '', '') AS possible_events,
                   revenue_low, revenue_high, currency
              FROM attribution.conversion_scheme AS scheme
              JOIN attribution.value_meaning AS meaning USING (advertised_app_id, valid_from)
             WHERE scheme.advertised_app_id = line.advertised_app_id
               AND scheme.valid_from <= attribution.day_begins(day) - set_hours_high * interval ''1 hour''
               AND coalesce(scheme.valid_to, ''infinity'')
                   >= attribution.day_begins(day + 1) - set_hours_low * interval ''1 hour''
               AND meaning.sequence_index = figure.sequence_index AND meaning.value = figure.value) AS meaning ON true', NULL,
     'Postbacks by day, campaign, app, window and value, with what the value means'),
    -- A line is summed by itself, in the order of the keys: then only the lines of a page are summed. What the log holds
    -- beyond the daily table is added to the sums. Meanings are looked up for each value, since a join would lose the
    -- order; PostgreSQL keeps those that it has found.
    ('conversion_value', 'values', 'day', '', 'function',
     '(WITH changed AS MATERIALIZED (
         -- By line, so that none searches those of all others.
         SELECT jsonb_object_agg(line, counts) AS of_line
           FROM (SELECT line, jsonb_agg(jsonb_build_array(sequence_index, value, postbacks)) AS counts
                   FROM (SELECT line, sequence_index, value, sum(postbacks) AS postbacks
                           FROM attribution.unfolded()
                          WHERE day BETWEEN $1 AND $2
                          GROUP BY line, sequence_index, value) AS counted
                  GROUP BY line) AS counted
       )
       SELECT environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, line.advertised_app_id,
              counted.sequence_index, attribution.fine_value(counted.value) AS conversion_value,
              attribution.coarse_value(counted.value) AS coarse_value, postbacks, events, possible_events, revenue_low,
              revenue_high, currency
         FROM attribution.line
        CROSS JOIN LATERAL (
              SELECT sequence_index, value, attribution.total(postbacks) AS postbacks
                FROM (SELECT sequence_index, value, postbacks
                        FROM attribution.conversion_value_daily AS daily
                       WHERE daily.line = line.line AND day BETWEEN $1 AND $2
                      UNION ALL
                      SELECT (counts ->> 0)::smallint, (counts ->> 1)::smallint, (counts ->> 2)::bigint
                        FROM jsonb_array_elements((SELECT of_line FROM changed) -> line.line::text) AS counts) AS part
               GROUP BY sequence_index, value
              HAVING attribution.total(postbacks) <> 0) AS counted
         LEFT JOIN LATERAL (
              SELECT array_to_string(events, '', '') AS events, array_to_string(possible_events, '', '') AS possible_events,
                     revenue_low, revenue_high, currency
                FROM attribution.certain_scheme($1, $2) AS scheme
                JOIN attribution.value_meaning AS meaning USING (advertised_app_id, valid_from, sequence_index)
               WHERE advertised_app_id = line.advertised_app_id
                 AND has_windows = (campaign_type = ''source-identifier'')
                 AND is_development = (environment = ''development'')
                 AND sequence_index = counted.sequence_index AND meaning.value = counted.value
              OFFSET 0) AS meaning ON true
        ORDER BY 1, 2, 3, 4, 5, 6, 7) AS figure',
     '', 'Postbacks by campaign, app, window and value, with what the value means, summed over the days of a range'),
    ('source_identifier_daily', 'digits', 'first_seen last_seen', '', 'views',
     'attribution.window_figure JOIN attribution.line USING (line)
       CROSS JOIN LATERAL attribution.identifier_levels(campaign)
       WHERE campaign_type = ''source-identifier''',
     '*', 'Figures by day and by the last two, three and four digits'),
    -- Of a network and an app the days of each line are summed, then a row becomes one for each window, and takes part in up
    -- to three levels. The order of the keys begins with the network and the app: then only those of a page are summed.
    -- Rows that have unfolded changes are in `changed` with them, as in campaign_figure.
    ('source_identifier', 'digits', 'day', '', 'both',
     '(WITH folded AS NOT MATERIALIZED (
         SELECT line, day, installs, redownloads, reengagements, assists, fine, coarse, no_value, value_sum, later_windows,
                coarse_low, coarse_medium, assists_1, coarse_low_1, coarse_medium_1, coarse_high_1, postbacks_2,
                assists_2, coarse_low_2, coarse_medium_2, coarse_high_2
           FROM attribution.campaign_daily
       ),
       changed AS MATERIALIZED (
         SELECT line, day, {sums}
           FROM (SELECT line, day, figures.*
                   FROM attribution.unfolded()
                  CROSS JOIN LATERAL attribution.campaign_figures(postbacks, sequence_index, did_win, kind, value) AS figures
                 UNION ALL
                 SELECT * FROM folded
                  WHERE EXISTS (SELECT FROM attribution.unfolded() AS more
                                 WHERE more.line = folded.line AND more.day = folded.day)) AS part
          GROUP BY line, day
       ),
       place AS (
         SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, array_agg(line) AS lines,
                array_agg(campaign) AS campaigns
           FROM attribution.line
          WHERE campaign_type = ''source-identifier''
          GROUP BY 1, 2, 3, 4, 5
          ORDER BY 1, 2, 3, 4, 5
       )
       SELECT environment, developer_copy, protocol, ad_network_id, advertised_app_id, level.*, windows.sequence_index,
              figures.*,
              CASE windows.sequence_index WHEN 0 THEN first_seen_0 WHEN 1 THEN first_seen_1 ELSE first_seen_2 END
                  AS first_seen,
              CASE windows.sequence_index WHEN 0 THEN last_seen_0 WHEN 1 THEN last_seen_1 ELSE last_seen_2 END AS last_seen
         FROM place
        CROSS JOIN LATERAL (
              SELECT campaign, {sums},
                     min(day) FILTER (WHERE first_window <> 0) AS first_seen_0,
                     max(day) FILTER (WHERE first_window <> 0) AS last_seen_0,
                     min(day) FILTER (WHERE second_window <> 0) AS first_seen_1,
                     max(day) FILTER (WHERE second_window <> 0) AS last_seen_1,
                     min(day) FILTER (WHERE postbacks_2 <> 0) AS first_seen_2,
                     max(day) FILTER (WHERE postbacks_2 <> 0) AS last_seen_2
                FROM (SELECT campaign, folded.*
                        FROM unnest(lines, campaigns) AS own (line, campaign)
                        JOIN folded USING (line)
                       WHERE NOT EXISTS (SELECT FROM changed WHERE changed.line = folded.line AND changed.day = folded.day)
                      UNION ALL
                      SELECT campaign, changed.*
                        FROM unnest(lines, campaigns) AS own (line, campaign)
                        JOIN changed USING (line)) AS daily
               CROSS JOIN LATERAL (
                     SELECT coalesce(installs, 0) + coalesce(redownloads, 0) + coalesce(reengagements, 0)
                            + coalesce(assists, 0) - coalesce(assists_1, 0) - coalesce(assists_2, 0) AS first_window,
                            coalesce(later_windows, 0) - coalesce(postbacks_2, 0) AS second_window) AS counted
               WHERE day BETWEEN $1 AND $2
               GROUP BY line, campaign) AS sums
        CROSS JOIN (VALUES (0::smallint), (1::smallint), (2::smallint)) AS windows (sequence_index)
        CROSS JOIN LATERAL attribution.window_figures(
              windows.sequence_index, sums.installs, sums.redownloads, sums.reengagements, sums.assists, sums.fine,
              sums.coarse, sums.no_value, sums.value_sum, sums.later_windows, sums.coarse_low, sums.coarse_medium,
              sums.assists_1, sums.coarse_low_1, sums.coarse_medium_1, sums.coarse_high_1, sums.postbacks_2,
              sums.assists_2, sums.coarse_low_2, sums.coarse_medium_2, sums.coarse_high_2) AS figures
        CROSS JOIN LATERAL attribution.identifier_levels(campaign) AS level
        WHERE figures.winning + figures.assists <> 0
        ORDER BY 1, 2, 3, 4, 5) AS figure',
     '*', 'Figures by the last two, three and four digits'),
    ('value_health', 'value_health', 'day', 'an_advertised_app_id', 'function',
     'attribution.value_health(false, $1, $2, $3)', '',
     'Values set and not set by app and version, over the days of arrival of a range'),
    ('value_health_daily', 'value_health', '', '', 'views',
     'attribution.value_health(true, ''-infinity'', ''infinity'', NULL)', '',
     'Values set and not set by app, version and day of arrival'),
    ('value_change', 'value_changes', '', 'an_advertised_app_id', 'function', 'attribution.value_changes($1, $2, $3)', '',
     'Shares of missing and meaningless values, over the days of arrival of a range and as many days before'),
    ('value_change_weekly', 'value_changes', '', '', 'views',
     '(SELECT attribution.day_of(now()) AS today) AS clock
       CROSS JOIN LATERAL attribution.value_changes(today - 7, today - 1, NULL)', '',
     'Shares of missing and meaningless values, in the last seven whole days and the seven before'),
    ('tier', 'tiers', '', 'an_advertised_app_id', 'both', 'attribution.tiers($1, $2, $3)', '',
     'Tiers by campaign and by its volume of a day'),
    ('modelled_revenue', 'modelled', 'modelled_from_app', 'an_advertised_app_id minimum withheld_worth', 'both',
     'attribution.modelled($1, $2, $3, $4, $5, ''campaign'')', '', 'Modelled revenue by campaign and install week'),
    ('modelled_revenue_by_app', 'modelled',
     'week protocol ad_network_id campaign_type campaign modelled_from modelled_mapped modelled_below_minimum',
     'an_advertised_app_id minimum withheld_worth', 'both', 'attribution.modelled($1, $2, $3, $4, $5, ''app'')', '',
     'Modelled revenue, summed by app'),
    ('modelled_revenue_by_network', 'modelled',
     'week protocol campaign_type campaign advertised_app_id modelled_from modelled_mapped modelled_below_minimum',
     'an_advertised_app_id minimum withheld_worth', 'both', 'attribution.modelled($1, $2, $3, $4, $5, ''network'')', '',
     'Modelled revenue, summed by network'),
    ('cohort', 'cohorts', 'day network_name campaign_id campaign_name', 'an_advertised_app_id', 'both',
     'attribution.cohorts($1, $2, $3, true, false)', '', 'Revenue of each window by campaign and install week'),
    ('cohort_daily', 'cohorts', 'week network_name campaign_id campaign_name', 'an_advertised_app_id', 'both',
     'attribution.cohorts($1, $2, $3, false, false)', '', 'Revenue of each window by campaign and install day'),
    ('cohort_mapping', 'cohorts', 'day protocol ad_network_id campaign_type campaign', 'an_advertised_app_id', 'both',
     'attribution.cohorts($1, $2, $3, true, true)', '', 'Revenue of each window by mapped campaign and install week'),
    ('cohort_mapping_daily', 'cohorts', 'week protocol ad_network_id campaign_type campaign', 'an_advertised_app_id',
     'both', 'attribution.cohorts($1, $2, $3, false, true)', '',
     'Revenue of each window by mapped campaign and install day'),
    ('cost', 'costs', 'day', 'an_advertised_app_id in_currency', 'both', 'attribution.costs($1, $2, $3, $4, false, false)', '',
     'Cost, installs and revenue by mapped campaign'),
    ('cost_daily', 'costs', 'installs_low installs_high cost_per_install_low cost_per_install_high',
     'an_advertised_app_id in_currency', 'both', 'attribution.costs($1, $2, $3, $4, true, false)', '',
     'Cost, installs and revenue by mapped campaign and install day'),
    ('campaign_summary', 'campaign_summary', '', 'an_advertised_app_id in_currency', 'both',
     'attribution.campaign_summary($1, $2, $3, $4)', '',
     'One row a campaign: installs, missing values, revenue, modelled revenue, cost and returns'),
    ('event_cost', 'event_costs', 'day', 'an_advertised_app_id in_currency', 'both',
     'attribution.event_costs($1, $2, $3, $4, false)', '', 'Cost per event by mapped campaign and window'),
    ('event_cost_daily', 'event_costs', '', 'an_advertised_app_id in_currency', 'both',
     'attribution.event_costs($1, $2, $3, $4, true)', '', 'Cost per event by mapped campaign, window and install day'),
    ('copy_agreement', 'agreement', '', '', 'views',
     '(SELECT *, same_value + raised_here + raised_there AS matched FROM attribution.reconciliation_line) AS counted
       JOIN attribution.reconciliation USING (run) JOIN attribution.line USING (line)',
     NULL, 'How the other side''s archives agree with the postbacks here, by run and campaign'),
    ('app_store_revenue', 'app_store_revenue', '', '', 'both',
     'attribution.store_transactions
       WHERE purchased_at >= attribution.day_begins($1) AND purchased_at < attribution.day_begins($2 + 1)',
     '*', 'What customers paid by day, app, product, storefront, currency, and new or renewal'),
    ('app_store_refunds', 'app_store_refunds', '', '', 'both', 'attribution.app_store_refunds($1, $2)', '',
     'Refunds by month, app, product, storefront and currency'),
    ('app_store_cohorts', 'app_store_cohorts', '', '', 'both', 'attribution.app_store_cohorts($1, $2)', '',
     'Subscribers by week of the first purchase, app, product, currency and number of the renewal'),
    -- Whatever has a risk fits the first condition, too, which is that of the index store_renewal_not_paid.
    ('app_store_at_risk', 'app_store_at_risk', '', '', 'views',
     'attribution.store_renewals
       WHERE (status IN (3, 4) OR status IS NULL AND is_in_billing_retry) AND risk IS NOT NULL', '*',
     'Subscriptions that are not paid at the moment, by app, product and currency'),
    ('app_store_calibration', 'app_store_calibration', '', 'an_advertised_app_id in_currency attributed_share', 'both',
     'attribution.app_store_calibration($1, $2, $3, $4, $5)', '',
     'What a scheme implied beside what customers paid, by app and window'),
    ('app_store_calibration_ranges', 'app_store_calibration_ranges', '',
     'an_advertised_app_id in_currency attributed_share', 'both',
     'attribution.app_store_calibration_ranges($1, $2, $3, $4, $5)', '',
     'The ranges of revenue of a scheme beside those that calibration suggests'),
    ('app_store_allocation', 'app_store_allocation', '',
     'an_advertised_app_id in_currency minimum_installs attributed_share', 'both',
     'attribution.app_store_allocation($1, $2, $3, $4, $5, $6)', '',
     'What customers paid by day, spread over campaigns by modelled share'),
    ('apple_ads', 'apple_ads', '', '', 'both', 'attribution.apple_ads_attributions WHERE day BETWEEN $1 AND $2', '*',
     'Installs of Apple Ads by day, app, campaign, ad group, country, claim and type of conversion'),
    ('apple_ads_skadnetwork', 'apple_ads_skadnetwork', '', '', 'both', 'attribution.apple_ads_skadnetwork($1, $2)', '',
     'Installs of Apple Ads by day and app, by tokens and beside them by SKAdNetwork postbacks of the same installs')
    ) AS made (name, family, left_out, options, form, source, grouped_by, meaning)
  ) AS report;

COMMENT ON VIEW attribution.catalog_report IS 'The reports';
COMMENT ON COLUMN attribution.catalog_report.name IS 'The name, without report_';
COMMENT ON COLUMN attribution.catalog_report.family IS 'The family';
COMMENT ON COLUMN attribution.catalog_report.scopes IS 'The scopes of its columns before those of the family';
COMMENT ON COLUMN attribution.catalog_report.left_out IS 'Columns of the family that it does not have';
COMMENT ON COLUMN attribution.catalog_report.options IS 'What its function takes beside the days';
COMMENT ON COLUMN attribution.catalog_report.has_function IS 'Whether there is a function of a range of days';
COMMENT ON COLUMN attribution.catalog_report.has_views IS 'Whether there are views';
COMMENT ON COLUMN attribution.catalog_report.source IS 'What follows FROM';
COMMENT ON COLUMN attribution.catalog_report.grouped_by IS 'How the rows of the source are summed';
COMMENT ON COLUMN attribution.catalog_report.meaning IS 'What its rows are';
COMMENT ON COLUMN attribution.catalog_report.usual IS 'Which rows the view of production shows';

-- What the functions of reports take beside the days.
CREATE OR REPLACE VIEW attribution.catalog_option AS
SELECT * FROM (VALUES
    ('an_advertised_app_id', 'bigint DEFAULT NULL'),
    ('minimum', 'integer DEFAULT attribution.least_mapped()'),
    ('withheld_worth', 'numrange DEFAULT ''[1,1]'''),
    ('in_currency', 'text DEFAULT NULL'),
    ('minimum_installs', 'integer DEFAULT 50'),
    ('attributed_share', 'numeric DEFAULT 1')) AS option (option, declaration);
COMMENT ON VIEW attribution.catalog_option IS 'What the functions of reports take beside the days';
COMMENT ON COLUMN attribution.catalog_option.option IS 'The name of the parameter';
COMMENT ON COLUMN attribution.catalog_option.declaration IS 'Its type and its default';

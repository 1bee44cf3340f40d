-- Reports of money. Each family is one function: modelled_revenue, modelled_sums, cohorts, costs, event_costs. The views
-- and functions that people read are made from them here.

-- For each row here the function REPORT of a range of days, and the views REPORT_all and REPORT of all days. They have the
-- columns of a family but those that are left out; a view of production has no environment and no developer_copy either.
DO $make$
DECLARE
    report  record;
    columns text[];
    types   text[];
BEGIN
    FOR report IN
        SELECT name, family, arguments, left_out, subject,
               CASE WHEN family LIKE 'modelled%' THEN ', minimum integer DEFAULT attribution.least_known()'
                    WHEN family LIKE '%costs' OR family = 'campaign_summary' THEN ', in_currency text DEFAULT NULL' ELSE '' END AS last_parameter
          FROM (VALUES
            ('report_modelled_revenue', 'modelled_revenue', '$1, $2, $3, $4', '{}'::text[],
             'Modelled revenue by campaign and install week'),
            ('report_modelled_revenue_by_app', 'modelled_sums', '$1, $2, $3, $4, true', '{ad_network_id}',
             'Modelled revenue, summed by app'),
            ('report_modelled_revenue_by_network', 'modelled_sums', '$1, $2, $3, $4, false', '{advertised_app_id}',
             'Modelled revenue, summed by network'),
            ('report_cohort', 'cohorts', '$1, $2, $3, true', '{day}',
             'Revenue of each window by campaign and install week'),
            ('report_cohort_daily', 'cohorts', '$1, $2, $3, false', '{week}',
             'Revenue of each window by campaign and install day'),
            ('report_cost', 'costs', '$1, $2, $3, $4, false', '{day}',
             'Cost, installs and revenue by mapped campaign'),
            ('report_cost_daily', 'costs', '$1, $2, $3, $4, true',
             '{installs_low, installs_high, cost_per_install_low, cost_per_install_high}',
             'Cost, installs and revenue by mapped campaign and install day'),
            ('report_event_cost', 'event_costs', '$1, $2, $3, $4, false', '{day}',
             'Cost per event by mapped campaign and window'),
            ('report_event_cost_daily', 'event_costs', '$1, $2, $3, $4, true', '{}',
             'Cost per event by mapped campaign, window and install day'),
            ('report_campaign_summary', 'campaign_summary', '$1, $2, $3, $4', '{}',
             'One row a campaign: installs, missing values, revenue, modelled revenue, cost and returns')
          ) AS made (name, family, arguments, left_out, subject) LOOP
        SELECT array_agg(quote_ident(argument) ORDER BY number),
               array_agg(format('%I %s', argument, type::regtype) ORDER BY number) INTO columns, types
          FROM pg_proc, unnest(proargnames, proargmodes, proallargtypes) WITH ORDINALITY AS a (argument, mode, type, number)
         WHERE pronamespace = 'attribution'::regnamespace AND proname = report.family AND mode = 't'
           AND argument <> ALL (report.left_out);
        EXECUTE format(
            'CREATE OR REPLACE FUNCTION attribution.%I(first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL%s)
             RETURNS TABLE (%s) LANGUAGE sql STABLE PARALLEL SAFE AS $body$SELECT %s FROM attribution.%I(%s)$body$',
            report.name, report.last_parameter, array_to_string(types, ', '), array_to_string(columns, ', '),
            report.family, report.arguments);
        EXECUTE format('CREATE OR REPLACE VIEW attribution.%I AS SELECT * FROM attribution.%I(''-infinity'', ''infinity'')',
                       report.name || '_all', report.name);
        EXECUTE format(
            'CREATE OR REPLACE VIEW attribution.%I AS
             SELECT %s FROM attribution.%I WHERE environment = ''production'' AND NOT developer_copy',
            report.name, array_to_string(columns[3:], ', '), report.name || '_all');
        EXECUTE format('COMMENT ON FUNCTION attribution.%I IS %L', report.name,
                       report.subject || ', over a range of install days');
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', report.name || '_all',
                       report.subject || '; all environments');
        EXECUTE format('COMMENT ON VIEW attribution.%I IS %L', report.name, report.subject || '; production');
    END LOOP;
END $make$;

-- What the columns of these views mean. `_n` stands for the windows 0, 1 and 2. A column without a text here means what it
-- means in report_install_campaign and report_install_event.
DO $comments$
DECLARE
    described record;
BEGIN
    FOR described IN
        WITH meaning (pattern, name, text) AS (VALUES
            ('%', 'week', 'The Monday of the install week, UTC'),
            ('%', 'day', 'The UTC day of the install, and of the cost'),
            ('report_modelled_revenue%', 'campaign',
             'The campaign id, or the last two digits of the source identifiers'),
            ('%', 'currency', 'The currency, ISO 4217; NULL if none is known'),
            ('report_modelled%', 'postbacks', 'Winning postbacks'),
            ('report_event%', 'postbacks', 'Postbacks whose value says that the event has happened'),
            ('%', 'mapped', 'Of these, values to which a scheme gives a meaning: the known ones'),
            ('%', 'withheld', 'Of these, values that Apple withheld for privacy'),
            ('%', 'ambiguous',
             'Of these, values that the app may have set before or after a change of scheme; they are in no revenue'),
            ('%', 'modelled_from',
             'What the model rests on: campaign (the known values of the row), small_campaigns (those of the app''s '
             'campaigns with too few), app (all of the app), none (fewer than two); NULL if nothing is withheld'),
            ('%', 'modelled_known', 'The number of known values on which the model rests'),
            ('%', 'modelled_below_minimum',
             'Whether something is withheld and the row has fewer known values than the minimum'),
            ('%', 'modelled_withheld',
             'The withheld values that are modelled in this currency; those without a currency are shared'),
            ('%', 'modelled_missing', 'Of these, those for which no model is possible; they are in no figure'),
            ('%', 'modelled_revenue_low',
             'revenue_low, and as much for each withheld value as a known one has on average'),
            ('%', 'modelled_revenue_middle', 'The same of revenue_middle'),
            ('%', 'modelled_revenue_high', 'The same of revenue_high'),
            ('%', 'modelled_half_width', '1.96 standard errors of what the withheld values are worth'),
            ('%', 'modelled_interval_low', 'modelled_revenue_low less the half width, but not less than revenue_low'),
            ('%', 'modelled_interval_high', 'modelled_revenue_high and the half width'),
            ('%', 'modelled_from_app',
             'Of these, those that are modelled from the app: from its small campaigns, or from all'),
            ('%', 'postbacks_n', 'Winning postbacks of window {n}'),
            ('%', 'mapped_n', 'Of these, values to which a scheme gives a meaning: the known ones'),
            ('%', 'withheld_n', 'Of these, values that Apple withheld for privacy'),
            ('%', 'not_set_n', 'Of these, those that had room for a value, but the app set none'),
            ('%', 'unmapped_n', 'Of these, values that the scheme does not have'),
            ('%', 'ambiguous_n', 'Of these, values that the app may have set before or after a change of scheme'),
            ('%', 'no_scheme_n', 'Of these, values of a time without a scheme'),
            ('%', 'revenue_n_low', 'The least revenue of the known values of window {n}; NULL if none is known'),
            ('%', 'revenue_n_middle', 'The middles of the ranges of window {n}; NULL if no value is known'),
            ('%', 'revenue_n_high',
             'The greatest revenue of window {n}; the least one for a range without an upper end; NULL if no value is known'),
            ('%', 'revenue_n_open', 'Values of window {n} whose range has no upper end'),
            ('%', 'complete_n', 'Whether all postbacks of window {n} have arrived, but for late deliveries'),
            ('%', 'network_name', 'The network without the suffix of a protocol'),
            ('%', 'campaign_id', 'The campaign of mapping and spend; NULL for postbacks that the mapping does not name'),
            ('%', 'campaign_name', 'Its name in the mapping'),
            ('%', 'cost', 'What the campaign cost; NULL without spend, or if a rate is missing'),
            ('%', 'cost_without_rate', 'Rows of spend above 0 without a currency rate'),
            ('%', 'network_impressions', 'Impressions as the network reports them'),
            ('%', 'network_clicks', 'Clicks as the network reports them'),
            ('%', 'network_installs', 'Installs as the network reports them'),
            ('%', 'installs', 'First installs by winning postbacks of window 0'),
            ('%', 'redownloads', 'Redownloads'),
            ('%', 'reengagements', 'Re-engagements'),
            ('%', 'installs_low', 'Installs a day or more inside the range'),
            ('%', 'installs_high', 'Installs of the range and a day around it'),
            ('%', 'cost_per_install_low', 'cost ÷ installs_high'),
            ('%', 'cost_per_install', 'cost ÷ installs'),
            ('%', 'cost_per_install_high', 'cost ÷ installs_low'),
            ('%', 'cost_per_install_or_engagement', 'cost ÷ (installs + reengagements)'),
            ('%', 'cost_per_conversion', 'cost ÷ (installs + redownloads + reengagements)'),
            ('%', 'installs_complete', 'Whether all postbacks of window 0 have arrived, but for late deliveries'),
            ('report_cost%', 'revenue_low', 'The least revenue of the known values of all windows; NULL if none is known'),
            ('report_cost%', 'revenue_middle', 'The same of the middles'),
            ('report_cost%', 'revenue_high', 'The same of the greatest revenue'),
            ('report_campaign_summary%', 'revenue_low',
             'The least revenue of the known values of all windows; NULL if none is known'),
            ('report_campaign_summary%', 'revenue_middle', 'The same of the middles'),
            ('report_campaign_summary%', 'revenue_high', 'The same of the greatest revenue'),
            ('%', 'no_value_share',
             'Winning postbacks of window 0 without a value, divided by all of them, to four places'),
            ('%', 'modelled_roas_low', 'modelled_revenue_low ÷ cost'),
            ('%', 'modelled_roas_middle', 'modelled_revenue_middle ÷ cost'),
            ('%', 'modelled_roas_high', 'modelled_revenue_high ÷ cost'),
            ('%', 'revenue_without_rate',
             'Known values of campaigns, days, windows and currencies that have revenue and no currency rate; the revenue '
             'of their window is NULL'),
            ('%', 'roas_n_low', 'revenue_{n}_low ÷ cost; NULL if one of both is'),
            ('%', 'roas_n_middle', 'revenue_{n}_middle ÷ cost'),
            ('%', 'roas_n_high', 'revenue_{n}_high ÷ cost'),
            ('%', 'roas_low', 'revenue_low ÷ cost'),
            ('%', 'roas_middle', 'revenue_middle ÷ cost'),
            ('%', 'roas_high', 'revenue_high ÷ cost'),
            ('%', 'revenue_complete', 'Whether all postbacks of all windows have arrived, but for late deliveries'),
            ('%', 'cost_per_postback_low', 'cost ÷ (postbacks + possible)'),
            ('%', 'cost_per_postback_middle', 'cost ÷ (postbacks + half of possible)'),
            ('%', 'cost_per_postback_high', 'cost ÷ postbacks'),
            ('%', 'cost_per_event_low', 'cost ÷ count_high; NULL if one has no upper end'),
            ('%', 'cost_per_event_middle', 'cost ÷ the middle of count_low and count_high'),
            ('%', 'cost_per_event_high', 'cost ÷ count_low'))
        SELECT view.relname, attname, coalesce(replace(text, '{n}', coalesce(n, '')), elsewhere) AS text
          FROM pg_class AS view
          JOIN pg_attribute AS attribute ON attrelid = view.oid AND attnum > 0
         CROSS JOIN LATERAL (SELECT substring(attname FROM '_([012])(?:_|$)')) AS own_window (n)
          LEFT JOIN meaning ON relname LIKE pattern AND name = regexp_replace(attname, '_[012](_|$)', '_n\1')
          LEFT JOIN LATERAL (
               SELECT min(col_description(attrelid, attnum)) AS elsewhere
                 FROM pg_attribute AS alike
                WHERE alike.attname = attribute.attname
                  AND attrelid IN ('attribution.report_install_campaign_daily_all'::regclass,
                                   'attribution.report_install_event_daily_all'::regclass)) AS of_answers ON true
         WHERE relnamespace = 'attribution'::regnamespace AND relkind = 'v'
           AND relname ~ '^report_(modelled_revenue|cohort|cost|event_cost|campaign_summary)' LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.%I.%I IS %L', described.relname, described.attname,
                       described.text);
    END LOOP;
END $comments$;

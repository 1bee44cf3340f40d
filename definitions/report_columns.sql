-- The columns of reports, each once: a new column is one line here. make_reports.sql makes the reports from this list,
-- from report_families.sql and from reports.sql.
--
-- `scopes` says where a row counts: everywhere (''), or in figures of a family, in a family, or in a report with this name.
-- The row of the narrowest scope counts. Figures of a family stand in reports in the order of this list.
--
-- Keys stand before figures: no two rows of a report have the same keys. `value` says how a family computes the column from
-- its source. `sum` is total(NAME), `money` is the same of millionths, `every` is bool_and(NAME). '' is the column of the
-- source with this name. All else is SQL, in which total(…) is a sum over the rows of a key.
--
-- A name with {a|b} is two columns, with a and with b; in `value` and `meaning` {n} is the one of the two. {n} in a name
-- stands for {0|1|2}, the windows. Neighbours with the same choices are listed choice by choice.
CREATE OR REPLACE VIEW attribution.catalog_column AS
WITH listed AS (
    SELECT 'key' AS kind, * FROM (VALUES
    ('', 'environment', 'text', '', 'production, development or test'),
    ('', 'developer_copy', 'boolean', '', 'Whether the postbacks are copies for the developer of the advertised app'),
    ('agreement', 'developer_copy', 'boolean', '',
     'Whether the postbacks here are a developer''s copies of another network''s'),
    ('counts', 'day', 'date', '', 'The day of first receipt; for impressions the day of signing'),
    ('', 'day', 'date', '', 'The day of arrival, the first receipt'),
    ('install', 'day', 'date', '', 'The day of the middle of the hours in which the first launch was, or the open of a re-engagement'),
    ('arrival_impression', 'day', 'date', '',
     'The day of arrival of the conversions, and of signing of the impressions'),
    ('install_impression', 'day', 'date', '',
     'The day of the install of the conversions, and of signing of the impressions'),
    ('money', 'day', 'date', '', 'The day of the install, and of the cost'),
    ('', 'week', 'date', '', 'The Monday of the install week'),
    ('', 'run', 'integer', '', 'The number of the run; a run is one archive'),
    ('', 'file', 'text', '', 'The path of the archive, as it was given'),
    ('', 'side', 'text', '', 'Whose archive it is: a network''s, or a developer''s'),
    ('', 'protocol', 'text', '', 'skadnetwork or adattributionkit'),
    ('', 'version', 'text', '', 'The version of SKAdNetwork; none for AdAttributionKit'),
    ('', 'ad_network_id', 'text', '', 'The network, in lower case as signed'),
    ('', 'network_name', 'text', '', 'The network without the suffix of a protocol; networks are compared by it'),
    ('', 'campaign_type', 'text', '', 'campaign-id (SKAdNetwork up to 3.0) or source-identifier'),
    ('mapping event_mapping', 'campaign_type', 'text', '',
     'campaign-id or source-identifier, if no mapping row names the postbacks; else NULL'),
    ('', 'campaign', 'text', '', 'The campaign id, or the source identifier as received, with leading zeros'),
    ('mapping event_mapping', 'campaign', 'text', '',
     'The campaign as received, if no mapping row names the postbacks; else NULL'),
    ('impression', 'campaign', 'text', 'identifier', 'The campaign id, or the last digits of the source identifier'),
    ('modelled', 'campaign', 'text', '', 'The campaign id, or the last two digits of the source identifiers'),
    ('', 'digits', 'integer', '', 'How many last digits the row is for: 2 to 4, or 1 for an identifier of one digit'),
    ('impression', 'digits', 'integer', 'CASE campaign_type WHEN ''source-identifier'' THEN length(identifier) END',
     'How many last digits of source identifiers the row is for; NULL for a campaign id'),
    ('', 'source_identifier', 'text', '', 'So many last digits of the source identifier'),
    ('tier', 'source_identifier', 'text', '', 'The last two digits of the source identifier'),
    ('', 'advertised_app_id', 'bigint', '', 'The App Store id of the advertised app'),
    ('', 'source_app', 'text', '', 'The id of the source app, or the source domain; NULL if the postback names neither'),
    ('', 'source_app_id', 'bigint', 'attribution.source_app_id(source)', 'The app that showed the ad, if Apple sent it'),
    ('', 'source_domain', 'text', '', 'The web site that showed the ad, if Apple sent it'),
    ('', 'campaign_id', 'text', '', 'The id of the campaign at the operator; NULL if no mapping row names the postbacks'),
    ('', 'campaign_name', 'text', '', 'The name of the campaign in the mapping'),
    ('', 'ad_group_id', 'text', '', 'The id of the ad group'),
    ('', 'ad_group_name', 'text', '', 'The name of the ad group'),
    ('', 'creative_id', 'text', '', 'The id of the creative'),
    ('', 'creative_name', 'text', '', 'The name of the creative'),
    ('', 'geo', 'text', '', 'The country in which the ads are shown, by the mapping'),
    ('', 'kind', 'text', '', 'install, redownload or re-engagement'),
    ('', 'redownload', 'boolean', '',
     'SKAdNetwork: whether the app was downloaded before; NULL if the version does not say it'),
    ('', 'conversion_type', 'text', '', 'AdAttributionKit: download, redownload or re-engagement'),
    ('', 'fidelity_type', 'smallint', '', '0 view-through, 1 StoreKit-rendered; NULL if the version does not say it'),
    ('', 'ad_interaction_type', 'text', '', 'AdAttributionKit: view or click'),
    ('', 'marketplace_identifier', 'text', '', 'AdAttributionKit: the marketplace; Apple omits it in tier 0'),
    ('', 'country_code', 'text', '', 'The country, if Apple sent it'),
    ('', 'sequence_index', 'smallint', '', 'The conversion window: 0, 1 or 2'),
    ('', 'did_win', 'boolean', '', 'Whether Apple attributes the conversions to this network; false: it assisted'),
    ('', 'conversion_value', 'smallint', 'attribution.fine_value(value)', 'The fine value, 0 to 63; NULL for others'),
    ('', 'coarse_value', 'text', 'attribution.coarse_value(value)',
     'The coarse value: low, medium or high; NULL for others'),
    ('', 'event', 'text', '', 'The event of the scheme'),
    ('', 'currency', 'text', 'nullif(currency, '''')',
     'The currency of the scheme in force; NULL if none or two may be, or if it has none'),
    ('money', 'currency', 'text', '', 'The currency, ISO 4217; NULL if none is known'),
    ('', 'volume_low', 'bigint', '', 'The campaign had at least so many winning postbacks of the first window on the day'),
    ('', 'volume_high', 'bigint', '', 'The campaign had at most so many on the day; NULL: no upper end')
      ) AS list (scopes, name, type, value, meaning)
    UNION ALL
    SELECT 'figure', * FROM (VALUES
    -- Counts.
    ('values', 'postbacks', 'bigint', 'sum', 'All postbacks with this value'),
    ('values', 'events', 'text', '',
     'What the value means: events that have happened, with commas between them; NULL if nobody can be certain for all days'),
    ('values', 'possible_events', 'text', '', 'Events that may have happened, or not'),
    ('values', 'revenue_low', 'numeric', '', 'The least revenue of one postback with this value'),
    ('values', 'revenue_high', 'numeric', '',
     'The greatest revenue of one postback with this value; NULL if there is no upper end'),
    ('values', 'currency', 'text', '', 'The currency of the scheme, ISO 4217'),
    ('digits', 'postbacks', 'bigint', 'total(winning)', 'Winning postbacks of this window'),
    ('campaigns', 'impressions', 'bigint', 'sum', 'Impressions that the service signed'),
    ('campaigns sources digits', 'installs', 'bigint', 'sum', 'Winning postbacks of window 0 for first downloads'),
    ('campaigns sources digits', 'redownloads', 'bigint', 'sum', 'Winning postbacks of window 0 for redownloads'),
    ('campaigns sources digits', 'reengagements', 'bigint', 'sum', 'Winning postbacks of window 0 for re-engagements'),
    ('campaigns sources digits', 'assists', 'bigint', 'sum', 'Postbacks with did-win false'),
    ('campaigns sources digits', 'fine', 'bigint', 'sum',
     'Winning postbacks with a fine value; of window 0 unless there is a sequence_index'),
    ('campaigns sources', 'coarse', 'bigint', 'sum',
     'Winning postbacks with a coarse value; of window 0 unless there is a sequence_index'),
    ('digits', 'coarse', 'bigint', 'total(coarse_low + coarse_medium + coarse_high)',
     'Winning postbacks with a coarse value; of window 0 unless there is a sequence_index'),
    ('campaigns sources digits', 'no_value', 'bigint', 'sum',
     'Winning postbacks without a value; of window 0 unless there is a sequence_index'),
    ('campaigns sources digits', 'value_average', 'numeric',
     'attribution.average(total(value_sum), total(fine))',
     'The average of the fine values, to four places; NULL if there are none'),
    ('campaigns sources', 'raised', 'bigint', 'sum', 'Postbacks whose current value differs from the first one'),
    ('campaigns sources', 'conflicts', 'bigint', 'sum', 'Deliveries with another value that were ignored'),
    ('campaigns sources', 'later_windows', 'bigint', 'sum', 'Postbacks of windows 1 and 2'),
    ('digits', 'coarse_{low|medium|high}', 'bigint', 'sum', 'Of coarse, those with the value {n}'),
    ('digits', 'share_{2|3|4}_digits', 'numeric',
     'attribution.average(total(CASE WHEN received_digits = {n} THEN winning ELSE 0 END), total(winning))',
     'The share of the postbacks that arrived with {n} digits'),
    -- Not first_day and last_day: a column of a function can't have the name of one of its parameters.
    ('campaigns', 'first_seen', 'date', 'min(day)', 'The first day with figures'),
    ('campaigns', 'last_seen', 'date', 'max(day)', 'The last day with figures'),
    ('digits', 'first_seen', 'date', 'min(first_seen)', 'The first day with figures'),
    ('digits', 'last_seen', 'date', 'max(last_seen)', 'The last day with figures'),

    -- Answers.
    ('impressions', 'impressions', 'bigint', 'sum', 'Impressions that the service signed, by the day of signing'),
    ('answers', 'postbacks', 'bigint', 'sum', 'Postbacks of this window, won or not as did_win says'),
    ('tiers', 'days', 'bigint', 'count(*)', 'On how many install days the campaign had this volume'),
    ('tiers', 'postbacks', 'bigint', 'sum', 'Winning postbacks of the first window'),
    ('health', 'postbacks', 'bigint', 'sum', 'Winning postbacks of this window'),
    ('answers impressions', 'installs', 'bigint', 'sum',
     'First installs: winning postbacks of the first window; 0 in other rows'),
    ('answers impressions', 'redownloads', 'bigint', 'sum',
     'Redownloads: winning postbacks of the first window; 0 in other rows'),
    ('answers impressions', 'reengagements', 'bigint', 'sum',
     'Re-engagements: winning postbacks of the first window; 0 in other rows'),
    ('impressions', 'conversions_per_thousand', 'numeric',
     'round(1000.0 * (total(installs) + total(redownloads) + total(reengagements)) / nullif(total(impressions), 0), 4)',
     'Installs, redownloads and re-engagements for 1,000 impressions; NULL without impressions'),
    ('answers health', 'fine', 'bigint', 'sum', 'Postbacks with a fine value'),
    ('answers health', 'coarse', 'bigint', 'sum', 'Postbacks with a coarse value'),
    ('answers health', 'withheld', 'bigint', 'sum',
     'Postbacks whose value Apple withheld for privacy, at most: in a simulation the app never set a fifth of them'),
    ('answers health', 'not_set', 'bigint', 'sum', 'Postbacks that had room for a value, but the app set none'),
    ('answers health', 'not_applicable', 'bigint', 'sum',
     'Postbacks that can have no value: SKAdNetwork 1.0, and those that did not win'),
    ('answers health', 'mapped', 'bigint', 'sum', 'Values that the scheme gives a meaning'),
    ('answers health', 'unmapped', 'bigint', 'sum', 'Values that the scheme does not have'),
    ('answers health', 'ambiguous', 'bigint', 'sum', 'Values that the app may have set before or after a change of scheme'),
    ('answers health', 'no_scheme', 'bigint', 'sum', 'Values of a time without a scheme'),
    ('health', 'not_set_share', 'numeric', 'attribution.average(total(not_set), total(fine + coarse + not_set))',
     'not_set divided by fine + coarse + not_set, to four places; NULL if all are 0'),
    ('health', 'unmapped_share', 'numeric', 'attribution.average(total(unmapped), total(mapped + unmapped))',
     'unmapped divided by mapped + unmapped, to four places; NULL if both are 0'),
    ('changes', 'postbacks', 'bigint', 'total(CASE WHEN NOT before THEN postbacks END)',
     'Winning postbacks of this window'),
    ('changes', 'postbacks_before', 'bigint', 'total(CASE WHEN before THEN postbacks END)',
     'The same of as many days before'),
    ('changes', 'not_set_share', 'numeric',
     'attribution.average(total(CASE WHEN NOT before THEN not_set END), total(CASE WHEN NOT before THEN fine + coarse + not_set END))',
     'not_set divided by fine + coarse + not_set, to four places; NULL if all are 0'),
    ('changes', 'not_set_share_before', 'numeric',
     'attribution.average(total(CASE WHEN before THEN not_set END), total(CASE WHEN before THEN fine + coarse + not_set END))',
     'The same of as many days before'),
    ('changes', 'unmapped_share', 'numeric',
     'attribution.average(total(CASE WHEN NOT before THEN unmapped END), total(CASE WHEN NOT before THEN mapped + unmapped END))',
     'unmapped divided by mapped + unmapped, to four places; NULL if both are 0'),
    ('changes', 'unmapped_share_before', 'numeric',
     'attribution.average(total(CASE WHEN before THEN unmapped END), total(CASE WHEN before THEN mapped + unmapped END))',
     'The same of as many days before'),
    ('changes', 'no_scheme_share', 'numeric',
     'attribution.average(total(CASE WHEN NOT before THEN no_scheme END), total(CASE WHEN NOT before THEN fine + coarse END))',
     'no_scheme divided by fine + coarse, to four places; NULL if both are 0'),
    ('changes', 'no_scheme_share_before', 'numeric',
     'attribution.average(total(CASE WHEN before THEN no_scheme END), total(CASE WHEN before THEN fine + coarse END))',
     'The same of as many days before'),
    ('answers tiers', 'tier_{0|1|2|3}', 'bigint', 'sum', 'Postbacks that can only be of tier {n}'),
    ('answers tiers', 'tier_unsure', 'bigint', 'sum',
     'Postbacks that fit more than one tier; SKAdNetwork up to 3.0 has no tiers'),
    ('tiers', 'tier_{0|1|2|3|unsure}_share', 'numeric', 'attribution.average(total(tier_{n}), total(postbacks))',
     'tier_{n} divided by postbacks, to four places'),
    ('events', 'postbacks', 'bigint', 'sum', 'Postbacks whose value says that the event has happened'),
    ('events', 'possible', 'bigint', 'sum',
     'Postbacks whose value says that it may have happened, or not; not among postbacks'),
    ('events', 'count_low', 'bigint', 'sum', 'How often the event has happened at least'),
    ('events', 'count_high', 'bigint', 'sum',
     'How often at most; a range without an upper end counts with its least number'),
    ('events', 'count_open', 'bigint', 'sum', 'Postbacks whose range of the number has no upper end'),

    -- Modelled revenue.
    ('modelled', 'postbacks', 'bigint', 'sum', 'Winning postbacks'),
    ('modelled', 'mapped', 'bigint', 'sum', 'Of these, values to which a scheme gives a meaning'),
    ('modelled', 'withheld', 'bigint', 'sum',
     'Of these, values that Apple withheld for privacy, at most: in a simulation the app never set a fifth of them'),
    ('modelled', 'ambiguous', 'bigint', 'sum',
     'Of these, values that the app may have set before or after a change of scheme; they are in no revenue'),

    -- Revenue of answers, of events, and of modelled revenue.
    --
    -- If no value is mapped, nobody knows the revenue. A row of an event rests on mapped values.
    ('answers modelled', 'revenue_low', 'numeric',
     'CASE WHEN total(mapped) > 0 THEN attribution.money(total(revenue_low)) END',
     'The least revenue of mapped values, in units of the currency; NULL if no value is mapped'),
    ('answers modelled', 'revenue_middle', 'numeric',
     'CASE WHEN total(mapped) > 0 AND total(revenue_unknown) = 0 THEN attribution.money(total(revenue_middle)) END',
     'The sum of the middles of the ranges; the least revenue for a range without an upper end; NULL if one is '
     'unknown, or if no value is mapped'),
    ('answers modelled', 'revenue_high', 'numeric',
     'CASE WHEN total(mapped) > 0 THEN attribution.money(total(revenue_high)) END',
     'The greatest revenue; a range without an upper end counts with its least revenue; NULL if no value is mapped'),
    ('revenue', 'revenue_low', 'numeric', 'money',
     'The least revenue of mapped values, in units of the currency'),
    ('revenue', 'revenue_middle', 'numeric',
     'CASE WHEN total(revenue_unknown) = 0 THEN attribution.money(total(revenue_middle)) END',
     'The sum of the middles of the ranges; the least revenue for a range without an upper end; NULL if one is unknown'),
    ('revenue', 'revenue_high', 'numeric', 'money',
     'The greatest revenue; a range without an upper end counts with its least revenue'),
    ('answers revenue modelled', 'revenue_open', 'bigint', 'sum', 'Mapped values whose range of revenue has no upper end'),
    ('answers revenue impressions', 'complete', 'boolean', 'every',
     'Whether no more postbacks of this day and window can arrive, but for late deliveries'),
    ('modelled', 'modelled_from', 'text', '',
     'What the model rests on: campaign (the mapped values of the row), small_campaigns (those of the app''s '
     'campaigns with too few), app (all of the app), none (fewer than two, or one has unknown revenue); NULL if nothing '
     'is withheld'),
    ('modelled', 'modelled_mapped', 'bigint', '', 'The number of mapped values on which the model rests'),
    ('modelled', 'modelled_below_minimum', 'boolean', '',
     'Whether something is withheld and the row has fewer mapped values than the minimum'),
    ('modelled', 'modelled_withheld', 'numeric', 'sum',
     'The withheld values that are modelled in this currency; those without a currency are shared'),
    ('modelled', 'modelled_from_app', 'numeric', 'sum',
     'Of these, those that are modelled from the app: from its small campaigns, or from all'),
    ('modelled', 'modelled_missing', 'numeric', 'sum',
     'Of these, those for which no model is possible; they are in no figure'),
    ('modelled', 'modelled_revenue_low', 'numeric', 'sum',
     'revenue_low, and as much for each withheld value as a mapped one has on average'),
    ('modelled', 'modelled_revenue_middle', 'numeric', 'sum', 'The same of revenue_middle'),
    ('modelled', 'modelled_revenue_high', 'numeric', 'sum', 'The same of revenue_high'),
    ('modelled', 'modelled_interval_low', 'numeric', '',
     'The low end of the 95 percent interval of the revenue; NULL if the mapped values say nothing of it'),
    ('modelled', 'modelled_interval_high', 'numeric', '',
     'Its high end; NULL too if much revenue is in ranges without an upper end, or one is unknown'),
    ('modelled', 'modelled_payers', 'numeric', '',
     'How many equal payers the mapped values of the app in the range are worth, of several apps the least; below 8 the '
     'interval rests on the scheme; NULL if nothing is withheld'),

    -- Cost and cohorts.
    ('costs event_costs summaries', 'cost', 'numeric', 'sum',
     'What the campaign cost; NULL without spend, or if a rate is missing'),
    ('costs event_costs summaries', 'cost_without_rate', 'bigint', 'sum', 'Rows of spend above 0 without a currency rate'),
    ('costs', 'network_impressions', 'bigint', 'sum', 'Impressions as the network reports them'),
    ('costs', 'network_clicks', 'bigint', 'sum', 'Clicks as the network reports them'),
    ('costs', 'network_installs', 'bigint', 'sum', 'Installs as the network reports them'),
    ('costs summaries', 'installs', 'bigint', 'sum', 'First installs by winning postbacks of window 0'),
    ('costs summaries', 'redownloads', 'bigint', 'sum', 'Redownloads'),
    ('costs summaries', 'reengagements', 'bigint', 'sum', 'Re-engagements'),
    ('costs', 'installs_low', 'bigint', '', 'Installs a day or more inside the range'),
    ('costs', 'installs_high', 'bigint', '', 'Installs of the range and a day around it'),
    ('costs summaries', 'cost_per_install_low', 'numeric', '', 'cost ÷ installs of the range and a day around it'),
    ('costs summaries', 'cost_per_install', 'numeric', '', 'cost ÷ installs'),
    ('costs summaries', 'cost_per_install_high', 'numeric', '', 'cost ÷ installs a day or more inside the range'),
    ('costs', 'cost_per_install_or_engagement', 'numeric', '', 'cost ÷ (installs + reengagements)'),
    ('costs', 'cost_per_conversion', 'numeric', '', 'cost ÷ (installs + redownloads + reengagements)'),
    ('costs summaries', 'installs_complete', 'boolean', 'every',
     'Whether all postbacks of window 0 have arrived, but for late deliveries'),
    ('cohorts costs', 'postbacks_{n}', 'bigint', 'sum', 'Winning postbacks of window {n}'),
    ('cohorts costs', 'mapped_{n}', 'bigint', 'sum', 'Of these, values to which a scheme gives a meaning'),
    ('cohorts costs', 'withheld_{n}', 'bigint', 'sum', 'Of these, values that Apple withheld for privacy, at most'),
    ('cohorts costs', 'not_set_{n}', 'bigint', 'sum', 'Of these, those that had room for a value, but the app set none'),
    ('cohorts costs', 'unmapped_{n}', 'bigint', 'sum', 'Of these, values that the scheme does not have'),
    ('cohorts costs', 'ambiguous_{n}', 'bigint', 'sum',
     'Of these, values that the app may have set before or after a change of scheme'),
    ('cohorts costs', 'no_scheme_{n}', 'bigint', 'sum', 'Of these, values of a time without a scheme'),
    ('cohorts costs', 'revenue_{n}_low', 'numeric', 'sum',
     'The least revenue of the mapped values of window {n}; NULL if there is none'),
    ('cohorts costs', 'revenue_{n}_middle', 'numeric', 'sum',
     'The middles of the ranges of window {n}; NULL if one is unknown, or if no value is mapped'),
    ('cohorts costs', 'revenue_{n}_high', 'numeric', 'sum',
     'The greatest revenue of window {n}; the least one for a range without an upper end; NULL if no value is mapped'),
    ('cohorts', 'revenue_{n}_open', 'bigint', 'sum', 'Values of window {n} whose range has no upper end'),
    ('cohorts', 'complete_{n}', 'boolean', 'every',
     'Whether all postbacks of window {n} have arrived, but for late deliveries'),
    ('costs summaries', 'revenue_low', 'numeric', '',
     'The least revenue of the mapped values of all windows; NULL if there is none'),
    ('costs summaries', 'revenue_middle', 'numeric', '', 'The same of the middles; NULL if one is unknown'),
    ('costs summaries', 'revenue_high', 'numeric', '', 'The same of the greatest revenue'),
    ('costs summaries', 'revenue_open', 'bigint', 'sum', 'Mapped values whose range of revenue has no upper end'),
    ('costs summaries', 'revenue_without_rate', 'bigint', 'sum',
     'Mapped values of campaigns, days, windows and currencies that have revenue and no currency rate; the revenue '
     'of their window is NULL'),
    ('costs summaries', 'roas_{n}_low', 'numeric', '',
     'The least revenue of window {n} ÷ cost; NULL if one of both is, or if the cost is 0'),
    ('costs summaries', 'roas_{n}_middle', 'numeric', '', 'The middles of window {n} ÷ cost'),
    ('costs summaries', 'roas_{n}_high', 'numeric', '', 'The greatest revenue of window {n} ÷ cost'),
    ('costs summaries', 'roas_{low|middle|high}', 'numeric', '', 'revenue_{n} ÷ cost'),
    ('costs summaries', 'revenue_complete', 'boolean', 'every',
     'Whether all postbacks of all windows have arrived, but for late deliveries'),
    ('summaries', 'no_value_share', 'numeric', '',
     'Winning postbacks of window 0 without a value, divided by all of them, to four places'),
    ('summaries', 'mapped', 'bigint', '', 'Winning postbacks of all windows with values to which a scheme gives a meaning'),
    ('summaries', 'withheld', 'bigint', '',
     'Those whose value Apple withheld for privacy, at most: in a simulation the app never set a fifth of them'),
    ('summaries', 'not_set', 'bigint', '', 'Those that had room for a value, but the app set none'),
    ('summaries', 'unmapped', 'bigint', '', 'Those with values that the scheme does not have'),
    ('summaries', 'ambiguous', 'bigint', '',
     'Those with values that the app may have set before or after a change of scheme'),
    ('summaries', 'no_scheme', 'bigint', '', 'Those with values of a time without a scheme'),
    ('summaries', 'modelled_missing', 'numeric', '',
     'Of withheld, those for which no model is possible; they are in no figure'),
    ('summaries', 'modelled_revenue_low', 'numeric', '',
     'revenue_low, and as much for each withheld value as a mapped one of its level has on average'),
    ('summaries', 'modelled_revenue_middle', 'numeric', '', 'The same of revenue_middle'),
    ('summaries', 'modelled_revenue_high', 'numeric', '', 'The same of revenue_high'),
    ('summaries', 'modelled_roas_{low|middle|high}', 'numeric', '', 'modelled_revenue_{n} ÷ cost'),
    ('event_costs', 'cost_per_postback_low', 'numeric', '', 'cost ÷ (postbacks + possible)'),
    ('event_costs', 'cost_per_postback_middle', 'numeric', '', 'cost ÷ (postbacks + half of possible)'),
    ('event_costs', 'cost_per_postback_high', 'numeric', '', 'cost ÷ postbacks'),
    ('event_costs', 'cost_per_event_low', 'numeric', '', 'cost ÷ count_high; NULL if one has no upper end'),
    ('event_costs', 'cost_per_event_middle', 'numeric', '', 'cost ÷ the middle of count_low and count_high'),
    ('event_costs', 'cost_per_event_high', 'numeric', '', 'cost ÷ count_low'),
    ('event_costs', 'complete', 'boolean', 'every',
     'Whether no more postbacks of this day and window can arrive, but for late deliveries'),

    -- Copies against originals.
    ('agreement', 'postbacks', 'bigint', 'total(matched + value_differs + signed_differs + only_here + only_there)',
     'All postbacks that were compared: matched + value_differs + signed_differs + only_here + only_there'),
    ('agreement', 'matched', 'bigint', 'sum',
     'Both sides have the postback with the same value, or with values that a raise explains'),
    ('agreement', 'raised_here', 'bigint', 'sum', 'Of matched: the archive has a value that was here before a raise'),
    ('agreement', 'raised_there', 'bigint', 'sum',
     'Of matched: one delivery of the archive has the value that is here, and another one the value that counts there'),
    ('agreement', 'value_differs', 'bigint', 'sum',
     'Both sides have the postback, and no raise explains their values: somebody changed one'),
    ('agreement', 'higher_here', 'bigint', 'sum', 'Of value_differs: the value here is the higher one of the same kind'),
    ('agreement', 'higher_there', 'bigint', 'sum',
     'Of value_differs: the value of the archive is the higher one of the same kind'),
    ('agreement', 'signed_differs', 'bigint', 'sum',
     'Both sides have the key of the postback, but other signed fields differ; should be 0'),
    ('agreement', 'only_here', 'bigint', 'sum',
     'Only this side has the postback: of a network and an app of the archive, received here in the time that the '
     'archive covers, and one that Apple sends to both'),
    ('agreement', 'only_here_at_end', 'bigint', 'sum',
     'Of only_here: received within nine days of an end of that time, so a retry may have reached the other side '
     'outside of it'),
    ('agreement', 'only_there', 'bigint', 'sum',
     'Only the archive has the postback: one that Apple sends to both, received there since the first day of its '
     'network and app here'),
    ('agreement', 'only_there_at_end', 'bigint', 'sum',
     'Of only_there: received there within nine days before the run, so a retry may still bring it'),
    ('agreement', 'not_copied', 'bigint', 'sum',
     'Not compared: postbacks of a network''s archive of which Apple sends no copy (did-win false, 1.0)'),
    ('agreement', 'before_begin', 'bigint', 'sum',
     'Not compared: postbacks of the archive from before the first day of their network and app here'),
    ('agreement', 'matched_share', 'numeric',
     'attribution.average(total(matched), total(matched + value_differs + signed_differs + only_here + only_there))',
     'matched ÷ postbacks, to four places'),
    ('agreement', 'value_differs_share', 'numeric',
     'attribution.average(total(value_differs), total(matched + value_differs))',
     'value_differs ÷ (matched + value_differs), to four places'),
    ('agreement', '{only_here|only_there}_share', 'numeric',
     'attribution.average(total({n}), total(matched + value_differs + signed_differs + only_here + only_there))',
     '{n} ÷ postbacks, to four places')
      ) AS list (scopes, name, type, value, meaning)
),
numbered AS (
    SELECT *, CASE WHEN name LIKE '%{n}%' THEN '0|1|2' ELSE substring(name, '\{(.*)\}') END AS choices,
           row_number() OVER () AS number
      FROM listed
),
-- Neighbours with the same choices have one `block`, the number of the first of them.
blocked AS (
    SELECT *, max(number) FILTER (WHERE is_first) OVER (ORDER BY number) AS block
      FROM (SELECT *, choices IS DISTINCT FROM lag(choices) OVER (ORDER BY number) OR choices IS NULL AS is_first
              FROM numbered) AS compared
)
SELECT string_to_array(scopes, ' ') AS scopes, regexp_replace(name, '\{.*\}', choice) AS name, type, kind,
       replace(value, '{n}', choice) AS value, replace(meaning, '{n}', choice) AS meaning,
       row_number() OVER (ORDER BY block, place, number) AS number
  FROM blocked
 CROSS JOIN unnest(coalesce(string_to_array(choices, '|'), '{""}')) WITH ORDINALITY AS chosen (choice, place);

-- The columns of a family or a report, in their order: of each the row of the narrowest scope. Narrow scopes come first.
CREATE OR REPLACE FUNCTION attribution.catalog_columns(columns text[], scopes text[])
RETURNS TABLE (number bigint, name text, type text, kind text, value text, meaning text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH listed AS MATERIALIZED (TABLE attribution.catalog_column)
    SELECT row_number() OVER (ORDER BY place, number), name, type, kind, value, meaning
      FROM unnest($1) WITH ORDINALITY AS wanted (wanted, place)
     CROSS JOIN LATERAL (
           SELECT DISTINCT ON (name) *
             FROM listed
             LEFT JOIN unnest($2) WITH ORDINALITY AS own (scope, width) ON scope = ANY (listed.scopes)
            WHERE CASE WHEN starts_with(wanted, '+') THEN kind = 'figure' AND substr(wanted, 2) = ANY (listed.scopes)
                       ELSE name = wanted AND (scope IS NOT NULL OR listed.scopes = '{}') END
            ORDER BY name, width) AS found
$$;
COMMENT ON FUNCTION attribution.catalog_columns IS
    'The columns of a family or a report, in their order, with what counts in these scopes; +name is all figures of a name';

COMMENT ON VIEW attribution.catalog_column IS 'The columns of reports: what they mean and how they are summed';
COMMENT ON COLUMN attribution.catalog_column.scopes IS 'Where the row counts: figures, families or reports; empty if everywhere';
COMMENT ON COLUMN attribution.catalog_column.name IS 'The name of the column';
COMMENT ON COLUMN attribution.catalog_column.type IS 'Its type';
COMMENT ON COLUMN attribution.catalog_column.kind IS 'key or figure';
COMMENT ON COLUMN attribution.catalog_column.value IS
    'How it follows from the rows of a source: sum, money, every, SQL, or empty for the column of this name';
COMMENT ON COLUMN attribution.catalog_column.meaning IS 'What it means, and its unit';
COMMENT ON COLUMN attribution.catalog_column.number IS 'Its place among all columns';

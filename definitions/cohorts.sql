-- Cohorts: what the windows brought, side by side. A window is a postback of its own: nobody outside can tell which of them are
-- of one person, so their numbers are never added.

-- Each campaign is summed by itself, as in answer_sums: the campaign as received, or with `by_name` that of the mapping as
-- in costs. Postbacks without a currency stand in the row of the cohort's only currency, if it has one. Revenue is the
-- sum over mapped values, and NULL if there is none.
CREATE OR REPLACE FUNCTION attribution.cohorts(
    first_day date, last_day date, an_advertised_app_id bigint, by_week boolean, by_name boolean)
RETURNS TABLE (
    environment text, developer_copy boolean, week date, day date, protocol text, ad_network_id text,
    campaign_type text, campaign text, network_name text, campaign_id text, campaign_name text,
    advertised_app_id bigint, currency text,
    postbacks_0 bigint, mapped_0 bigint, withheld_0 bigint, not_set_0 bigint, unmapped_0 bigint, ambiguous_0 bigint,
    no_scheme_0 bigint, revenue_0_low numeric, revenue_0_middle numeric, revenue_0_high numeric,
    revenue_0_open bigint, complete_0 boolean,
    postbacks_1 bigint, mapped_1 bigint, withheld_1 bigint, not_set_1 bigint, unmapped_1 bigint, ambiguous_1 bigint,
    no_scheme_1 bigint, revenue_1_low numeric, revenue_1_middle numeric, revenue_1_high numeric,
    revenue_1_open bigint, complete_1 boolean,
    postbacks_2 bigint, mapped_2 bigint, withheld_2 bigint, not_set_2 bigint, unmapped_2 bigint, ambiguous_2 bigint,
    no_scheme_2 bigint, revenue_2_low numeric, revenue_2_middle numeric, revenue_2_high numeric,
    revenue_2_open bigint, complete_2 boolean)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH place AS (
        SELECT environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, NULL AS network_name,
               NULL AS campaign_id, advertised_app_id, campaign_type = 'source-identifier' AS any_windows,
               campaign_type <> 'source-identifier' AS any_timer, line, NULL::integer[] AS lines,
               NULL::date[] AS from_days, NULL::date[] AS to_days, NULL::attribution.answer_daily[] AS answers
          FROM attribution.line
         WHERE NOT $5 AND ($3 IS NULL OR advertised_app_id = $3)
        UNION ALL
        SELECT environment, developer_copy, NULL, NULL, NULL, NULL, network_name, campaign_id, advertised_app_id,
               any_windows, any_timer, NULL, lines, from_days, to_days, answers
          FROM attribution.cost_place($1, $2, $3, false)
         WHERE $5
    )
    SELECT environment, developer_copy, CASE WHEN $4 THEN cohort_day END, CASE WHEN NOT $4 THEN cohort_day END,
           protocol, ad_network_id, campaign_type, campaign, place.network_name, nullif(place.campaign_id, ''),
           coalesce(of_app.campaign_name, of_all.campaign_name), place.advertised_app_id, currency,
           postbacks_0, mapped_0, withheld_0, not_set_0, unmapped_0, ambiguous_0, no_scheme_0,
           CASE WHEN mapped_0 > 0 THEN attribution.money(low_0) END,
           CASE WHEN mapped_0 > 0 THEN attribution.money(middle_0) END,
           CASE WHEN mapped_0 > 0 THEN attribution.money(high_0) END, open_0,
           attribution.is_cost_complete(until.day, 0::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT attribution.answers_up_to()), environment = 'development'),
           postbacks_1, mapped_1, withheld_1, not_set_1, unmapped_1, ambiguous_1, no_scheme_1,
           CASE WHEN mapped_1 > 0 THEN attribution.money(low_1) END,
           CASE WHEN mapped_1 > 0 THEN attribution.money(middle_1) END,
           CASE WHEN mapped_1 > 0 THEN attribution.money(high_1) END, open_1,
           attribution.is_cost_complete(until.day, 1::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT attribution.answers_up_to()), environment = 'development'),
           postbacks_2, mapped_2, withheld_2, not_set_2, unmapped_2, ambiguous_2, no_scheme_2,
           CASE WHEN mapped_2 > 0 THEN attribution.money(low_2) END,
           CASE WHEN mapped_2 > 0 THEN attribution.money(middle_2) END,
           CASE WHEN mapped_2 > 0 THEN attribution.money(high_2) END, open_2,
           attribution.is_cost_complete(until.day, 2::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT attribution.answers_up_to()), environment = 'development')
      FROM place
     CROSS JOIN LATERAL (
           SELECT cohort_day, coalesce(nullif(currency, ''), only_currency) AS currency,
                  attribution.total(postbacks) FILTER (WHERE sequence_index = 0) AS postbacks_0,
                  attribution.total(mapped) FILTER (WHERE sequence_index = 0) AS mapped_0,
                  attribution.total(withheld) FILTER (WHERE sequence_index = 0) AS withheld_0,
                  attribution.total(not_set) FILTER (WHERE sequence_index = 0) AS not_set_0,
                  attribution.total(unmapped) FILTER (WHERE sequence_index = 0) AS unmapped_0,
                  attribution.total(ambiguous) FILTER (WHERE sequence_index = 0) AS ambiguous_0,
                  attribution.total(no_scheme) FILTER (WHERE sequence_index = 0) AS no_scheme_0,
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = 0) AS low_0,
                  CASE WHEN attribution.total(revenue_unknown) FILTER (WHERE sequence_index = 0) = 0
                       THEN attribution.total(revenue_middle) FILTER (WHERE sequence_index = 0) END AS middle_0,
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = 0) AS high_0,
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = 0) AS open_0,
                  attribution.total(postbacks) FILTER (WHERE sequence_index = 1) AS postbacks_1,
                  attribution.total(mapped) FILTER (WHERE sequence_index = 1) AS mapped_1,
                  attribution.total(withheld) FILTER (WHERE sequence_index = 1) AS withheld_1,
                  attribution.total(not_set) FILTER (WHERE sequence_index = 1) AS not_set_1,
                  attribution.total(unmapped) FILTER (WHERE sequence_index = 1) AS unmapped_1,
                  attribution.total(ambiguous) FILTER (WHERE sequence_index = 1) AS ambiguous_1,
                  attribution.total(no_scheme) FILTER (WHERE sequence_index = 1) AS no_scheme_1,
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = 1) AS low_1,
                  CASE WHEN attribution.total(revenue_unknown) FILTER (WHERE sequence_index = 1) = 0
                       THEN attribution.total(revenue_middle) FILTER (WHERE sequence_index = 1) END AS middle_1,
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = 1) AS high_1,
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = 1) AS open_1,
                  attribution.total(postbacks) FILTER (WHERE sequence_index = 2) AS postbacks_2,
                  attribution.total(mapped) FILTER (WHERE sequence_index = 2) AS mapped_2,
                  attribution.total(withheld) FILTER (WHERE sequence_index = 2) AS withheld_2,
                  attribution.total(not_set) FILTER (WHERE sequence_index = 2) AS not_set_2,
                  attribution.total(unmapped) FILTER (WHERE sequence_index = 2) AS unmapped_2,
                  attribution.total(ambiguous) FILTER (WHERE sequence_index = 2) AS ambiguous_2,
                  attribution.total(no_scheme) FILTER (WHERE sequence_index = 2) AS no_scheme_2,
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = 2) AS low_2,
                  CASE WHEN attribution.total(revenue_unknown) FILTER (WHERE sequence_index = 2) = 0
                       THEN attribution.total(revenue_middle) FILTER (WHERE sequence_index = 2) END AS middle_2,
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = 2) AS high_2,
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = 2) AS open_2
             FROM (SELECT *, CASE WHEN min(nullif(currency, '')) OVER cohort = max(currency) OVER cohort
                                  THEN max(currency) OVER cohort END AS only_currency
                     FROM (SELECT *, fine + coarse - mapped - unmapped - ambiguous AS no_scheme,
                                  CASE WHEN $4 THEN attribution.week(day) ELSE day END AS cohort_day
                             FROM (SELECT *
                                     FROM attribution.answer_daily AS daily
                                    WHERE NOT $5 AND daily.line = place.line
                                      AND answer_table = attribution.answer_table('install', 'campaign')
                                   UNION ALL
                                   SELECT daily.*
                                     FROM unnest(lines, from_days, to_days) AS own (line, from_day, to_day)
                                     JOIN attribution.answer_daily AS daily
                                            ON daily.line = own.line AND daily.day BETWEEN from_day AND to_day
                                    WHERE $5 AND answer_table = attribution.answer_table('install', 'campaign')
                                   UNION ALL
                                   SELECT * FROM unnest(place.answers) WHERE $5) AS own) AS daily
                    WHERE day BETWEEN $1 AND $2 AND did_win AND postbacks > 0
                   WINDOW cohort AS (PARTITION BY cohort_day)) AS answer
            GROUP BY cohort_day, coalesce(nullif(currency, ''), only_currency)) AS cohort
     CROSS JOIN LATERAL (
           SELECT least(CASE WHEN $4 THEN cohort_day + 6 ELSE cohort_day END, $2) AS day) AS until
      LEFT JOIN attribution.cost_name($1, $2) AS of_app
             ON $5 AND of_app.network_name = place.network_name AND of_app.campaign_id = place.campaign_id
            AND of_app.advertised_app_id = place.advertised_app_id
      LEFT JOIN attribution.cost_name($1, $2) AS of_all
             ON $5 AND of_all.network_name = place.network_name AND of_all.campaign_id = place.campaign_id
            AND of_all.advertised_app_id IS NULL
      LEFT JOIN attribution.measurement_window
             ON measurement_window.advertised_app_id = CASE WHEN any_timer THEN place.advertised_app_id END
            AND until.day BETWEEN from_day AND to_day
$$;
COMMENT ON FUNCTION attribution.cohorts(date, date, bigint, boolean, boolean) IS
    'Revenue of each window beside the number of its postbacks, by campaign (or mapped campaign) and install day or week';

-- Cohorts: what the windows brought, side by side. A window is a postback of its own: nobody outside can tell which of them are
-- of one person, so their numbers are never added.

-- Each campaign is summed by itself, as in answer_sums: the campaign as received, or with `by_name` that of the mapping as
-- in costs. They are in the order of the keys: a page asks for one week or day after the other, and only its campaigns are
-- summed. Postbacks without a currency stand in the row of the cohort's only currency, if it has one. Revenue is the
-- sum over mapped values, and NULL if there is none.
CALL attribution.make_family(
    'cohorts',
    'Revenue of each window beside the number of its postbacks, by campaign (or mapped campaign) and install day or week',
    'first_day date, last_day date, an_advertised_app_id bigint, by_week boolean, by_name boolean', $body$
    WITH folded AS MATERIALIZED (
        SELECT attribution.answers_up_to() AS up_to
    ),
    any_place AS (
        SELECT environment, developer_copy, protocol, ad_network_id, campaign_type, campaign, NULL AS network_name,
               NULL AS campaign_id, NULL AS campaign_name, advertised_app_id,
               campaign_type = 'source-identifier' AS any_windows,
               campaign_type <> 'source-identifier' AS any_timer, line, NULL::integer[] AS lines,
               NULL::date[] AS from_days, NULL::date[] AS to_days, NULL::attribution.folded_answer[] AS answers
          FROM attribution.line
         WHERE NOT $5 AND ($3 IS NULL OR advertised_app_id = $3)
        UNION ALL
        SELECT environment, developer_copy, NULL, NULL, NULL, NULL, network_name, campaign_id,
               coalesce(of_app.campaign_name, of_all.campaign_name), advertised_app_id, any_windows,
               any_timer, NULL, lines, from_days, to_days, answers
          FROM attribution.cost_place($1, $2, $3, false)
          LEFT JOIN attribution.cost_names($1, $2, $3) AS of_app USING (network_name, campaign_id, advertised_app_id)
          LEFT JOIN (SELECT network_name, campaign_id, campaign_name
                       FROM attribution.cost_names($1, $2, $3) WHERE advertised_app_id IS NULL) AS of_all
                 USING (network_name, campaign_id)
         WHERE $5
    ),
    place AS (
        SELECT *
          FROM any_place
         ORDER BY environment, developer_copy, CASE WHEN NOT $5 THEN protocol END, CASE WHEN NOT $5 THEN ad_network_id END,
                  CASE WHEN NOT $5 THEN campaign_type END, CASE WHEN NOT $5 THEN campaign END,
                  CASE WHEN $5 THEN network_name END, advertised_app_id, CASE WHEN $5 THEN nullif(campaign_id, '') END,
                  CASE WHEN $5 THEN campaign_name END
    )
    SELECT environment, developer_copy, CASE WHEN $4 THEN cohort_day END, CASE WHEN NOT $4 THEN cohort_day END,
           protocol, ad_network_id, campaign_type, campaign, network_name, advertised_app_id,
           nullif(campaign_id, ''), campaign_name, currency,
           {each}
           postbacks_{n}, mapped_{n}, withheld_{n}, not_set_{n}, unmapped_{n}, ambiguous_{n}, no_scheme_{n},
           CASE WHEN mapped_{n} > 0 THEN attribution.money(low_{n}) END,
           CASE WHEN mapped_{n} > 0 THEN attribution.money(middle_{n}) END,
           CASE WHEN mapped_{n} > 0 THEN attribution.money(high_{n}) END, open_{n},
           attribution.is_cost_complete(until.day, {n}::smallint, any_windows, any_timer, measurement_window_hours,
                                        (SELECT up_to FROM folded), environment = 'development')
           {end}
      FROM place
     CROSS JOIN LATERAL (
           SELECT cohort_day, coalesce(nullif(currency, ''), only_currency) AS currency,
                  {each}
                  attribution.total(postbacks) FILTER (WHERE sequence_index = {n}) AS postbacks_{n},
                  attribution.total(mapped) FILTER (WHERE sequence_index = {n}) AS mapped_{n},
                  attribution.total(withheld) FILTER (WHERE sequence_index = {n}) AS withheld_{n},
                  attribution.total(not_set) FILTER (WHERE sequence_index = {n}) AS not_set_{n},
                  attribution.total(unmapped) FILTER (WHERE sequence_index = {n}) AS unmapped_{n},
                  attribution.total(ambiguous) FILTER (WHERE sequence_index = {n}) AS ambiguous_{n},
                  attribution.total(no_scheme) FILTER (WHERE sequence_index = {n}) AS no_scheme_{n},
                  attribution.total(revenue_low) FILTER (WHERE sequence_index = {n}) AS low_{n},
                  CASE WHEN attribution.total(revenue_unknown) FILTER (WHERE sequence_index = {n}) = 0
                       THEN attribution.total(revenue_middle) FILTER (WHERE sequence_index = {n}) END AS middle_{n},
                  attribution.total(revenue_high) FILTER (WHERE sequence_index = {n}) AS high_{n},
                  attribution.total(revenue_open) FILTER (WHERE sequence_index = {n}) AS open_{n}
                  {end}
             -- One UNION ALL of three, without answers_of_place: a subquery in it costs 3 % of the report.
             FROM (SELECT *, CASE WHEN min(nullif(currency, '')) OVER cohort = max(currency) OVER cohort
                                  THEN max(currency) OVER cohort END AS only_currency
                     FROM (SELECT *, fine + coarse - mapped - unmapped - ambiguous AS no_scheme,
                                  CASE WHEN $4 THEN attribution.week(day) ELSE day END AS cohort_day
                             FROM (SELECT *
                                     FROM attribution.folded_answer AS daily
                                    WHERE NOT $5 AND daily.line = place.line
                                      AND answer_table = attribution.answer_table('install', 'campaign')
                                   UNION ALL
                                   SELECT daily.*
                                     FROM unnest(lines, from_days, to_days) AS own (line, from_day, to_day)
                                     JOIN attribution.folded_answer AS daily
                                            ON daily.line = own.line AND daily.day BETWEEN from_day AND to_day
                                    WHERE $5 AND answer_table = attribution.answer_table('install', 'campaign')
                                   UNION ALL
                                   SELECT * FROM unnest(place.answers) WHERE $5) AS own) AS daily
                    WHERE day BETWEEN $1 AND $2 AND did_win
                   WINDOW cohort AS (PARTITION BY cohort_day)) AS answer
            GROUP BY cohort_day, coalesce(nullif(currency, ''), only_currency)) AS cohort
     CROSS JOIN LATERAL (
           SELECT least(CASE WHEN $4 THEN cohort_day + 6 ELSE cohort_day END, $2) AS day) AS until
      -- OFFSET 0: each is looked up and kept, since a join of all would lose the order.
      LEFT JOIN LATERAL (
           SELECT measurement_window_hours
             FROM attribution.measurement_window_of(CASE WHEN any_timer THEN advertised_app_id END, until.day)
           OFFSET 0) AS of_scheme ON true
     ORDER BY environment, developer_copy, CASE WHEN NOT $5 THEN protocol END, CASE WHEN NOT $5 THEN ad_network_id END,
              CASE WHEN NOT $5 THEN campaign_type END, CASE WHEN NOT $5 THEN campaign END,
              CASE WHEN $5 THEN network_name END, advertised_app_id, CASE WHEN $5 THEN nullif(campaign_id, '') END,
              CASE WHEN $5 THEN campaign_name END
$body$);

-- One row a campaign: what it brought, how many of its values are mapped, what it cost, and what withheld values may be
-- worth.

-- All protocols, windows and digits of a mapped campaign together. Measured figures are those of costs; the modelled
-- revenue adds the estimate for withheld values to them. It is NULL if no value is mapped and nothing is modelled.
CALL attribution.make_family(
    'campaign_summary', 'One row a campaign: installs, missing values, revenue, modelled revenue, cost and returns',
    'first_day date, last_day date, an_advertised_app_id bigint, in_currency text', $body$
    SELECT measured.environment, measured.developer_copy, measured.network_name, measured.advertised_app_id,
           measured.campaign_id, campaign_name, measured.currency, cost, cost_without_rate, installs, redownloads,
           reengagements, cost_per_install_low, cost_per_install, cost_per_install_high, installs_complete, revenue_low,
           revenue_middle, revenue_high, revenue_open, revenue_without_rate,
           {each} roas_{n}_low, roas_{n}_middle, roas_{n}_high {end}, roas_low, roas_middle, roas_high, revenue_complete,
           attribution.average(postbacks_0 - mapped_0 - unmapped_0 - ambiguous_0 - no_scheme_0, postbacks_0),
           of_all.mapped, of_all.withheld, not_set_0 + not_set_1 + not_set_2, unmapped_0 + unmapped_1 + unmapped_2,
           ambiguous_0 + ambiguous_1 + ambiguous_2, no_scheme_0 + no_scheme_1 + no_scheme_2,
           of_all.missing, modelled.low, modelled.middle, modelled.high, attribution.per(modelled.low, cost),
           attribution.per(modelled.middle, cost), attribution.per(modelled.high, cost)
      FROM attribution.costs($1, $2, $3, $4, false, true) AS measured
     CROSS JOIN LATERAL (
           SELECT mapped_0 + mapped_1 + mapped_2 AS mapped, withheld_0 + withheld_1 + withheld_2 AS withheld,
                  coalesce(round(measured.missing, 6), 0) AS missing) AS of_all
     -- What nobody knows is not 0: without a mapped value and without a model there is nothing to add the estimate to.
     CROSS JOIN LATERAL (
           SELECT CASE WHEN of_all.mapped = 0 AND of_all.withheld > of_all.missing THEN 0 END) AS nobody (nothing)
     CROSS JOIN LATERAL (
           SELECT CASE WHEN of_all.withheld > 0 THEN round(coalesce(revenue_low, nothing) + estimate_low, 6)
                       ELSE revenue_low END AS low,
                  CASE WHEN of_all.withheld > 0 THEN round(coalesce(revenue_middle, nothing) + estimate_middle, 6)
                       ELSE revenue_middle END AS middle,
                  CASE WHEN of_all.withheld > 0 THEN round(coalesce(revenue_high, nothing) + estimate_high, 6)
                       ELSE revenue_high END AS high) AS modelled
$body$);

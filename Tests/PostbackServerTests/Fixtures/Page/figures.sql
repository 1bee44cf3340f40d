-- What each figure of the page must show, from the finest reports. PageNumberTests compares it with the CSV of the figure.
--
-- "-- figure ID KEYS ADDRESS" begins a statement, behind the part that all have in common. Its columns are those of the CSV;
-- keys are the columns that tell rows apart. '*' stands for a text that is no figure. :first, :last, :currency and the
-- campaign's :network, :app, :id are replaced.

-- common
WITH store AS NOT MATERIALIZED (
    SELECT *, attribution.converted(gross, currency, :currency, day) AS in_gross,
           attribution.converted(refunded, currency, :currency, day) AS in_refunded,
           attribution.converted(net, currency, :currency, day) AS in_net
      FROM attribution.report_app_store_revenue_all
     WHERE environment = 'test' AND day BETWEEN :first AND :last
), winning AS NOT MATERIALIZED (
    SELECT *, attribution.converted(revenue_low, currency, :currency, day) AS low,
           attribution.converted(revenue_middle, currency, :currency, day) AS middle,
           attribution.converted(revenue_high, currency, :currency, day) AS high
      FROM attribution.report_install_campaign_daily_all
     WHERE environment = 'test' AND NOT developer_copy AND did_win AND day <= :last
), named AS NOT MATERIALIZED (
    SELECT *, attribution.converted(revenue_low, currency, :currency, day) AS low,
           attribution.converted(revenue_middle, currency, :currency, day) AS middle,
           attribution.converted(revenue_high, currency, :currency, day) AS high
      FROM attribution.report_install_mapping_daily_all
     WHERE environment = 'test' AND NOT developer_copy AND did_win AND day <= :last
), sourced AS NOT MATERIALIZED (
    SELECT *, attribution.converted(revenue_low, currency, :currency, day) AS low,
           attribution.converted(revenue_middle, currency, :currency, day) AS middle,
           attribution.converted(revenue_high, currency, :currency, day) AS high
      FROM attribution.report_install_source_daily_all
     WHERE environment = 'test' AND NOT developer_copy AND did_win AND day BETWEEN :first AND :last
), cost AS NOT MATERIALIZED (
    SELECT * FROM attribution.report_cost_daily(:first - 90, :last, NULL, :currency, 'test')
), own AS NOT MATERIALIZED (
    SELECT * FROM named
     WHERE campaign_id = :id AND network_name = attribution.network_name(:network) AND advertised_app_id = :app
), identifier AS (
    SELECT campaign_type, identifier FROM attribution.campaign_mapping
     WHERE campaign_id = :id AND ad_network_id = :network AND advertised_app_id = :app
       -- Longer ones end in these two digits.
       AND (campaign_type = 'campaign-id' OR length(identifier) = 2)
), up_to AS (
    SELECT window_index, (SELECT min(day) - 1 FROM winning WHERE sequence_index <= window_index AND NOT complete) AS last_day
      FROM (VALUES (0), (1), (2)) AS of (window_index)
), own_up_to AS (
    -- Days without postbacks are complete by the rule of versions with windows.
    SELECT window_index, least(
               (SELECT min(day) - 1 FROM own WHERE sequence_index = window_index AND day >= :first AND NOT complete),
               (SELECT max(day)::date FROM generate_series(:first::timestamp, :last, '1 day') AS of (day)
                 WHERE attribution.is_complete(
                           day::date, true, window_index::smallint, NULL, attribution.answers_up_to(), false))) AS last_day
      FROM (VALUES (0), (1), (2)) AS of (window_index)
), period AS (
    SELECT period, CASE WHEN is_before THEN :first - (last_day - :first + 1) ELSE :first END AS first_day,
           CASE WHEN is_before THEN :first - 1 ELSE last_day END AS last_day
      FROM (SELECT 'complete days' AS period, false AS is_before, last_day FROM up_to WHERE window_index = 0
            UNION ALL SELECT 'days before', true, last_day FROM up_to WHERE window_index = 0
            UNION ALL SELECT 'complete in all windows', false, last_day FROM up_to WHERE window_index = 2
            UNION ALL SELECT 'days before in all windows', true, last_day FROM up_to WHERE window_index = 2
            UNION ALL SELECT 'all days so far', false, :last) AS of
     -- Days before that begin before the first postback are no full period.
     WHERE NOT is_before OR :first - (last_day - :first + 1) >= (SELECT min(day) FROM winning)
), by_day AS (
    SELECT day, coalesce(installs, 0) AS installs, coalesce(redownloads, 0) AS redownloads,
           coalesce(reengagements, 0) AS reengagements, coalesce(postbacks, 0) AS postbacks,
           coalesce(withheld, 0) AS withheld, coalesce(not_set, 0) AS not_set,
           coalesce(not_applicable, 0) AS not_applicable, coalesce(mapped, 0) AS mapped,
           coalesce(revenue_without_rate, 0) AS revenue_without_rate,
           round((withheld + not_set + not_applicable) / nullif(postbacks, 0), 6) AS missing_share,
           CASE WHEN postbacks IS NULL THEN 0 ELSE low END AS revenue_low,
           CASE WHEN postbacks IS NULL THEN 0 ELSE middle END AS revenue_middle,
           CASE WHEN postbacks IS NULL THEN 0 ELSE high END AS revenue_high,
           spend, coalesce(without_rate, 0) AS without_rate,
           coalesce(complete, day <= (SELECT last_day FROM up_to WHERE window_index = 0)) AS complete
      FROM (SELECT day, sum(installs) AS installs, sum(redownloads) AS redownloads, sum(reengagements) AS reengagements,
                   sum(postbacks) AS postbacks, sum(withheld) AS withheld, sum(not_set) AS not_set,
                   sum(not_applicable) AS not_applicable, sum(mapped) AS mapped,
                   sum(mapped) FILTER (WHERE revenue_high IS NOT NULL AND high IS NULL) AS revenue_without_rate,
                   CASE WHEN bool_and(low IS NOT NULL) FILTER (WHERE mapped > 0)
                        THEN sum(low) FILTER (WHERE mapped > 0) END AS low,
                   CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0)
                        THEN sum(middle) FILTER (WHERE mapped > 0) END AS middle,
                   CASE WHEN bool_and(high IS NOT NULL) FILTER (WHERE mapped > 0)
                        THEN sum(high) FILTER (WHERE mapped > 0) END AS high, bool_and(complete) AS complete
              FROM winning
             WHERE sequence_index = 0 AND day BETWEEN :first AND :last
             GROUP BY day) AS answers
      FULL JOIN (SELECT day, sum(cost) AS spend, sum(cost_without_rate) AS without_rate
                   FROM cost WHERE cost IS NOT NULL AND day BETWEEN :first AND :last GROUP BY day) AS spent USING (day)
), own_day AS (
    SELECT coalesce(answers.day, spent.day) AS first_day, coalesce(answers.installs, 0) AS installs,
           coalesce(answers.postbacks, 0) AS postbacks, coalesce(answers.withheld, 0) AS withheld,
           coalesce(answers.not_set, 0) AS not_set, coalesce(answers.not_applicable, 0) AS not_applicable,
           round((answers.withheld + answers.not_set + answers.not_applicable) / nullif(answers.postbacks, 0), 6)
           AS missing_share, cost AS spend, cost_per_install, revenue_0_low AS revenue_low,
           revenue_0_middle AS revenue_middle, revenue_0_high AS revenue_high, roas_0_middle AS "return",
           coalesce(complete, installs_complete) AS complete
      FROM (SELECT day, sum(installs) AS installs, sum(postbacks) AS postbacks, sum(withheld) AS withheld,
                   sum(not_set) AS not_set, sum(not_applicable) AS not_applicable, bool_and(complete) AS complete
              FROM own
             WHERE sequence_index = 0 AND day BETWEEN :first AND :last
             GROUP BY day) AS answers
      FULL JOIN (SELECT * FROM cost
                  WHERE campaign_id = :id AND network_name = attribution.network_name(:network) AND advertised_app_id = :app
                    AND day BETWEEN :first AND :last) AS spent ON spent.day = answers.day
)

-- figure totals period /?
SELECT period, first_day, last_day, last_day - first_day + 1 AS days, installs, low AS revenue_low,
       middle AS revenue_middle, high AS revenue_high, revenue_all, spend,
       CASE WHEN period <> 'all days so far' AND postbacks > 0 THEN round(low / spend, 6) END AS return_low,
       CASE WHEN period <> 'all days so far' AND postbacks > 0 THEN round(middle / spend, 6) END AS "return",
       CASE WHEN period <> 'all days so far' AND postbacks > 0 THEN round(high / spend, 6) END AS return_high,
       postbacks, withheld, not_set, not_applicable,
       round((withheld + not_set + not_applicable) / postbacks, 6) AS missing_share, mapped,
       coalesce(revenue_without_rate, 0) AS revenue_without_rate, without_rate
  FROM period
 CROSS JOIN LATERAL (
       SELECT sum(installs) AS installs, sum(postbacks) FILTER (WHERE sequence_index = 0) AS postbacks,
              sum(withheld) FILTER (WHERE sequence_index = 0) AS withheld,
              sum(not_set) FILTER (WHERE sequence_index = 0) AS not_set,
              sum(not_applicable) FILTER (WHERE sequence_index = 0) AS not_applicable,
              sum(mapped) FILTER (WHERE sequence_index = 0) AS mapped,
              sum(mapped) FILTER (WHERE sequence_index = 0 AND revenue_high IS NOT NULL AND high IS NULL)
              AS revenue_without_rate,
              sum(low) FILTER (WHERE sequence_index = 0) AS low, sum(high) FILTER (WHERE sequence_index = 0) AS high,
              CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE sequence_index = 0 AND mapped > 0)
                   THEN sum(middle) FILTER (WHERE sequence_index = 0) END AS middle,
              CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS revenue_all
         FROM winning WHERE day BETWEEN first_day AND last_day) AS answers
 CROSS JOIN LATERAL (
       SELECT sum(cost) AS spend, sum(cost_without_rate) AS without_rate
         FROM cost WHERE day BETWEEN first_day AND last_day) AS spent

-- figure installs day /?
SELECT day, installs, redownloads, reengagements, complete FROM by_day

-- figure revenue day /?
SELECT day, revenue_low, revenue_middle, revenue_high, mapped, revenue_without_rate, complete FROM by_day

-- figure spend day /?
SELECT day, spend, without_rate, CASE WHEN postbacks > 0 THEN round(revenue_middle / spend, 6) END AS "return",
       CASE WHEN postbacks > 0 THEN round(revenue_low / spend, 6) END AS return_low,
       CASE WHEN postbacks > 0 THEN round(revenue_high / spend, 6) END AS return_high, complete
  FROM by_day

-- figure missing day /?
SELECT day, postbacks, withheld, not_set, not_applicable, missing_share, complete FROM by_day

-- figure top campaign_name,campaign,network_name,advertised_app_id /?
SELECT campaign_name, campaign, network_name, advertised_app_id, sum(installs) AS installs,
       round(sum(withheld + not_set + not_applicable) FILTER (WHERE sequence_index = 0)
             / nullif(sum(postbacks) FILTER (WHERE sequence_index = 0), 0), 6) AS missing_share,
       CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS revenue_middle
  FROM named
 WHERE day BETWEEN :first AND :last
 GROUP BY campaign_name, campaign_id, campaign_type, campaign, network_name, advertised_app_id
 ORDER BY installs DESC, campaign_name, campaign_id, campaign_type, campaign, network_name, advertised_app_id
 LIMIT 10

-- figure intake day /?
SELECT day, sum(installs + redownloads + reengagements + assists + later_windows) AS received, sum(assists) AS assists,
       sum(later_windows) AS later_windows, sum(raised) AS raised, sum(conflicts) AS conflicts
  FROM attribution.report_campaign_daily_all
 WHERE environment = 'test' AND NOT developer_copy AND day BETWEEN :first AND :last
 GROUP BY day
HAVING sum(installs + redownloads + reengagements + assists + later_windows + raised + conflicts) > 0

-- figure refused day /?
SELECT (last_seen_at AT TIME ZONE 'UTC')::date AS day, sum(protected::integer) AS signed_by_apple,
       sum((NOT protected)::integer) AS others
  FROM attribution.rejected_postback
 GROUP BY 1

-- figure networks ad_network_id /campaigns?by=network&
SELECT ad_network_id, sum(installs) AS installs, sum(redownloads) AS redownloads, sum(reengagements) AS reengagements,
       round(sum(withheld + not_set + not_applicable) FILTER (WHERE sequence_index = 0)
             / nullif(sum(postbacks) FILTER (WHERE sequence_index = 0), 0), 6) AS missing_share,
       sum(low) AS revenue_low,
       CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS revenue_middle,
       sum(high) AS revenue_high
  FROM winning
 WHERE day BETWEEN :first AND :last
 GROUP BY ad_network_id

-- figure campaigns campaign_name,campaign_id,campaign,network_name,advertised_app_id /campaigns?by=campaign&
SELECT campaign_name, campaign_id, campaign, network_name, advertised_app_id, sum(installs) AS installs,
       sum(redownloads) AS redownloads, sum(reengagements) AS reengagements,
       round(sum(withheld + not_set + not_applicable) FILTER (WHERE sequence_index = 0)
             / nullif(sum(postbacks) FILTER (WHERE sequence_index = 0), 0), 6) AS missing_share,
       sum(low) AS revenue_low,
       CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS revenue_middle,
       sum(high) AS revenue_high
  FROM named
 WHERE day BETWEEN :first AND :last
 GROUP BY campaign_name, campaign_id, campaign_type, campaign, network_name, advertised_app_id

-- figure identifiers source_identifier,ad_network_id,advertised_app_id /campaigns?by=identifier&
SELECT right(campaign, 2) AS source_identifier, '*' AS names, ad_network_id, advertised_app_id, sum(installs) AS installs,
       sum(redownloads) AS redownloads, sum(reengagements) AS reengagements,
       round(sum(withheld + not_set + not_applicable) FILTER (WHERE sequence_index = 0)
             / nullif(sum(postbacks) FILTER (WHERE sequence_index = 0), 0), 6) AS missing_share,
       sum(low) AS revenue_low,
       CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS revenue_middle,
       sum(high) AS revenue_high
  FROM winning
 WHERE day BETWEEN :first AND :last AND campaign_type = 'source-identifier'
 GROUP BY 1, ad_network_id, advertised_app_id

-- figure sources source_app_id,source_domain /campaigns?by=source&
SELECT source_app_id, source_domain, sum(installs) AS installs, sum(redownloads) AS redownloads,
       sum(reengagements) AS reengagements,
       round(sum(withheld + not_set + not_applicable) FILTER (WHERE sequence_index = 0)
             / nullif(sum(postbacks) FILTER (WHERE sequence_index = 0), 0), 6) AS missing_share,
       sum(low) AS revenue_low,
       CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS revenue_middle,
       sum(high) AS revenue_high
  FROM sourced
 GROUP BY source_app_id, source_domain

-- figure cost campaign_name,campaign_id,network_name,advertised_app_id /campaigns?by=cost&
SELECT campaign_name, campaign_id, network_name, advertised_app_id, installs, cost, cost_per_install_low,
       cost_per_install, cost_per_install_high, installs_complete, roas_0_middle, roas_low, roas_middle, roas_high,
       revenue_complete
  FROM attribution.report_cost(:first, :last, NULL, :currency, 'test')

-- figure modelled advertised_app_id,sequence_index /campaigns?by=modelled&
SELECT advertised_app_id, sequence_index, postbacks, mapped, withheld, revenue_low, revenue_middle, revenue_high,
       modelled_revenue_low, modelled_revenue_middle, modelled_revenue_high, modelled_interval_low,
       modelled_interval_high, modelled_missing
  FROM attribution.report_modelled_revenue_by_app(:first, :last, an_environment => 'test')
 WHERE currency = :currency

-- figure totals period /campaign?
SELECT period, first_day, last_day, last_day - first_day + 1 AS days, cost.installs, cost AS spend,
       CASE WHEN period <> 'all days so far' THEN cost_per_install_low END AS cost_per_install_low,
       CASE WHEN period <> 'all days so far' THEN cost_per_install END AS cost_per_install,
       CASE WHEN period <> 'all days so far' THEN cost_per_install_high END AS cost_per_install_high,
       cost_without_rate AS without_rate, postbacks_0 AS postbacks, withheld_0 AS withheld, not_set_0 AS not_set,
       not_applicable, round((withheld_0 + not_set_0 + not_applicable) / nullif(postbacks_0, 0), 6) AS missing_share
  FROM (SELECT 'complete days' AS period, :first AS first_day, last_day FROM own_up_to WHERE window_index = 0
        UNION ALL SELECT 'days before', :first - (last_day - :first + 1), :first - 1 FROM own_up_to
                   WHERE window_index = 0 AND :first - (last_day - :first + 1) >= (SELECT min(day) FROM winning)
        UNION ALL SELECT 'yesterday', :last - 1, :last - 1
        UNION ALL SELECT 'all days so far', :first, :last) AS span
 CROSS JOIN LATERAL attribution.report_cost(first_day, last_day, :app, :currency, 'test') AS cost
 CROSS JOIN LATERAL (
       SELECT coalesce(sum(not_applicable), 0) AS not_applicable
         FROM own WHERE sequence_index = 0 AND day BETWEEN first_day AND last_day) AS answers
 WHERE campaign_id = :id AND network_name = attribution.network_name(:network)

-- figure windows period /campaign?
SELECT span.period, span.first_day, span.last_day, span.last_day - span.first_day + 1 AS days, answers.postbacks,
       answers.mapped, low AS revenue_low, middle AS revenue_middle, high AS revenue_high, 0 AS revenue_without_rate,
       cost AS spend, round(low / divisor, 6) AS return_low, round(middle / divisor, 6) AS "return",
       round(high / divisor, 6) AS return_high
  FROM (SELECT (ARRAY['first window', 'second window', 'third window'])[window_index + 1] AS period, :first AS first_day,
               last_day, window_index AS from_window, window_index AS to_window FROM own_up_to
        UNION ALL SELECT 'all windows', :first, last_day, 0, 2 FROM own_up_to WHERE window_index = 2
        UNION ALL SELECT 'all windows, all days so far', :first, :last, 0, 2) AS span
 CROSS JOIN LATERAL attribution.report_cost(first_day, last_day, :app, :currency, 'test') AS cost
 CROSS JOIN LATERAL (
       SELECT CASE WHEN span.period <> 'all windows, all days so far' THEN cost END AS divisor, sum(postbacks) AS postbacks,
              sum(mapped) AS mapped, sum(low) AS low, sum(high) AS high,
              CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE mapped > 0) THEN sum(middle) END AS middle
         FROM own
        WHERE sequence_index BETWEEN from_window AND to_window AND day BETWEEN first_day AND last_day) AS answers
 WHERE campaign_id = :id AND network_name = attribution.network_name(:network)

-- figure installs first_day /campaign?
SELECT first_day, installs, complete FROM own_day

-- figure cost first_day /campaign?
SELECT first_day, installs, spend, cost_per_install, complete FROM own_day

-- figure return first_day /campaign?
SELECT first_day, spend, revenue_low, revenue_middle, revenue_high, "return", complete FROM own_day

-- figure missing first_day /campaign?
SELECT first_day, postbacks, withheld, not_set, not_applicable, missing_share, complete FROM own_day

-- figure causes period /campaign?
SELECT period, coalesce(sum(count) FILTER (WHERE sequence_index = 0), 0) AS first,
       coalesce(sum(count) FILTER (WHERE sequence_index = 1), 0) AS second,
       coalesce(sum(count) FILTER (WHERE sequence_index = 2), 0) AS third,
       round(sum(count) FILTER (WHERE sequence_index = 0) / sum(postbacks) FILTER (WHERE sequence_index = 0), 6)
       AS missing_share, '*' AS advice
  FROM own
 CROSS JOIN LATERAL (
       VALUES ('mapped', mapped), ('withheld', withheld), ('not set', not_set), ('not applicable', not_applicable),
              ('unmapped', unmapped), ('ambiguous', ambiguous), ('without a scheme', no_scheme)) AS cause (period, count)
 WHERE day BETWEEN :first AND :last
 GROUP BY period
HAVING sum(count) > 0

-- figure identifiers campaign,campaign_type /campaign?
SELECT line.campaign, line.campaign_type, line.ad_network_id, line.advertised_app_id, '*' AS ad_groups, '*' AS creatives,
       :first AS first_day, :last AS last_day, coalesce(sum(installs), 0) AS installs,
       coalesce(sum(postbacks), 0) AS postbacks,
       round(sum(withheld + not_set + not_applicable) / nullif(sum(postbacks), 0), 6) AS missing_share
  FROM (SELECT DISTINCT campaign, campaign_type, ad_network_id, advertised_app_id
          FROM attribution.line WHERE environment = 'test' AND NOT developer_copy) AS line
  JOIN identifier USING (campaign_type)
  LEFT JOIN winning ON winning.campaign = line.campaign AND winning.campaign_type = line.campaign_type
        AND winning.ad_network_id = line.ad_network_id AND winning.advertised_app_id = line.advertised_app_id
        AND sequence_index = 0 AND day BETWEEN :first AND :last
 WHERE line.ad_network_id = :network AND line.advertised_app_id = :app
   AND right(line.campaign, length(identifier)) = identifier
   AND (line.campaign_type = 'source-identifier' OR line.campaign = identifier)
 GROUP BY line.campaign, line.campaign_type, line.ad_network_id, line.advertised_app_id

-- figure sources source_app_id,source_domain /campaign?
SELECT source_app_id, source_domain, sum(installs) AS installs, sum(postbacks) AS postbacks,
       round(sum(withheld + not_set + not_applicable) / nullif(sum(postbacks), 0), 6) AS missing_share
  FROM sourced
  JOIN identifier USING (campaign_type)
 WHERE sequence_index = 0 AND ad_network_id = :network AND advertised_app_id = :app
   AND right(campaign, length(identifier)) = identifier
   AND (campaign_type = 'source-identifier' OR campaign = identifier)
 GROUP BY source_app_id, source_domain

-- figure refused transaction_id /campaign?
SELECT to_char(last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_seen, reason, detail,
       transaction_id, campaign, attempts
  FROM attribution.rejected_postback
  JOIN identifier USING (campaign_type)
 WHERE ad_network_id = :network AND advertised_app_id = :app AND right(campaign, length(identifier)) = identifier
   AND (campaign_type = 'source-identifier' OR campaign = identifier)

-- figure copies run /campaign?
SELECT run, file, side, sum(postbacks) AS postbacks, sum(matched) AS matched, sum(value_differs) AS value_differs,
       sum(signed_differs) AS signed_differs, sum(only_here) AS only_here, sum(only_there) AS only_there,
       round(sum(matched) / sum(postbacks), 6) AS matched_share
  FROM attribution.report_copy_agreement_all
  JOIN identifier USING (campaign_type)
 WHERE environment = 'test' AND ad_network_id = :network AND advertised_app_id = :app
   AND right(campaign, length(identifier)) = identifier
   AND (campaign_type = 'source-identifier' OR campaign = identifier)
 GROUP BY run, file, side

-- figure fine conversion_value /campaign?
SELECT conversion_value, sum(postbacks) AS postbacks, round(sum(postbacks) / sum(sum(postbacks)) OVER (), 6) AS share,
       '*' AS meaning, '*' AS revenue_low, '*' AS revenue_high, '*' AS currency
  FROM attribution.report_conversion_value_daily_all
  JOIN identifier USING (campaign_type)
 WHERE environment = 'test' AND NOT developer_copy AND ad_network_id = :network AND advertised_app_id = :app
   AND day BETWEEN :first AND :last AND sequence_index = 0 AND conversion_value IS NOT NULL
   AND right(campaign, length(identifier)) = identifier
   AND (campaign_type = 'source-identifier' OR campaign = identifier)
 GROUP BY conversion_value

-- figure coarse sequence_index,coarse_value /campaign?
SELECT sequence_index, coarse_value, sum(postbacks) AS postbacks,
       round(sum(postbacks) / sum(sum(postbacks)) OVER (PARTITION BY sequence_index), 6) AS share,
       '*' AS meaning, '*' AS revenue_low, '*' AS revenue_high, '*' AS currency
  FROM attribution.report_conversion_value_daily_all
  JOIN identifier USING (campaign_type)
 WHERE environment = 'test' AND NOT developer_copy AND ad_network_id = :network AND advertised_app_id = :app
   AND day BETWEEN :first AND :last AND coarse_value IS NOT NULL AND right(campaign, length(identifier)) = identifier
   AND (campaign_type = 'source-identifier' OR campaign = identifier)
 GROUP BY sequence_index, coarse_value

-- figure fine conversion_value /values?
SELECT conversion_value, sum(postbacks) AS postbacks, round(sum(postbacks) / sum(sum(postbacks)) OVER (), 6) AS share,
       '*' AS meaning, meaning.revenue_low, meaning.revenue_high, meaning.currency
  FROM attribution.report_conversion_value_daily_all AS report
 CROSS JOIN LATERAL (
       SELECT sum(meaning.revenue_low) AS revenue_low, sum(meaning.revenue_high) AS revenue_high,
              min(scheme.currency) AS currency
         FROM attribution.conversion_meaning AS meaning
         JOIN attribution.conversion_scheme AS scheme USING (advertised_app_id, valid_from)
        WHERE advertised_app_id = :app AND sequence_index = 0 AND fine = report.conversion_value
          AND valid_to IS NULL) AS meaning
 WHERE environment = 'test' AND NOT developer_copy AND report.advertised_app_id = :app AND day BETWEEN :first AND :last
   AND sequence_index = 0 AND conversion_value IS NOT NULL
 GROUP BY conversion_value, meaning.revenue_low, meaning.revenue_high, meaning.currency

-- figure coarse sequence_index,coarse_value /values?
SELECT sequence_index, coarse_value, sum(postbacks) AS postbacks,
       round(sum(postbacks) / sum(sum(postbacks)) OVER (PARTITION BY sequence_index), 6) AS share, '*' AS meaning,
       meaning.revenue_low, meaning.revenue_high, meaning.currency
  FROM attribution.report_conversion_value_daily_all AS report
 CROSS JOIN LATERAL (
       SELECT sum(meaning.revenue_low) AS revenue_low, sum(meaning.revenue_high) AS revenue_high,
              min(scheme.currency) AS currency
         FROM attribution.conversion_meaning AS meaning
         JOIN attribution.conversion_scheme AS scheme USING (advertised_app_id, valid_from)
        WHERE advertised_app_id = :app AND meaning.sequence_index = report.sequence_index
          AND coarse = report.coarse_value AND valid_to IS NULL) AS meaning
 WHERE environment = 'test' AND NOT developer_copy AND report.advertised_app_id = :app AND day BETWEEN :first AND :last
   AND coarse_value IS NOT NULL
 GROUP BY sequence_index, coarse_value, meaning.revenue_low, meaning.revenue_high, meaning.currency

-- figure versions protocol,version,sequence_index /windows?
SELECT protocol, version, sequence_index, sum(postbacks) AS postbacks, sum(fine) AS fine, sum(coarse) AS coarse,
       sum(withheld) AS withheld, sum(not_set) AS not_set, sum(not_applicable) AS not_applicable, sum(mapped) AS mapped,
       sum(unmapped) AS unmapped
  FROM attribution.report_install_traits_daily_all
 WHERE environment = 'test' AND NOT developer_copy AND did_win AND day BETWEEN :first AND :last
 GROUP BY protocol, version, sequence_index

-- figure cohorts week /windows?
SELECT week, least(week + 6, :last) - greatest(week, :first) + 1 || ' of 7' AS part, postbacks_0,
       revenue_0 AS revenue_0_middle, complete_0, postbacks_1, revenue_1 AS revenue_1_middle, complete_1, postbacks_2,
       revenue_2 AS revenue_2_middle, complete_2
  FROM (SELECT date_trunc('week', day)::date AS week, sum(postbacks) FILTER (WHERE sequence_index = 0) AS postbacks_0,
               coalesce(sum(postbacks) FILTER (WHERE sequence_index = 1), 0) AS postbacks_1,
               coalesce(sum(postbacks) FILTER (WHERE sequence_index = 2), 0) AS postbacks_2,
               CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE sequence_index = 0 AND mapped > 0)
                    THEN sum(middle) FILTER (WHERE sequence_index = 0) END AS revenue_0,
               CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE sequence_index = 1 AND mapped > 0)
                    THEN sum(middle) FILTER (WHERE sequence_index = 1) END AS revenue_1,
               CASE WHEN bool_and(middle IS NOT NULL) FILTER (WHERE sequence_index = 2 AND mapped > 0)
                    THEN sum(middle) FILTER (WHERE sequence_index = 2) END AS revenue_2,
               coalesce(bool_and(complete) FILTER (WHERE sequence_index = 0), false) AS complete_0,
               coalesce(bool_and(complete) FILTER (WHERE sequence_index = 1), false) AS complete_1,
               coalesce(bool_and(complete) FILTER (WHERE sequence_index = 2), false) AS complete_2
          FROM winning
         WHERE day BETWEEN :first AND :last
         GROUP BY 1) AS weeks

-- figure agreement run,ad_network_id /copies?
SELECT run, file, side, ad_network_id, sum(postbacks) AS postbacks, sum(matched) AS matched,
       sum(value_differs) AS value_differs, sum(signed_differs) AS signed_differs, sum(only_here) AS only_here,
       sum(only_there) AS only_there, round(sum(matched) / sum(postbacks), 6) AS matched_share
  FROM attribution.report_copy_agreement_all
 WHERE environment = 'test'
 GROUP BY run, file, side, ad_network_id

-- figure differences run,transaction_id,sequence_index,outcome /copies?
SELECT transaction_id, run, outcome, value_difference, ad_network_id, sequence_index, campaign, advertised_app_id,
       coalesce(conversion_value::text, coarse_value) AS value,
       coalesce(other_conversion_value::text, other_coarse_value) AS other_value,
       to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS received_at, file_line
  FROM attribution.copy_difference_all
 WHERE environment = 'test'
 ORDER BY run DESC, outcome, transaction_id, sequence_index, did_win
 LIMIT 200

-- figure totals period /app-store?
SELECT 'all days' AS period, paid.*, risk.*
  FROM (SELECT sum(in_gross) AS gross, sum(in_refunded) AS refunded, sum(in_net) AS net, sum(transactions) AS transactions,
               sum(family_shares) AS family_shares, sum(without_price) AS without_price, 0 AS without_rate,
               sum(refunds) AS refunds, round(sum(refunds) / sum(transactions - family_shares), 6) AS refund_rate
          FROM store) AS paid
 CROSS JOIN (
       SELECT coalesce(sum(attribution.converted(
                  coalesce(billing_retry_price, 0) + coalesce(grace_period_price, 0), currency, :currency, :last)), 0) AS at_risk,
              coalesce(sum(in_billing_retry), 0) AS in_billing_retry,
              coalesce(sum(in_grace_period), 0) AS in_grace_period, coalesce(sum(without_price), 0) AS at_risk_without_price
         FROM attribution.report_app_store_at_risk_all
        WHERE environment = 'test') AS risk

-- figure days day /app-store?
SELECT day, coalesce(sum(in_net) FILTER (WHERE kind = 'new'), 0) AS net_new,
       coalesce(sum(in_net) FILTER (WHERE kind = 'renewal'), 0) AS net_renewal, sum(in_gross) AS gross,
       sum(in_refunded) AS refunded, sum(in_net) AS net, sum(transactions) AS transactions,
       sum(without_price) AS without_price, 0 AS without_rate
  FROM store
 GROUP BY day

-- figure products bundle_id,product_id /app-store?
SELECT product_id, bundle_id, sum(in_net) AS net, sum(in_gross) AS gross, sum(in_refunded) AS refunded,
       sum(transactions) AS transactions, sum(family_shares) AS family_shares, sum(refunds) AS refunds,
       round(sum(refunds) / nullif(sum(transactions - family_shares), 0), 6) AS refund_rate,
       sum(without_price) AS without_price, 0 AS without_rate
  FROM store
 GROUP BY product_id, bundle_id

-- figure refunds month,currency /app-store?
SELECT month, least(:last, (month + interval '1 month' - interval '1 day')::date) - greatest(:first, month) + 1 || ' of '
              || extract(day FROM month + interval '1 month' - interval '1 day') AS part,
       currency, transactions, refunds, round(refunds / nullif(transactions, 0), 6) AS refund_rate, refunded,
       without_price, delay_median_days, delay_p90_days
  FROM (SELECT month, currency, sum(transactions) AS transactions, sum(refunds) AS refunds,
               coalesce(sum(refunded), 0) AS refunded, sum(without_price) AS without_price
          FROM attribution.report_app_store_refunds(:first, :last, an_environment => 'test')
         GROUP BY month, currency) AS counted
  LEFT JOIN (
       SELECT date_trunc('month', revoked_at AT TIME ZONE 'UTC')::date AS month, currency,
              round((percentile_cont(0.5) WITHIN GROUP (ORDER BY days))::numeric, 4) AS delay_median_days,
              round((percentile_cont(0.9) WITHIN GROUP (ORDER BY days))::numeric, 4) AS delay_p90_days
         FROM (SELECT *, extract(epoch FROM revoked_at - purchased_at)::double precision / 86400 AS days
                 FROM attribution.store_transactions
                WHERE environment = 'test' AND is_refund
                  AND (revoked_at AT TIME ZONE 'UTC')::date BETWEEN :first AND :last) AS refund
        GROUP BY 1, 2) AS delays USING (month, currency)

-- figure cohorts week,currency /app-store?
SELECT week, currency, subscribers, round(CASE WHEN last_due >= 1 OR last_kept > 1 THEN coalesce(renewed_1, 0) ELSE renewed_1 END / subscribers, 6)
       AS retention_1,
       round(CASE WHEN last_due >= 2 OR last_kept > 2 THEN coalesce(renewed_2, 0) ELSE renewed_2 END / subscribers, 6)
       AS retention_2,
       round(CASE WHEN last_due >= 3 OR last_kept > 3 THEN coalesce(renewed_3, 0) ELSE renewed_3 END / subscribers, 6)
       AS retention_3,
       round(CASE WHEN last_due >= 4 OR last_kept > 4 THEN coalesce(renewed_4, 0) ELSE renewed_4 END / subscribers, 6)
       AS retention_4,
       round(CASE WHEN last_due >= 5 OR last_kept > 5 THEN coalesce(renewed_5, 0) ELSE renewed_5 END / subscribers, 6)
       AS retention_5,
       round(CASE WHEN last_due >= 6 OR last_kept > 6 THEN coalesce(renewed_6, 0) ELSE renewed_6 END / subscribers, 6)
       AS retention_6,
       net, round(net / subscribers, 6) AS value, without_price
  FROM (SELECT date_trunc('week', began_at AT TIME ZONE 'UTC')::date AS week, currency,
               count(DISTINCT original_transaction_id)::numeric AS subscribers
          FROM (SELECT *, min(coalesce(originally_purchased_at, purchased_at)) OVER (PARTITION BY original_transaction_id)
                       AS began_at
                  FROM attribution.store_transactions
                 WHERE environment = 'test' AND ownership IS DISTINCT FROM 'FAMILY_SHARED'
                   AND type = 'Auto-Renewable Subscription') AS history
         WHERE (began_at AT TIME ZONE 'UTC')::date BETWEEN :first AND :last
         GROUP BY 1, 2) AS sized
  JOIN (SELECT week, currency, sum(retained) FILTER (WHERE renewal_number = 1) AS renewed_1,
               sum(retained) FILTER (WHERE renewal_number = 2) AS renewed_2,
               sum(retained) FILTER (WHERE renewal_number = 3) AS renewed_3,
               sum(retained) FILTER (WHERE renewal_number = 4) AS renewed_4,
               sum(retained) FILTER (WHERE renewal_number = 5) AS renewed_5,
               sum(retained) FILTER (WHERE renewal_number = 6) AS renewed_6, sum(net) AS net,
               max(renewal_number) AS last_kept, sum(without_price) AS without_price
          FROM attribution.report_app_store_cohorts(:first, :last, an_environment => 'test')
         GROUP BY week, currency) AS kept USING (week, currency)
  -- The first renewal is due at the end of the first period, each further one a period later.
  JOIN (SELECT date_trunc('week', began_at AT TIME ZONE 'UTC')::date AS week, currency,
               max((SELECT count(*) FROM generate_series(0, 6) AS later
                     WHERE first_end + later * period <= (current_date::timestamp AT TIME ZONE 'UTC'))) AS last_due
          FROM (SELECT currency, original_transaction_id,
                       min(coalesce(originally_purchased_at, purchased_at)) OVER own AS began_at,
                       min(expires_at) OVER own AS first_end, max(expires_at - purchased_at) OVER own AS period
                  FROM attribution.store_transactions
                 WHERE environment = 'test' AND ownership IS DISTINCT FROM 'FAMILY_SHARED'
                   AND type = 'Auto-Renewable Subscription'
                WINDOW own AS (PARTITION BY original_transaction_id)) AS history
         WHERE (began_at AT TIME ZONE 'UTC')::date BETWEEN :first AND :last
         GROUP BY 1, 2) AS due USING (week, currency)

-- figure risk bundle_id,product_id,currency /app-store?
SELECT * FROM attribution.report_app_store_at_risk_all WHERE environment = 'test'

-- Which campaigns earn more than they cost? All windows of the installs of the last 90 days, in US dollars.
WITH campaign AS (
    SELECT campaign_id, min(campaign_name) AS name, sum(installs) AS installs, sum(cost) AS cost,
           sum(revenue_low) AS revenue_low, sum(revenue_high) AS revenue_high
      FROM attribution.report_cost(current_date - 89, current_date, NULL, 'USD', 'test')
     WHERE cost > 0
     GROUP BY campaign_id)
SELECT campaign_id, name, installs, round(cost) AS cost, round(revenue_low) AS revenue_low,
       round(revenue_high) AS revenue_high, round(revenue_low / cost, 2) AS return_low,
       round(revenue_high / cost, 2) AS return_high
  FROM campaign
 ORDER BY return_low DESC NULLS LAST, campaign_id
 LIMIT 10;

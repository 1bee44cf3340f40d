-- How much revenue do the missing values hide? Window 0 of the quarter, by app, in US dollars, with an interval.
SELECT advertised_app_id AS app, mapped AS mapped_values, round(withheld) AS withheld_values,
       round(revenue_middle) AS mapped_revenue, round(modelled_revenue_middle) AS modelled_revenue,
       round(modelled_interval_low) AS at_least, round(modelled_interval_high) AS at_most
  FROM attribution.report_modelled_revenue_by_app(current_date - 89, current_date, an_environment => 'test')
 WHERE sequence_index = 0 AND currency = 'USD'
 ORDER BY modelled_revenue DESC NULLS LAST;

-- Which share of the conversion values is missing, and why? Window 0 of the postbacks of the last 30 days, by version.
-- Withheld: Apple's privacy. Not set: the app.
SELECT coalesce(nullif(version, 'none'), 'AdAttributionKit') AS version, sum(postbacks) AS postbacks,
       sum(fine + coarse) AS with_value,
       round(100.0 * sum(withheld) / sum(postbacks), 1) AS percent_withheld,
       round(100.0 * sum(not_set) / sum(postbacks), 1) AS percent_not_set
  FROM attribution.report_arrival_traits(current_date - 29, current_date, an_environment => 'test')
 WHERE did_win AND sequence_index = 0 AND version IS DISTINCT FROM '1.0'
 GROUP BY version
 ORDER BY version;

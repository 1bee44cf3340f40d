-- Answers by install day once more, of all campaigns with the same last two digits together.
--
-- Modelled revenue and tiers are by the campaign id or the last two digits, and a large app has many source identifiers of
-- each. So these reports read a few sums in place of those of each line.
--
-- The sums stand under the first line of the app (app_line), as those by version do. No line can be the first one of two
-- digits for ever: lines of an app get their numbers in several transactions at once.
--
-- It is filled before it becomes a partition, so that reports of answers do not wait for it. Folding waits until `migrate`
-- ends.
CREATE TABLE attribution.answer_install_two_digits_daily (LIKE attribution.answer_daily);

-- What is folded already, in the order in which folding writes it. The functions of the definitions may not be there yet.
INSERT INTO attribution.answer_install_two_digits_daily (
    answer_table, line, day, traits, sequence_index, did_win, currency, postbacks, redownloads, reengagements, fine, coarse,
    withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle,
    revenue_high, revenue_open, revenue_unknown, revenue_square)
SELECT 6, app_line, day, two_digits, sequence_index, did_win, currency, nullif(sum(postbacks), 0),
       nullif(sum(redownloads), 0), nullif(sum(reengagements), 0), nullif(sum(fine), 0), nullif(sum(coarse), 0),
       nullif(sum(withheld), 0), nullif(sum(not_set), 0), nullif(sum(mapped), 0), nullif(sum(unmapped), 0),
       nullif(sum(ambiguous), 0), nullif(sum(tier_0), 0), nullif(sum(tier_1), 0), nullif(sum(tier_2), 0),
       nullif(sum(tier_3), 0), nullif(sum(revenue_low), 0), nullif(sum(revenue_middle), 0), nullif(sum(revenue_high), 0),
       nullif(sum(revenue_open), 0), nullif(sum(revenue_unknown), 0), nullif(sum(revenue_square), 0)
  FROM attribution.answer_daily
  JOIN (SELECT line, min(line) OVER (PARTITION BY network, developer_copy, campaign_type, advertised_app_id) AS app_line,
               ('1' || CASE campaign_type WHEN 'source-identifier' THEN right(campaign, 2) ELSE campaign END)::integer
                   AS two_digits
          FROM attribution.line) AS of_app USING (line)
 WHERE answer_table = 2
 GROUP BY app_line, day, two_digits, sequence_index, did_win, currency
 ORDER BY day, app_line, sequence_index, did_win, two_digits, currency;

ALTER TABLE attribution.answer_daily ATTACH PARTITION attribution.answer_install_two_digits_daily FOR VALUES IN (6);

COMMENT ON TABLE attribution.answer_install_two_digits_daily IS
    'answer_daily by the day of the install and the campaign id or the last two digits, of all campaigns with these';
COMMENT ON COLUMN attribution.answer_daily.traits IS
    'In tables by version, a row of shown_traits, as it stands for the version; in that by two digits, two_digits_number; '
    'else NULL';

-- The mapping rows of one app, beside those of all apps.
CREATE INDEX campaign_mapping_app ON attribution.campaign_mapping (advertised_app_id);

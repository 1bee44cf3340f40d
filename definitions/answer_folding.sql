-- Folding of answers: how the reader `answers` sums the log into answer_daily, answer_split_daily and
-- answer_event_daily, and until when the sums are whole.

-- Sums by traits don't tell the signing key, nor what a relay did. Traits that differ only in these are one: the first
-- of them, which stays the first, since numbers grow. In sums by version the first traits of a version stand for it.
CREATE OR REPLACE VIEW attribution.shown_traits AS
SELECT traits,
       min(traits) OVER (PARTITION BY version, kind, redownload, conversion_type, fidelity_type, ad_interaction_type,
                                      marketplace_identifier, country_code) AS shown_traits,
       min(traits) OVER (PARTITION BY version) AS version_traits
  FROM attribution.traits;

COMMENT ON VIEW attribution.shown_traits IS 'For each row of traits the rows that stand for it in sums of answers';
COMMENT ON COLUMN attribution.shown_traits.traits IS 'A row of attribution.traits';
COMMENT ON COLUMN attribution.shown_traits.shown_traits IS 'The row that stands for it in sums by traits';
COMMENT ON COLUMN attribution.shown_traits.version_traits IS 'The row that stands for it in sums by version';

-- Some sums are those of all campaigns of a network for an app. The first of their lines stands for them. It stays the
-- first: it is added under a lock, and each further one only when it is there (`DimensionStatements`).
CREATE OR REPLACE VIEW attribution.app_line AS
SELECT line, min(line) OVER (PARTITION BY network, developer_copy, campaign_type, advertised_app_id) AS app_line
  FROM attribution.line;

COMMENT ON VIEW attribution.app_line IS 'For each row of attribution.line the first one of its network, type of campaign and app';
COMMENT ON COLUMN attribution.app_line.line IS 'A row of attribution.line';
COMMENT ON COLUMN attribution.app_line.app_line IS 'The row that stands for it in sums of all campaigns';

-- The tables of the sums: by the day of the arrival or by that of the install, by campaign, or for all campaigns of an app by
-- version. By the day of the install there is one more, by the campaign id or the last two digits. Each postback is in all
-- five.
CREATE OR REPLACE FUNCTION attribution.answer_table(day_of text, split_by text) RETURNS smallint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (CASE day_of WHEN 'arrival' THEN 1 WHEN 'install' THEN 2 END
            + CASE split_by WHEN 'campaign' THEN 0 WHEN 'version' THEN 2 WHEN 'two_digits' THEN 4 END)::smallint
$$;

COMMENT ON FUNCTION attribution.answer_table(text, text) IS
    'The number of a partition of answer_daily: arrival or install; campaign, version or two_digits; NULL for other splits';

-- The tables of the finest sums, which have both days: by traits and source, and for all campaigns of an app by source.
-- Each postback is in the first, and in the others only if it names a source.
CREATE OR REPLACE FUNCTION attribution.answer_split(split_by text) RETURNS smallint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT (CASE split_by WHEN 'traits' THEN 1 WHEN 'source' THEN 2 WHEN 'app_source' THEN 3 END)::smallint
$$;

COMMENT ON FUNCTION attribution.answer_split(text) IS
    'The number of a partition of answer_split_daily: traits, source or app_source; NULL for other splits';

-- Adds the changes of these lanes behind one position and up to another, and what the reader `answers` has read of some
-- lines, to the sums. Fold and refold use one of the two, the other is empty.
--
-- Few facts decide an answer. So changes are summed by these facts first, and each combination is decoded once. Rows
-- are written in the order of the key. So a report finds those of a line side by side, as many as were folded together.
--
-- Each join finds one row. Some are LEFT JOIN all the same: of an inner join the planner would expect too few rows, and
-- then compare all of them in loops.
CREATE OR REPLACE FUNCTION attribution.add_answers(lanes smallint[], behind bigint[], up_to bigint[], lines integer[]) RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    WITH change AS MATERIALIZED (
        SELECT line, source, shown_traits AS traits, version_traits, sequence_index, did_win, kind, value,
               date_bin('15 minutes', received_at, timestamptz '2000-01-01 00:00Z') AS received_at,
               sum(postbacks) AS postbacks
          FROM (SELECT line, source, traits, sequence_index, did_win, kind, value, received_at, postbacks
                  FROM attribution.log_changes(lanes, behind, up_to)
                UNION ALL
                SELECT line, source, traits, sequence_index, did_win, kind, value, received_at, postbacks
                  FROM attribution.read_changes('answers', lines)) AS change
          LEFT JOIN attribution.shown_traits USING (traits)
         GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
        HAVING sum(postbacks) <> 0
    ),
    facts AS MATERIALIZED (
        SELECT change.*, app_line, advertised_app_id, line.protocol, length(line.campaign) AS digits,
               attribution.two_digits_number(line.campaign_type, line.campaign) AS two_digits,
               traits.version, change.source <> 0 AS names_source, traits.country_code IS NOT NULL AS names_country,
               traits.marketplace_identifier IS NOT NULL AS names_marketplace,
               line.environment = 'development' AS is_development
          FROM change
          JOIN attribution.line USING (line)
          LEFT JOIN attribution.app_line USING (line)
          JOIN attribution.traits USING (traits)
    ),
    combination AS MATERIALIZED (
        SELECT of_facts.*, answer.*
          FROM (SELECT DISTINCT advertised_app_id, protocol, version, digits, sequence_index, did_win, value,
                       names_source, names_country, names_marketplace, received_at, is_development
                  FROM facts) AS of_facts
         CROSS JOIN LATERAL attribution.answer(
               advertised_app_id, protocol, version, digits, sequence_index, did_win, value, names_source,
               names_country, names_marketplace, received_at, is_development) AS answer
    ),
    answered AS MATERIALIZED (
        SELECT line, app_line, two_digits, source, traits, version_traits, sequence_index, did_win, kind, value, postbacks,
               advertised_app_id, scheme_valid_from, coalesce(currency, '') AS currency, no_value_kind, decoding,
               CASE WHEN tier_low = tier_high THEN tier_low END AS tier,
               (revenue_low * 1000000)::bigint AS revenue_low,
               (revenue_middle * 1000000)::bigint AS revenue_middle,
               (coalesce(revenue_high, revenue_low) * 1000000)::bigint AS revenue_high,
               revenue_low IS NOT NULL AND revenue_high IS NULL AS revenue_open,
               revenue_low IS NOT NULL AND revenue_middle IS NULL AS revenue_unknown,
               revenue_middle * revenue_middle AS revenue_square,
               attribution.day_of(received_at) AS arrival_day,
               attribution.day_of(received_at - install_hours * interval '1 hour') AS install_day
          FROM facts
          LEFT JOIN combination
         USING (advertised_app_id, protocol, version, digits, sequence_index, did_win, value, names_source,
                names_country, names_marketplace, received_at, is_development)
    ),
    summed AS MATERIALIZED (
        SELECT attribution.answer_table(
                   CASE GROUPING(arrival_day) WHEN 0 THEN 'arrival' ELSE 'install' END,
                   CASE WHEN GROUPING(version_traits) = 0 THEN 'version' WHEN GROUPING(two_digits) = 0 THEN 'two_digits'
                        ELSE 'campaign' END) AS answer_table,
               attribution.answer_split(
                   CASE WHEN GROUPING(traits) = 0 THEN 'traits' WHEN GROUPING(source) = 1 THEN NULL
                        WHEN GROUPING(app_line) = 0 THEN 'app_source' ELSE 'source' END) AS split,
               coalesce(line, app_line) AS line, arrival_day, install_day, traits,
               coalesce(version_traits, two_digits) AS shown_traits, source, sequence_index, did_win, currency,
               nullif(attribution.total(postbacks), 0) AS postbacks,
               nullif(attribution.total(CASE WHEN kind = 'redownload' THEN postbacks ELSE 0 END), 0) AS redownloads,
               nullif(attribution.total(CASE WHEN kind = 're-engagement' THEN postbacks ELSE 0 END), 0) AS reengagements,
               nullif(attribution.total(CASE WHEN value BETWEEN 0 AND 63 THEN postbacks ELSE 0 END), 0) AS fine,
               nullif(attribution.total(CASE WHEN value > 63 THEN postbacks ELSE 0 END), 0) AS coarse,
               nullif(attribution.total(CASE WHEN no_value_kind = 'withheld' THEN postbacks ELSE 0 END), 0) AS withheld,
               nullif(attribution.total(CASE WHEN no_value_kind = 'not_set' THEN postbacks ELSE 0 END), 0) AS not_set,
               nullif(attribution.total(CASE WHEN decoding = 'mapped' THEN postbacks ELSE 0 END), 0) AS mapped,
               nullif(attribution.total(CASE WHEN decoding = 'unmapped' THEN postbacks ELSE 0 END), 0) AS unmapped,
               nullif(attribution.total(CASE WHEN decoding = 'ambiguous' THEN postbacks ELSE 0 END), 0) AS ambiguous,
               nullif(attribution.total(CASE WHEN tier = 0 THEN postbacks ELSE 0 END), 0) AS tier_0,
               nullif(attribution.total(CASE WHEN tier = 1 THEN postbacks ELSE 0 END), 0) AS tier_1,
               nullif(attribution.total(CASE WHEN tier = 2 THEN postbacks ELSE 0 END), 0) AS tier_2,
               nullif(attribution.total(CASE WHEN tier = 3 THEN postbacks ELSE 0 END), 0) AS tier_3,
               nullif(attribution.total(postbacks * revenue_low), 0) AS revenue_low,
               nullif(attribution.total(postbacks * revenue_middle), 0) AS revenue_middle,
               nullif(attribution.total(postbacks * revenue_high), 0) AS revenue_high,
               nullif(attribution.total(CASE WHEN revenue_open THEN postbacks ELSE 0 END), 0) AS revenue_open,
               nullif(attribution.total(CASE WHEN revenue_unknown THEN postbacks ELSE 0 END), 0) AS revenue_unknown,
               nullif(sum(postbacks * revenue_square), 0) AS revenue_square
          FROM answered
         GROUP BY sequence_index, did_win, currency,
                  GROUPING SETS ((line, arrival_day), (line, install_day),
                                 (app_line, arrival_day, version_traits), (app_line, install_day, version_traits),
                                 (app_line, install_day, two_digits),
                                 (line, arrival_day, install_day, traits), (line, arrival_day, install_day, source),
                                 (app_line, arrival_day, install_day, source))
        -- Those that name no source are all less those that do: split_parts.
        HAVING GROUPING(source) = 1 OR source <> 0
    ),
    events AS (
        INSERT INTO attribution.answer_event_daily AS stored (
            answer_table, line, day, sequence_index, currency, event, postbacks, possible, count_low, count_high,
            count_open, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown)
        SELECT attribution.answer_table(CASE GROUPING(arrival_day) WHEN 0 THEN 'arrival' ELSE 'install' END, 'campaign'),
               line, coalesce(arrival_day, install_day), answered.sequence_index, currency, event,
               nullif(attribution.total(CASE WHEN count_low > 0 THEN postbacks ELSE 0 END), 0),
               nullif(attribution.total(CASE WHEN count_low > 0 THEN 0 ELSE postbacks END), 0),
               nullif(attribution.total(postbacks * count_low), 0),
               nullif(attribution.total(postbacks * coalesce(count_high, count_low)), 0),
               nullif(attribution.total(CASE WHEN count_high IS NULL THEN postbacks ELSE 0 END), 0),
               nullif(attribution.total(postbacks * (meaning.revenue_low * 1000000)::bigint), 0),
               nullif(attribution.total(postbacks * (middle.revenue_middle * 1000000)::bigint), 0),
               nullif(attribution.total(
                   postbacks * (coalesce(meaning.revenue_high, meaning.revenue_low) * 1000000)::bigint), 0),
               nullif(attribution.total(CASE WHEN meaning.revenue_high IS NULL THEN postbacks ELSE 0 END), 0),
               nullif(attribution.total(CASE WHEN middle.revenue_middle IS NULL THEN postbacks ELSE 0 END), 0)
          FROM (SELECT line, sequence_index, value, advertised_app_id, scheme_valid_from, currency, arrival_day,
                       install_day, attribution.total(postbacks) AS postbacks
                  FROM answered
                 WHERE decoding = 'mapped'
                 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS answered
          JOIN attribution.conversion_meaning AS meaning
            ON meaning.advertised_app_id = answered.advertised_app_id
           AND meaning.valid_from = answered.scheme_valid_from
           AND meaning.sequence_index = answered.sequence_index AND meaning.value = answered.value
         CROSS JOIN LATERAL (
               SELECT attribution.revenue_middle(meaning.revenue_low, meaning.revenue_high)) AS middle (revenue_middle)
         WHERE event IS NOT NULL
         GROUP BY line, answered.sequence_index, currency, event, GROUPING SETS ((arrival_day), (install_day))
         ORDER BY 1, line, 3, answered.sequence_index, currency, event
        ON CONFLICT (line, day, answer_table, sequence_index, currency, event) DO UPDATE SET
            postbacks = attribution.added(stored.postbacks, excluded.postbacks),
            possible = attribution.added(stored.possible, excluded.possible),
            count_low = attribution.added(stored.count_low, excluded.count_low),
            count_high = attribution.added(stored.count_high, excluded.count_high),
            count_open = attribution.added(stored.count_open, excluded.count_open),
            revenue_low = attribution.added(stored.revenue_low, excluded.revenue_low),
            revenue_middle = attribution.added(stored.revenue_middle, excluded.revenue_middle),
            revenue_high = attribution.added(stored.revenue_high, excluded.revenue_high),
            revenue_open = attribution.added(stored.revenue_open, excluded.revenue_open),
            revenue_unknown = attribution.added(stored.revenue_unknown, excluded.revenue_unknown)
    ),
    splits AS (
        INSERT INTO attribution.answer_split_daily AS stored (
            split, line, install_day, arrival_day, split_number, sequence_index, did_win, currency, postbacks,
            redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1,
            tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown)
        SELECT split, line, install_day, arrival_day, coalesce(traits, source), sequence_index, did_win, currency,
               postbacks, redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous,
               tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown
          FROM summed
         WHERE split IS NOT NULL
         ORDER BY split, line, install_day, arrival_day, sequence_index, did_win, currency, 5
        ON CONFLICT (line, install_day, arrival_day, sequence_index, split, did_win, currency, split_number)
        DO UPDATE SET
            postbacks = attribution.added(stored.postbacks, excluded.postbacks),
            redownloads = attribution.added(stored.redownloads, excluded.redownloads),
            reengagements = attribution.added(stored.reengagements, excluded.reengagements),
            fine = attribution.added(stored.fine, excluded.fine),
            coarse = attribution.added(stored.coarse, excluded.coarse),
            withheld = attribution.added(stored.withheld, excluded.withheld),
            not_set = attribution.added(stored.not_set, excluded.not_set),
            mapped = attribution.added(stored.mapped, excluded.mapped),
            unmapped = attribution.added(stored.unmapped, excluded.unmapped),
            ambiguous = attribution.added(stored.ambiguous, excluded.ambiguous),
            tier_0 = attribution.added(stored.tier_0, excluded.tier_0),
            tier_1 = attribution.added(stored.tier_1, excluded.tier_1),
            tier_2 = attribution.added(stored.tier_2, excluded.tier_2),
            tier_3 = attribution.added(stored.tier_3, excluded.tier_3),
            revenue_low = attribution.added(stored.revenue_low, excluded.revenue_low),
            revenue_middle = attribution.added(stored.revenue_middle, excluded.revenue_middle),
            revenue_high = attribution.added(stored.revenue_high, excluded.revenue_high),
            revenue_open = attribution.added(stored.revenue_open, excluded.revenue_open),
            revenue_unknown = attribution.added(stored.revenue_unknown, excluded.revenue_unknown)
    )
    INSERT INTO attribution.answer_daily AS stored (
        answer_table, line, day, traits, sequence_index, did_win, currency, postbacks, redownloads, reengagements,
        fine, coarse, withheld, not_set, mapped, unmapped, ambiguous, tier_0, tier_1, tier_2, tier_3, revenue_low,
        revenue_middle, revenue_high, revenue_open, revenue_unknown, revenue_square)
    SELECT answer_table, line, coalesce(arrival_day, install_day), shown_traits, sequence_index, did_win, currency,
           postbacks, redownloads, reengagements, fine, coarse, withheld, not_set, mapped, unmapped, ambiguous,
           tier_0, tier_1, tier_2, tier_3, revenue_low, revenue_middle, revenue_high, revenue_open, revenue_unknown,
           revenue_square
      FROM summed
     WHERE split IS NULL
     ORDER BY answer_table, line, 3, sequence_index, did_win, shown_traits, currency
    ON CONFLICT (line, day, answer_table, sequence_index, did_win, traits, currency) DO UPDATE SET
        postbacks = attribution.added(stored.postbacks, excluded.postbacks),
        redownloads = attribution.added(stored.redownloads, excluded.redownloads),
        reengagements = attribution.added(stored.reengagements, excluded.reengagements),
        fine = attribution.added(stored.fine, excluded.fine),
        coarse = attribution.added(stored.coarse, excluded.coarse),
        withheld = attribution.added(stored.withheld, excluded.withheld),
        not_set = attribution.added(stored.not_set, excluded.not_set),
        mapped = attribution.added(stored.mapped, excluded.mapped),
        unmapped = attribution.added(stored.unmapped, excluded.unmapped),
        ambiguous = attribution.added(stored.ambiguous, excluded.ambiguous),
        tier_0 = attribution.added(stored.tier_0, excluded.tier_0),
        tier_1 = attribution.added(stored.tier_1, excluded.tier_1),
        tier_2 = attribution.added(stored.tier_2, excluded.tier_2),
        tier_3 = attribution.added(stored.tier_3, excluded.tier_3),
        revenue_low = attribution.added(stored.revenue_low, excluded.revenue_low),
        revenue_middle = attribution.added(stored.revenue_middle, excluded.revenue_middle),
        revenue_high = attribution.added(stored.revenue_high, excluded.revenue_high),
        revenue_open = attribution.added(stored.revenue_open, excluded.revenue_open),
        revenue_unknown = attribution.added(stored.revenue_unknown, excluded.revenue_unknown),
        revenue_square = attribution.added(stored.revenue_square, excluded.revenue_square);
END $$;

-- Adds the changes of these lanes behind the place of the reader `answers` to the sums, and moves the place. It folds
-- about `at_most` events of each lane and returns the number of all. The caller holds the lock of folding answers.
CREATE OR REPLACE FUNCTION attribution.fold_answers(a_lanes smallint[], at_most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    ahead record;
BEGIN
    SELECT * INTO ahead FROM attribution.log_ahead('answers', a_lanes, at_most);
    IF ahead.events > 0 THEN
        PERFORM attribution.add_answers(ahead.lanes, ahead.behind, ahead.up_to, '{}');
        PERFORM attribution.move_reader('answers', ahead.lanes, ahead.up_to);
    END IF;
    RETURN ahead.events;
END $$;

-- Sums the answers of one app anew, up to the place of the reader `answers`, and forgets its request. The caller holds the
-- lock of folding answers.
CREATE OR REPLACE FUNCTION attribution.refold_answers(an_app bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    lines integer[] := ARRAY(SELECT line FROM attribution.line WHERE advertised_app_id = an_app);
BEGIN
    DELETE FROM attribution.answer_daily WHERE line = ANY (lines);
    DELETE FROM attribution.answer_split_daily WHERE line = ANY (lines);
    DELETE FROM attribution.answer_event_daily WHERE line = ANY (lines);
    PERFORM attribution.add_answers('{}', '{}', '{}', lines);
    DELETE FROM attribution.answer_refold WHERE advertised_app_id = an_app;
END $$;

-- Until when the sums are whole. SECURITY DEFINER: somebody who may read a report needs no rights on the log.
CREATE OR REPLACE FUNCTION attribution.answers_up_to() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    place   record;
    next_at timestamptz;
    up_to   timestamptz := now();
BEGIN
    FOR place IN SELECT lane, position FROM attribution.log_reader WHERE reader = 'answers' LOOP
        SELECT log.written_at INTO next_at
          FROM attribution.postback_log AS log
         WHERE log.lane = place.lane AND log.position > place.position
         ORDER BY log.position
         LIMIT 1;
        up_to := least(up_to, next_at);
    END LOOP;
    RETURN up_to;
END $$;

COMMENT ON FUNCTION attribution.answers_up_to() IS
    'Everything that was counted before this moment is in the reports of answers; now, if nothing waits';

REVOKE EXECUTE ON FUNCTION attribution.answers_up_to() FROM PUBLIC;

-- Names of campaigns: which row of campaign_mapping names a postback, and which identifiers are free.

-- Finds rows that could tie, and brings the last named days up to date. One writer at a time: each looks only after it
-- holds the lock, so it sees what the earlier ones have committed.
CREATE OR REPLACE FUNCTION attribution.campaign_mapping_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7421001648);
    WITH in_order AS (
        SELECT mapping, valid_from, valid_to, cool_down_days, last_named_day,
               lead(valid_from) OVER (
                   PARTITION BY network_name, campaign_type, identifier, country, source_app, advertised_app_id,
                                protocol, is_built_in
                       ORDER BY valid_from) AS next_from
          FROM attribution.campaign_mapping
    )
    UPDATE attribution.campaign_mapping AS stored
       -- The least of two days ignores NULL.
       SET last_named_day = coalesce(least(in_order.valid_to + in_order.cool_down_days, next_from - 1), 'infinity')
      FROM in_order
     WHERE stored.mapping = in_order.mapping
       AND in_order.last_named_day <>
           coalesce(least(in_order.valid_to + in_order.cool_down_days, next_from - 1), 'infinity');
    IF EXISTS (SELECT FROM attribution.campaign_mapping WHERE valid_to > last_named_day) THEN
        RAISE EXCEPTION 'two rows with the same conditions have overlapping days'
              USING ERRCODE = 'exclusion_violation', CONSTRAINT = 'campaign_mapping_no_tie';
    END IF;
    RETURN NULL;
END $$;

COMMENT ON FUNCTION attribution.campaign_mapping_changed() IS
    'Trigger: refuses rows that could tie, and computes last_named_day';

CREATE OR REPLACE TRIGGER campaign_mapping_changed
    AFTER INSERT OR DELETE OR UPDATE OF
          is_built_in, ad_network_id, campaign_type, identifier, country, source_app, advertised_app_id, protocol,
          valid_from, valid_to, cool_down_days
    ON attribution.campaign_mapping FOR EACH STATEMENT EXECUTE FUNCTION attribution.campaign_mapping_changed();

-- The identifiers of rows that can fit a campaign: the campaign id itself, or the last digits of a source identifier.
CREATE OR REPLACE FUNCTION attribution.mapped_identifiers(campaign_type text, campaign text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE ROWS 3 PARALLEL SAFE AS $$
    SELECT campaign WHERE campaign_type = 'campaign-id'
    UNION ALL
    SELECT source_identifier FROM attribution.identifier_levels(campaign) WHERE campaign_type = 'source-identifier'
$$;

COMMENT ON FUNCTION attribution.mapped_identifiers(text, text) IS
    'The identifiers of mapping rows that can fit a campaign, at most three';

-- The row that names one postback; none if no row does. `line_mapping` gives the same for many lines and days, and is
-- faster there. It is a set, so that PostgreSQL makes it part of a query that looks up many postbacks.
CREATE OR REPLACE FUNCTION attribution.campaign_mapping_row_of(
    ad_network_id text, protocol text, campaign_type text, campaign text, advertised_app_id bigint, country text,
    source_app text, day date)
RETURNS SETOF attribution.campaign_mapping LANGUAGE sql STABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT fit.*
      FROM attribution.campaign_mapping AS fit
     WHERE fit.network_name = attribution.network_name($1)
       AND fit.campaign_type = $3
       AND fit.identifier = ANY (ARRAY(SELECT attribution.mapped_identifiers($3, $4)))
       AND (fit.protocol IS NULL OR fit.protocol = $2)
       AND (fit.advertised_app_id IS NULL OR fit.advertised_app_id = $5)
       AND (fit.country IS NULL OR fit.country = $6)
       AND (fit.source_app IS NULL OR fit.source_app = $7)
       AND $8 BETWEEN fit.valid_from AND fit.last_named_day
     ORDER BY fit.specificity DESC
     LIMIT 1
$$;

COMMENT ON FUNCTION attribution.campaign_mapping_row_of(text, text, text, text, bigint, text, text, date) IS
    'The mapping row that names a postback on a day; none if no row does';

CREATE OR REPLACE FUNCTION attribution.campaign_mapping_of(
    ad_network_id text, protocol text, campaign_type text, campaign text, advertised_app_id bigint, country text,
    source_app text, day date)
RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT mapping FROM attribution.campaign_mapping_row_of($1, $2, $3, $4, $5, $6, $7, $8)
$$;

COMMENT ON FUNCTION attribution.campaign_mapping_of(text, text, text, text, bigint, text, text, date) IS
    'The number of the mapping row that names a postback on a day; NULL if none does';

-- Whether a row of `line_mapping` is the one for a country, or for a source app. NULL stands for one that is not known.
CREATE OR REPLACE FUNCTION attribution.mapping_covers(wanted text, others text[], actual text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN wanted IS NULL THEN actual IS NULL OR actual <> ALL (others) ELSE coalesce(actual = wanted, false) END
$$;

COMMENT ON FUNCTION attribution.mapping_covers(text, text[], text) IS
    'Whether a row of line_mapping is for this country or source app';

-- The mapping rows of lines, as intervals of days that do not overlap.
--
-- Most lines have no rows with a country or a source app. Their intervals have `country` and `source_app` NULL, and
-- `other_countries` and `other_source_apps` empty. If a line has rows with a country, it has intervals for each of
-- these countries, and intervals for all others. In the latter `country` is NULL, and `other_countries` holds those
-- countries. The same is true of source apps.
CREATE OR REPLACE FUNCTION attribution.line_mapping(first_day date, last_day date, an_advertised_app_id bigint DEFAULT NULL)
RETURNS TABLE (
    line integer, country text, other_countries text[], source_app text, other_source_apps text[],
    from_day date, to_day date, mapping integer)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 5000
-- The planner can't know how many rows fit a line, and takes one. Nested loops would compare each row with each.
SET enable_nestloop = off
SET jit = off
-- So that the lines and rows of one app are found by their indexes.
SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH named_network AS MATERIALIZED (
        SELECT network, attribution.network_name(ad_network_id) AS network_name FROM attribution.network
    ),
    -- Its identifiers are those of mapped_identifiers, found by one join: that is three times as fast over many lines.
    named_line AS (
        SELECT line.line, line.protocol, line.advertised_app_id, line.campaign_type, network_name,
               right(line.campaign, digits) AS identifier
          FROM attribution.line
          JOIN named_network USING (network)
         CROSS JOIN (VALUES (1), (2), (3), (4)) AS level (digits)
         WHERE digits BETWEEN CASE line.campaign_type WHEN 'source-identifier' THEN least(length(line.campaign), 2)
                                                      WHEN 'campaign-id' THEN length(line.campaign) END
                          AND length(line.campaign)
           AND ($3 IS NULL OR line.advertised_app_id = $3)
    ),
    fit AS MATERIALIZED (
        SELECT named_line.line, row.country, row.source_app, row.specificity, row.mapping,
               greatest(row.valid_from, $1) AS first_day, least(row.last_named_day, $2) AS last_day
          FROM named_line
          JOIN attribution.campaign_mapping AS row
         USING (network_name, campaign_type, identifier)
         WHERE (row.protocol IS NULL OR row.protocol = named_line.protocol)
           AND (row.advertised_app_id IS NULL OR row.advertised_app_id = named_line.advertised_app_id)
           AND row.valid_from <= $2 AND row.last_named_day >= $1
           -- Said again of the row alone, so that those of other apps are not hashed.
           AND ($3 IS NULL OR row.advertised_app_id IS NULL OR row.advertised_app_id = $3)
    ),
    -- Most lines have one row, or rows that are there on all days: then it is known at once which one names the line.
    plain AS MATERIALIZED (
        SELECT line, (max(specificity * 4294967296 + mapping) & 4294967295)::integer AS mapping, max(first_day) AS first_day,
               min(last_day) AS last_day
          FROM fit
         GROUP BY line
        HAVING bool_and(country IS NULL AND source_app IS NULL)
           AND (count(*) = 1 OR bool_and(first_day = $1 AND last_day = $2))
    ),
    other AS MATERIALIZED (
        SELECT * FROM fit WHERE line NOT IN (SELECT line FROM plain)
    ),
    -- Lines that have rows with a country or a source app. They are few.
    condition AS MATERIALIZED (
        SELECT line,
               coalesce(array_agg(DISTINCT country) FILTER (WHERE country IS NOT NULL), '{}') AS countries,
               coalesce(array_agg(DISTINCT source_app) FILTER (WHERE source_app IS NOT NULL), '{}') AS source_apps
          FROM other
         WHERE country IS NOT NULL OR source_app IS NOT NULL
         GROUP BY line
    ),
    -- For each line: any country (NULL), and those that its rows name; the same for source apps.
    part AS MATERIALIZED (
        SELECT row_number() OVER () AS part, *
          FROM (SELECT DISTINCT line, NULL::text AS country, '{}'::text[] AS countries, NULL::text AS source_app,
                       '{}'::text[] AS source_apps
                  FROM other WHERE line NOT IN (SELECT line FROM condition)
                UNION ALL
                SELECT line, country, countries, source_app, source_apps
                  FROM condition,
                       unnest(countries || NULL::text) AS country,
                       unnest(source_apps || NULL::text) AS source_app) AS parts
    ),
    fit_of_part AS MATERIALIZED (
        SELECT part.part, other.first_day, other.last_day, other.specificity, other.mapping
          FROM part
          JOIN other USING (line)
         WHERE (other.country IS NULL OR other.country = part.country)
           AND (other.source_app IS NULL OR other.source_app = part.source_app)
    ),
    -- The days on which the answer can change.
    edge AS (
        SELECT part, first_day AS day FROM fit_of_part
        UNION
        SELECT part, last_day + 1 FROM fit_of_part WHERE last_day < $2
    ),
    interval_of_part AS MATERIALIZED (
        SELECT part, day AS first_day,
               coalesce(lead(day) OVER (PARTITION BY part ORDER BY day) - 1, $2) AS last_day
          FROM edge
    ),
    best AS (
        SELECT DISTINCT ON (part, interval_of_part.first_day)
               part, interval_of_part.first_day, interval_of_part.last_day, fit_of_part.mapping
          FROM interval_of_part
          JOIN fit_of_part USING (part)
         WHERE interval_of_part.first_day BETWEEN fit_of_part.first_day AND fit_of_part.last_day
         ORDER BY part, interval_of_part.first_day, fit_of_part.specificity DESC
    )
    SELECT line, NULL::text, '{}'::text[], NULL::text, '{}'::text[], first_day, last_day, mapping
      FROM plain
     WHERE first_day <= last_day
    UNION ALL
    SELECT part.line,
           part.country, CASE WHEN part.country IS NULL THEN part.countries ELSE '{}' END,
           part.source_app, CASE WHEN part.source_app IS NULL THEN part.source_apps ELSE '{}' END,
           best.first_day, best.last_day, best.mapping
      FROM best
      JOIN part USING (part);
END $$;

COMMENT ON FUNCTION attribution.line_mapping(date, date, bigint) IS
    'The mapping rows of all lines, or those of one advertised app, as intervals of days that do not overlap';

-- The rows of line_mapping, and the days that no row names: those of lines without any row with a country or a source app
-- have no `mapping`. A line that has such a row has these parts only; by_country and by_source say which it has.
CREATE OR REPLACE FUNCTION attribution.mapping_part(first_day date, last_day date, an_advertised_app_id bigint)
RETURNS TABLE (
    line integer, mapping integer, from_day date, to_day date, by_country boolean, by_source boolean, country text,
    other_countries text[], source_app text, other_source_apps text[])
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH named AS MATERIALIZED (
        SELECT *, country IS NOT NULL OR other_countries <> '{}' AS by_country,
               source_app IS NOT NULL OR other_source_apps <> '{}' AS by_source
          FROM attribution.line_mapping($1, $2, $3)
    )
    SELECT line, mapping, from_day, to_day, by_country, by_source, country, other_countries, source_app, other_source_apps
      FROM named
    UNION ALL
    SELECT line, NULL, from_day, to_day, false, false, NULL, NULL, NULL, NULL
      FROM (SELECT line, to_day + 1 AS from_day,
                   coalesce(lead(from_day) OVER (PARTITION BY line ORDER BY from_day, to_day) - 1, $2) AS to_day
              FROM (SELECT line, from_day, to_day FROM named WHERE NOT by_country AND NOT by_source
                    UNION ALL
                    SELECT line, '-infinity', $1 - 1
                      FROM attribution.line
                     WHERE ($3 IS NULL OR advertised_app_id = $3)
                       AND line NOT IN (SELECT line FROM named WHERE by_country OR by_source)) AS part) AS between
     WHERE from_day <= to_day
$$;

COMMENT ON FUNCTION attribution.mapping_part(date, date, bigint) IS
    'The rows of line_mapping, and the days that no row names, of all lines or those of one advertised app';

-- The state of each row of the operator on a day.
CREATE OR REPLACE FUNCTION attribution.campaign_mapping_state(today date)
RETURNS TABLE (mapping integer, state text, until date)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT mapping,
           CASE WHEN today < valid_from THEN 'planned'
                WHEN today <= least(valid_to, last_named_day) THEN 'active'
                WHEN today <= last_named_day THEN 'cooling'
                ELSE 'ended'
           END,
           CASE WHEN today > valid_to OR today > last_named_day THEN nullif(last_named_day, 'infinity')
                ELSE nullif(least(valid_to, last_named_day), 'infinity')
           END
      FROM attribution.campaign_mapping
$$;

COMMENT ON FUNCTION attribution.campaign_mapping_state(date) IS
    'For each mapping row its state on a day (planned, active, cooling, ended), and the last day of an active or '
    'cooling one; NULL if it is open';

-- The identifiers that can't be given out. They are those of rows that are planned, active or cooling, and those of
-- postbacks and signed impressions of the last days, mapped or not.
--
-- $3 is the advertised app, NULL for all: a row for all apps and a row for this app are both in the way.
CREATE OR REPLACE FUNCTION attribution.identifiers_in_use(
    a_network_name text, a_campaign_type text, an_advertised_app_id bigint, today date, seen_days integer)
RETURNS TABLE (identifier text)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT identifier
      FROM attribution.campaign_mapping
     WHERE network_name = $1 AND campaign_type = $2 AND last_named_day >= $4
       AND (advertised_app_id IS NULL OR $3 IS NULL OR advertised_app_id = $3)
    UNION
    SELECT campaign
      FROM attribution.line
     WHERE network IN (SELECT network FROM attribution.network WHERE attribution.network_name(ad_network_id) = $1)
       AND campaign_type = $2 AND ($3 IS NULL OR advertised_app_id = $3)
       AND environment = 'production' AND NOT developer_copy
       AND (EXISTS (SELECT FROM attribution.campaign_daily AS daily
                     WHERE daily.line = line.line AND daily.day > $4 - $5)
            OR line IN (SELECT line FROM attribution.unfolded()))
$$;

COMMENT ON FUNCTION attribution.identifiers_in_use(text, text, bigint, date, integer) IS
    'The identifiers of a network that are mapped, cooling, or were seen in the last days';

-- The identifiers that can be given out, those first that were never mapped, then those that ended longest ago.
--
-- A source identifier is signed as an integer, which has no leading zeros. So one of four digits begins with 1 to 9.
-- A shorter group can begin with 0, since more digits stand before it. A group that is within another one, or around
-- one, would share postbacks with it. So such groups are free only inside the group that the caller names.
CREATE OR REPLACE FUNCTION attribution.free_identifiers(
    a_network_name text, a_campaign_type text, an_advertised_app_id bigint, digits integer, within text, today date,
    seen_days integer)
RETURNS TABLE (identifier text, last_named_day date)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH candidate AS (
        SELECT number::text AS identifier
          FROM generate_series(1, 100) AS number
         WHERE $2 = 'campaign-id'
        UNION ALL
        SELECT lpad(number::text, $4, '0')
          FROM generate_series(CASE $4 WHEN 4 THEN 1000 ELSE 0 END, (10 ^ $4)::integer - 1) AS number
         WHERE $2 = 'source-identifier' AND right(lpad(number::text, $4, '0'), length($5)) = $5
    ),
    used AS MATERIALIZED (
        SELECT identifier, length(identifier) AS length
          FROM attribution.identifiers_in_use($1, $2, $3, $6, $7) AS used (identifier)
         WHERE $2 = 'campaign-id' OR length(identifier) > length($5)
    ),
    -- Each candidate that is in use, within a longer group that is, or around one.
    taken AS (
        SELECT CASE $2 WHEN 'source-identifier' THEN right(identifier, $4) ELSE identifier END AS identifier
          FROM used WHERE $2 = 'campaign-id' OR length >= $4
        UNION
        SELECT candidate.identifier
          FROM (SELECT DISTINCT length FROM used WHERE $2 = 'source-identifier' AND length < $4) AS shorter,
               candidate
         WHERE EXISTS (SELECT FROM used WHERE used.identifier = right(candidate.identifier, shorter.length))
    ),
    earlier AS (
        SELECT identifier, max(last_named_day) AS last_named_day
          FROM attribution.campaign_mapping
         WHERE network_name = $1 AND campaign_type = $2 AND last_named_day < $6
           AND (advertised_app_id IS NULL OR $3 IS NULL OR advertised_app_id = $3)
         GROUP BY identifier
    )
    SELECT candidate.identifier, earlier.last_named_day
      FROM candidate
      LEFT JOIN earlier USING (identifier)
     WHERE candidate.identifier NOT IN (SELECT identifier FROM taken)
     ORDER BY earlier.last_named_day NULLS FIRST, length(candidate.identifier), candidate.identifier
$$;

COMMENT ON FUNCTION attribution.free_identifiers(text, text, bigint, integer, text, date, integer) IS
    'The identifiers that can be given out, in the order in which they are; within is empty, or the group around them';

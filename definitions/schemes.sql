-- Conversion-value schemes: whether one is in use, and what follows from a change.

-- Whether a scheme is in use. Then the database has a postback of the app, in any environment, that was received at or
-- after the beginning of the scheme. The figures answer for whole days, so that only one day of postbacks is read. What
-- is folded nearly always answers, and is asked first: the figures read the log too, which takes longer.
--
-- It is not in SQL, since Citus plans no function in SQL that has parameters and reads a distributed table. The lines are an
-- array, so that a worker needs no table of the coordinator.
CREATE OR REPLACE FUNCTION attribution.conversion_scheme_in_use(app_id bigint, since timestamptz) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    lines integer[] := ARRAY(SELECT line FROM attribution.line WHERE advertised_app_id = app_id);
BEGIN
    PERFORM FROM attribution.campaign_daily
      WHERE line = ANY (lines) AND day > attribution.day_of(since)
        AND (installs > 0 OR redownloads > 0 OR reengagements > 0 OR assists > 0 OR later_windows > 0)
      LIMIT 1;
    IF FOUND THEN RETURN true; END IF;
    PERFORM FROM attribution.campaign_figure
      WHERE line = ANY (lines) AND day > attribution.day_of(since)
        AND installs + redownloads + reengagements + assists + later_windows > 0
      LIMIT 1;
    IF FOUND THEN RETURN true; END IF;
    PERFORM FROM attribution.postback_state
      WHERE line = ANY (lines) AND received_at >= since
        AND received_at < attribution.day_begins(attribution.day_of(since) + 1)
      LIMIT 1;
    RETURN FOUND;
END $$;

COMMENT ON FUNCTION attribution.conversion_scheme_in_use IS
    'Whether a postback of the app was received at or after this time; a scheme from this time on is then never edited';

-- The middle of a range of revenue. Without an upper end it is the least revenue. From 0 on without an upper end nothing
-- is known, and so there is no middle: it is not 0.
CREATE OR REPLACE FUNCTION attribution.revenue_middle(revenue_low numeric, revenue_high numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN revenue_high IS NULL THEN nullif(revenue_low, 0)
                ELSE round((revenue_low + revenue_high) / 2, 6) END
$$;

COMMENT ON FUNCTION attribution.revenue_middle(numeric, numeric) IS
    'The middle of a range of revenue, to six places; the least one without an upper end; NULL if it is unknown';

-- What locks the windows of a scheme: an event, or a value as one number.
CREATE OR REPLACE FUNCTION attribution.lock_triggers(document jsonb)
RETURNS TABLE (sequence_index smallint, event text, value smallint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (of_window ->> 'index')::smallint, lock ->> 'event',
           CASE lock ->> 'coarse' WHEN 'low' THEN 101 WHEN 'medium' THEN 102 WHEN 'high' THEN 103
                ELSE (lock ->> 'fine')::smallint END::smallint
      FROM jsonb_array_elements(document -> 'windows') AS of_window
     CROSS JOIN jsonb_array_elements(CASE jsonb_typeof(of_window -> 'lock') WHEN 'array' THEN of_window -> 'lock'
                                          WHEN 'object' THEN jsonb_build_array(of_window -> 'lock') END) AS lock
$$;

COMMENT ON FUNCTION attribution.lock_triggers(jsonb) IS 'What locks the windows of the document of a scheme: events and values';

-- The values of the schemes whose meanings changed: a row each, with the least hours of a lock beside it.
--
-- A value is of the moment at which it was set, so a lock beside it is one that fits its meaning. An event that a value
-- does not have has not happened if a higher value of its kind has it, or if the value says that nothing has happened.
-- Any other event may have happened: an app sets the highest value that fits, so lower ones may fit too.
--
-- In window 0 the app sets a fine and a coarse value in one call. A value stands beside a lock by a value of the other kind
-- only if both can be true at once:
-- - no event that must have happened by one of them has not happened by the other;
-- - number and revenue of an event that must have happened are in the ranges of both, and so are their hours;
-- - of `any-of`, one event at least can have happened. Its others may be out of their ranges.
-- A value of the other kind without a meaning can be true beside any.
CREATE OR REPLACE FUNCTION attribution.value_locks(schemes attribution.conversion_scheme[])
RETURNS TABLE (
    advertised_app_id bigint, valid_from timestamptz, sequence_index smallint, value smallint, lock_hours_low smallint)
LANGUAGE sql STABLE AS $$
WITH meaning AS MATERIALIZED (
    SELECT meaning.*, meaning.value > 63 AS is_coarse, numrange(count_low, count_high, '[]') AS number,
           -- An event without revenue says nothing of it.
           CASE WHEN revenue_high = 0 THEN '(,)' ELSE numrange(revenue_low, revenue_high, '[]') END AS revenue
      FROM unnest($1) AS scheme
      JOIN attribution.conversion_meaning AS meaning USING (advertised_app_id, valid_from)
     WHERE jsonb_path_exists(document, '$.windows[*].lock')
),
mapped AS MATERIALIZED (
    SELECT advertised_app_id, valid_from, sequence_index, value, is_coarse, any_of, hours_low, hours_high,
           coalesce(array_agg(event) FILTER (WHERE event IS NOT NULL), '{}') AS named,
           coalesce(array_agg(event) FILTER (WHERE count_low > 0), '{}') AS certain
      FROM meaning
     GROUP BY advertised_app_id, valid_from, sequence_index, value, is_coarse, any_of, hours_low, hours_high
),
told AS MATERIALIZED (
    SELECT own.*, ARRAY(
               SELECT event
                 FROM mapped AS other
                CROSS JOIN unnest(named) AS event
                WHERE (other.advertised_app_id, other.valid_from, other.sequence_index, other.is_coarse)
                      = (own.advertised_app_id, own.valid_from, own.sequence_index, own.is_coarse)
                  AND event <> ALL (own.named)
                  AND (own.named = '{}' OR other.value > own.value)) AS absent
      FROM mapped AS own
)
SELECT own.advertised_app_id, own.valid_from, own.sequence_index, own.value,
       min(greatest(own.hours_low, other.hours_low, 0::smallint))
  FROM unnest($1) AS scheme
 CROSS JOIN attribution.lock_triggers(document) AS lock
  JOIN told AS own
         ON (own.advertised_app_id, own.valid_from, own.sequence_index)
            = (scheme.advertised_app_id, scheme.valid_from, lock.sequence_index)
  LEFT JOIN told AS other
         ON (other.advertised_app_id, other.valid_from, other.sequence_index, other.value)
            = (scheme.advertised_app_id, scheme.valid_from, lock.sequence_index, lock.value)
 WHERE CASE WHEN lock.event IS NOT NULL THEN lock.event <> ALL (own.absent)
            WHEN (lock.value > 63) = own.is_coarse THEN lock.value = own.value
            WHEN other.value IS NULL THEN true
            ELSE NOT own.certain && other.absent AND NOT other.certain && own.absent
                 AND (own.hours_low <= other.hours_high AND other.hours_low <= own.hours_high) IS NOT FALSE
                 AND NOT EXISTS (
                     SELECT FROM meaning AS one
                       JOIN meaning AS two USING (advertised_app_id, valid_from, sequence_index, event)
                      WHERE (advertised_app_id, valid_from, sequence_index, one.value, two.value)
                            = (own.advertised_app_id, own.valid_from, own.sequence_index, own.value, other.value)
                        AND one.count_low + two.count_low > 0 AND NOT one.any_of AND NOT two.any_of
                        AND NOT (one.number && two.number AND one.revenue && two.revenue))
                 AND NOT EXISTS (
                     SELECT FROM (VALUES (own.any_of, own.value, other.value, other.absent),
                                         (other.any_of, other.value, own.value, own.absent))
                                 AS side (any_of, value, beside, absent)
                      WHERE any_of AND NOT EXISTS (
                            SELECT FROM meaning AS one
                              LEFT JOIN meaning AS two
                                     ON (two.advertised_app_id, two.valid_from, two.sequence_index, two.value, two.event)
                                        = (one.advertised_app_id, one.valid_from, one.sequence_index, beside, one.event)
                             WHERE (one.advertised_app_id, one.valid_from, one.sequence_index, one.value)
                                   = (own.advertised_app_id, own.valid_from, own.sequence_index, side.value)
                               AND one.event <> ALL (side.absent)
                               AND (two.any_of OR one.number && two.number AND one.revenue && two.revenue) IS NOT FALSE))
            END
 GROUP BY own.advertised_app_id, own.valid_from, own.sequence_index, own.value
$$;

COMMENT ON FUNCTION attribution.value_locks(attribution.conversion_scheme[]) IS
    'The values of schemes beside which the app may have locked the window, and at how many hours after the install at least';

-- Both follow from conversion_meaning and the document. They are tables, because each postback is looked up in them.
CREATE OR REPLACE FUNCTION attribution.conversion_meaning_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    schemes attribution.conversion_scheme[] := ARRAY(
        SELECT scheme
          FROM attribution.conversion_scheme AS scheme
         WHERE (advertised_app_id, valid_from) IN (
               SELECT advertised_app_id, valid_from FROM changed
               INTERSECT SELECT advertised_app_id, valid_from FROM attribution.conversion_meaning));
BEGIN
    DELETE FROM attribution.value_meaning
     WHERE (advertised_app_id, valid_from) IN (SELECT advertised_app_id, valid_from FROM changed);
    DELETE FROM attribution.scheme_window
     WHERE (advertised_app_id, valid_from) IN (SELECT advertised_app_id, valid_from FROM changed);
    INSERT INTO attribution.value_meaning (
           advertised_app_id, valid_from, sequence_index, value, hours_low, hours_high, locks, lock_hours_low,
           revenue_low, revenue_middle, revenue_high, events, possible_events)
    SELECT advertised_app_id, valid_from, sequence_index, value, min(hours_low), max(hours_high), bool_or(locks),
           lock_hours_low, sum(revenue_low),
           CASE WHEN count(attribution.revenue_middle(revenue_low, revenue_high)) = count(*)
                THEN attribution.revenue_middle(
                         sum(revenue_low), CASE WHEN count(revenue_high) = count(*) THEN sum(revenue_high) END) END,
           CASE WHEN count(revenue_high) = count(*) THEN sum(revenue_high) END,
           coalesce(array_agg(event ORDER BY event) FILTER (WHERE count_low > 0), '{}'),
           coalesce(array_agg(event ORDER BY event) FILTER (WHERE event IS NOT NULL AND count_low = 0), '{}')
      FROM attribution.conversion_meaning
      LEFT JOIN attribution.value_locks(schemes) USING (advertised_app_id, valid_from, sequence_index, value)
     WHERE (advertised_app_id, valid_from) IN (SELECT advertised_app_id, valid_from FROM changed)
     GROUP BY advertised_app_id, valid_from, sequence_index, value, lock_hours_low;
    INSERT INTO attribution.scheme_window (advertised_app_id, valid_from, sequence_index)
    SELECT DISTINCT advertised_app_id, valid_from, sequence_index
      FROM unnest(schemes) AS scheme
     CROSS JOIN attribution.lock_triggers(document);
    RETURN NULL;
END $$;

COMMENT ON FUNCTION attribution.conversion_meaning_changed() IS
    'Trigger: computes value_meaning and scheme_window of the schemes whose meanings changed';

CREATE OR REPLACE TRIGGER conversion_meaning_inserted AFTER INSERT ON attribution.conversion_meaning
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION attribution.conversion_meaning_changed();
CREATE OR REPLACE TRIGGER conversion_meaning_updated AFTER UPDATE ON attribution.conversion_meaning
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION attribution.conversion_meaning_changed();
CREATE OR REPLACE TRIGGER conversion_meaning_deleted AFTER DELETE ON attribution.conversion_meaning
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION attribution.conversion_meaning_changed();

CREATE OR REPLACE FUNCTION attribution.conversion_scheme_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- The first moment whose answers can change; a successor ends its predecessor at a moment of its own.
    since timestamptz := CASE WHEN TG_OP = 'UPDATE' AND OLD.valid_from = NEW.valid_from
                              THEN least(OLD.valid_to, NEW.valid_to)
                              ELSE least(OLD.valid_from, NEW.valid_from) END;
BEGIN
    -- A day more, for clocks that differ.
    IF since < now() + interval '1 day' OR EXISTS (
        SELECT FROM attribution.answer_daily
         WHERE answer_table = attribution.answer_table('arrival', 'campaign')
           AND line IN (SELECT line FROM attribution.line
                         WHERE advertised_app_id = coalesce(NEW.advertised_app_id, OLD.advertised_app_id))
           AND day >= attribution.day_of(since)) THEN
        INSERT INTO attribution.answer_refold (advertised_app_id, requested_at)
        VALUES (coalesce(NEW.advertised_app_id, OLD.advertised_app_id), clock_timestamp())
            ON CONFLICT (advertised_app_id) DO UPDATE SET requested_at = excluded.requested_at;
    END IF;
    RETURN NULL;
END $$;

COMMENT ON FUNCTION attribution.conversion_scheme_changed() IS
    'Trigger: asks for the answers of an app to be folded anew, if a scheme is for days that may be folded already';

CREATE OR REPLACE TRIGGER conversion_scheme_changed
    AFTER INSERT OR DELETE OR UPDATE OF valid_from, valid_to, measurement_window_hours, currency
    ON attribution.conversion_scheme FOR EACH ROW EXECUTE FUNCTION attribution.conversion_scheme_changed();

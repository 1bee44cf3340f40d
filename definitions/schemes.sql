-- Conversion-value schemes: whether one is in use, and what follows from a change.

-- Whether a scheme is in use. Then the database has a postback of the app, in any environment, that was received at or
-- after the beginning of the scheme. The figures answer for whole days, so that only one day of postbacks is read. What
-- is folded nearly always answers, and is asked first: the figures read the log too, which takes longer.
CREATE OR REPLACE FUNCTION attribution.conversion_scheme_in_use(app_id bigint, since timestamptz) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT EXISTS (
        SELECT FROM attribution.campaign_daily
          JOIN attribution.line USING (line)
         WHERE advertised_app_id = app_id AND day > (since AT TIME ZONE 'UTC')::date
           AND installs + redownloads + reengagements + assists + later_windows > 0)
        OR EXISTS (
        SELECT FROM attribution.campaign_figure
          JOIN attribution.line USING (line)
         WHERE advertised_app_id = app_id AND day > (since AT TIME ZONE 'UTC')::date
           AND installs + redownloads + reengagements + assists + later_windows > 0)
        OR EXISTS (
        SELECT FROM attribution.postback_state AS state
          JOIN attribution.line USING (line)
         WHERE advertised_app_id = app_id AND received_at >= since
           AND received_at < date_trunc('day', since, 'UTC') + interval '1 day')
$$;

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

-- Both follow from conversion_meaning. They are tables, because each postback is looked up in them.
CREATE OR REPLACE FUNCTION attribution.conversion_meaning_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM attribution.value_meaning
     WHERE (advertised_app_id, valid_from) IN (SELECT advertised_app_id, valid_from FROM changed);
    DELETE FROM attribution.scheme_window
     WHERE (advertised_app_id, valid_from) IN (SELECT advertised_app_id, valid_from FROM changed);
    INSERT INTO attribution.value_meaning (
           advertised_app_id, valid_from, sequence_index, value, hours_low, hours_high, locks, possibly_locks,
           revenue_low, revenue_middle, revenue_high, events, possible_events)
    SELECT advertised_app_id, valid_from, sequence_index, value, min(hours_low), max(hours_high), bool_or(locks),
           bool_or(possibly_locks), sum(revenue_low),
           CASE WHEN count(attribution.revenue_middle(revenue_low, revenue_high)) = count(*)
                THEN attribution.revenue_middle(
                         sum(revenue_low), CASE WHEN count(revenue_high) = count(*) THEN sum(revenue_high) END) END,
           CASE WHEN count(revenue_high) = count(*) THEN sum(revenue_high) END,
           coalesce(array_agg(event ORDER BY event) FILTER (WHERE count_low > 0), '{}'),
           coalesce(array_agg(event ORDER BY event) FILTER (WHERE event IS NOT NULL AND count_low = 0), '{}')
      FROM attribution.conversion_meaning
     WHERE (advertised_app_id, valid_from) IN (SELECT advertised_app_id, valid_from FROM changed)
     GROUP BY advertised_app_id, valid_from, sequence_index, value;
    -- A lock by a value is shown by values of its kind, one by an event by the kinds that have the event.
    INSERT INTO attribution.scheme_window (
           advertised_app_id, valid_from, sequence_index, fine_hides_lock, coarse_hides_lock)
    SELECT advertised_app_id, valid_from, (of_scheme ->> 'index')::smallint,
           bool_or(NOT lock ? 'fine' AND NOT coalesce(of_event.has_fine, false)),
           bool_or(NOT lock ? 'coarse' AND NOT coalesce(of_event.has_coarse, false))
      FROM attribution.conversion_scheme AS scheme
     CROSS JOIN jsonb_array_elements(document -> 'windows') AS of_scheme
     CROSS JOIN jsonb_array_elements(CASE jsonb_typeof(of_scheme -> 'lock') WHEN 'array' THEN of_scheme -> 'lock'
                                          WHEN 'object' THEN jsonb_build_array(of_scheme -> 'lock') END) AS lock
     CROSS JOIN LATERAL (
           SELECT bool_or(fine IS NOT NULL) AS has_fine, bool_or(coarse IS NOT NULL) AS has_coarse
             FROM attribution.conversion_meaning AS meaning
            WHERE meaning.advertised_app_id = scheme.advertised_app_id AND meaning.valid_from = scheme.valid_from
              AND sequence_index = (of_scheme ->> 'index')::smallint AND event = lock ->> 'event') AS of_event
     WHERE (advertised_app_id, valid_from) IN (
           SELECT advertised_app_id, valid_from FROM changed
           INTERSECT SELECT advertised_app_id, valid_from FROM attribution.conversion_meaning)
     GROUP BY advertised_app_id, valid_from, of_scheme ->> 'index';
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
           AND day >= (since AT TIME ZONE 'UTC')::date) THEN
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

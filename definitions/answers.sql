-- Answers: what a postback says about the person behind it, and how sure that is.
--
-- The functions here are pure: each takes the facts of one postback and names the rule it follows. The view
-- `postback_answer` applies them to the state of each postback, so it needs no table of its own and is never stale.
--
-- Hours are counted backwards from the arrival, the first receipt here. Apple repeats a failed delivery for at most
-- nine days, so a failure of ours moves the arrival. Nothing here models that.

-- Source: Apple, "Receiving postbacks in multiple conversion windows": SKAdNetwork 4.0 and AdAttributionKit have
-- windows and tiers. Earlier versions have one value and a timer ("SKAdNetwork/updateConversionValue(_:)").
CREATE OR REPLACE FUNCTION attribution.has_windows(protocol text, version text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT protocol = 'adattributionkit' OR version = '4.0' $$;

COMMENT ON FUNCTION attribution.has_windows IS
    'Whether postbacks have conversion windows and tiers: SKAdNetwork 4.0 and AdAttributionKit';

-- The postback data tiers that fit what a postback says; equal if there is only one. NULL up to SKAdNetwork 3.0.
--
-- Source: Apple, "Receiving postbacks in multiple conversion windows", its table of what each tier sends. Tier 3 sends
-- the source, and the country if its crowd is in tier 3 too. Tier 2 sends a fine value and two to four digits, tier 1 a
-- coarse value and two digits, tier 0 two digits only. Later windows are sent from tier 1 on. AdAttributionKit omits
-- the marketplace in tier 0 only. A postback with did-win false never has a source or a value, in any tier.
--
-- Two digits without value and source fit the tiers 0, 1 and 2 of SKAdNetwork. In tiers 1 and 2 an app that set no
-- value looks like that. A fact of a higher tier is believed more than the absence of one.
CREATE OR REPLACE FUNCTION attribution.privacy_tier(
    protocol text, version text, sequence_index smallint, did_win boolean, digits integer, value smallint,
    names_source boolean, names_country boolean, names_marketplace boolean)
RETURNS TABLE (tier_low smallint, tier_high smallint)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT (CASE WHEN NOT attribution.has_windows(protocol, version) THEN NULL
                 WHEN names_source OR names_country THEN 3
                 WHEN value BETWEEN 0 AND 63 THEN 2
                 WHEN value > 63 OR sequence_index > 0 THEN 1
                 WHEN digits > 2 THEN 2
                 WHEN protocol = 'adattributionkit' AND names_marketplace THEN 1
                 ELSE 0 END)::smallint,
           (CASE WHEN NOT attribution.has_windows(protocol, version) THEN NULL
                 WHEN names_source OR names_country OR sequence_index > 0 THEN 3
                 WHEN value BETWEEN 0 AND 63 THEN 2
                 WHEN value > 63 THEN 1
                 WHEN digits > 2 THEN CASE WHEN did_win THEN 2 ELSE 3 END
                 WHEN protocol = 'adattributionkit' AND NOT names_marketplace THEN 0
                 WHEN did_win THEN 2
                 ELSE 3 END)::smallint
$$;

COMMENT ON FUNCTION attribution.privacy_tier IS
    'The lowest and the highest postback data tier that fit what the postback says; NULL up to SKAdNetwork 3.0';

-- Why a postback has no value; NULL if it has one.
--
-- `not_applicable`: SKAdNetwork 1.0 has no values, and neither has a postback with did-win false. `not_set`: its tier
-- lets a value through, so the app set none. Later windows: the tier is at least 1. `withheld`: all else. SKAdNetwork
-- 4.0 without value, source and third digit may also be an app that set none. Nobody outside can tell, and the tier 0
-- is by far the commoner case. SKAdNetwork 2.0 to 3.0 has no tiers. Apple withholds value and source app below
-- thresholds of its own. Where the source app is there, we take it that the value would be there too (an inference;
-- Apple publishes neither threshold).
CREATE OR REPLACE FUNCTION attribution.no_value_kind(
    protocol text, version text, sequence_index smallint, did_win boolean, value smallint, tier_low smallint,
    names_source boolean)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value >= 0 THEN NULL
                WHEN NOT did_win OR (protocol = 'skadnetwork' AND version = '1.0') THEN 'not_applicable'
                WHEN sequence_index > 0 OR tier_low > 0 OR names_source THEN 'not_set'
                ELSE 'withheld'
           END
$$;

COMMENT ON FUNCTION attribution.no_value_kind IS
    'Why there is no value: withheld (for privacy), not_set (the app set none), not_applicable; NULL if there is one';

-- The times of a window in hours since the first launch, or since the open of a re-engagement, and the random delay of
-- its postback.
--
-- Source: Apple, "Receiving postbacks in multiple conversion windows". The windows are days 0 to 2, 3 to 7 and 8 to 35.
-- The delays are 24 to 48 hours after the first one, 24 to 144 after the others. Up to SKAdNetwork 3.0 a timer ends 24
-- hours after the last raise, and the postback comes 0 to 24 hours later ("updateConversionValue(_:)"). `opens` and
-- `closes` then stand for the timer.
CREATE OR REPLACE FUNCTION attribution.window_hours(has_windows boolean, sequence_index smallint)
RETURNS TABLE (opens integer, closes integer, delay_low integer, delay_high integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN NOT has_windows OR sequence_index = 0 THEN 0 WHEN sequence_index = 1 THEN 48 ELSE 168 END,
           CASE WHEN NOT has_windows THEN 24 WHEN sequence_index = 0 THEN 48 WHEN sequence_index = 1 THEN 168 ELSE 840 END,
           CASE WHEN has_windows THEN 24 ELSE 0 END,
           CASE WHEN NOT has_windows THEN 24 WHEN sequence_index = 0 THEN 48 ELSE 144 END
$$;

COMMENT ON FUNCTION attribution.window_hours IS
    'When a window opens and closes, in hours since the first launch, and the least and greatest delay of its postback';

-- When the app set the value that the postback has, in hours before the arrival.
--
-- With windows: at the latest when the window ended (or was locked, which is the same moment), at the earliest a whole
-- window before that. Up to 3.0 the last raise restarted the timer, so it was exactly the timer and the delay ago;
-- value 0 is the launch. Source: as window_hours.
--
-- Development postbacks have minutes in place of hours. Developer Mode: each window has three minutes, and the delay of
-- each is 5 to 10 minutes ("Testing ad attributions with Developer Mode"). The profile, before iOS 18: a timer of five
-- minutes, then at most five more ("Testing ad attributions with a downloaded profile"). A postback of the developer
-- settings can be sent at once after a lock ("Creating postbacks in developer settings"). So it is 0 to 13 minutes, in
-- quarters of an hour, for all of them. With neither the mode nor the profile a development postback has the times of
-- production. It does not say so, and that case is not taken up.
CREATE OR REPLACE FUNCTION attribution.value_set_hours(
    has_windows boolean, sequence_index smallint, is_development boolean)
RETURNS TABLE (set_hours_high double precision, set_hours_low integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN is_development THEN 0.25::double precision ELSE delay_high + closes - opens END,
           CASE WHEN is_development THEN 0 WHEN has_windows THEN delay_low ELSE closes + delay_low END
      FROM attribution.window_hours(has_windows, sequence_index)
$$;

COMMENT ON FUNCTION attribution.value_set_hours IS
    'How many hours before the arrival the app set the value, at most and at least';

-- Whether a window can have been locked before its end.
--
-- The scheme says beside which values the app may have locked (attribution.value_locks). A value that is withheld may be one
-- of them, and so may one that the scheme does not have (`value_locks` is NULL). A window in which nothing was set is not
-- locked, since a lock is part of setting a value
-- ("updatePostbackConversionValue(_:coarseValue:lockWindow:completionHandler:)"). No lock is known of losing ads.
CREATE OR REPLACE FUNCTION attribution.may_lock(
    has_windows boolean, value smallint, no_value_kind text, value_locks boolean, window_locks boolean)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT has_windows AND window_locks
           AND CASE WHEN value < 0 THEN coalesce(no_value_kind = 'withheld', false) ELSE coalesce(value_locks, true) END
$$;

COMMENT ON FUNCTION attribution.may_lock IS 'Whether the app may have locked the window before its end, by its scheme';

-- The first launch, or the open of a re-engagement, in hours before the arrival: at most, estimated, at least.
--
-- With windows: the end of the window and the delay. The estimate takes the mean delay: 84, 252 and 924 hours
-- (AppsFlyer, help 360014261518). A window can end early: by a lock of the app, or by a re-engagement (see `answer`).
-- Its end is then at least its opening, or the least hours of the value's meaning (of a lock: those of the value that
-- locks, too). If the value locks, the estimate takes
-- the mean of those hours, or the middle of the window if the scheme has none.
--
-- Up to 3.0: 24 to 48 hours before the arrival the app last raised the value. The launch is the same moment for value
-- 0. For others it is earlier by the hours of the meaning (Kochava: 36 h + 24 h × days since install). If the scheme
-- has none, it is earlier by 12 hours (AppsFlyer, the same page). It is not earlier than the measurement window of the
-- scheme, nor than 24 hours for each step of the value. Each raise comes before the timer of the one before expires. So
-- value v is set less than 24 · v hours after the launch. Without a fine value it may be any of 0 to 63. (A relay may add a
-- coarse value, which these versions do not sign. It has no steps.)
--
-- Development postbacks have minutes (see value_set_hours): at most 3, 6 or 9 to the end of the window and 10 more, and at
-- least none. Up to 3.0 each raise comes within five minutes of the one before. The bounds are rounded outwards to
-- quarters of an hour, the estimates to the nearest one. The hours of the value's meaning are those of production.
CREATE OR REPLACE FUNCTION attribution.install_hours(
    has_windows boolean, sequence_index smallint, value smallint, locks boolean, may_end_early boolean,
    hours_low smallint, hours_high smallint, measurement_window_hours smallint, is_development boolean)
RETURNS TABLE (install_hours_high double precision, install_hours double precision, install_hours_low integer)
LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE AS $$
    SELECT CASE WHEN is_development AND has_windows THEN CASE sequence_index WHEN 0 THEN 0.25::double precision ELSE 0.5 END
                WHEN is_development
                THEN ceil((13 + 5 * CASE WHEN value BETWEEN 0 AND 63 THEN value ELSE 63 END) / 15::double precision) / 4
                WHEN has_windows THEN w.closes + w.delay_high ELSE 48 + active.last END,
           CASE WHEN is_development THEN 0.25::double precision
                WHEN NOT has_windows THEN 36 + active.mean
                WHEN locks
                THEN least(greatest(coalesce((hours_low + hours_high) / 2::double precision,
                                             (w.opens + w.closes) / 2::double precision), w.opens),
                           w.closes) + (w.delay_low + w.delay_high) / 2
                ELSE w.closes + (w.delay_low + w.delay_high) / 2 END,
           CASE WHEN is_development THEN 0
                WHEN NOT has_windows THEN 24 + active.first
                WHEN may_end_early THEN greatest(w.opens, least(coalesce(hours_low, 0), w.closes)) + w.delay_low
                ELSE w.closes + w.delay_low END
      FROM attribution.window_hours(has_windows, sequence_index) AS w,
           LATERAL (
        SELECT CASE WHEN value < 0 THEN 0 ELSE coalesce(hours_low, 0) END AS first,
               least(CASE WHEN value BETWEEN 0 AND 63 THEN 24 * value ELSE 24 * 63 END,
                     CASE WHEN value >= 0 THEN hours_high END, measurement_window_hours) AS last) AS hours,
           -- A scheme may contradict Apple, such as hours after the end of the window: Apple's bounds hold.
           LATERAL (
        SELECT least(hours.first, hours.last) AS first, hours.last,
               CASE WHEN value <= 0 THEN 0 ELSE least(hours.last, coalesce((hours_low + hours_high) / 2::double precision, 12)) END
                   AS mean) AS active
$$;

COMMENT ON FUNCTION attribution.install_hours IS
    'How many hours before the arrival the first launch (or engagement) was: at most, estimated, at least';

-- No postback arrives before its install. Its install is estimated at most 36 + 24 · 63 hours before it (install_hours: the
-- longest timer and its mean delay), so at most 65 days.
CREATE OR REPLACE FUNCTION attribution.greatest_lag() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 65 $$;

COMMENT ON FUNCTION attribution.greatest_lag() IS
    'How many days the day of arrival is behind that of install_at, at most';

-- From when on no more postbacks of a day of first launches (or engagements) can arrive, deliveries that failed at
-- first left aside. Source: the latest launch of the day and the longest time of install_hours: days D + 5, D + 14 and
-- D + 42; Adjust gives the same days. Up to 3.0 it depends on the measurement window of the scheme. Development postbacks
-- arrive within hours, so it is D + 2.
CREATE OR REPLACE FUNCTION attribution.complete_from(
    launch_day date, has_windows boolean, sequence_index smallint, measurement_window_hours smallint,
    is_development boolean DEFAULT false)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    -- Days of a time zone may have 23 or 25 hours.
    SELECT (attribution.day_begins(launch_day + 1) AT TIME ZONE 'UTC'
            + interval '24 hours' * CASE WHEN is_development THEN 1
                                         WHEN NOT has_windows
                                         THEN (48 + coalesce(measurement_window_hours, 24 * 63) + 23) / 24
                                         WHEN sequence_index = 0 THEN 4 WHEN sequence_index = 1 THEN 13 ELSE 41 END
           ) AT TIME ZONE 'UTC'
$$;

COMMENT ON FUNCTION attribution.complete_from IS
    'From when on no more postbacks of this day of first launches and this window arrive, but for late deliveries';

CREATE OR REPLACE FUNCTION attribution.is_complete(
    launch_day date, has_windows boolean, sequence_index smallint, measurement_window_hours smallint, at timestamptz,
    is_development boolean DEFAULT false)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT attribution.complete_from(
               launch_day, has_windows, sequence_index, measurement_window_hours, is_development) <= at
$$;

COMMENT ON FUNCTION attribution.is_complete IS
    'Whether all postbacks of this day of first launches and this window have arrived at a time, but for late deliveries';

-- What a postback says: its value, decoded by the scheme that was in force when the app set it, and when the install
-- was.
--
-- If the time in which the app may have set the value lies within one scheme, that scheme holds. If it touches a scheme
-- and anything else, the answer is ambiguous and has no meaning; its install hours take the widest of what these say. A
-- time without a scheme has no known measurement window.
--
-- AdAttributionKit: a re-engagement ends the open window of the conversion before it and sends its postback ("Receiving
-- ad attributions and postbacks": it locks the active postbacks of the prior conversion, and removes those that the app
-- has not registered). So each window may have ended early. We take it that a window that has not begun has nothing
-- registered.
--
-- Every limit is a quarter of an hour: the hours of windows, and the beginning of a scheme. So all moments of one
-- quarter of an hour have one answer.
CREATE OR REPLACE FUNCTION attribution.answer(
    advertised_app_id bigint, protocol text, version text, digits integer, sequence_index smallint, did_win boolean,
    value smallint, names_source boolean, names_country boolean, names_marketplace boolean, received_at timestamptz,
    is_development boolean)
RETURNS TABLE (
    tier_low smallint, tier_high smallint, no_value_kind text, scheme_valid_from timestamptz, decoding text,
    events text[], possible_events text[], revenue_low numeric, revenue_middle numeric, revenue_high numeric,
    currency text, measurement_window_hours smallint, may_have_locked boolean,
    install_hours_high double precision, install_hours double precision, install_hours_low integer)
LANGUAGE sql STABLE ROWS 1 PARALLEL SAFE AS $$
SELECT tier.tier_low, tier.tier_high, no_value.kind, scheme.valid_from,
       CASE WHEN $7 < 0 THEN NULL
            WHEN scheme.valid_from IS NULL THEN CASE WHEN nearby.schemes > 0 THEN 'ambiguous' ELSE 'no_scheme' END
            WHEN meaning.value IS NULL THEN 'unmapped'
            ELSE 'mapped' END,
       meaning.events, meaning.possible_events,
       meaning.revenue_low, meaning.revenue_middle, meaning.revenue_high, scheme.currency,
       limits.measurement_window_hours, may.lock,
       install.install_hours_high, install.install_hours, install.install_hours_low
  FROM attribution.has_windows($2, $3) AS has (windows)
 CROSS JOIN LATERAL attribution.privacy_tier($2, $3, $5, $6, $4, $7, $8, $9, $10) AS tier
 CROSS JOIN LATERAL attribution.no_value_kind($2, $3, $5, $6, $7, tier.tier_low, $8) AS no_value (kind)
 CROSS JOIN LATERAL attribution.value_set_hours(has.windows, $5, $12) AS set_hours
 CROSS JOIN LATERAL (
       SELECT $11 - set_hours.set_hours_high * interval '1 hour' AS set_low,
              $11 - set_hours.set_hours_low * interval '1 hour' AS set_high) AS was
  LEFT JOIN attribution.conversion_scheme AS scheme
         ON scheme.advertised_app_id = $1
        AND scheme.valid_from <= was.set_low AND coalesce(scheme.valid_to, 'infinity') > was.set_high
  LEFT JOIN attribution.scheme_window AS scheme_window
         ON scheme_window.advertised_app_id = $1
        AND scheme_window.valid_from = scheme.valid_from AND scheme_window.sequence_index = $5
  LEFT JOIN attribution.value_meaning AS meaning
         ON meaning.advertised_app_id = $1 AND meaning.valid_from = scheme.valid_from
        AND meaning.sequence_index = $5 AND meaning.value = $7
  LEFT JOIN LATERAL (
       SELECT count(*) AS schemes,
              -- Each of them may be the one by which the app set the value.
              count(other_window.sequence_index)
                  FILTER (WHERE other_meaning.value IS NULL OR other_meaning.lock_hours_low IS NOT NULL) > 0 AS locks,
              CASE WHEN count(other.measurement_window_hours) = count(*)
                    AND range_agg(tstzrange(other.valid_from, other.valid_to))
                        @> tstzrange(was.set_low, was.set_high, '[]')
                   THEN max(other.measurement_window_hours) END AS measurement_window_hours
         FROM attribution.conversion_scheme AS other
         LEFT JOIN attribution.scheme_window AS other_window
                ON other_window.advertised_app_id = $1
               AND other_window.valid_from = other.valid_from
               AND other_window.sequence_index = $5
         LEFT JOIN attribution.value_meaning AS other_meaning
                ON other_meaning.advertised_app_id = $1
               AND other_meaning.valid_from = other.valid_from
               AND other_meaning.sequence_index = $5 AND other_meaning.value = $7
        -- Inside, so that it is read for such postbacks only.
        WHERE scheme.valid_from IS NULL AND other.advertised_app_id = $1
          AND other.valid_from <= was.set_high AND coalesce(other.valid_to, 'infinity') > was.set_low) AS nearby
         ON true
 CROSS JOIN LATERAL (
       SELECT coalesce(scheme.measurement_window_hours, nearby.measurement_window_hours) AS measurement_window_hours
       ) AS limits
 CROSS JOIN LATERAL (
       SELECT CASE WHEN scheme.valid_from IS NULL AND ($7 >= 0 OR no_value.kind = 'withheld')
                   THEN has.windows AND nearby.locks
                   ELSE attribution.may_lock(
                            has.windows, $7, no_value.kind,
                            CASE WHEN meaning.value IS NOT NULL THEN meaning.lock_hours_low IS NOT NULL END,
                            scheme_window.sequence_index IS NOT NULL)
              END AS lock) AS may
 CROSS JOIN LATERAL attribution.install_hours(
       has.windows, $5, $7, coalesce(meaning.locks, false), may.lock OR $2 = 'adattributionkit',
       -- A re-engagement may come before the lock.
       CASE WHEN may.lock AND $2 = 'skadnetwork' THEN greatest(meaning.hours_low, meaning.lock_hours_low)
            ELSE meaning.hours_low END,
       meaning.hours_high, limits.measurement_window_hours, $12) AS install
$$;

COMMENT ON FUNCTION attribution.answer IS
    'What a postback says, from its facts: tier, why it has no value, what its value means, and the hours since the install';

-- What each postback says, one row each. It is computed from the state and never stale.
CREATE OR REPLACE VIEW attribution.postback_answer AS
SELECT state.transaction_id, state.lane, state.network, state.sequence_index, state.did_win,
       state.line, state.source, state.traits, state.received_at, state.value,
       answer.tier_low, answer.tier_high, answer.no_value_kind, answer.scheme_valid_from, answer.decoding,
       answer.events, answer.possible_events, answer.revenue_low, answer.revenue_middle, answer.revenue_high,
       answer.currency,
       CASE traits.kind WHEN 're-engagement' THEN 'engagement' ELSE 'install' END AS day_of,
       answer.may_have_locked,
       state.received_at - answer.install_hours_high * interval '1 hour' AS install_low,
       state.received_at - answer.install_hours * interval '1 hour' AS install_at,
       state.received_at - answer.install_hours_low * interval '1 hour' AS install_high,
       install.day AS install_day,
       attribution.is_complete(install.day, attribution.has_windows(line.protocol, traits.version),
                               state.sequence_index, answer.measurement_window_hours, now(),
                               line.environment = 'development') AS complete
  FROM attribution.postback_state AS state
  JOIN attribution.line USING (line)
  JOIN attribution.traits USING (traits)
 CROSS JOIN LATERAL attribution.answer(
       line.advertised_app_id, line.protocol, traits.version, length(line.campaign), state.sequence_index,
       state.did_win, state.value, state.source <> 0, traits.country_code IS NOT NULL,
       traits.marketplace_identifier IS NOT NULL, state.received_at, line.environment = 'development') AS answer
 CROSS JOIN LATERAL (
       SELECT attribution.day_of(state.received_at - answer.install_hours * interval '1 hour')) AS install (day);
COMMENT ON VIEW attribution.postback_answer IS
    'What each postback says: tier, why it has no value, what its value means, when the install was; one row each';
COMMENT ON COLUMN attribution.postback_answer.value IS
    'The value that counts now: -1 none, 0 to 63 fine, 101, 102, 103 for low, medium, high';
COMMENT ON COLUMN attribution.postback_answer.tier_low IS 'The lowest tier that fits; NULL up to SKAdNetwork 3.0';
COMMENT ON COLUMN attribution.postback_answer.tier_high IS 'The highest tier that fits; NULL up to SKAdNetwork 3.0';
COMMENT ON COLUMN attribution.postback_answer.no_value_kind IS
    'Why there is no value: withheld (or never set, nobody outside can tell), not_set, not_applicable; NULL if there is one';
COMMENT ON COLUMN attribution.postback_answer.scheme_valid_from IS
    'The scheme in which the app set the value for sure; with the app it is its key. NULL if there is none';
COMMENT ON COLUMN attribution.postback_answer.decoding IS
    'mapped; unmapped (the scheme does not have the value); ambiguous (the app may have set the value before or after a '
    'change of scheme); no_scheme; NULL without a value';
COMMENT ON COLUMN attribution.postback_answer.events IS 'The events that have happened';
COMMENT ON COLUMN attribution.postback_answer.possible_events IS 'The events that may have happened, or not';
COMMENT ON COLUMN attribution.postback_answer.revenue_low IS 'The least revenue of this window';
COMMENT ON COLUMN attribution.postback_answer.revenue_middle IS
    'The middle of the least and the greatest revenue, to six places; the least if there is no upper end; NULL if the '
    'revenue of an event is unknown';
COMMENT ON COLUMN attribution.postback_answer.revenue_high IS 'The greatest revenue; NULL if there is no upper end';
COMMENT ON COLUMN attribution.postback_answer.currency IS 'The currency of the scheme in which the app set the value for sure';
COMMENT ON COLUMN attribution.postback_answer.day_of IS 'What install_… are times of: install or engagement';
COMMENT ON COLUMN attribution.postback_answer.may_have_locked IS
    'Whether the app may have locked the window before its end, by its scheme';
COMMENT ON COLUMN attribution.postback_answer.install_low IS 'The earliest first launch, or open of a re-engagement';
COMMENT ON COLUMN attribution.postback_answer.install_at IS 'The estimated first launch, or open of a re-engagement';
COMMENT ON COLUMN attribution.postback_answer.install_high IS 'The latest first launch, or open of a re-engagement';
COMMENT ON COLUMN attribution.postback_answer.install_day IS 'The day of install_at';
COMMENT ON COLUMN attribution.postback_answer.complete IS
    'Whether no more postbacks of this day and window can arrive now, but for late deliveries';
COMMENT ON COLUMN attribution.postback_answer.transaction_id IS 'Key: the transaction id or postback identifier';
COMMENT ON COLUMN attribution.postback_answer.lane IS 'Key: the lane of the postback';
COMMENT ON COLUMN attribution.postback_answer.network IS 'Key: the network, a row of attribution.network';
COMMENT ON COLUMN attribution.postback_answer.sequence_index IS 'Key: the conversion window, 0, 1 or 2';
COMMENT ON COLUMN attribution.postback_answer.did_win IS 'Key: whether Apple attributes the conversion to this network';
COMMENT ON COLUMN attribution.postback_answer.line IS 'The campaign and the app, a row of attribution.line';
COMMENT ON COLUMN attribution.postback_answer.source IS 'Where the ad was shown, see attribution.source; 0: not said';
COMMENT ON COLUMN attribution.postback_answer.traits IS 'Other facts, a row of attribution.traits';
COMMENT ON COLUMN attribution.postback_answer.received_at IS 'The first receipt; install_… are hours before it';

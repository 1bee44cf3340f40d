-- Copies against originals: the rules by which `PostbackServer reconcile` compares, and the views of what it found out.

-- Whether Apple sends a copy of a postback to the developer.
-- Source: Apple, "Receiving ad attributions and postbacks": winning postbacks, from 2.0 on, with the same content, at
-- the same time.
CREATE OR REPLACE FUNCTION attribution.has_copy(did_win boolean, version text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT did_win AND version <> '1.0' $$;

COMMENT ON FUNCTION attribution.has_copy IS
    'Whether Apple sends a copy of a postback to the developer: winning ones, from SKAdNetwork 2.0 on';

-- Source: Apple, "Verifying an install-validation postback": up to nine times within nine days.
CREATE OR REPLACE FUNCTION attribution.retry_time() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '9 days' $$;

COMMENT ON FUNCTION attribution.retry_time() IS 'How long a device tries again to deliver a postback';

-- Whether a value is one that a stored postback had before it was raised.
--
-- The state keeps the first value, the one before the last raise, and the current one. A value between the first and
-- the one before the last raise may have been there, if it was raised more than twice. It is believed, so that nobody
-- is accused without a proof.
CREATE OR REPLACE FUNCTION attribution.was_value(
    a_value smallint, value smallint, first_value smallint, previous_value smallint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT value <> first_value
       AND (a_value = first_value OR a_value = previous_value
            OR (a_value > first_value AND a_value < previous_value AND (a_value > 63) = (previous_value > 63)))
$$;

COMMENT ON FUNCTION attribution.was_value IS
    'Whether a stored postback had a value before it was raised, by its first, previous and current value';

-- How the values of a postback that both sides have agree. Each side's value is the one that counts after all of its
-- deliveries, by the rule of `attribution.postback`: the highest of the kind that came first.
CREATE OR REPLACE FUNCTION attribution.copy_outcome(
    value smallint, first_value smallint, previous_value smallint, other_value smallint, other_had_value boolean)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value = other_value THEN 'same_value'
                WHEN attribution.was_value(other_value, value, first_value, previous_value) THEN 'raised_here'
                WHEN other_had_value THEN 'raised_there'
                ELSE 'value_differs'
           END
$$;

COMMENT ON FUNCTION attribution.copy_outcome IS
    'How the values of both sides agree: same_value, raised_here, raised_there (another delivery of the archive has '
    'the value that is here) or value_differs';

CREATE OR REPLACE FUNCTION attribution.value_difference(value smallint, other_value smallint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value = other_value OR value IS NULL OR other_value IS NULL THEN NULL
                WHEN value < 0 THEN 'none here'
                WHEN other_value < 0 THEN 'none there'
                WHEN (value > 63) <> (other_value > 63) THEN 'other kind'
                WHEN value > other_value THEN 'higher here'
                ELSE 'higher there'
           END
$$;

COMMENT ON FUNCTION attribution.value_difference IS
    'How two values differ: higher here, higher there, none here, none there, other kind (fine against coarse); NULL '
    'if they are equal, or if one is NULL';

CREATE OR REPLACE FUNCTION attribution.remove_reconciliation(a_run integer) RETURNS void LANGUAGE sql AS $$
    DELETE FROM attribution.reconciliation_difference WHERE run = a_run;
    DELETE FROM attribution.reconciliation_line WHERE run = a_run;
    DELETE FROM attribution.reconciliation WHERE run = a_run;
$$;

COMMENT ON FUNCTION attribution.remove_reconciliation(integer) IS 'Removes a run with its numbers and its differences';

-- The views with `_all` show every environment. Developer copies are not left out of the others, as they are elsewhere:
-- here a copy is compared with its original and counted once. At a developer's installation every postback is a copy.

CREATE OR REPLACE VIEW attribution.copy_difference_all AS
SELECT line.environment, line.developer_copy, run, reconciliation.file, reconciliation.side, different.outcome,
       attribution.value_difference(different.value, different.other_value) AS value_difference,
       line.protocol, traits.version, line.ad_network_id, different.transaction_id, different.sequence_index,
       different.did_win, line.campaign_type, line.campaign, line.advertised_app_id,
       attribution.source_app_id(source) AS source_app_id, source_domain, traits.conversion_type, traits.country_code,
       attribution.fine_value(different.value) AS conversion_value,
       attribution.coarse_value(different.value) AS coarse_value,
       attribution.fine_value(different.other_value) AS other_conversion_value,
       attribution.coarse_value(different.other_value) AS other_coarse_value,
       attribution.fine_value(different.first_value) AS first_conversion_value,
       attribution.coarse_value(different.first_value) AS first_coarse_value,
       attribution.fine_value(different.previous_value) AS previous_conversion_value,
       attribution.coarse_value(different.previous_value) AS previous_coarse_value,
       different.received_at, different.other_received_at, different.file_line, different.at_end
  FROM attribution.reconciliation_difference AS different
  JOIN attribution.reconciliation USING (run)
  JOIN attribution.line USING (line)
  LEFT JOIN attribution.source USING (source)
  JOIN attribution.traits USING (traits);

CREATE OR REPLACE VIEW attribution.copy_difference AS
SELECT run, file, side, outcome, value_difference, protocol, version, ad_network_id, transaction_id, sequence_index,
       did_win, campaign_type, campaign, advertised_app_id, source_app_id, source_domain, conversion_type, country_code,
       conversion_value, coarse_value, other_conversion_value, other_coarse_value,
       first_conversion_value, first_coarse_value, previous_conversion_value, previous_coarse_value,
       received_at, other_received_at, file_line, at_end
  FROM attribution.copy_difference_all
 WHERE environment = 'production';

COMMENT ON VIEW attribution.copy_difference IS
    'Postbacks that are not the same on both sides, one row each; production';
COMMENT ON VIEW attribution.copy_difference_all IS
    'Postbacks that are not the same on both sides, one row each; every environment';

-- The same column means the same in a view and in the one with `_all`.
DO $$
DECLARE
    described record;
BEGIN
    FOR described IN
        SELECT * FROM (VALUES
            ('environment', 'production, development or test'),
            ('developer_copy', 'Whether the postbacks here are a developer''s copies of another network''s'),
            ('run', 'The number of the run; a run is one archive'),
            ('file', 'The path of the archive, as it was given'),
            ('side', 'Whose archive it is: a network''s, or a developer''s'),
            ('protocol', 'skadnetwork or adattributionkit'),
            ('ad_network_id', 'The network, in lower case as signed'),
            ('campaign_type', 'campaign-id or source-identifier'),
            ('campaign', 'The campaign id, or the source identifier as received'),
            ('advertised_app_id', 'The App Store id of the advertised app'),
            ('outcome',
             'What differs: value_differs, raised_here, raised_there, signed_differs, only_here, only_there; as the '
             'columns of report_copy_agreement'),
            ('value_difference',
             'How the values differ: higher here, higher there, none here, none there, other kind (fine against '
             'coarse); NULL if one side has no postback'),
            ('version', 'The version of SKAdNetwork; none for AdAttributionKit'),
            ('transaction_id', 'Apple''s transaction id or postback identifier'),
            ('sequence_index', 'The conversion window: 0, 1 or 2'),
            ('did_win', 'Whether Apple attributes the conversion to this network'),
            ('source_app_id', 'The app that showed the ad'),
            ('source_domain', 'The web site that showed the ad'),
            ('conversion_type', 'AdAttributionKit: download, redownload or re-engagement'),
            ('country_code', 'The country, if Apple sent it; not signed, and not compared'),
            ('conversion_value', 'The fine value that counts here'),
            ('coarse_value', 'The coarse value that counts here'),
            ('other_conversion_value',
             'The fine value that counts after all deliveries of the archive'),
            ('other_coarse_value',
             'The coarse value that counts after all deliveries of the archive'),
            ('first_conversion_value', 'The fine value of the first delivery here'),
            ('first_coarse_value', 'The coarse value of the first delivery here'),
            ('previous_conversion_value', 'The fine value here before the last raise'),
            ('previous_coarse_value', 'The coarse value here before the last raise'),
            ('received_at', 'When the first delivery was received here; NULL if it is only there'),
            ('other_received_at',
             'When the first delivery was received there; NULL if it is only here, or if the archive does not say it'),
            ('file_line',
             'The line of the archive on which the postback comes first; NULL if it is only here'),
            ('at_end',
             'Whether a retry of Apple''s (nine days) may have brought it to the other side outside of the time that '
             'was compared')
        ) AS described (name, meaning)
    LOOP
        EXECUTE format('COMMENT ON COLUMN attribution.copy_difference_all.%I IS %L', described.name, described.meaning);
        CONTINUE WHEN described.name IN ('environment', 'developer_copy');
        EXECUTE format('COMMENT ON COLUMN attribution.copy_difference.%I IS %L', described.name, described.meaning);
    END LOOP;
END $$;

-- Postbacks for people to read, and what their numbers mean.

-- A conversion value is one number: -1 for none, 0 to 63 for a fine value, 101, 102, 103 for low, medium, high.
CREATE OR REPLACE FUNCTION attribution.fine_value(value smallint) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN value BETWEEN 0 AND 63 THEN value END $$;

CREATE OR REPLACE FUNCTION attribution.coarse_value(value smallint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE value WHEN 101 THEN 'low' WHEN 102 THEN 'medium' WHEN 103 THEN 'high' END $$;

-- The hierarchy of source identifiers (SKAdNetwork 4.0, AdAttributionKit), by their last two, three and four digits.
-- Apple cuts an identifier to its last digits if the crowd is small: 5239 arrives as 5239, 239 or 39. A postback takes
-- part in each level that it has digits for. An identifier of one digit has a level of its own, so none is lost.
-- A level of an identifier for each line, from the figures of its windows.
CREATE OR REPLACE FUNCTION attribution.identifier_levels(campaign text)
RETURNS TABLE (digits integer, source_identifier text, received_digits integer)
LANGUAGE sql IMMUTABLE ROWS 3 PARALLEL SAFE AS $$
    SELECT digits, right(campaign, digits), length(campaign)
      FROM (VALUES (1), (2), (3), (4)) AS level (digits)
     WHERE digits BETWEEN least(length(campaign), 2) AND length(campaign)
$$;

-- The campaign as reports of two digits have it, which each postback can be in: the campaign id, or the last two digits.
CREATE OR REPLACE FUNCTION attribution.two_digits(campaign_type text, campaign text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE campaign_type WHEN 'source-identifier' THEN right(campaign, 2) ELSE campaign END $$;
COMMENT ON FUNCTION attribution.two_digits(text, text) IS
    'The campaign id, or the last two digits of a source identifier';

-- A 1 stands before the digits, since leading zeros count.
CREATE OR REPLACE FUNCTION attribution.two_digits_number(campaign_type text, campaign text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT ('1' || attribution.two_digits(campaign_type, campaign))::integer $$;
COMMENT ON FUNCTION attribution.two_digits_number(text, text) IS
    'The campaign id, or the last two digits of a source identifier, as a number with a 1 before them';

-- The number of a domain: -1 less 62 bits of the SHA-256 of its text, so -1 to -2^62. migrations/0001_dimensions.sql says
-- when a domain has another one. It is for tools; servers compute the same (`SourceNumber`).
CREATE OR REPLACE FUNCTION attribution.source_number(domain text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT -1 - ('x' || left(encode(sha256(convert_to(domain, 'UTF8')), 'hex'), 16))::bit(62)::bigint
$$;

COMMENT ON FUNCTION attribution.source_number(text) IS
    'The number of a source domain, unless another domain had it before';

-- The App Store id of a source; NULL if it is a domain, or if the postback names no source.
CREATE OR REPLACE FUNCTION attribution.source_app_id(source bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN $1 > 0 THEN $1 WHEN $1 = -9223372036854775808 THEN 0 END
$$;

COMMENT ON FUNCTION attribution.source_app_id(bigint) IS
    'The App Store id of a source; NULL if it is a domain or none';

-- Postbacks, for people to read.
CREATE OR REPLACE VIEW attribution.postback AS
SELECT line.environment, line.protocol, traits.version, line.ad_network_id,
       state.transaction_id, state.sequence_index, state.did_win,
       line.campaign_type, line.campaign, line.advertised_app_id,
       attribution.source_app_id(source) AS source_app_id, source_domain,
       traits.redownload, traits.conversion_type, traits.fidelity_type, traits.ad_interaction_type,
       traits.marketplace_identifier,
       attribution.fine_value(state.value) AS conversion_value,
       attribution.fine_value(state.first_value) AS first_conversion_value,
       attribution.fine_value(state.previous_value) AS previous_conversion_value,
       attribution.coarse_value(state.value) AS coarse_value,
       attribution.coarse_value(state.first_value) AS first_coarse_value,
       attribution.coarse_value(state.previous_value) AS previous_coarse_value,
       traits.country_code, state.conflicts, state.received_at, state.raised_at,
       line.developer_copy, traits.relay_normalised, signing_key.name AS signing_key,
       body.payload::json AS payload, raised.payload::json AS raised_payload
  FROM attribution.postback_state AS state
  JOIN attribution.line USING (line)
  LEFT JOIN attribution.source USING (source)
  JOIN attribution.traits USING (traits)
  JOIN attribution.signing_key USING (signing_key)
  LEFT JOIN attribution.postback_body AS body
         ON body.lane = state.lane AND body.position = state.position AND body.ordinal = state.ordinal
        AND body.transaction_id = state.transaction_id
  LEFT JOIN attribution.postback_body AS raised
         ON raised.lane = state.lane AND raised.position = state.raised_position
        AND raised.ordinal = state.raised_ordinal AND raised.transaction_id = state.transaction_id;

COMMENT ON VIEW attribution.postback IS 'Verified postbacks, one row each, counted once';
COMMENT ON COLUMN attribution.postback.environment IS
    'production, development or test; the key and the signed source app id decide it';
COMMENT ON COLUMN attribution.postback.protocol IS 'skadnetwork or adattributionkit';
COMMENT ON COLUMN attribution.postback.version IS 'The version of SKAdNetwork, such as 4.0; none for AdAttributionKit';
COMMENT ON COLUMN attribution.postback.ad_network_id IS 'The network, in lower case as signed';
COMMENT ON COLUMN attribution.postback.transaction_id IS 'Apple''s transaction id or postback identifier';
COMMENT ON COLUMN attribution.postback.sequence_index IS 'The conversion window: 0, 1 or 2';
COMMENT ON COLUMN attribution.postback.did_win IS 'Whether Apple attributes the conversion to this network';
COMMENT ON COLUMN attribution.postback.campaign_type IS 'campaign-id (SKAdNetwork up to 3.0) or source-identifier';
COMMENT ON COLUMN attribution.postback.campaign IS
    'The campaign id, or the source identifier as received, with its leading zeros';
COMMENT ON COLUMN attribution.postback.advertised_app_id IS 'The App Store id of the advertised app';
COMMENT ON COLUMN attribution.postback.source_app_id IS 'The app that showed the ad; NULL if Apple did not send it';
COMMENT ON COLUMN attribution.postback.source_domain IS
    'The web site that showed the ad; NULL if Apple did not send it';
COMMENT ON COLUMN attribution.postback.redownload IS
    'SKAdNetwork: whether the app was downloaded before; NULL if the version does not sign it';
COMMENT ON COLUMN attribution.postback.conversion_type IS 'AdAttributionKit: download, redownload or re-engagement';
COMMENT ON COLUMN attribution.postback.fidelity_type IS
    '0 view-through, 1 StoreKit-rendered; NULL if the version does not sign it';
COMMENT ON COLUMN attribution.postback.ad_interaction_type IS 'AdAttributionKit: view or click; Apple does not sign it';
COMMENT ON COLUMN attribution.postback.marketplace_identifier IS
    'AdAttributionKit: the marketplace; Apple omits it in tier 0';
COMMENT ON COLUMN attribution.postback.conversion_value IS
    'The fine value that counts now, 0 to 63; NULL if there is none';
COMMENT ON COLUMN attribution.postback.first_conversion_value IS 'The fine value of the first delivery';
COMMENT ON COLUMN attribution.postback.previous_conversion_value IS
    'The fine value before the last raise; NULL if there was none';
COMMENT ON COLUMN attribution.postback.coarse_value IS
    'The coarse value that counts now: low, medium or high; NULL if there is none';
COMMENT ON COLUMN attribution.postback.first_coarse_value IS 'The coarse value of the first delivery';
COMMENT ON COLUMN attribution.postback.previous_coarse_value IS
    'The coarse value before the last raise; NULL if there was none';
COMMENT ON COLUMN attribution.postback.country_code IS
    'The country, two capital letters, if Apple sent it; Apple does not sign it';
COMMENT ON COLUMN attribution.postback.conflicts IS 'Deliveries with another value that were ignored';
COMMENT ON COLUMN attribution.postback.received_at IS
    'When the first delivery was received; its day in the time zone of the installation is the day of arrival';
COMMENT ON COLUMN attribution.postback.raised_at IS 'When the last delivery that raised the value was received';
COMMENT ON COLUMN attribution.postback.developer_copy IS
    'Whether it is an app developer''s copy of another network''s postback';
COMMENT ON COLUMN attribution.postback.relay_normalised IS 'Whether a relay had changed the body, and this was undone';
COMMENT ON COLUMN attribution.postback.signing_key IS 'The name of the key that verified it';
COMMENT ON COLUMN attribution.postback.payload IS
    'The first body, byte for byte as received; NULL if its day was dropped';
COMMENT ON COLUMN attribution.postback.raised_payload IS
    'The body of the last delivery that raised the value; NULL if there is none';

-- Who delivered postbacks. It is a view of its own, because addresses may be those of people: whoever may read postbacks
-- need not see them.
CREATE OR REPLACE VIEW attribution.postback_origin AS
SELECT line.environment, line.protocol, line.ad_network_id, state.transaction_id, state.sequence_index, state.did_win,
       state.received_at, body.source_address, body.user_agent
  FROM attribution.postback_state AS state
  JOIN attribution.line USING (line)
  LEFT JOIN attribution.postback_body AS body
         ON body.lane = state.lane AND body.position = state.position AND body.ordinal = state.ordinal
        AND body.transaction_id = state.transaction_id;

COMMENT ON VIEW attribution.postback_origin IS
    'Who delivered the postbacks, one row each; docs/sql.md grants it to no analyst';
COMMENT ON COLUMN attribution.postback_origin.environment IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.protocol IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.ad_network_id IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.transaction_id IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.sequence_index IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.did_win IS 'As in attribution.postback: part of the key';
COMMENT ON COLUMN attribution.postback_origin.received_at IS 'As in attribution.postback';
COMMENT ON COLUMN attribution.postback_origin.source_address IS
    'The address that delivered the first body; NULL if it is not kept';
COMMENT ON COLUMN attribution.postback_origin.user_agent IS
    'The User-Agent that delivered the first body; NULL if it is not kept';

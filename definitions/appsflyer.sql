-- AppsFlyer's names: the schema `appsflyer` has a view for each of AppsFlyer's five topics of SKAdNetwork raw data,
-- with its columns. So a dashboard that reads them moves by changing the name of a schema. docs/appsflyer.md maps each
-- column.
--
-- Sources: AppsFlyer help 360014261518 (reports and install date), 11135475316113 (columns for SKAdNetwork 4.0 by
-- topic), 4404287683217 (ranges of revenue, counts and times).
--
-- A query pays only for what it names. Bodies, answers and names each come from a LEFT JOIN that the planner removes if
-- the query uses none of its columns. It knows that a subquery of aggregates without GROUP BY has one row, and that the
-- key of campaign_mapping is unique. Each aggregate of the view below is over one row, or over none.

-- The signature that Apple made, from a body: a member of SKAdNetwork's, the third part of AdAttributionKit's JWS. A relay may
-- add members with \u0000, which PostgreSQL reads in no text.
CREATE OR REPLACE FUNCTION attribution.body_signature(payload json) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(payload ->> 'attribution-signature', split_part(payload ->> 'jws-string', '.', 3))
$$;

COMMENT ON FUNCTION attribution.body_signature(json) IS
    'The signature in the body of a postback: attribution-signature, or the third part of jws-string';

-- What the topics share, one row for each postback. Its columns are defined here only.
CREATE OR REPLACE VIEW attribution.appsflyer_postback AS
SELECT line.environment, line.developer_copy,
       'id' || line.advertised_app_id::text AS app_id,
       line.ad_network_id AS skad_ad_network_id,
       CASE line.campaign_type WHEN 'campaign-id' THEN line.campaign END AS skad_campaign_id,
       attribution.fine_value(state.value)::integer AS skad_conversion_value,
       CASE line.protocol WHEN 'adattributionkit' THEN 'adattributionkit' ELSE traits.version END AS skad_version,
       state.transaction_id::text AS skad_transaction_id,
       mapping.campaign_id AS ad_network_campaign_id,
       mapping.campaign_name AS ad_network_campaign_name,
       CASE WHEN traits.conversion_type IS NULL THEN traits.redownload ELSE traits.conversion_type = 'redownload' END
           AS skad_redownload,
       attribution.source_app_id(source)::text AS skad_source_app_id,
       coalesce(traits.country_code, mapping.geo) AS country_code,
       NULL::text AS city,
       NULL::text AS postal_code,
       NULL::text AS dma,
       NULL::text AS ip,
       NULL::text AS region,
       state.received_at AT TIME ZONE 'UTC' AS "timestamp",
       state.received_at AT TIME ZONE 'UTC' AS ad_network_timestamp,
       attribution.body_signature(replace(body.payload, '\u0000', '\ufffd')::json) AS skad_attribution_signature,
       mapping.ad_group_name AS ad_network_adset_name,
       mapping.ad_group_id AS ad_network_adset_id,
       mapping.creative_name AS ad_network_ad_name,
       mapping.creative_id AS ad_network_ad_id,
       coalesce(attribution.source_app_id(source)::text, source_domain) AS ad_network_source_app_id,
       state.did_win AS skad_did_win,
       coalesce(traits.fidelity_type::integer,
                CASE traits.ad_interaction_type WHEN 'view' THEN 0 WHEN 'click' THEN 1 END) AS skad_fidelity_type,
       attribution.day_of(state.received_at - answer.install_hours * interval '1 hour') AS install_date,
       traits.kind AS install_type,
       attribution.network_name(line.ad_network_id) AS media_source,
       answer.decoding IS NOT DISTINCT FROM 'ambiguous' AS skad_ambiguous_event,
       NULL::text AS skad_mode,
       NULL::text AS event_value,
       NULL::text AS ad_network_channel,
       NULL::text AS af_prt,
       NULL::text AS "interval",
       answer.measurement_window_hours::integer AS measurement_window,
       NULL::text AS user_agent,
       false AS af_attribution_flag,
       line.advertised_app_id::text AS skad_app_id,
       state.sequence_index::integer AS skad_postback_sequence_index,
       attribution.coarse_value(state.value) AS skad_coarse_conversion_value,
       CASE line.campaign_type WHEN 'source-identifier' THEN line.campaign END AS skad_source_identifier,
       source_domain AS skad_source_domain,
       mapping.creative_name AS ad_network_creative,
       -- What the topics need besides.
       line.advertised_app_id, state.network, state.sequence_index, state.value, answer.scheme_valid_from,
       answer.decoding, answer.currency
  FROM attribution.postback_state AS state
  JOIN attribution.line USING (line)
  LEFT JOIN attribution.source USING (source)
  JOIN attribution.traits USING (traits)
  LEFT JOIN LATERAL (
       SELECT max(said.install_hours) AS install_hours, max(said.decoding) AS decoding,
              max(said.scheme_valid_from) AS scheme_valid_from, max(said.currency) AS currency,
              max(said.measurement_window_hours) AS measurement_window_hours
         FROM attribution.answer(
              line.advertised_app_id, line.protocol, traits.version, length(line.campaign), state.sequence_index,
              state.did_win, state.value, state.source <> 0, traits.country_code IS NOT NULL,
              traits.marketplace_identifier IS NOT NULL, state.received_at,
              line.environment = 'development') AS said) AS answer
         ON true
  LEFT JOIN LATERAL (
       SELECT max(stored.payload) AS payload
         FROM attribution.postback_body AS stored
        WHERE stored.lane = state.lane AND stored.position = state.position AND stored.ordinal = state.ordinal
          AND stored.transaction_id = state.transaction_id) AS body
         ON true
  LEFT JOIN attribution.line_mapping('-infinity', 'infinity') AS named
         ON named.line = state.line
        AND attribution.day_of(state.received_at) BETWEEN named.from_day AND named.to_day
        AND attribution.mapping_covers(named.country, named.other_countries, traits.country_code)
        AND attribution.mapping_covers(
            named.source_app, named.other_source_apps, coalesce(attribution.source_app_id(source)::text, source_domain))
  LEFT JOIN attribution.campaign_mapping AS mapping ON mapping.mapping = named.mapping;

COMMENT ON VIEW attribution.appsflyer_postback IS 'What the views of the schema appsflyer share; one row each postback';

-- The same id for the same record, whenever it is asked for.
CREATE OR REPLACE FUNCTION attribution.appsflyer_record_id(
    transaction_id text, network smallint, sequence_index smallint, did_win boolean, event text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT md5($1 || ' ' || $2 || ' ' || $3 || ' ' || $4 || ' ' || $5)::uuid::text
$$;

COMMENT ON FUNCTION attribution.appsflyer_record_id(text, smallint, smallint, boolean, text) IS
    'The event_uuid of a record: made of the key of the postback and the event, so it never changes';

-- Postbacks as they arrived: won and lost, all windows.
CREATE OR REPLACE VIEW appsflyer.skad_postbacks_all AS
SELECT environment, developer_copy,
       app_id, skad_ad_network_id, skad_campaign_id, skad_conversion_value, skad_version, skad_transaction_id,
       ad_network_campaign_id, ad_network_campaign_name, skad_redownload, skad_source_app_id, country_code, city,
       postal_code, dma, ip, region, "timestamp", ad_network_timestamp, skad_attribution_signature,
       ad_network_adset_name, ad_network_adset_id, ad_network_ad_name, ad_network_ad_id, ad_network_source_app_id,
       skad_did_win AS did_win, skad_fidelity_type AS fidelity_type, ad_network_channel, af_prt, skad_app_id,
       skad_postback_sequence_index, skad_coarse_conversion_value, skad_source_identifier, skad_source_domain,
       ad_network_creative
  FROM attribution.appsflyer_postback;

COMMENT ON VIEW appsflyer.skad_postbacks_all IS
    'Postbacks as they arrived, won and lost, of all windows; every environment, and developer copies too';

-- The copies that developers get: what the device sent, and nothing that a network adds.
CREATE OR REPLACE VIEW appsflyer.skad_postbacks_copy_all AS
SELECT environment, developer_copy,
       app_id, skad_ad_network_id, skad_campaign_id, skad_conversion_value, skad_version, skad_transaction_id,
       skad_redownload, skad_source_app_id, "timestamp", skad_attribution_signature, skad_did_win AS did_win,
       skad_fidelity_type AS fidelity_type, skad_app_id, skad_postback_sequence_index, skad_coarse_conversion_value,
       skad_source_identifier, skad_source_domain
  FROM attribution.appsflyer_postback
 WHERE developer_copy;

COMMENT ON VIEW appsflyer.skad_postbacks_copy_all IS 'Developer copies as they arrived; every environment';

-- In-app events: a row for each event of each mapped value, of all three windows. A value that means that nothing has
-- happened has none. A value that is ambiguous has no meaning, and so no event. AppsFlyer reports revenue in US
-- dollars.
CREATE OR REPLACE VIEW appsflyer.skad_inapps_all AS
SELECT environment, developer_copy,
       app_id, skad_ad_network_id, skad_campaign_id, skad_conversion_value, skad_version, skad_transaction_id,
       ad_network_campaign_id, ad_network_campaign_name, skad_redownload, skad_source_app_id, country_code, city,
       postal_code, dma, ip, region, "timestamp", ad_network_timestamp, skad_attribution_signature,
       ad_network_adset_name, ad_network_adset_id, ad_network_ad_name, ad_network_ad_id, ad_network_source_app_id,
       skad_did_win, skad_fidelity_type, install_date, install_type, media_source,
       meaning.event AS event_name,
       round(attribution.converted(
                 attribution.revenue_middle(meaning.revenue_low, meaning.revenue_high),
                 postback.currency, 'USD', postback.install_date), 6) AS skad_revenue,
       attribution.appsflyer_record_id(
           skad_transaction_id, network, postback.sequence_index, skad_did_win, meaning.event) AS event_uuid,
       skad_ambiguous_event, skad_mode, event_value, ad_network_channel, af_prt,
       round(attribution.converted(meaning.revenue_low, postback.currency, 'USD', postback.install_date), 6)
           AS min_revenue,
       round(attribution.converted(meaning.revenue_high, postback.currency, 'USD', postback.install_date), 6)
           AS max_revenue,
       meaning.count_low AS min_event_counter, meaning.count_high AS max_event_counter,
       meaning.hours_low::integer AS min_time_post_install, meaning.hours_high::integer AS max_time_post_install,
       "interval", measurement_window, user_agent, af_attribution_flag, skad_app_id, skad_postback_sequence_index,
       skad_coarse_conversion_value, skad_source_identifier, skad_source_domain, ad_network_creative
  FROM attribution.appsflyer_postback AS postback
  JOIN attribution.conversion_meaning AS meaning
    ON meaning.advertised_app_id = postback.advertised_app_id AND meaning.valid_from = postback.scheme_valid_from
   AND meaning.sequence_index = postback.sequence_index AND meaning.value = postback.value
 WHERE postback.decoding = 'mapped' AND meaning.event IS NOT NULL;

COMMENT ON VIEW appsflyer.skad_inapps_all IS
    'Events of mapped values, one row each; every environment, and developer copies too';

-- Installs and redownloads: the postback of the first window, if it won. They have the columns of skad_inapps. Their
-- events and revenue are there, so that a sum over all topics has them once.
DO $views$
DECLARE
    topic text;
    kind  text;
BEGIN
    FOR topic, kind IN VALUES ('skad_installs', 'install'), ('skad_redownloads', 'redownload') LOOP
        EXECUTE format($view$
            CREATE OR REPLACE VIEW appsflyer.%I AS
            SELECT environment, developer_copy,
                   app_id, skad_ad_network_id, skad_campaign_id, skad_conversion_value, skad_version,
                   skad_transaction_id, ad_network_campaign_id, ad_network_campaign_name, skad_redownload,
                   skad_source_app_id, country_code, city, postal_code, dma, ip, region, "timestamp",
                   ad_network_timestamp, skad_attribution_signature, ad_network_adset_name, ad_network_adset_id,
                   ad_network_ad_name, ad_network_ad_id, ad_network_source_app_id, skad_did_win, skad_fidelity_type,
                   install_date, install_type, media_source, %L AS event_name, NULL::numeric AS skad_revenue,
                   attribution.appsflyer_record_id(
                       skad_transaction_id, network, sequence_index, skad_did_win, %2$L) AS event_uuid,
                   skad_ambiguous_event, skad_mode, event_value, ad_network_channel, af_prt,
                   NULL::numeric AS min_revenue, NULL::numeric AS max_revenue, NULL::bigint AS min_event_counter,
                   NULL::bigint AS max_event_counter, NULL::integer AS min_time_post_install,
                   NULL::integer AS max_time_post_install, "interval", measurement_window, user_agent,
                   af_attribution_flag, skad_app_id, skad_postback_sequence_index, skad_coarse_conversion_value,
                   skad_source_identifier, skad_source_domain, ad_network_creative
              FROM attribution.appsflyer_postback
             WHERE skad_did_win AND sequence_index = 0 AND install_type = %L
            $view$, topic || '_all', 'af_skad_' || kind, kind);
        EXECUTE format('COMMENT ON VIEW appsflyer.%I IS %L', topic || '_all',
                       format('Winning postbacks of the first window that are of kind %s; every environment, and '
                              'developer copies too', kind));
    END LOOP;

    -- Each without _all: production, without the first two columns. skad_postbacks_copy alone has developer copies.
    FOR topic IN VALUES ('skad_postbacks'), ('skad_installs'), ('skad_redownloads'), ('skad_inapps'),
                        ('skad_postbacks_copy') LOOP
        EXECUTE format('CREATE OR REPLACE VIEW appsflyer.%I AS SELECT %s FROM appsflyer.%I WHERE environment = %L %s', topic,
                       (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
                          FROM pg_attribute
                         WHERE attrelid = format('appsflyer.%I', topic || '_all')::regclass AND attnum > 2),
                       topic || '_all', 'production',
                       CASE topic WHEN 'skad_postbacks_copy' THEN '' ELSE 'AND NOT developer_copy' END);
        EXECUTE format('COMMENT ON VIEW appsflyer.%I IS %L', topic, 'AppsFlyer''s topic ' || topic || ': as ' || topic
                       || '_all, production only'
                       || CASE topic WHEN 'skad_postbacks_copy' THEN '' ELSE ' and no developer copies' END);
    END LOOP;
END $views$;

-- A column means the same in each topic, so one text serves all.
DO $comments$
DECLARE
    meanings CONSTANT jsonb := $json${
        "environment": "production, development or test",
        "developer_copy": "Whether it is a copy for the developer of the app",
        "app_id": "id and the App Store id of the advertised app",
        "skad_ad_network_id": "The network, in lower case as signed",
        "skad_campaign_id": "The campaign id; NULL from SKAdNetwork 4.0 on",
        "skad_conversion_value": "The fine value that counts now, 0 to 63; NULL if there is none",
        "skad_version": "The version of SKAdNetwork; adattributionkit for AdAttributionKit",
        "skad_transaction_id": "Apple's transaction id or postback identifier",
        "ad_network_campaign_id": "The id of the campaign by the mapping of the day of timestamp; NULL without a row",
        "ad_network_campaign_name": "The name of the campaign by the mapping",
        "skad_redownload": "Whether it is a redownload; NULL if the version does not sign it",
        "skad_source_app_id": "The app that showed the ad; NULL if Apple did not say it",
        "country_code": "The country that Apple said, or else the geo of the mapping",
        "city": "NULL: no postback tells it",
        "postal_code": "NULL: no postback tells it",
        "dma": "NULL: no postback tells it",
        "ip": "NULL: the address that delivered the body is in attribution.postback_origin",
        "region": "NULL: no postback tells it",
        "timestamp": "The first receipt, UTC",
        "ad_network_timestamp": "The same as timestamp: this database is the receiver that Apple sends to",
        "skad_attribution_signature": "Apple's signature, read from the body; NULL if the body is dropped",
        "ad_network_adset_name": "The name of the ad group by the mapping",
        "ad_network_adset_id": "The id of the ad group by the mapping",
        "ad_network_ad_name": "The name of the creative by the mapping",
        "ad_network_ad_id": "The id of the creative by the mapping",
        "ad_network_source_app_id": "The app or the domain that showed the ad, as Apple said it",
        "skad_did_win": "Whether Apple attributes the conversion to this network",
        "did_win": "Whether Apple attributes the conversion to this network",
        "skad_fidelity_type": "0 view, 1 click or StoreKit-rendered; NULL if the version does not say it",
        "fidelity_type": "0 view, 1 click or StoreKit-rendered; NULL if the version does not say it",
        "install_date": "The day of the estimated first launch, or of the open of a re-engagement, in the time zone of the installation",
        "install_type": "install, redownload or re-engagement",
        "media_source": "The network without the suffix of a protocol",
        "event_name": "The event, as the scheme names it; af_skad_install or af_skad_redownload for these records",
        "skad_revenue": "The middle of the revenue of the event, its least one if there is no upper end, NULL if it is unknown; US dollars",
        "event_uuid": "The id of the record, made of the postback's key and the event, so it never changes",
        "skad_ambiguous_event": "Whether a change of scheme makes the value ambiguous; it then has no events",
        "skad_mode": "NULL: AppsFlyer's mode of measurement; a scheme has none",
        "event_value": "NULL: a postback does not have what the app sent",
        "ad_network_channel": "NULL: a network's own report; the mapping has none",
        "af_prt": "NULL: an agency; not known here",
        "min_revenue": "The least revenue of the event, US dollars",
        "max_revenue": "The greatest revenue of the event, US dollars; NULL if there is no upper end",
        "min_event_counter": "How often the event happened at least; 0 if it need not have happened",
        "max_event_counter": "How often the event happened at most; NULL if there is no upper end",
        "min_time_post_install": "The hours after the install of the last activity, at least; NULL if not said",
        "max_time_post_install": "The same, at most",
        "interval": "NULL: AppsFlyer's setting; measurement_window has the hours of the scheme",
        "measurement_window": "For how many hours after the install the app sets values, by the scheme",
        "user_agent": "NULL: the User-Agent that delivered the body is in attribution.postback_origin",
        "af_attribution_flag": "false: no other kind of attribution here counts the install once more",
        "skad_app_id": "The App Store id of the advertised app",
        "skad_postback_sequence_index": "The conversion window: 0, 1 or 2; 0 up to SKAdNetwork 3.0",
        "skad_coarse_conversion_value": "The coarse value that counts now: low, medium or high; NULL if there is none",
        "skad_source_identifier": "The source identifier with its leading zeros; NULL up to SKAdNetwork 3.0",
        "skad_source_domain": "The web site that showed the ad; NULL if Apple did not say it",
        "ad_network_creative": "The name of the creative by the mapping",
        "advertised_app_id": "The App Store id of the advertised app",
        "network": "Part of the key: a row of attribution.network",
        "sequence_index": "Part of the key: the conversion window",
        "value": "The value that counts now, as one number",
        "scheme_valid_from": "The scheme in which the app set the value for sure",
        "decoding": "As in postback_answer",
        "currency": "The currency of the scheme"
    }$json$;
    entry record;
BEGIN
    FOR entry IN
        SELECT attrelid::regclass AS view, attname AS name
          FROM pg_attribute
          JOIN pg_class ON pg_class.oid = attrelid
         WHERE attnum > 0
           AND (relnamespace = 'appsflyer'::regnamespace OR attrelid = 'attribution.appsflyer_postback'::regclass)
    LOOP
        EXECUTE format('COMMENT ON COLUMN %s.%I IS %L', entry.view, entry.name,
                       CASE WHEN entry.view::text ~ '(installs|redownloads)'
                             AND entry.name ~ '^(skad_revenue|min_.*|max_.*)$'
                            THEN 'NULL: skad_inapps has the events of the postback'
                            ELSE meanings ->> entry.name END);
    END LOOP;
END $comments$;

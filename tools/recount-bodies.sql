-- Recounts the figures from the bodies of the postbacks and returns the rows that differ. If all are right, it returns
-- none.
--
--     psql "$DATABASE_URL" -f tools/recount-bodies.sql
--
-- It is one statement and sees one snapshot, so it may run while servers write. `PostbackServer recount` and the reports share
-- the definitions of the figures. This statement has its own: it reads every body again and counts by the rules of
-- docs/sql.md. So it also finds a mistake in those definitions, in the state or in the log. Only three facts are not in
-- a body. The keys decide the environment, and whether it is a developer copy. The third is the time of receipt.
--
-- Conflicts and impressions leave no body, so they are not recounted. If bodies of some days of writing were dropped, a
-- notice says so. Then days of receipt with postbacks of these bodies are left out, and the report over all days. A row
-- that is missing in a report counts as zeros.
--
-- A source app id of 0 has two causes: a relay added it, or a development build signed it. A body does not say which,
-- because its signature is not checked here. In production it is always a relay, and the postback has no source app. In
-- the other environments the figures of source app 0 and of no source app are compared as one.

SET search_path = pg_catalog, pg_temp;

DO $$
DECLARE
    missing record;
BEGIN
    SELECT count(*) AS days, min(day) AS first_day, max(day) AS last_day INTO missing
      FROM attribution.missing_day
     WHERE part = 'body';
    IF missing.days > 0 THEN
        RAISE NOTICE 'not recounted: days of receipt whose bodies were written on % dropped days, % to %',
            missing.days, missing.first_day, missing.last_day
            USING HINT = 'PostbackServer archive --restore puts archived bodies back.';
    END IF;
END $$;

WITH missing AS (
    SELECT day FROM attribution.missing_day WHERE part = 'body'
),
-- Postbacks whose first or last body is missing.
incomplete AS MATERIALIZED (
    SELECT network.environment, network.protocol, network.ad_network_id, state.transaction_id, state.sequence_index,
           state.did_win, (state.received_at AT TIME ZONE attribution.time_zone())::date AS day
      FROM attribution.postback_state AS state
      JOIN attribution.network USING (network)
     WHERE attribution.day_of_writing(state.position) IN (SELECT day FROM missing)
        OR attribution.day_of_writing(state.raised_position) IN (SELECT day FROM missing)
),
left_out AS MATERIALIZED (
    SELECT DISTINCT day FROM incomplete
),
body AS (
    SELECT network.environment, line.developer_copy, body.transaction_id AS stored_transaction_id,
           body.lane, body.position, body.ordinal, (body.received_at AT TIME ZONE attribution.time_zone())::date AS day,
           -- PostgreSQL can't show this character in a text. It is in no field that counts.
           replace(body.payload, '\u0000', '\ufffd')::json AS document
      FROM attribution.postback_body AS body
      JOIN attribution.line USING (line)
      JOIN attribution.network USING (network)
),
opened AS (
    SELECT body.*, member.*,
           translate(split_part(member."jws-string", '.', 2), '-_', '+/') AS base64
      FROM body
     CROSS JOIN LATERAL json_to_record(body.document) AS member (
               "jws-string" text, "version" text, "ad-network-id" text, "transaction-id" text, "campaign-id" text,
               "source-identifier" text, "app-id" json, "source-app-id" text, "source-domain" text,
               "redownload" json, "did-win" json, "postback-sequence-index" json, "conversion-value" json,
               "coarse-conversion-value" json)
),
-- The fields of both protocols under the same names. A field that the version does not sign counts as absent.
skadnetwork AS (
    SELECT environment, developer_copy, day, lane, position, ordinal, 'skadnetwork' AS protocol,
           coalesce("version", '1.0') AS version, "ad-network-id" AS ad_network_id, "transaction-id" AS transaction_id,
           CASE WHEN "version" >= '4.0' THEN 'source-identifier' ELSE 'campaign-id' END AS campaign_type,
           CASE WHEN "version" >= '4.0' THEN "source-identifier" ELSE "campaign-id" END AS campaign,
           "app-id"::text::bigint AS advertised_app_id,
           CASE WHEN "version" >= '4.0' THEN coalesce("source-domain", nullif("source-app-id", '0'))
                WHEN "version" >= '2.0' THEN nullif("source-app-id", '0')
           END AS source_app,
           CASE WHEN "version" >= '2.0' AND "redownload"::text = 'true' THEN 'redownload' ELSE 'install' END AS kind,
           CASE WHEN "version" >= '3.0' THEN "did-win"::text::boolean ELSE true END AS did_win,
           CASE WHEN "version" >= '4.0' THEN "postback-sequence-index"::text::smallint ELSE 0::smallint END
               AS sequence_index,
           "conversion-value" AS fine_value, "coarse-conversion-value" AS coarse_value
      FROM opened
     WHERE "jws-string" IS NULL
),
adattributionkit AS (
    SELECT environment, developer_copy, day, lane, position, ordinal, 'adattributionkit' AS protocol,
           'none' AS version, "ad-network-identifier" AS ad_network_id, "postback-identifier" AS transaction_id,
           'source-identifier' AS campaign_type, signed."source-identifier" AS campaign,
           "advertised-item-identifier" AS advertised_app_id, "publisher-item-identifier" AS source_app,
           CASE "conversion-type" WHEN 'download' THEN 'install' ELSE "conversion-type" END AS kind,
           signed."did-win" AS did_win, signed."postback-sequence-index" AS sequence_index,
           "conversion-value" AS fine_value, "coarse-conversion-value" AS coarse_value
      FROM opened
     CROSS JOIN LATERAL json_to_record(
               replace(convert_from(decode(rpad(base64, (length(base64) + 3) / 4 * 4, '='), 'base64'), 'UTF8'),
                       '\u0000', '\ufffd')::json) AS signed (
               "ad-network-identifier" text, "postback-identifier" text, "source-identifier" text,
               "advertised-item-identifier" bigint, "publisher-item-identifier" text, "conversion-type" text,
               "did-win" boolean, "postback-sequence-index" smallint)
     WHERE "jws-string" IS NOT NULL
),
-- A value counts only if the postback is winning. A fine value counts in the first window only. If there are both, the
-- fine one counts. Letter case does not matter. A value of a wrong form is ignored: only a version that does not have
-- such a value can carry one.
delivery AS (
    SELECT *, lower(ad_network_id COLLATE "C") AS network, transaction_id::uuid AS transaction,
           CASE WHEN did_win AND sequence_index = 0 AND fine_value::text ~ '^([0-9]|[1-5][0-9]|6[0-3])$'
                THEN fine_value::text::integer
           END AS fine,
           CASE WHEN did_win AND lower((coarse_value #>> '{}') COLLATE "C") IN ('low', 'medium', 'high')
                THEN lower((coarse_value #>> '{}') COLLATE "C")
           END AS any_coarse
      FROM (SELECT * FROM skadnetwork UNION ALL SELECT * FROM adattributionkit) AS received
),
offered AS (
    SELECT *, CASE WHEN fine IS NULL THEN any_coarse END AS coarse,
           row_number() OVER (key ORDER BY lane, position, ordinal) AS number,
           row_number() OVER (key ORDER BY lane DESC, position DESC, ordinal DESC) AS number_from_end
      FROM delivery
     WHERE NOT EXISTS (SELECT FROM incomplete
                        WHERE incomplete.transaction_id = delivery.transaction
                          AND incomplete.environment = delivery.environment
                          AND incomplete.protocol = delivery.protocol AND incomplete.ad_network_id = delivery.network
                          AND incomplete.sequence_index = delivery.sequence_index
                          AND incomplete.did_win = delivery.did_win)
    WINDOW key AS (PARTITION BY environment, protocol, network, transaction, sequence_index, did_win)
),
-- One row for each postback. Its facts and its first value are from the first body, the current value from the last
-- body.
postback AS (
    SELECT first.environment, first.developer_copy, first.day, first.protocol, first.network AS ad_network_id,
           first.campaign_type, first.campaign, first.advertised_app_id, first.source_app, first.kind, first.did_win,
           first.sequence_index, last.fine, last.coarse,
           (last.fine, last.coarse) IS DISTINCT FROM (first.fine, first.coarse) AS is_raised
      FROM offered AS first
      JOIN offered AS last USING (environment, protocol, network, transaction, sequence_index, did_win)
     WHERE first.number = 1 AND last.number_from_end = 1 AND first.day NOT IN (SELECT day FROM left_out)
),
counted AS (
    SELECT 'report_campaign_daily' AS report,
           (environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign,
            advertised_app_id)::text AS key,
           ARRAY[installs, redownloads, reengagements, assists, fine, coarse, no_value, value_average,
                 raised, later_windows]::numeric[] AS reported,
           NULL::numeric[] AS recounted
      FROM attribution.report_campaign_daily_all
     WHERE day NOT IN (SELECT day FROM left_out)
    UNION ALL
    SELECT 'report_source_app_daily',
           (environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
            CASE WHEN protocol = 'adattributionkit' OR environment = 'production'
                      OR attribution.source_app_id(source) IS DISTINCT FROM 0
                 THEN coalesce(attribution.source_app_id(source)::text, source_domain)
            END)::text,
           ARRAY[sum(installs), sum(redownloads), sum(reengagements), sum(assists), sum(fine),
                 sum(coarse), sum(no_value), sum(value_sum), sum(raised), sum(later_windows)]::numeric[],
           NULL
      FROM attribution.source_app_figure
      JOIN attribution.line USING (line)
      LEFT JOIN attribution.source USING (source)
     WHERE day NOT IN (SELECT day FROM left_out)
     GROUP BY 2
    UNION ALL
    SELECT CASE grouping(source_app) WHEN 0 THEN 'report_source_app_daily' ELSE 'report_campaign_daily' END,
           CASE grouping(source_app)
                WHEN 0 THEN (environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign,
                             advertised_app_id, source_app)::text
                ELSE (environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign,
                      advertised_app_id)::text
           END,
           NULL,
           ARRAY[count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = 'install'),
                 count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = 'redownload'),
                 count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = 're-engagement'),
                 count(*) FILTER (WHERE NOT did_win),
                 count(fine) FILTER (WHERE sequence_index = 0),
                 count(coarse) FILTER (WHERE sequence_index = 0),
                 count(*) FILTER (WHERE did_win AND sequence_index = 0 AND fine IS NULL AND coarse IS NULL),
                 CASE grouping(source_app) WHEN 0 THEN coalesce(sum(fine) FILTER (WHERE sequence_index = 0), 0)
                                           ELSE round(avg(fine) FILTER (WHERE sequence_index = 0), 4) END,
                 count(*) FILTER (WHERE is_raised),
                 count(*) FILTER (WHERE sequence_index > 0)]::numeric[]
      FROM postback
     GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
              GROUPING SETS ((), (source_app))
    UNION ALL
    SELECT 'report_conversion_value_daily',
           (environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
            sequence_index, conversion_value, coarse_value)::text,
           ARRAY[postbacks]::numeric[], NULL
      FROM attribution.report_conversion_value_daily_all
     WHERE day NOT IN (SELECT day FROM left_out)
    UNION ALL
    SELECT 'report_conversion_value_daily',
           (environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
            sequence_index, fine, coarse)::text,
           NULL, ARRAY[count(*)]::numeric[]
      FROM postback
     GROUP BY environment, developer_copy, day, protocol, ad_network_id, campaign_type, campaign, advertised_app_id,
              sequence_index, fine, coarse
    UNION ALL
    SELECT 'report_source_identifier_daily',
           (environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
            sequence_index)::text,
           ARRAY[postbacks, installs, redownloads, reengagements, assists, fine, coarse, no_value,
                 value_average, coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits,
                 share_4_digits]::numeric[],
           NULL
      FROM attribution.report_source_identifier_daily_all
     WHERE day NOT IN (SELECT day FROM left_out)
    UNION ALL
    SELECT 'report_source_identifier',
           (environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, source_identifier,
            sequence_index)::text,
           ARRAY[postbacks, installs, redownloads, reengagements, assists, fine, coarse, no_value,
                 value_average, coarse_low, coarse_medium, coarse_high, share_2_digits, share_3_digits,
                 share_4_digits]::numeric[],
           NULL
      FROM attribution.report_source_identifier_all
    UNION ALL
    SELECT CASE WHEN grouping(day) = 0 THEN 'report_source_identifier_daily' ELSE 'report_source_identifier' END,
           CASE WHEN grouping(day) = 0
                THEN (environment, developer_copy, day, protocol, ad_network_id, advertised_app_id, digits,
                      right(campaign, digits), sequence_index)::text
                ELSE (environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits,
                      right(campaign, digits), sequence_index)::text
           END,
           NULL,
           ARRAY[count(*) FILTER (WHERE did_win),
                 count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = 'install'),
                 count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = 'redownload'),
                 count(*) FILTER (WHERE did_win AND sequence_index = 0 AND kind = 're-engagement'),
                 count(*) FILTER (WHERE NOT did_win),
                 count(fine),
                 count(coarse),
                 count(*) FILTER (WHERE did_win AND fine IS NULL AND coarse IS NULL),
                 round(avg(fine), 4),
                 count(*) FILTER (WHERE coarse = 'low'),
                 count(*) FILTER (WHERE coarse = 'medium'),
                 count(*) FILTER (WHERE coarse = 'high'),
                 round(avg((length(campaign) = 2)::integer) FILTER (WHERE did_win), 4),
                 round(avg((length(campaign) = 3)::integer) FILTER (WHERE did_win), 4),
                 round(avg((length(campaign) = 4)::integer) FILTER (WHERE did_win), 4)]::numeric[]
      FROM postback
     CROSS JOIN LATERAL generate_series(least(length(campaign), 2), length(campaign)) AS digits
     WHERE campaign_type = 'source-identifier'
     GROUP BY environment, developer_copy, protocol, ad_network_id, advertised_app_id, digits, right(campaign, digits),
              sequence_index, GROUPING SETS ((day), ())
),
shown AS (
    SELECT report, key, CASE WHEN 0 <> ANY (reported) THEN reported END AS reported, recounted
      FROM counted
     WHERE report <> 'report_source_identifier' OR NOT EXISTS (SELECT FROM left_out)
)
SELECT report, key, max(reported) AS reported, max(recounted) AS recounted
  FROM shown
 GROUP BY report, key
HAVING count(reported) > 1 OR max(reported) IS DISTINCT FROM max(recounted)
 ORDER BY report, key;

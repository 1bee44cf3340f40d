-- The bodies that were received since a time, one a line with its time of receipt, as PostbackServer import reads them:
--
--   psql "$DATABASE_URL" -v since='2026-11-26 07:00:00Z' -f tools/bodies-since.sql > bodies.ndjson
--
-- After a recovery to a moment, the database of before may still have what was counted later. Take a time some minutes before
-- the moment: a body is received before it is stored, and known ones are duplicates. The role that backs up may read it.
-- docs/upgrades.md says how this is done.
\set ON_ERROR_STOP on
\set QUIET on
SET client_encoding = 'UTF8';

-- CSV with a quote and a delimiter that JSON can't hold, so that every byte stays as it is. Bodies that were imported may have
-- a time of receipt already. The bodies of one postback are in one lane, in their order. PostgreSQL reads no member of a body
-- with \u0000.
COPY (SELECT CASE WHEN replace(body.payload, '\u0000', '\ufffd')::json -> 'received-at' IS NULL
                  THEN '{"received-at":' || floor(extract(epoch FROM body.received_at) * 1000)::bigint || ','
                       || substr(text, strpos(text, '{') + 1)
                  ELSE text
             END
        FROM attribution.postback_body AS body
       CROSS JOIN LATERAL translate(body.payload, E'\r\n', '  ') AS text
       WHERE body.received_at >= :'since'
       ORDER BY body.lane, body.position, body.ordinal)
  TO STDOUT (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02');

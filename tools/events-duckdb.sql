-- Takes the files of `PostbackServer export` that are new into a DuckDB table; see docs/events.md. Run it in their folder:
--
--     duckdb warehouse.db -f events-duckdb.sql
--
-- It may run again at any time. The types are written down: a column that is null in the first files would get no type.

CREATE TABLE IF NOT EXISTS event (
    format INTEGER, id VARCHAR, event VARCHAR, first_raise BOOLEAN, lane INTEGER, position BIGINT, ordinal INTEGER,
    written_at TIMESTAMPTZ, received_at TIMESTAMPTZ, day DATE, transaction_id UUID, sequence_index INTEGER,
    did_win BOOLEAN, conversion_value INTEGER, coarse_value VARCHAR, previous_conversion_value INTEGER,
    previous_coarse_value VARCHAR, offered_conversion_value INTEGER, offered_coarse_value VARCHAR,
    environment VARCHAR, protocol VARCHAR, ad_network_id VARCHAR, developer_copy BOOLEAN, campaign_type VARCHAR,
    campaign VARCHAR, advertised_app_id BIGINT, source_app_id BIGINT, source_domain VARCHAR, version VARCHAR,
    country_code VARCHAR, redownload BOOLEAN, fidelity_type INTEGER, marketplace_identifier VARCHAR,
    conversion_type VARCHAR, ad_interaction_type VARCHAR, relay_normalised BOOLEAN, signing_key VARCHAR, body VARCHAR,
    -- The name of the file: what was taken already.
    filename VARCHAR);

INSERT INTO event BY NAME
SELECT *
  FROM read_json('events-*.ndjson', format = 'nd', filename = true, columns = {
           format: 'INTEGER', id: 'VARCHAR', event: 'VARCHAR', first_raise: 'BOOLEAN', lane: 'INTEGER',
           position: 'BIGINT', ordinal: 'INTEGER', written_at: 'TIMESTAMPTZ', received_at: 'TIMESTAMPTZ', day: 'DATE',
           transaction_id: 'UUID', sequence_index: 'INTEGER', did_win: 'BOOLEAN', conversion_value: 'INTEGER',
           coarse_value: 'VARCHAR', previous_conversion_value: 'INTEGER', previous_coarse_value: 'VARCHAR',
           offered_conversion_value: 'INTEGER', offered_coarse_value: 'VARCHAR', environment: 'VARCHAR',
           protocol: 'VARCHAR', ad_network_id: 'VARCHAR', developer_copy: 'BOOLEAN', campaign_type: 'VARCHAR',
           campaign: 'VARCHAR', advertised_app_id: 'BIGINT', source_app_id: 'BIGINT', source_domain: 'VARCHAR',
           version: 'VARCHAR', country_code: 'VARCHAR', redownload: 'BOOLEAN', fidelity_type: 'INTEGER',
           marketplace_identifier: 'VARCHAR', conversion_type: 'VARCHAR', ad_interaction_type: 'VARCHAR',
           relay_normalised: 'BOOLEAN', signing_key: 'VARCHAR', body: 'VARCHAR'})
 WHERE filename > (SELECT coalesce(max(filename), '') FROM event);

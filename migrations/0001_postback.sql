-- One row a postback, counted once.
--
-- The key holds the environment, so that a postback under a test or development key never touches a production row.
-- Nothing here stands in the way of distributing the table by transaction_id: the one unique key contains it, there is
-- no foreign key, trigger, sequence or default that depends on the clock, and times come as bound parameters.

CREATE TABLE attribution.postback (
    environment                text        NOT NULL CHECK (environment IN ('production', 'development', 'test')),
    protocol                   text        NOT NULL CHECK (protocol IN ('skadnetwork', 'adattributionkit')),
    version                    text        NOT NULL,
    ad_network_id              text        NOT NULL,
    transaction_id             uuid        NOT NULL,
    sequence_index             smallint    NOT NULL CHECK (sequence_index BETWEEN 0 AND 2),
    did_win                    boolean     NOT NULL,
    campaign_type              text        NOT NULL CHECK (campaign_type IN ('campaign-id', 'source-identifier')),
    campaign                   text        NOT NULL,
    advertised_app_id          bigint      NOT NULL,
    source_app_id              bigint,
    source_domain              text,
    redownload                 boolean,
    conversion_type            text,
    fidelity_type              smallint,
    ad_interaction_type        text,
    marketplace_identifier     text,
    -- The value that counts now, the first one received, and the one before the last raise.
    conversion_value           smallint    CHECK (conversion_value BETWEEN 0 AND 63),
    first_conversion_value     smallint,
    previous_conversion_value  smallint,
    coarse_value               text        CHECK (coarse_value IN ('low', 'medium', 'high')),
    first_coarse_value         text,
    previous_coarse_value      text,
    country_code               text,
    -- Deliveries that were ignored though they said something else: fine against coarse, or any higher value under
    -- the policy `first`.
    conflicts                  integer     NOT NULL DEFAULT 0,
    received_at                timestamptz NOT NULL,
    raised_at                  timestamptz,
    developer_copy             boolean     NOT NULL,
    relay_normalised           boolean     NOT NULL,
    signing_key                text        NOT NULL,
    -- The body of the first delivery, byte for byte, and that of the last delivery that raised the value.
    payload                    json        NOT NULL,
    raised_payload             json,
    CHECK (conversion_value IS NULL OR coarse_value IS NULL),
    CONSTRAINT postback_key
        PRIMARY KEY (transaction_id, environment, protocol, ad_network_id, sequence_index, did_win)
);

COMMENT ON TABLE attribution.postback IS 'Verified postbacks, one row each, counted once';

-- Rows arrive in the order of this column, which is what makes so small an index enough.
CREATE INDEX postback_received_at ON attribution.postback USING brin (received_at);

-- The links of web ads, from their creation until they expire.
--
-- After a click the device asks for the signed payload with the nonce of the link. Each nonce is answered once.

CREATE TABLE attribution.web_ad (
    nonce             uuid        PRIMARY KEY,
    ad_network_id     text        NOT NULL,
    source_identifier smallint    NOT NULL CHECK (source_identifier BETWEEN 0 AND 9999),
    itunes_item_id    bigint      NOT NULL CHECK (itunes_item_id >= 0),
    -- The host of the link's attributionDestination. The payload is signed for this host or a parent domain only.
    destination_host  text        NOT NULL,
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- When the device was answered; NULL before.
    answered_at       timestamptz
);

COMMENT ON TABLE attribution.web_ad IS 'Links of web ads, by nonce';

CREATE INDEX web_ad_expires_at ON attribution.web_ad (expires_at);

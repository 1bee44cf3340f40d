-- What an attributable web link stands for, from the making of the link until its time runs out.
--
-- A device that follows the link asks for the signed payload by the nonce, and is answered once.

CREATE TABLE attribution.web_ad (
    nonce             uuid        PRIMARY KEY,
    ad_network_id     text        NOT NULL,
    source_identifier smallint    NOT NULL CHECK (source_identifier BETWEEN 0 AND 9999),
    itunes_item_id    bigint      NOT NULL CHECK (itunes_item_id >= 0),
    -- The host of the link's attributionDestination; the payload is signed for it or for a domain above it only.
    destination_host  text        NOT NULL,
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    -- When the payload was given out; NULL until then.
    answered_at       timestamptz
);

COMMENT ON TABLE attribution.web_ad IS 'Attributable web links: what each nonce stands for';

CREATE INDEX web_ad_expires_at ON attribution.web_ad (expires_at);

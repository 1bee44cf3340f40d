-- What stands between the App Store and postbacks: the App Store id of an app, and how large a crowd must be.

-- Postbacks name an app by its App Store id, transactions by its bundle id. Notifications of production bring both.
CREATE TABLE attribution.store_app_id (
    bundle_id text   CONSTRAINT store_app_id_key PRIMARY KEY,
    app_id    bigint NOT NULL CHECK (app_id >= 0)
);

COMMENT ON TABLE attribution.store_app_id IS
    'The App Store ids that a key ring had last; attribution.store_app has what notifications say, too';
COMMENT ON COLUMN attribution.store_app_id.bundle_id IS 'The bundle id of the app';
COMMENT ON COLUMN attribution.store_app_id.app_id IS 'Its id in the App Store';

-- The newest notification of production that says the id.
CREATE INDEX store_notification_app ON attribution.store_notification (bundle_id, received_at, app_id)
    WHERE app_id IS NOT NULL AND environment = 'production';

-- Purchases by the day on which they began.
CREATE INDEX store_transaction_began ON attribution.store_transaction ((coalesce(originally_purchased_at, purchased_at)));

-- A row of fewer than ten installs would be about persons, so nobody can choose that.
CREATE TABLE attribution.store_settings (
    only_row         boolean DEFAULT true CONSTRAINT store_settings_key PRIMARY KEY CHECK (only_row),
    minimum_installs integer NOT NULL CHECK (minimum_installs >= 10)
);

COMMENT ON TABLE attribution.store_settings IS 'Settings of the reports of the App Store, one row; the owner changes them';
COMMENT ON COLUMN attribution.store_settings.only_row IS 'true';
COMMENT ON COLUMN attribution.store_settings.minimum_installs IS
    'What customers paid is allocated to no fewer installs of a day; a query can ask for more, and not for fewer';

INSERT INTO attribution.store_settings (minimum_installs) VALUES (50);

-- The App Store: an index, and two halves of a quarantine.

-- Subscriptions that are not paid at the moment: report_app_store_at_risk reads these, and not all renewals. They are few: a
-- subscription leaves when it is paid, and when Apple gives up.
--
-- Cost of a notification: nothing while status and is_in_billing_retry stay as they are. One that changes either can't be a HOT
-- update, so it writes to the index of the primary key too, and to this one if the subscription is not paid then.
CREATE INDEX store_renewal_not_paid ON attribution.store_renewal (environment)
    WHERE status IN (3, 4) OR status IS NULL AND is_in_billing_retry;

-- The quarantine of notifications gets two halves, each bounded in rows and bytes. Nobody can forge what is in the protected
-- half. What was refused before is in the other one.
ALTER TABLE attribution.rejected_notification ADD COLUMN protected boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN attribution.rejected_notification.protected IS
    'Whether it is genuine: Apple signed it, or it is of version 1 and had the secret of its app';
COMMENT ON COLUMN attribution.rejected_notification.key IS
    'SHA-256 of the notification''s id if the row is protected, else of the body''s SHA-256 and the reason';
COMMENT ON COLUMN attribution.rejected_notification.bundle_id IS
    'The app that the body names; NULL if it could not be read. Nobody has verified it, but of protected rows';
COMMENT ON COLUMN attribution.rejected_notification.type IS
    'The type that the body names; NULL if it could not be read. Nobody has verified it, but of protected rows';
COMMENT ON COLUMN attribution.rejected_notification.body IS
    'The body without the shared secret; of a protected row the first one, without what is not signed';

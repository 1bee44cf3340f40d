-- Subscriptions that are not paid at the moment: report_app_store_at_risk reads these, and not all renewals. They are few: a
-- subscription leaves when it is paid, and when Apple gives up.
--
-- Cost of a notification: nothing while status and is_in_billing_retry stay as they are. One that changes either can't be a HOT
-- update, so it writes to the index of the primary key too, and to this one if the subscription is not paid then.
CREATE INDEX store_renewal_not_paid ON attribution.store_renewal (environment)
    WHERE status IN (3, 4) OR status IS NULL AND is_in_billing_retry;

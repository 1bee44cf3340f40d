-- Forwarding: what a replay sends is counted apart. It was received long before, so it says nothing of how fast events are
-- delivered.
--
-- Batches write neither table. A sender waits for a moment.
ALTER TABLE attribution.delivery ADD COLUMN is_replay boolean NOT NULL DEFAULT false;
ALTER TABLE attribution.delivery_daily ADD COLUMN replayed bigint NOT NULL DEFAULT 0 CHECK (replayed >= 0);

COMMENT ON COLUMN attribution.delivery.is_replay IS 'Whether a replay sent the event, and no row of its first time was there';
COMMENT ON COLUMN attribution.delivery_daily.sent IS 'Events that were delivered, without those of a replay';
COMMENT ON COLUMN attribution.delivery_daily.replayed IS 'Events that a replay delivered; sent, retried and latencies leave them out';
COMMENT ON COLUMN attribution.delivery_minute.sent IS 'Events that were delivered, without those of a replay';

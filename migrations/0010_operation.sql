-- What operating the service needs: the last recount, the trail, and an index for reports of cost.

-- The last recount of the figures, so that servers share one schedule and all show what it found.
CREATE TABLE attribution.recount_run (
    only_row    boolean          PRIMARY KEY CHECK (only_row),
    began_at    timestamptz      NOT NULL,
    seconds     double precision NOT NULL CHECK (seconds >= 0),
    differences bigint           NOT NULL CHECK (differences >= 0)
);

COMMENT ON TABLE attribution.recount_run IS 'The last recount of the figures';
COMMENT ON COLUMN attribution.recount_run.only_row IS 'true: there is one row at most';
COMMENT ON COLUMN attribution.recount_run.began_at IS 'When it began';
COMMENT ON COLUMN attribution.recount_run.seconds IS 'How long it took';
COMMENT ON COLUMN attribution.recount_run.differences IS 'How many figures differed from the rows they are made of';

-- The trail: who did what with the service, when and from where. Servers and commands can only add to it: their role has
-- INSERT and SELECT, and a function of the owner removes what is old (definitions/trail.sql).

CREATE TABLE attribution.trail (
    entry       bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    -- Written by the trigger.
    written_at  timestamptz NOT NULL DEFAULT now(),
    happened_at timestamptz NOT NULL,
    since       timestamptz,
    action      text        NOT NULL CHECK (action ~ '^[a-z][a-z-]{0,39}$'),
    person      text        CHECK (char_length(person) BETWEEN 1 AND 200),
    session     text        CHECK (session ~ '^[0-9a-f]{8}$'),
    origin      text        NOT NULL CHECK (char_length(origin) BETWEEN 1 AND 100),
    subject     text        CHECK (char_length(subject) BETWEEN 1 AND 300),
    counts      json        NOT NULL DEFAULT '{}' CHECK (json_typeof(counts) = 'object')
);

COMMENT ON TABLE attribution.trail IS 'Who did what with the service, when and from where; it can only be added to';
COMMENT ON COLUMN attribution.trail.entry IS 'The number of the entry; later entries have greater ones, with gaps';
COMMENT ON COLUMN attribution.trail.written_at IS 'When the entry was written, by the clock of the database';
COMMENT ON COLUMN attribution.trail.happened_at IS 'When it happened; of a sum the last time';
COMMENT ON COLUMN attribution.trail.since IS 'Of a sum the first time; NULL if the entry is one thing';
COMMENT ON COLUMN attribution.trail.action IS 'What: one of the list in docs/access.md';
COMMENT ON COLUMN attribution.trail.person IS
    'Who: ADMIN_TOKEN, token and its name, user and the name that a proxy gave, system user and the name of the user who ran '
    'the command; NULL if nobody knows';
COMMENT ON COLUMN attribution.trail.session IS 'The eight digits of the session of the page; NULL if there was none';
COMMENT ON COLUMN attribution.trail.origin IS
    'From where: an address, of IPv6 in a refusal its /64; unix, command line, tokens.json, SIGHUP, changed files; others if '
    'there were too many';
COMMENT ON COLUMN attribution.trail.subject IS 'With what, such as load 12; NULL if the action says all';
COMMENT ON COLUMN attribution.trail.counts IS 'What it changed, by name';

CREATE INDEX trail_written_at ON attribution.trail (written_at);
CREATE INDEX trail_token ON attribution.trail (action, subject) WHERE action IN ('token-addition', 'token-revocation');

-- Tokens have names now, beside ADMIN_TOKEN. A session of the page is one of the token that opened it.
COMMENT ON COLUMN attribution.page_session.key IS 'SHA-256 made of the token that opened the session, and of the secret of the session';
-- Files are loaded by HTTP, too, and by people whom a proxy signs on.
ALTER TABLE attribution.load
    DROP CONSTRAINT load_loaded_by_check,
    ADD CONSTRAINT load_loaded_by_check
        CHECK (loaded_by = 'ADMIN_TOKEN' OR loaded_by ~ '^(session|token|user|system user) .'),
    DROP CONSTRAINT load_taken_back_by_check,
    ADD CONSTRAINT load_taken_back_by_check
        CHECK (taken_back_by = 'ADMIN_TOKEN' OR taken_back_by ~ '^(session|token|user|system user) .');

COMMENT ON COLUMN attribution.load.loaded_by IS
    'session, the eight digits of a session of the page and whose it was; by HTTP ADMIN_TOKEN, or token and its name; or system '
    'user and the name of the user who ran the command';

-- It has all that reports of cost show, with the days of a campaign beside each other.
CREATE INDEX spend_daily_campaign ON attribution.spend_daily (advertised_app_id, network_name, campaign_id, day)
    INCLUDE (currency, spend, impressions, clicks, installs);

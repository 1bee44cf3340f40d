-- The trail can only be added to, and old entries leave it. docs/access.md explains it.

-- The time of writing is that of the database. A server whose clock is wrong, or that somebody has taken over, can't write
-- entries that are old already, and are removed at once.
CREATE OR REPLACE FUNCTION attribution.stamp_trail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.written_at := clock_timestamp();
    RETURN NEW;
END $$;

COMMENT ON FUNCTION attribution.stamp_trail() IS 'Gives an entry of the trail the time of writing';

CREATE OR REPLACE TRIGGER trail_added BEFORE INSERT ON attribution.trail
    FOR EACH ROW EXECUTE FUNCTION attribution.stamp_trail();

-- Removes entries that are older than some days, and says how many. It runs as the owner: the serving role can't delete. So
-- the last thirty days stay, whoever has that role.
CREATE OR REPLACE FUNCTION attribution.drop_trail(some_days integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    dropped bigint;
BEGIN
    IF some_days IS NULL OR some_days < 30 THEN
        RAISE EXCEPTION 'an entry of the trail stays for 30 days at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    DELETE FROM attribution.trail WHERE written_at < clock_timestamp() - make_interval(days => some_days);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END $$;

COMMENT ON FUNCTION attribution.drop_trail(integer) IS
    'Removes entries of the trail that are older than these days, at least 30, and says how many';

REVOKE EXECUTE ON FUNCTION attribution.drop_trail(integer) FROM PUBLIC;

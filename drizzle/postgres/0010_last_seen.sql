ALTER TABLE "users" ADD COLUMN "last_seen_at" bigint;

-- Keeps the last use of sessions and API keys that are removed.
CREATE FUNCTION credentials_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE users SET last_seen_at = greatest(last_seen_at, latest.used_at)
		FROM (SELECT user_id, max(used_at) AS used_at FROM removed GROUP BY 1) AS latest
		WHERE users.id = latest.user_id AND latest.used_at IS NOT NULL;
	RETURN NULL;
END $$;
CREATE TRIGGER sessions_removed AFTER DELETE ON sessions REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION credentials_removed();
CREATE TRIGGER api_keys_removed AFTER DELETE ON api_keys REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION credentials_removed()
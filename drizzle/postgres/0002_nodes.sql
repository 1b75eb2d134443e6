-- Processes on this database. Their leases end by the clock of the server.
CREATE TABLE "nodes" ("id" text COLLATE "C" PRIMARY KEY, "expires_at" timestamptz NOT NULL);

-- Work that one node does at a time.
CREATE TABLE "jobs" ("name" text COLLATE "C" PRIMARY KEY, "next_at" timestamptz NOT NULL);

-- Changes of what nodes keep in memory. An event is found by the id of its transaction: ids of rows are given in
-- another order than transactions commit.
CREATE TABLE "events" (
	"id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	"xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
	"kind" text COLLATE "C" NOT NULL,
	"target" text COLLATE "C" NOT NULL DEFAULT '',
	"created_at" timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX "events_xid" ON "events" ("xid");
CREATE INDEX "events_created" ON "events" ("created_at");

CREATE FUNCTION note_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (SELECT count(*) FROM (SELECT 1 FROM changed LIMIT 101) AS few) > 100 THEN
		INSERT INTO events (kind) VALUES ('tree');
	ELSE
		INSERT INTO events (kind, target) SELECT 'file', id FROM changed;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER note_changed_files AFTER UPDATE ON files REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION note_files();
CREATE TRIGGER note_removed_files AFTER DELETE ON files REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION note_files();

CREATE FUNCTION note_kind() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO events (kind) VALUES (TG_ARGV[0]);
	RETURN NULL;
END $$;
CREATE TRIGGER note_folders AFTER UPDATE OF parent_id, name ON folders
	FOR EACH STATEMENT EXECUTE FUNCTION note_kind('tree');
CREATE TRIGGER note_settings AFTER INSERT OR UPDATE OR DELETE ON settings
	FOR EACH STATEMENT EXECUTE FUNCTION note_kind('settings')

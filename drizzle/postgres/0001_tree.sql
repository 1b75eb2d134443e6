-- Transactions lock it to run beside each other, or one of them alone.
CREATE TABLE "turns" ();

-- A file and a folder in one folder cannot have the same name.
CREATE TABLE "names" (
	"parent_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	PRIMARY KEY ("parent_id", "name")
);
CREATE INDEX "folders_detached" ON "folders" ("id") WHERE "parent_id" = "id";

-- Totals are sums of parts. Each change adds parts, so that changes do not wait for each other; "fold_totals" adds
-- them up from time to time.
CREATE TABLE "total_parts" (
	"total" text COLLATE "C" NOT NULL,
	"first" text COLLATE "C" NOT NULL,
	"second" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"size" bigint NOT NULL
);
CREATE INDEX "total_parts_total" ON "total_parts" ("total", "first");
CREATE VIEW "file_totals" AS SELECT "first" AS "mime_type", "second" AS "visibility",
	sum("count")::bigint AS "count", sum("size")::bigint AS "size"
	FROM "total_parts" WHERE "total" = 'file' GROUP BY "first", "second";
CREATE VIEW "file_days" AS SELECT "first" AS "day", sum("count")::bigint AS "count", sum("size")::bigint AS "size"
	FROM "total_parts" WHERE "total" = 'day' GROUP BY "first";
CREATE VIEW "folder_total" AS SELECT 1::bigint AS "id", coalesce(sum("count"), 0)::bigint AS "count"
	FROM "total_parts" WHERE "total" = 'folder';
CREATE VIEW "version_total" AS SELECT 1::bigint AS "id", coalesce(sum("count"), 0)::bigint AS "count",
	coalesce(sum("size"), 0)::bigint AS "size" FROM "total_parts" WHERE "total" = 'version';

CREATE FUNCTION fold_totals() RETURNS void LANGUAGE sql AS $$
	WITH parts AS (DELETE FROM total_parts RETURNING *)
	INSERT INTO total_parts SELECT total, first, second, sum("count"), sum(size) FROM parts
		GROUP BY total, first, second HAVING sum("count") <> 0 OR sum(size) <> 0
$$;

CREATE FUNCTION utc_day(ms bigint) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT to_char(to_timestamp(ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
$$;

CREATE FUNCTION files_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO names SELECT folder_id, name, id FROM added;
	INSERT INTO total_parts SELECT 'file', mime_type, visibility, count(*), sum(size) FROM added GROUP BY 2, 3;
	INSERT INTO total_parts SELECT 'day', utc_day(created_at), '', count(*), sum(size) FROM added GROUP BY 2;
	RETURN NULL;
END $$;
CREATE TRIGGER files_added AFTER INSERT ON files REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION files_added();

CREATE FUNCTION files_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM names USING removed WHERE names.parent_id = removed.folder_id AND names.name = removed.name;
	INSERT INTO total_parts SELECT 'file', mime_type, visibility, -count(*), -sum(size) FROM removed GROUP BY 2, 3;
	INSERT INTO total_parts SELECT 'day', utc_day(created_at), '', -count(*), -sum(size) FROM removed GROUP BY 2;
	RETURN NULL;
END $$;
CREATE TRIGGER files_removed AFTER DELETE ON files REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION files_removed();

CREATE FUNCTION files_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO total_parts SELECT 'file', mime_type, visibility, sum("count"), sum(size) FROM (
			SELECT mime_type, visibility, -1 AS "count", -size AS size FROM before
			UNION ALL SELECT mime_type, visibility, 1, size FROM after
		) AS changes GROUP BY 2, 3 HAVING sum("count") <> 0 OR sum(size) <> 0;
	INSERT INTO total_parts SELECT 'day', utc_day(created_at), '', 0, sum(size) FROM (
			SELECT created_at, -size AS size FROM before UNION ALL SELECT created_at, size FROM after
		) AS changes GROUP BY 2 HAVING sum(size) <> 0;
	RETURN NULL;
END $$;
CREATE TRIGGER files_changed AFTER UPDATE ON files REFERENCING OLD TABLE AS before NEW TABLE AS after
	FOR EACH STATEMENT EXECUTE FUNCTION files_changed();

CREATE FUNCTION files_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM names WHERE parent_id = old.folder_id AND name = old.name;
	INSERT INTO names VALUES (new.folder_id, new.name, new.id);
	RETURN NULL;
END $$;
CREATE TRIGGER files_moved AFTER UPDATE OF folder_id, name ON files FOR EACH ROW
	WHEN ((old.folder_id, old.name) <> (new.folder_id, new.name)) EXECUTE FUNCTION files_moved();

-- The root has no parent, and a folder outside the tree is its own.
CREATE FUNCTION folders_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO names SELECT parent_id, name, id FROM added WHERE parent_id <> id;
	INSERT INTO total_parts SELECT 'folder', '', '', count(*), 0 FROM added HAVING count(*) > 0;
	RETURN NULL;
END $$;
CREATE TRIGGER folders_added AFTER INSERT ON folders REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION folders_added();

CREATE FUNCTION folders_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM names USING removed WHERE names.parent_id = removed.parent_id AND names.name = removed.name
		AND removed.parent_id <> removed.id;
	INSERT INTO total_parts SELECT 'folder', '', '', -count(*), 0 FROM removed HAVING count(*) > 0;
	RETURN NULL;
END $$;
CREATE TRIGGER folders_removed AFTER DELETE ON folders REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION folders_removed();

CREATE FUNCTION folders_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM names WHERE parent_id = old.parent_id AND name = old.name AND old.parent_id <> old.id;
	INSERT INTO names SELECT new.parent_id, new.name, new.id WHERE new.parent_id <> new.id;
	RETURN NULL;
END $$;
CREATE TRIGGER folders_moved AFTER UPDATE OF parent_id, name ON folders FOR EACH ROW
	WHEN ((old.parent_id, old.name) IS DISTINCT FROM (new.parent_id, new.name)) EXECUTE FUNCTION folders_moved();

CREATE FUNCTION versions_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO total_parts SELECT 'version', '', '', count(*), sum(size) FROM added HAVING count(*) > 0;
	RETURN NULL;
END $$;
CREATE TRIGGER versions_added AFTER INSERT ON versions REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION versions_added();

CREATE FUNCTION versions_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO total_parts SELECT 'version', '', '', -count(*), -sum(size) FROM removed HAVING count(*) > 0;
	RETURN NULL;
END $$;
CREATE TRIGGER versions_removed AFTER DELETE ON versions REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION versions_removed();

CREATE FUNCTION hosting_files_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO hosting_totals SELECT file_id, sum(requests), sum(bytes) FROM added GROUP BY 1 ORDER BY 1
		ON CONFLICT (file_id) DO UPDATE SET requests = hosting_totals.requests + excluded.requests,
			bytes = hosting_totals.bytes + excluded.bytes;
	RETURN NULL;
END $$;
CREATE TRIGGER hosting_files_added AFTER INSERT ON hosting_files REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION hosting_files_added();

CREATE FUNCTION hosting_files_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE hosting_totals SET requests = hosting_totals.requests + change.requests,
			bytes = hosting_totals.bytes + change.bytes
		FROM (SELECT file_id, sum(requests) AS requests, sum(bytes) AS bytes FROM (
				SELECT file_id, -requests AS requests, -bytes AS bytes FROM before
				UNION ALL SELECT file_id, requests, bytes FROM after
			) AS changes GROUP BY 1) AS change
		WHERE hosting_totals.file_id = change.file_id;
	RETURN NULL;
END $$;
CREATE TRIGGER hosting_files_changed AFTER UPDATE ON hosting_files REFERENCING OLD TABLE AS before NEW TABLE AS after
	FOR EACH STATEMENT EXECUTE FUNCTION hosting_files_changed();

CREATE FUNCTION hosting_files_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE hosting_totals SET requests = hosting_totals.requests - change.requests,
			bytes = hosting_totals.bytes - change.bytes
		FROM (SELECT file_id, sum(requests) AS requests, sum(bytes) AS bytes FROM removed GROUP BY 1) AS change
		WHERE hosting_totals.file_id = change.file_id;
	DELETE FROM hosting_totals USING removed
		WHERE hosting_totals.file_id = removed.file_id AND hosting_totals.requests = 0;
	RETURN NULL;
END $$;
CREATE TRIGGER hosting_files_removed AFTER DELETE ON hosting_files REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION hosting_files_removed()

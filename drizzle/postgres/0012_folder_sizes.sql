-- Sizes of folders are sums of parts, as the totals are. A folder has at most one part that is folded.
CREATE TABLE "folder_parts" (
	"folder_id" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"size" bigint NOT NULL,
	"is_folded" boolean NOT NULL
);
CREATE INDEX "folder_parts_folder" ON "folder_parts" ("folder_id");
CREATE INDEX "folder_parts_new" ON "folder_parts" ("folder_id") WHERE NOT "is_folded";
CREATE VIEW "folder_sizes" AS SELECT "folder_id", sum("count")::bigint AS "count", sum("size")::bigint AS "size"
	FROM "folder_parts" GROUP BY "folder_id";

CREATE FUNCTION fold_folders() RETURNS void LANGUAGE sql AS $$
	WITH parts AS (
		DELETE FROM folder_parts WHERE folder_id IN (SELECT folder_id FROM folder_parts WHERE NOT is_folded) RETURNING *
	)
	INSERT INTO folder_parts SELECT folder_id, sum("count"), sum(size), true FROM parts
		GROUP BY 1 HAVING sum("count") <> 0 OR sum(size) <> 0
$$;

CREATE FUNCTION files_arrived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO folder_parts SELECT folder_id, count(*), sum(size), false FROM added GROUP BY 1;
	RETURN NULL;
END $$;
CREATE TRIGGER files_arrived AFTER INSERT ON files REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION files_arrived();

CREATE FUNCTION files_left() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO folder_parts SELECT folder_id, -count(*), -sum(size), false FROM removed GROUP BY 1;
	RETURN NULL;
END $$;
CREATE TRIGGER files_left AFTER DELETE ON files REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION files_left();

CREATE FUNCTION files_resized() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO folder_parts SELECT folder_id, sum("count"), sum(size), false FROM (
			SELECT folder_id, -1 AS "count", -size AS size FROM before
			UNION ALL SELECT folder_id, 1, size FROM after
		) AS changes GROUP BY 1 HAVING sum("count") <> 0 OR sum(size) <> 0;
	RETURN NULL;
END $$;
CREATE TRIGGER files_resized AFTER UPDATE ON files REFERENCING OLD TABLE AS before NEW TABLE AS after
	FOR EACH STATEMENT EXECUTE FUNCTION files_resized();

INSERT INTO folder_parts SELECT folder_id, count(*), sum(size), true FROM files GROUP BY 1

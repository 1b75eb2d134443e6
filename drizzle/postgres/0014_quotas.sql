CREATE TABLE "quotas" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL
);

ALTER TABLE "quotas" ADD CONSTRAINT "quotas_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE cascade ON UPDATE no action;

CREATE VIEW "uploader_totals" AS SELECT "first" AS "user_id", sum("count")::bigint AS "count",
	sum("size")::bigint AS "size" FROM "total_parts" WHERE "total" = 'uploader' GROUP BY "first";
INSERT INTO total_parts SELECT 'uploader', uploaded_by, '', count(*), sum(size) FROM (
		SELECT uploaded_by, size FROM files UNION ALL SELECT uploaded_by, size FROM trashed_files
		UNION ALL SELECT uploaded_by, size FROM versions
	) AS uploaded WHERE uploaded_by IS NOT NULL GROUP BY 2;

CREATE FUNCTION uploads_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO total_parts SELECT 'uploader', uploaded_by, '', count(*), sum(size) FROM added
		WHERE uploaded_by IS NOT NULL GROUP BY 2;
	RETURN NULL;
END $$;
CREATE FUNCTION uploads_discounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO total_parts SELECT 'uploader', uploaded_by, '', -count(*), -sum(size) FROM removed
		WHERE uploaded_by IS NOT NULL GROUP BY 2;
	RETURN NULL;
END $$;
CREATE FUNCTION uploads_recounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO total_parts SELECT 'uploader', uploaded_by, '', sum("count"), sum(size) FROM (
			SELECT uploaded_by, -1 AS "count", -size AS size FROM before
			UNION ALL SELECT uploaded_by, 1, size FROM after
		) AS changes WHERE uploaded_by IS NOT NULL GROUP BY 2 HAVING sum("count") <> 0 OR sum(size) <> 0;
	RETURN NULL;
END $$;
CREATE TRIGGER files_counted AFTER INSERT ON files REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_counted();
CREATE TRIGGER files_discounted AFTER DELETE ON files REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_discounted();
CREATE TRIGGER trashed_files_counted AFTER INSERT ON trashed_files REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_counted();
CREATE TRIGGER trashed_files_discounted AFTER DELETE ON trashed_files REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_discounted();
CREATE TRIGGER versions_counted AFTER INSERT ON versions REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_counted();
CREATE TRIGGER versions_discounted AFTER DELETE ON versions REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_discounted();
CREATE TRIGGER files_recounted AFTER UPDATE ON files REFERENCING OLD TABLE AS before NEW TABLE AS after
	FOR EACH STATEMENT EXECUTE FUNCTION uploads_recounted()
-- What sites show for a file depends on files beside it: rules in the folder of a site, and compressed forms of the file.
CREATE FUNCTION note_beside() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	targets text[];
BEGIN
	IF EXISTS (SELECT 1 FROM changed WHERE name IN ('_headers', '_redirects')) THEN
		INSERT INTO events (kind) VALUES ('sites');
	END IF;
	SELECT array_agg(few.id) INTO targets FROM (
		SELECT files.id FROM changed JOIN files
			ON files.folder_id = changed.folder_id AND files.name = regexp_replace(changed.name, '\.(br|zst|gz)$', '')
			WHERE changed.name LIKE '%.br' OR changed.name LIKE '%.zst' OR changed.name LIKE '%.gz' LIMIT 101
	) AS few;
	IF cardinality(targets) > 100 THEN
		INSERT INTO events (kind) VALUES ('tree');
	ELSIF targets IS NOT NULL THEN
		INSERT INTO events (kind, target) SELECT 'file', unnest(targets);
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER note_new_beside AFTER INSERT ON files REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION note_beside();
CREATE TRIGGER note_renamed_beside AFTER UPDATE ON files REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION note_beside();
CREATE TRIGGER note_left_beside AFTER UPDATE ON files REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION note_beside();
CREATE TRIGGER note_removed_beside AFTER DELETE ON files REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION note_beside();

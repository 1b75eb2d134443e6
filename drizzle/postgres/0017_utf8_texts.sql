ALTER TABLE "files" ADD COLUMN "is_utf8" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "trashed_files" ADD COLUMN "is_utf8" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "versions" ADD COLUMN "is_utf8" bigint DEFAULT 0 NOT NULL
ALTER TABLE "files" ADD COLUMN "facts" text COLLATE "C";
ALTER TABLE "folders" ADD COLUMN "made_for_keys" bigint DEFAULT 0 NOT NULL;
ALTER TABLE "resumables" ADD COLUMN "part_of" text COLLATE "C";
ALTER TABLE "resumables" ADD COLUMN "part" bigint;
ALTER TABLE "resumables" ADD COLUMN "facts" text COLLATE "C";
ALTER TABLE "trashed_files" ADD COLUMN "facts" text COLLATE "C";
ALTER TABLE "trashed_folders" ADD COLUMN "made_for_keys" bigint DEFAULT 0 NOT NULL;
CREATE INDEX "resumables_part" ON "resumables" USING btree ("part_of","part","id") WHERE "part_of" IS NOT NULL
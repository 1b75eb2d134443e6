DROP INDEX "resumables_user";
DROP INDEX "resumables_share";
ALTER TABLE "resumables" ADD COLUMN "address" text COLLATE "C";
CREATE INDEX "resumables_user" ON "resumables" USING btree ("user_id") WHERE "file_id" IS NULL;
CREATE INDEX "resumables_share" ON "resumables" USING btree ("share_id") WHERE "file_id" IS NULL
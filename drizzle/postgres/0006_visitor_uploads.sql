ALTER TABLE "resumables" ADD COLUMN "share_id" text COLLATE "C";
ALTER TABLE "resumables" ADD COLUMN "visitor" text COLLATE "C";
CREATE INDEX "resumables_share" ON "resumables" USING btree ("share_id","visitor")
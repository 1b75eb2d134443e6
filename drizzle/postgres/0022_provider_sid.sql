ALTER TABLE "sessions" ADD COLUMN "provider_sid" text COLLATE "C";
CREATE INDEX "sessions_provider" ON "sessions" USING btree ("provider_sid") WHERE "provider_sid" IS NOT NULL
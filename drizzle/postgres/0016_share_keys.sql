ALTER TABLE "shares" ADD COLUMN "key_id" text COLLATE "C";
ALTER TABLE "shares" ADD CONSTRAINT "shares_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "shares_key" ON "shares" USING btree ("key_id") WHERE "key_id" IS NOT NULL
ALTER TABLE `shares` ADD `key_id` text REFERENCES api_keys(id) ON DELETE CASCADE;
--> statement-breakpoint
CREATE INDEX `shares_key` ON `shares` (`key_id`) WHERE "shares"."key_id" IS NOT NULL
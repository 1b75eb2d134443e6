DROP INDEX `resumables_user`;
--> statement-breakpoint
DROP INDEX `resumables_share`;
--> statement-breakpoint
ALTER TABLE `resumables` ADD `address` text;
--> statement-breakpoint
CREATE INDEX `resumables_user` ON `resumables` (`user_id`) WHERE "resumables"."file_id" IS NULL;
--> statement-breakpoint
CREATE INDEX `resumables_share` ON `resumables` (`share_id`) WHERE "resumables"."file_id" IS NULL
ALTER TABLE `files` ADD `facts` text;
--> statement-breakpoint
ALTER TABLE `folders` ADD `made_for_keys` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `resumables` ADD `part_of` text;
--> statement-breakpoint
ALTER TABLE `resumables` ADD `part` integer;
--> statement-breakpoint
ALTER TABLE `resumables` ADD `facts` text;
--> statement-breakpoint
CREATE INDEX `resumables_part` ON `resumables` (`part_of`,`part`,`id`) WHERE "resumables"."part_of" IS NOT NULL;
--> statement-breakpoint
ALTER TABLE `trashed_files` ADD `facts` text;
--> statement-breakpoint
ALTER TABLE `trashed_folders` ADD `made_for_keys` integer DEFAULT false NOT NULL
ALTER TABLE `files` ADD `is_utf8` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `trashed_files` ADD `is_utf8` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `versions` ADD `is_utf8` integer DEFAULT false NOT NULL
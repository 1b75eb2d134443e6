ALTER TABLE `users` ADD `deleted` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `files_folder_size` ON `files` (`folder_id`,`size`);
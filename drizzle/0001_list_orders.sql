CREATE INDEX `files_created` ON `files` ("created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `files_updated` ON `files` ("updated_at" desc,"created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `files_name` ON `files` (`name`,"created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `files_size` ON `files` ("size" desc,"created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `files_folder_created` ON `files` (`folder_id`,"created_at" desc,`id`);
CREATE INDEX `files_updated_ascending` ON `files` (`updated_at`,"created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `files_name_descending` ON `files` ("name" desc,"created_at" desc,`id`);--> statement-breakpoint
CREATE INDEX `files_size_ascending` ON `files` (`size`,"created_at" desc,`id`);
CREATE TABLE `trash` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`key` text NOT NULL,
	`parent_id` text NOT NULL,
	`entry` text NOT NULL,
	`count` integer NOT NULL,
	`size` integer NOT NULL,
	`deleted_at` integer NOT NULL,
	`deleted_by` text,
	`purging` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trash_deleted` ON `trash` ("deleted_at" desc,`id`);--> statement-breakpoint
CREATE TABLE `trashed_files` (
	`id` text PRIMARY KEY NOT NULL,
	`trash_id` text NOT NULL,
	`folder_id` text NOT NULL,
	`name` text NOT NULL,
	`mime_type` text NOT NULL,
	`size` integer NOT NULL,
	`crc32` integer NOT NULL,
	`sha256` text NOT NULL,
	`visibility` text NOT NULL,
	`uploaded_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trashed_files_folder` ON `trashed_files` (`trash_id`,`folder_id`,`name`);--> statement-breakpoint
CREATE TABLE `trashed_folders` (
	`id` text PRIMARY KEY NOT NULL,
	`trash_id` text NOT NULL,
	`parent_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trashed_folders_parent` ON `trashed_folders` (`trash_id`,`parent_id`,`name`);
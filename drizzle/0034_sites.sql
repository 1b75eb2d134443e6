CREATE TABLE `sites` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`folder_id` text NOT NULL,
	`domains` text NOT NULL,
	`spa` integer NOT NULL,
	`password_hash` text,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

--> statement-breakpoint
CREATE UNIQUE INDEX `sites_name_unique` ON `sites` (`name`)
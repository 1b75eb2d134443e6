CREATE TABLE `fetches` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`key_id` text,
	`url` text NOT NULL,
	`name` text,
	`folder` text,
	`folder_id` text,
	`max_bytes` integer,
	`visibility` text,
	`on_conflict` text NOT NULL,
	`state` text NOT NULL,
	`received_bytes` integer NOT NULL,
	`size` integer,
	`file_id` text,
	`error` text,
	`code` text,
	`run` text,
	`lease_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);

--> statement-breakpoint
CREATE INDEX `fetches_user` ON `fetches` (`user_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `fetches_state` ON `fetches` (`state`,`created_at`)
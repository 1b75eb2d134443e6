CREATE TABLE `resumables` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`key_id` text,
	`name` text NOT NULL,
	`folder` text NOT NULL,
	`visibility` text,
	`metadata` text NOT NULL,
	`length` integer NOT NULL,
	`received` integer NOT NULL,
	`file_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `resumables_user` ON `resumables` (`user_id`);--> statement-breakpoint
CREATE INDEX `resumables_expires` ON `resumables` (`expires_at`);
CREATE TABLE `security_events` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`user_id` text,
	`email` text,
	`actor_id` text,
	`ip_address` text NOT NULL,
	`user_agent` text NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `security_events_created` ON `security_events` (`created_at`);--> statement-breakpoint
CREATE INDEX `security_events_type_created` ON `security_events` (`type`,`created_at`);--> statement-breakpoint
CREATE INDEX `security_events_user_created` ON `security_events` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `security_events_user_type_created` ON `security_events` (`user_id`,`type`,`created_at`);
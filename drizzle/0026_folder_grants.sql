CREATE TABLE `folder_grants` (
	`folder_id` text NOT NULL,
	`user_id` text NOT NULL,
	`rights` integer NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	PRIMARY KEY(`folder_id`, `user_id`)
);

--> statement-breakpoint
CREATE INDEX `folder_grants_user` ON `folder_grants` (`user_id`);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `folder_id` text;
--> statement-breakpoint
ALTER TABLE `invitations` ADD `grants` text;
--> statement-breakpoint
ALTER TABLE `users` ADD `limited` integer DEFAULT false NOT NULL
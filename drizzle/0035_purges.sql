CREATE TABLE `purges` (
	`id` text PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`failed_at` integer,
	`sent_at` integer
)
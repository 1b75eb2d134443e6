CREATE TABLE `held_integrity` (
	`id` text PRIMARY KEY NOT NULL,
	`place` text NOT NULL,
	`problem` text NOT NULL,
	`found_at` integer NOT NULL
);

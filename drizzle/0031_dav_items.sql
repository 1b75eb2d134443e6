CREATE TABLE `dav_items` (
	`item_id` text PRIMARY KEY NOT NULL,
	`modified_at` integer,
	`sha256` text,
	`properties` text NOT NULL
)